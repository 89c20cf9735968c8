package io.winnow.flash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.KeyHash;
import io.winnow.cascade.CascadeFilter;
import io.winnow.cascade.CascadeOptions;
import io.winnow.cascade.CascadeReader;
import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.bloom.ElevatorBloomFilter;
import io.winnow.flash.bloom.FlashBloomFilter;
import io.winnow.flash.buffered.BufferedBloomFilter;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.flash.buffered.BufferedBloomReader;
import io.winnow.flash.bufferhash.BufferHash;
import io.winnow.flash.bufferhash.BufferHashOptions;
import io.winnow.flash.bufferhash.BufferHashReader;
import io.winnow.flash.drive.PageStore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each public method of a closed structure throws the same exception. */
class ClosedStructuresTest {
  /** A value for each type that methods take; numbers are within all bounds. */
  private static final Map<Class<?>, Object> ARGUMENTS =
      Map.of(
          long.class,
          2L,
          int.class,
          2,
          byte[].class,
          new byte[] {1},
          long[].class,
          new long[4],
          List.class,
          List.of(new byte[] {1}),
          Path.class,
          Path.of("nowhere"),
          LongConsumer.class,
          (LongConsumer) pages -> {});

  /** A structure may be closed twice, and shown by who logs it. */
  private static final Set<String> ALWAYS = Set.of("close", "toString");

  @TempDir private Path directory;

  private static void assertClosed(AutoCloseable structure) throws Exception {
    structure.close();
    structure.close();
    int called = 0;
    for (Method method : structure.getClass().getMethods()) {
      if (method.getDeclaringClass() == Object.class
          || Modifier.isStatic(method.getModifiers())
          || ALWAYS.contains(method.getName())) {
        continue;
      }
      method.setAccessible(true); // some are of a class that is not public
      Object[] arguments = Arrays.stream(method.getParameterTypes()).map(ARGUMENTS::get).toArray();
      Throwable thrown =
          assertThrows(
                  InvocationTargetException.class,
                  () -> method.invoke(structure, arguments),
                  method + " answers")
              .getCause();
      assertEquals(IllegalStateException.class, thrown.getClass(), method + ": " + thrown);
      assertTrue(thrown.getMessage().contains("closed"), method + ": " + thrown);
      called++;
    }
    assertTrue(called >= 2, "there are " + called);
  }

  @Test
  void cascade() throws Exception {
    CascadeOptions options = CascadeOptions.defaults().memoryBudget(1 << 20).deletes(true);
    CascadeFilter filter = CascadeFilter.open(directory, options);
    filter.insert(1);
    assertClosed(filter);
    assertClosed(CascadeReader.open(directory));
  }

  @Test
  void bloomFiltersOnFlash() throws Exception {
    BloomSizing sizing = new BloomSizing(50_000, 4);
    assertClosed(FlashBloomFilter.create(store("plain"), sizing, 1 << 16));
    assertClosed(ElevatorBloomFilter.create(store("elevator"), sizing, 1 << 16, 1));
  }

  private PageStore store(String name) throws IOException {
    return PageStore.create(directory.resolve(name), PageStore.MIN_PAGE_BYTES);
  }

  @Test
  void bufferedBloomFilter() throws Exception {
    BufferedBloomOptions options = BufferedBloomOptions.defaults().keys(1000);
    assertClosed(
        BufferedBloomFilter.open(
            directory, options.hashedBy(KeyHash.XXH3).onAnswer((tag, mightContain) -> {})));
    assertClosed(BufferedBloomReader.open(directory));
  }

  @Test
  void bufferHash() throws Exception {
    BufferHashOptions options = BufferHashOptions.ofFingerprints(8).flashBytes(1 << 20);
    assertClosed(BufferHash.open(directory, options));
    assertClosed(BufferHashReader.open(directory));
  }
}
