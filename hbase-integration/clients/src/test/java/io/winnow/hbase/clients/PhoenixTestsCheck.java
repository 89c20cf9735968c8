package io.winnow.hbase.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Phoenix's own tests ran, and with Winnow's filters: they pass without the agent, too. Part of the
 * profile {@code phoenix-tests} only, after those tests. The witness is HBase's own log, which
 * names the class of each filter that a store file is written with or opened with.
 */
class PhoenixTestsCheck {
  private static final Path TARGET = Path.of(System.getProperty("winnow.phoenix.target"));
  private static final Pattern COUNTS =
      Pattern.compile("<testsuite[^>]* tests=\"(\\d+)\" [^>]*skipped=\"(\\d+)\"");

  /** A file of a table that is not one of Phoenix's own. */
  private static final Pattern WRITTEN =
      Pattern.compile("^(\\S+) .*/data/default/(?!SYSTEM)\\S+/(\\w+): .*WinnowChunkWriter$");

  private static final Pattern OPENED =
      Pattern.compile("^(\\S+) .* WinnowFilterReader metadata for (\\w+)$");

  private static List<String> classes() throws IOException {
    try (Stream<String> lines =
        Files.lines(Path.of(System.getProperty("winnow.phoenix.source"), "classes.txt"))) {
      return lines.filter(line -> !line.startsWith("#")).toList();
    }
  }

  private static Path report(String name) {
    return TARGET.resolve("reports").resolve("TEST-" + name + ".xml");
  }

  @Test
  void eachClassRan() throws IOException {
    List<String> classes = classes();
    assertFalse(classes.isEmpty());
    for (String name : classes) {
      Path report = report(name);
      assertTrue(Files.exists(report), () -> name + " did not run");
      Matcher counts = COUNTS.matcher(Files.readString(report));
      assertTrue(counts.find(), name);
      int tests = Integer.parseInt(counts.group(1));
      assertTrue(tests > Integer.parseInt(counts.group(2)), () -> name + " ran no test");
    }
  }

  @Test
  void filesOfTablesHadFiltersOfWinnow() throws IOException {
    try (Stream<String> lines = Files.lines(TARGET.resolve("hbase.log"))) {
      List<String> written =
          lines
              .filter(line -> line.contains("Bloom filter type for "))
              .filter(line -> line.contains("/data/default/"))
              .toList();
      assertFalse(written.isEmpty());
      assertEquals(
          List.of(), written.stream().filter(line -> !line.contains("WinnowChunkWriter")).toList());
    }
  }

  /** Classes run one after another, so the time of a line says which class it belongs to. */
  @Test
  void eachClassOpenedFiltersThatItWrote() throws IOException {
    NavigableMap<LocalDateTime, String> ends = new TreeMap<>();
    for (String name : classes()) {
      Instant end = Files.getLastModifiedTime(report(name)).toInstant();
      ends.put(LocalDateTime.ofInstant(end, ZoneId.systemDefault()), name);
    }
    Set<String> left = new LinkedHashSet<>(classes());
    try (Stream<String> lines = Files.lines(TARGET.resolve("hbase.log"))) {
      Map<String, String> writers = new HashMap<>();
      for (String line : (Iterable<String>) lines::iterator) {
        Matcher written = WRITTEN.matcher(line);
        if (written.find()) {
          writers.put(written.group(2), classAt(written.group(1), ends));
        }
        Matcher opened = OPENED.matcher(line);
        if (opened.find()) {
          String name = classAt(opened.group(1), ends);
          if (name.equals(writers.get(opened.group(2)))) {
            left.remove(name);
          }
        }
      }
    }
    assertEquals(Set.of(), left);
  }

  private static String classAt(String time, NavigableMap<LocalDateTime, String> ends) {
    Map.Entry<LocalDateTime, String> end =
        ends.ceilingEntry(LocalDateTime.parse(time.replace(',', '.')));
    return end == null ? "" : end.getValue();
  }
}
