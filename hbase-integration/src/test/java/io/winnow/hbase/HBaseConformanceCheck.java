package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

/**
 * That a run of HBase's own tests was one with Winnow's filters. Part of the profile {@code
 * hbase-conformance} only, after those tests.
 *
 * <p>HBase's tests pass without the agent as well. The witness is HBase's own log, which names the
 * class of each filter that a store file is written with or opened with. A file is opened with
 * {@link WinnowFilterReader} only if its filter carries {@link FilterMeta#META_VERSION}.
 */
class HBaseConformanceCheck {
  private static final Path SOURCE = Path.of(System.getProperty("winnow.conformance.source"));
  private static final Path TARGET = Path.of(System.getProperty("winnow.conformance.target"));

  private static final Pattern CLASS_STARTS = Pattern.compile(": Test class (\\S+) timeout: ");
  private static final Pattern WRITTEN =
      Pattern.compile("(Delete Family )?Bloom filter type for (\\S+): (?:(\\w+), .*, )?(\\w+)$");
  private static final Pattern OPENED =
      Pattern.compile(
          "Loaded (?:\\w+ (\\w+)|Delete Family Bloom \\((\\w+)\\)) metadata for (\\S+)$");

  /** Tests of what does not depend on the filter; they write none, or none of a family's. */
  private static final Set<String> WITHOUT_FILTERS =
      Set.of(
          "org.apache.hadoop.hbase.regionserver.TestCompoundBloomFilter",
          "org.apache.hadoop.hbase.util.TestBloomFilterChunk");

  /** The filters that one test class's store files were written with and opened with. */
  private static final class Filters {
    private final Map<String, Integer> writtenWith = new HashMap<>();
    private final Map<String, Integer> openedWith = new HashMap<>();
    private final Set<String> kinds = new TreeSet<>();
  }

  @Test
  void everyTestClassRanWithWinnowFilters() throws Exception {
    List<String> included;
    try (Stream<String> lines = Files.lines(SOURCE.resolve("included.txt"))) {
      included = lines.filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
    }
    assertFalse(included.isEmpty());
    Map<String, Filters> filtersOf = readLog(TARGET.resolve("hbase.log"), Set.copyOf(included));
    System.out.printf("%n%-52s %5s %8s  %s%n", "HBase's own", "tests", "seconds", "store files");
    assertAll(included.stream().map(testClass -> () -> check(testClass, filtersOf)));
    Set<String> kinds =
        filtersOf.values().stream().flatMap(f -> f.kinds.stream()).collect(Collectors.toSet());
    assertEquals(Set.of("ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH", "delete family"), kinds);
  }

  private static void check(String testClass, Map<String, Filters> filtersOf) throws Exception {
    Path report = TARGET.resolve("reports").resolve("TEST-" + testClass + ".xml");
    assertTrue(Files.exists(report), () -> testClass + " did not run");
    Element suite =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(report.toFile())
            .getDocumentElement();
    int tests = Integer.parseInt(suite.getAttribute("tests"));
    int skipped = Integer.parseInt(suite.getAttribute("skipped"));
    Filters filters = filtersOf.getOrDefault(testClass, new Filters());
    System.out.printf(
        "%-52s %5d %8s  written %s, opened %s%n",
        testClass.substring(testClass.lastIndexOf('.') + 1),
        tests - skipped,
        suite.getAttribute("time"),
        filters.writtenWith,
        filters.openedWith);
    assertTrue(tests > skipped, () -> testClass + " ran no test");
    if (!WITHOUT_FILTERS.contains(testClass)) {
      assertEquals(Set.of("WinnowChunkWriter"), filters.writtenWith.keySet(), testClass);
      assertTrue(Set.of("WinnowFilterReader").containsAll(filters.openedWith.keySet()), testClass);
    }
  }

  /** What each test class did. The classes ran one after the other, each in a JVM of its own. */
  private static Map<String, Filters> readLog(Path log, Set<String> included) throws IOException {
    Map<String, Filters> filtersOf = new HashMap<>();
    Set<String> systemFiles = new HashSet<>();
    Filters current = new Filters();
    try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
      for (String line : (Iterable<String>) lines::iterator) {
        Matcher m = CLASS_STARTS.matcher(line);
        if (m.find() && included.contains(m.group(1))) { // some use another test class
          current = filtersOf.computeIfAbsent(m.group(1), c -> new Filters());
          continue;
        }
        m = WRITTEN.matcher(line);
        if (m.find()) {
          if (m.group(2).contains("/hbase/meta/")) {
            // Not a family's: the order of its rows is another, and it keeps its stock filter.
            systemFiles.add(m.group(2).substring(m.group(2).lastIndexOf('/') + 1));
            continue;
          }
          current.writtenWith.merge(m.group(4), 1, Integer::sum);
          current.kinds.add(m.group(1) == null ? m.group(3) : "delete family");
          continue;
        }
        m = OPENED.matcher(line);
        if (m.find() && !systemFiles.contains(m.group(3))) {
          String reader = m.group(1) == null ? m.group(2) : m.group(1);
          current.openedWith.merge(reader, 1, Integer::sum);
        }
      }
    }
    return filtersOf;
  }
}
