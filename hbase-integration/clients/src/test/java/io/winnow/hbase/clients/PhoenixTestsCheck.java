package io.winnow.hbase.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Phoenix's own tests ran, and with Winnow's filters: they pass without the agent, too. Part of the
 * profile {@code phoenix-tests} only, after those tests. The witness is HBase's own log, which
 * names the class of each filter that a store file is written with.
 */
class PhoenixTestsCheck {
  private static final Path TARGET = Path.of(System.getProperty("winnow.phoenix.target"));
  private static final Pattern COUNTS =
      Pattern.compile("<testsuite[^>]* tests=\"(\\d+)\" [^>]*skipped=\"(\\d+)\"");

  @Test
  void eachClassRan() throws IOException {
    List<String> classes;
    try (Stream<String> lines =
        Files.lines(Path.of(System.getProperty("winnow.phoenix.source"), "classes.txt"))) {
      classes = lines.filter(line -> !line.startsWith("#")).toList();
    }
    assertFalse(classes.isEmpty());
    for (String name : classes) {
      Path report = TARGET.resolve("reports").resolve("TEST-" + name + ".xml");
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
}
