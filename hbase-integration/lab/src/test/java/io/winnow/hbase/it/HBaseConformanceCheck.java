package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.read.WinnowFilterReader;
import java.io.IOException;
import java.net.JarURLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

/**
 * That a run of HBase's own tests had the filters it was meant to have: Winnow's, or HBase's own
 * where nothing is set. Part of the profile {@code hbase-tests} only, after those tests.
 *
 * <p>HBase's tests pass without the agent as well. The witness is HBase's own log, which names the
 * class of each filter that a store file is written with or opened with. A file is opened with
 * {@link WinnowFilterReader} only if its filter carries {@link FilterMeta#META_VERSION}.
 */
class HBaseConformanceCheck {
  private static final Path SOURCE = Path.of(System.getProperty("winnow.conformance.source"));
  private static final Path TARGET = Path.of(System.getProperty("winnow.conformance.target"));
  private static final String LIST = System.getProperty("winnow.conformance.list");

  /** Lists of which nobody knows yet which classes write filters, and of which kinds. */
  private static final boolean IS_LONG = LIST.startsWith("long-");

  private static final boolean NOTHING_SET =
      System.getProperty("winnow.conformance.filter").equals("none");

  private static final String WRITER =
      NOTHING_SET ? "CompoundBloomFilterWriter" : "WinnowChunkWriter";
  private static final String READER = NOTHING_SET ? "CompoundBloomFilter" : "WinnowFilterReader";

  /** A class that a test uses along the way starts in another thread. */
  private static final Pattern CLASS_STARTS =
      Pattern.compile("\\[main\\] HBaseClassTestRule: Test class (\\S+) timeout: ");

  private static final Pattern WRITTEN =
      Pattern.compile("(Delete Family )?Bloom filter type for (\\S+): (?:(\\w+), .*, )?(\\w+)$");
  private static final Pattern OPENED =
      Pattern.compile(
          "Loaded (?:\\w+ (\\w+)|Delete Family Bloom \\((\\w+)\\)) metadata for (\\S+)$");

  /** Files of HBase's own tables and of the master's: no setting for all families reaches them. */
  private static final Pattern SYSTEM_TABLE =
      Pattern.compile("/data/(?:hbase/\\w+|master/store)/\\w+/");

  /** Names of test classes that have to do with filters, store files and what makes them. */
  private static final Pattern OF_OUR_AREAS =
      Pattern.compile(
          "Bloom|StoreFile|HStore|StoreEngine|HMobStore|HFile|Flush|Compact|Stripe|DateTiered"
              + "|Bulk[lL]oad|LoadIncremental|Split|Merge|Snapshot|Mob|OnWrite|ScanMetrics|Seek"
              + "|Scanner|BytesRead|BlocksRead|BlockCache|Prefetch");

  /** The filters that one test class's store files were written with and opened with. */
  private static final class Filters {
    private final Map<String, Integer> writtenWith = new HashMap<>();
    private final Map<String, Integer> openedWith = new HashMap<>();
    private final Set<String> kinds = new TreeSet<>();

    /** Files that the run did not write: some tests bring one along, or give one a new name. */
    private int openedOfOthers;
  }

  @Test
  void everyTestClassRanWithTheFiltersThatWereAskedFor() throws Exception {
    List<String> classes = read(LIST);
    assertFalse(classes.isEmpty());
    Map<String, Filters> filtersOf = readLogs(Set.copyOf(classes));
    System.out.printf("%n%-56s %5s %8s  %s%n", "HBase's own", "tests", "seconds", "store files");
    Set<String> withoutFilters = Set.copyOf(read("without-filters"));
    assertAll(
        classes.stream()
            .map(c -> () -> check(c, filtersOf, IS_LONG || withoutFilters.contains(c))));
    Set<String> kinds =
        filtersOf.values().stream().flatMap(f -> f.kinds.stream()).collect(Collectors.toSet());
    assertTrue(
        IS_LONG
            ? !kinds.isEmpty()
            : kinds.equals(Set.of("ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH", "delete family")),
        kinds.toString());
  }

  /** A class of our areas runs, or is named with the reason why it does not. */
  @Test
  void noTestClassOfOurAreasIsForgotten() throws Exception {
    Set<String> full = Set.copyOf(read("full"));
    Set<String> known = new HashSet<>(full);
    for (String list : lists("long-.*|left-out")) {
      for (String other : read(list)) {
        assertTrue(known.add(other), () -> other + " is in two lists");
      }
    }
    assertTrue(full.containsAll(read("quick")));
    assertTrue(full.containsAll(read("without-filters")));
    List<String> forgotten = new ArrayList<>();
    for (String testClass : testClassesOfHBase()) {
      String name = testClass.substring(testClass.lastIndexOf('.') + 1);
      if (OF_OUR_AREAS.matcher(name).find() && !known.contains(testClass)) {
        forgotten.add(testClass);
      }
    }
    assertEquals(List.of(), forgotten);
  }

  private static List<String> lists(String names) throws IOException {
    try (Stream<Path> files = Files.list(SOURCE)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.matches("(" + names + ")\\.txt"))
          .map(name -> name.substring(0, name.length() - ".txt".length()))
          .toList();
    }
  }

  private static List<String> read(String list) throws IOException {
    try (Stream<String> lines = Files.lines(SOURCE.resolve(list + ".txt"))) {
      return lines.filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
    }
  }

  private static List<String> testClassesOfHBase() throws IOException {
    String one = "org/apache/hadoop/hbase/regionserver/TestHStoreFile.class";
    var url = HBaseConformanceCheck.class.getClassLoader().getResource(one);
    try (JarFile jar = ((JarURLConnection) url.openConnection()).getJarFile()) {
      return jar.stream()
          .map(entry -> entry.getName())
          .filter(name -> name.matches(".*/Test\\w+\\.class"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .sorted()
          .toList();
    }
  }

  private static void check(
      String testClass, Map<String, Filters> filtersOf, boolean mayBeWithoutFilters)
      throws Exception {
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
        "%-56s %5d %8s  written %s, opened %s and %d others%n",
        testClass.substring(testClass.lastIndexOf('.') + 1),
        tests - skipped,
        suite.getAttribute("time"),
        filters.writtenWith,
        filters.openedWith,
        filters.openedOfOthers);
    assertTrue(tests > skipped, () -> testClass + " ran no test");
    Set<String> others = new TreeSet<>(filters.writtenWith.keySet());
    others.addAll(filters.openedWith.keySet());
    others.removeAll(Set.of(WRITER, READER));
    assertEquals(Set.of(), others, testClass);
    assertTrue(
        mayBeWithoutFilters || !filters.writtenWith.isEmpty(),
        () -> testClass + " wrote no filter");
  }

  /** What each test class did. */
  private static Map<String, Filters> readLogs(Set<String> classes) throws IOException {
    Map<String, Filters> filtersOf = new HashMap<>();
    try (Stream<Path> logs =
        Files.list(TARGET)
            .filter(file -> file.getFileName().toString().matches("hbase-.*\\.log"))) {
      for (Path log : (Iterable<Path>) logs::iterator) {
        readLog(log, classes, filtersOf);
      }
    }
    return filtersOf;
  }

  /** The classes of one log ran one after the other, each in a JVM of its own. */
  private static void readLog(Path log, Set<String> classes, Map<String, Filters> filtersOf)
      throws IOException {
    Set<String> written = new HashSet<>();
    Set<String> ofSystemTables = new HashSet<>();
    Filters current = new Filters();
    try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
      for (String line : (Iterable<String>) lines::iterator) {
        Matcher m = CLASS_STARTS.matcher(line);
        if (m.find() && classes.contains(m.group(1))) {
          current = filtersOf.computeIfAbsent(m.group(1), c -> new Filters());
          continue;
        }
        m = WRITTEN.matcher(line);
        if (m.find()) {
          if (SYSTEM_TABLE.matcher(m.group(2)).find()) {
            ofSystemTables.add(fileName(m.group(2)));
            continue;
          }
          written.add(fileName(m.group(2)));
          current.writtenWith.merge(m.group(4), 1, Integer::sum);
          current.kinds.add(m.group(1) == null ? m.group(3) : "delete family");
          continue;
        }
        m = OPENED.matcher(line);
        if (m.find()) {
          String file = fileName(m.group(3));
          if (written.contains(file)) {
            String reader = m.group(1) == null ? m.group(2) : m.group(1);
            current.openedWith.merge(reader, 1, Integer::sum);
          } else if (!ofSystemTables.contains(file)) {
            current.openedOfOthers++;
          }
        }
      }
    }
  }

  /** The name that a store file was written with: of a path, a link or a reference to a half. */
  private static String fileName(String path) {
    String name = path.substring(Math.max(path.lastIndexOf('/'), path.lastIndexOf('-')) + 1);
    return name.contains(".") ? name.substring(0, name.indexOf('.')) : name;
  }
}
