package io.winnow.hbase.it;

import static io.winnow.hbase.it.TestServer.STOCK;
import static io.winnow.hbase.it.TestServer.WINNOW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.format.KeySegment;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A real {@code HFileOutputFormat2} job, with the agent in its JVM and without, and the load. */
class LoadJobIT {
  private static final int ROWS = 1200;
  private static final byte[][] TWO_REGIONS = {Rows.key(ROWS)}; // the rows' middle

  private static TestServer server;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    server = TestServer.shared();
  }

  /** The number in a row, by which scans skip files. */
  private static final String SEGMENT = "4";

  /** Four families, each with another filter, and two of them with key segments. */
  private static TableName table(String name) throws IOException {
    return server.create(
        name,
        TWO_REGIONS,
        family(
            "bumped",
            BloomType.ROW,
            Map.of("winnow.filter", "bumped-ribbon", "winnow.scan.segment", SEGMENT)),
        family("ribbon", BloomType.ROWCOL, Map.of("winnow.filter", "ribbon")),
        family("quotient", BloomType.ROWPREFIX_FIXED_LENGTH, Map.of("winnow.filter", "quotient")),
        family("stock", BloomType.ROW, Map.of("winnow.scan.segment", SEGMENT)));
  }

  private static ColumnFamilyDescriptor family(
      String name, BloomType type, Map<String, String> settings) {
    return Rows.family(name, type, settings);
  }

  /** The filters' versions, by family. */
  private static Map<String, List<Integer>> versions(List<Path> files) throws IOException {
    Map<String, List<Integer>> versions = new TreeMap<>();
    for (Path file : files) {
      versions.merge(
          file.getParent().getFileName().toString(),
          List.of(server.generalFilterVersion(file)),
          (some, more) -> Stream.concat(some.stream(), more.stream()).toList());
    }
    return versions;
  }

  private static List<Path> files(Path output) throws IOException {
    try (Stream<Path> all = Files.walk(output)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> file.getNameCount() == output.getNameCount() + 2)
          .filter(file -> !file.getFileName().toString().startsWith("."))
          .toList();
    }
  }

  private static final Map<String, List<Integer>> AS_ASKED =
      Map.of(
          "bumped", List.of(WINNOW, WINNOW),
          "ribbon", List.of(WINNOW, WINNOW),
          "quotient", List.of(WINNOW, WINNOW),
          "stock", List.of(STOCK, STOCK));

  /** The same in the tools' words. */
  private static final Map<String, List<String>> FILTERS =
      Map.of(
          "bumped", List.of("bumped-ribbon", "bumped-ribbon"),
          "ribbon", List.of("ribbon", "ribbon"),
          "quotient", List.of("quotient", "quotient"),
          "stock", List.of("bloom", "bloom"));

  /** Each file of the two families has the segments of its rows, which are those of a region. */
  private static void assertSegments(List<Path> files) throws IOException {
    Map<String, Set<String>> ranges = new TreeMap<>();
    for (Path file : files) {
      KeySegment segment = server.keySegment(file);
      if (segment != null) {
        assertEquals(SEGMENT, segment.rule.toString());
        ranges
            .computeIfAbsent(file.getParent().getFileName().toString(), family -> new TreeSet<>())
            .add(
                Bytes.toString(segment.smallest(0))
                    + "-"
                    + Bytes.toString(segment.largest(segment.intervals() - 1)));
      }
    }
    Set<String> both = Set.of("00000000-00001198", "00001200-00002398");
    assertEquals(Map.of("bumped", both, "stock", both), ranges);
  }

  @Test
  void withTheAgentEveryFamilyHasTheFilterThatItAsksFor() throws Exception {
    TableName table = table("with-agent");
    Path directory = TestServer.emptyDirectory("load-job-with-agent");
    Path output = LoadJob.run(server.configuration(), table, ROWS, directory);
    assertEquals(AS_ASKED, versions(files(output)));
    for (Path file : files(output)) {
      String family = file.getParent().getFileName().toString();
      String kind = family.equals("bumped") ? "bumped-ribbon" : family;
      String filter = server.generalFilter(file);
      assertEquals(!family.equals("stock"), filter.contains("Winnow " + kind), filter);
    }
    assertSegments(files(output));
    LoadJob.load(server.configuration(), table, output);
    assertEquals(AS_ASKED, versions(server.storeFiles(table)), "taken as they are");
    assertSegments(server.storeFiles(table));
    TableTruth truth = TableTruth.of(server, table);
    truth.wereWritten(0, ROWS);
    truth.assertHolds(0, FILTERS);
  }

  @Test
  void withoutTheAgentTheFilesAreStocksAndEveryRowIsServed() throws Exception {
    TableName table = table("without-agent");
    Path directory = TestServer.emptyDirectory("load-job-without-agent");
    Path site = directory.resolve("site.xml");
    try (OutputStream out = Files.newOutputStream(site)) {
      server.configuration().writeXml(out);
    }
    JavaProcess.Result result =
        JavaProcess.with("-cp", JavaProcess.classPath())
            .run(
                LoadJob.class.getName(),
                site.toUri().toString(),
                table.getNameAsString(),
                String.valueOf(ROWS),
                directory.toString());
    assertEquals(0, result.exitCode(), result.toString());
    assertFalse(result.errors().contains("Winnow"), result.errors());
    Map<String, List<Integer>> loaded = versions(server.storeFiles(table));
    assertEquals(AS_ASKED.keySet(), loaded.keySet());
    assertTrue(loaded.values().stream().allMatch(List.of(STOCK, STOCK)::equals), loaded.toString());
    TableTruth truth = TableTruth.of(server, table);
    truth.wereWritten(0, ROWS);
    Map<String, List<String>> stock = new TreeMap<>(FILTERS);
    stock.replaceAll((family, filters) -> List.of("bloom", "bloom"));
    for (Path file : server.storeFiles(table)) {
      assertNull(server.keySegment(file));
    }
    truth.assertHolds(8, stock);
    server.majorCompact(table);
    assertEquals(AS_ASKED, versions(server.storeFiles(table)), "written by the server");
    assertSegments(server.storeFiles(table));
    truth.assertHolds(0, FILTERS);
  }
}
