package io.winnow.hbase.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.KeyHash;
import io.winnow.cascade.CascadeFilter;
import io.winnow.cascade.CascadeOptions;
import io.winnow.hbase.cli.ProgressLines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CascadeMergeTest {
  private static final int KEYS = 8_000;
  private static final int PAGE_BYTES = 4096;

  @TempDir private Path temporary;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final ByteArrayOutputStream complained = new ByteArrayOutputStream();

  private int merge(Object... arguments) {
    said.reset();
    complained.reset();
    return new CascadeMerge()
        .run(
            new PrintStream(said, true, StandardCharsets.UTF_8),
            new PrintStream(complained, true, StandardCharsets.UTF_8),
            Stream.of(arguments).map(Object::toString).toArray(String[]::new));
  }

  private static CascadeOptions options() {
    return CascadeOptions.defaults().memoryBudget(1 << 19).expectedMaximum(1_000_000).rate(1e-6);
  }

  /** With keys from one on, in its log. */
  private Path filter(String name, CascadeOptions options, int from) throws IOException {
    Path directory = temporary.resolve(name);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      for (int i = from; i < from + KEYS; i++) {
        filter.insert(i);
      }
    }
    return directory;
  }

  /** With keys from one on, in a level. */
  private Path level(String name, CascadeOptions options, int from) throws IOException {
    Path directory = temporary.resolve(name);
    try (CascadeFilter filter = CascadeFilter.open(filter("of-" + name, options, from), options)) {
      filter.snapshot(directory);
    }
    return directory;
  }

  private static Map<String, ByteBuffer> content(Path directory) throws IOException {
    Map<String, ByteBuffer> content = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        content.put(file.getFileName().toString(), ByteBuffer.wrap(Files.readAllBytes(file)));
      }
    }
    return content;
  }

  private String here(List<Path> sources, Path target) {
    List<Object> arguments = new ArrayList<>(sources);
    arguments.addAll(List.of("--into", target));
    assertEquals(0, merge(arguments.toArray()), complained::toString);
    return said.toString();
  }

  /** As the launcher starts it. */
  private String launched(List<Path> sources, Path target) throws Exception {
    Path output = temporary.resolve("output");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(CascadeMerge.class.getName());
    sources.forEach(source -> command.add(source.toString()));
    command.addAll(List.of("--into", temporary.relativize(target).toString()));
    Process process =
        new ProcessBuilder(command)
            .directory(temporary.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertTrue(process.waitFor(10, TimeUnit.MINUTES));
    String told = Files.readString(output);
    assertEquals(0, process.exitValue(), told);
    return told;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oneFilterHasWhatAllHadAndTheyAreAsTheyWere(boolean deletes) throws Exception {
    CascadeOptions options = options().deletes(deletes);
    List<Path> sources = new ArrayList<>();
    List<Map<String, ByteBuffer>> before = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      String name = "source-" + i;
      sources.add(i == 1 ? level(name, options, i * KEYS) : filter(name, options, i * KEYS));
      before.add(content(sources.get(i)));
    }
    Path target = temporary.resolve("new").resolve("all");
    String told = deletes ? here(sources, target) : launched(sources, target);
    assertTrue(told.contains("of 24,000 in 3 directories"), told);
    for (int i = 0; i < 3; i++) {
      assertEquals(before.get(i), content(sources.get(i)), "source " + i);
    }
    try (CascadeFilter all = CascadeFilter.open(target, options)) {
      int falsePositives = 0;
      for (int i = 0; i < 3 * KEYS; i++) {
        assertTrue(all.mightContain(i), "key " + i);
        falsePositives += all.mightContain(i + 3L * KEYS) ? 1 : 0;
      }
      assertEquals(0, falsePositives, "of 24,000 absent keys, at a rate of 2e-8");
    }
  }

  private void assertRefused(String because, Path target, Object... arguments) {
    boolean wasThere = Files.exists(target);
    assertEquals(1, merge(arguments));
    assertTrue(complained.toString().contains(because), complained::toString);
    assertEquals(
        1, ProgressLines.withoutProgress(complained.toString()).size(), complained::toString);
    assertEquals("", said.toString());
    assertEquals(wasThere, Files.exists(target), "nothing is made that nobody can use");
  }

  @Test
  void whatCannotBeMergedIsRefusedInASentence() throws IOException {
    Path one = filter("one", options(), 0);
    Path target = temporary.resolve("all");
    Path wide = filter("wide", options().rate(1e-9), 0);
    assertRefused("has fingerprints of", target, one, wide, "--into", target);
    Path deletes = filter("deletes", options().deletes(true), 0);
    assertRefused("no deletes", target, one, deletes, "--into", target);
    Path hash = filter("hash", options().keyHash(KeyHash.MURMUR3), 0);
    assertRefused("keys hashed by", target, one, hash, "--into", target);
    Path link = Files.createSymbolicLink(temporary.resolve("link"), one);
    assertRefused("is named twice", target, one, link, "--into", target);
    assertRefused("only to be read", one.resolve("in"), one, "--into", one.resolve("in"));
    assertRefused("only to be read", one, one, "--into", one);
    assertRefused("it is not empty", wide, one, "--into", wide);
    Path other = Files.createDirectory(temporary.resolve("other"));
    Files.createFile(other.resolve("notes"));
    assertRefused("it is not empty", other, one, "--into", other);
    assertEquals(Set.of("notes"), content(other).keySet());
    assertRefused("no directory", target, temporary.resolve("none"), "--into", target);
    assertRefused(
        "MANIFEST", target, Files.createDirectory(temporary.resolve("x")), "--into", target);
  }

  @Test
  void wrongUsageIsToldWithTheHelp() {
    for (String[] wrong : new String[][] {{}, {"x"}, {"--into", "x"}, {"x", "--nosuch", "y"}}) {
      assertEquals(64, merge((Object[]) wrong));
      assertTrue(complained.toString().contains("usage: "), complained::toString);
    }
    assertEquals(0, merge("--help"));
    assertFalse(said.toString().isEmpty());
  }

  @Test
  void aDamagedPageIsDoubtAndToldOf() throws IOException {
    Path one = level("one", options(), 0);
    Path level;
    try (Stream<Path> files = Files.list(one)) {
      level = files.filter(f -> f.getFileName().toString().startsWith("level-")).findFirst().get();
    }
    byte[] bytes = Files.readAllBytes(level);
    bytes[2 * PAGE_BYTES + 500] ^= 1;
    Files.write(level, bytes);
    Path target = temporary.resolve("all");
    assertEquals(3, merge(one, "--into", target), complained::toString);
    assertTrue(said.toString().contains("IN DOUBT"), said::toString);
    try (CascadeFilter all = CascadeFilter.open(target, options())) {
      for (int i = 0; i < KEYS; i++) {
        assertTrue(all.mightContain(i), "key " + i);
      }
    }
  }
}
