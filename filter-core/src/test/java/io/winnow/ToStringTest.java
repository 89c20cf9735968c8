package io.winnow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.cascade.CascadeFilter;
import io.winnow.cascade.CascadeListener;
import io.winnow.cascade.CascadeOptions;
import io.winnow.cascade.CascadeReader;
import io.winnow.flash.FlashInspect;
import io.winnow.flash.buffered.BufferedBloomFilter;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.flash.buffered.BufferedBloomReader;
import io.winnow.flash.bufferhash.BufferHash;
import io.winnow.flash.bufferhash.BufferHashOptions;
import io.winnow.flash.bufferhash.BufferHashReader;
import io.winnow.flash.bufferhash.Eviction;
import io.winnow.quotient.FingerprintCursor;
import io.winnow.quotient.QuotientFilter;
import io.winnow.quotient.QuotientSizing;
import io.winnow.ribbon.RibbonSizing;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The text of each public type of the library says what the object is. */
class ToStringTest {
  private static final Path LISTING = Path.of("src/test/resources/api.txt");

  @TempDir private Path directory;

  @Test
  void eachPublicTypeWithObjectsHasAText() throws Exception {
    List<String> types =
        Files.readAllLines(LISTING).stream()
            .map(line -> line.split(": ")[0])
            .distinct()
            .collect(Collectors.toList());
    assertTrue(types.size() > 40, types::toString);
    for (String name : types) {
      Class<?> type = Class.forName(name);
      if (!type.isInterface() && hasObjects(type)) {
        Class<?> texts = type.getMethod("toString").getDeclaringClass();
        assertNotEquals(Object.class, texts, name + " has no text");
      }
    }
  }

  private static boolean hasObjects(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .mapToInt(Method::getModifiers)
        .anyMatch(modifiers -> !Modifier.isStatic(modifiers));
  }

  @Test
  void partsOfFiltersSayWhatTheyAre() {
    FilterBuilder builder = FilterBuilder.of(RibbonSizing.forRate(0.01));
    builder.add("key");
    FilterHeader header = builder.finish().layout().header();
    String text = "FilterHeader[type=RIBBON, keyHash=xxh3, keyCount=1, configuredRate=0.01, ";
    assertTrue(header.toString().startsWith(text), header::toString);
    assertEquals("access to a byte[]", ByteAccess.ARRAY.toString());
    assertEquals("access to a ByteBuffer", ByteAccess.BUFFER.toString());
    QuotientFilter filter = QuotientFilter.of(QuotientSizing.forRate(0.01).shape(10));
    filter.insert(7L);
    FingerprintCursor cursor = filter.fingerprints();
    assertTrue(cursor.next());
    assertEquals(
        "a cursor at fingerprint " + cursor.fingerprint() + " of " + filter.shape().universe(),
        cursor.toString());
  }

  private static void assertText(String text, AutoCloseable structure) throws Exception {
    try (structure) {
      assertEquals(text, structure.toString());
    }
    assertEquals(text, structure.toString(), "closed");
  }

  @Test
  void aStructureNamesItsKindAndDirectory() throws Exception {
    CascadeOptions cascade = CascadeOptions.defaults().memoryBudget(1 << 20);
    assertText("a cascade filter in " + at("c"), CascadeFilter.open(at("c"), cascade));
    assertText("a cascade filter in " + at("c"), CascadeReader.open(at("c")));
    BufferedBloomOptions bloom = BufferedBloomOptions.defaults().keys(1000);
    String buffered = "a buffered Bloom filter in " + at("b");
    assertText(buffered, BufferedBloomFilter.open(at("b"), bloom));
    assertText(buffered, BufferedBloomReader.open(at("b")));
    BufferHashOptions table = BufferHashOptions.ofFingerprints(8).flashBytes(1 << 20);
    assertText("a BufferHash in " + at("h"), BufferHash.open(at("h"), table));
    assertText("a BufferHash in " + at("h"), BufferHashReader.open(at("h")));
    for (String name : List.of("b", "c", "h")) {
      String report = FlashInspect.of(at(name)).toString();
      assertTrue(report.startsWith("  a "), report);
      assertTrue(report.contains(" in " + at(name) + "\n"), report);
    }
  }

  private Path at(String name) throws IOException {
    return directory.resolve(name);
  }

  @Test
  void optionsAndReportsNameTheirFields() {
    CascadeOptions cascade = CascadeOptions.defaults().memoryBudget(1 << 20).fanOut(7);
    assertTrue(cascade.toString().startsWith("CascadeOptions["), cascade::toString);
    assertTrue(cascade.toString().contains("memoryBytes=1048576, fanOut=7"), cascade::toString);
    BufferHashOptions table = BufferHashOptions.ofFingerprints(8);
    assertTrue(table.toString().contains("BufferHashOptions[keyed=false"), table::toString);
    BufferedBloomOptions bloom = BufferedBloomOptions.defaults().keys(1000);
    assertTrue(bloom.toString().contains("BufferedBloomOptions[keys=1000"), bloom::toString);
    for (Object options : List.of(cascade, table, bloom.onAnswer((tag, answer) -> {}))) {
      String text = options.toString();
      assertFalse(text.matches(".*(@[0-9a-f]|[$]).*"), text);
      assertFalse(text.contains("ids="), text);
      assertTrue(text.contains("access=FileAccess"), text);
    }
    CascadeListener.Merged merged = new CascadeListener.Merged(1, 2, 3, 4, 5, 6, null);
    assertTrue(merged.toString().startsWith("Merged[rank=1, entriesIn=2"), merged::toString);
    assertEquals("leastRecentlyUsed", Eviction.leastRecentlyUsed().toString());
    assertTrue(Eviction.keeping((hash, key, value) -> true).toString().startsWith("keeping "));
  }
}
