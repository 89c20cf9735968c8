package io.winnow.hbase.it;

import static io.winnow.hbase.it.TestServer.STOCK;
import static io.winnow.hbase.it.TestServer.WINNOW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.format.KeySegment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.mapreduce.HFileOutputFormat2;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Store files that tools write, with HBase's own classes and the agent in this JVM. */
class BulkLoadIT {
  private static final int ROWS = 1000;
  private static final String SEGMENT = "winnow.scan.segment";
  private static final byte[][] TWO_REGIONS = {Rows.key(ROWS)}; // the rows' middle

  private static TestServer server;
  private static Path output;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    server = TestServer.shared();
    output = TestServer.emptyDirectory("bulk-load-files");
  }

  private static TableName table(String name, byte[][] splits, BloomType type, String filter)
      throws IOException {
    ColumnFamilyDescriptor family =
        Rows.family("f", type, filter == null ? Map.of() : Map.of("winnow.filter", filter));
    return server.create(name, splits, family);
  }

  /** Writes all rows as a job for the table would, in one task; the files' directory. */
  private static Path writeFiles(TableName name, Map<String, String> jobSettings)
      throws IOException, InterruptedException {
    Configuration conf = server.configuration();
    conf.set("hbase.fs.tmp.dir", output.resolve("tmp").toString());
    jobSettings.forEach(conf::set);
    Job job = Job.getInstance(conf);
    Path directory = output.resolve(name.getNameAsString());
    FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(directory.toUri()));
    job.setMapOutputValueClass(KeyValue.class);
    try (Table table = server.connection().getTable(name);
        RegionLocator locator = server.connection().getRegionLocator(name)) {
      HFileOutputFormat2.configureIncrementalLoad(job, table.getDescriptor(), locator);
    }
    TaskAttemptContext task =
        new TaskAttemptContextImpl(
            job.getConfiguration(), new TaskAttemptID("load", 1, TaskType.REDUCE, 0, 0));
    HFileOutputFormat2 format = new HFileOutputFormat2();
    OutputCommitter committer = format.getOutputCommitter(task);
    committer.setupJob(task);
    committer.setupTask(task);
    RecordWriter<ImmutableBytesWritable, Cell> writer = format.getRecordWriter(task);
    for (int i = 0; i < ROWS; i++) {
      byte[] row = Rows.key(2 * i);
      writer.write(
          new ImmutableBytesWritable(row),
          new KeyValue(row, Rows.FAMILY, Rows.QUALIFIER, 1L, Rows.value(2 * i)));
    }
    writer.close(task);
    committer.commitTask(task);
    committer.commitJob(task);
    return directory;
  }

  private static List<Integer> versions(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("f"))) {
      List<Path> hfiles =
          files.filter(file -> !file.getFileName().toString().startsWith(".")).toList();
      assertFalse(hfiles.isEmpty());
      List<Integer> versions = new ArrayList<>();
      for (Path hfile : hfiles) {
        versions.add(server.generalFilterVersion(hfile));
      }
      return versions;
    }
  }

  private static void load(Path files, TableName table) throws IOException {
    BulkLoadHFiles.create(server.configuration())
        .bulkLoad(table, new org.apache.hadoop.fs.Path(files.toUri()));
    Rows.assertAllFound(server.connection(), table, ROWS);
    Rows.assertMisses(server.connection(), table, ROWS);
  }

  @Test
  void jobWritesWhatTheFamilyAsksForAndSplittingKeepsIt() throws Exception {
    for (BloomType type :
        List.of(BloomType.ROW, BloomType.ROWCOL, BloomType.ROWPREFIX_FIXED_LENGTH)) {
      TableName whole = table("whole-" + type, null, type, "ribbon");
      Path files = writeFiles(whole, Map.of());
      assertEquals(List.of(WINNOW), versions(files));
      load(files, whole);
      assertEquals(List.of(WINNOW), server.filterVersions(whole));

      TableName halves = table("halves-" + type, TWO_REGIONS, type, "ribbon");
      load(files, halves);
      assertEquals(List.of(WINNOW, WINNOW), server.filterVersions(halves));
    }
  }

  @Test
  void quotientFilesAreWrittenAndSplitLikeOthers() throws Exception {
    TableName halves = table("quotient-halves", TWO_REGIONS, BloomType.ROW, "quotient");
    Path files = writeFiles(table("quotient-whole", null, BloomType.ROW, "quotient"), Map.of());
    assertEquals(List.of(WINNOW), versions(files));
    load(files, halves);
    assertEquals(List.of(WINNOW, WINNOW), server.filterVersions(halves));
  }

  /** A family with key segments and HBase's own filter. */
  private static TableName segmentTable(String name, byte[][] splits, String segment)
      throws IOException {
    return server.create(
        name,
        splits,
        Rows.family("f", BloomType.ROW, segment == null ? Map.of() : Map.of(SEGMENT, segment)));
  }

  /** The number of the first and of the last row that the segments of each file have. */
  private static Set<String> ranges(List<Path> files) throws IOException {
    Set<String> ranges = new TreeSet<>();
    for (Path file : files) {
      KeySegment segment = server.keySegment(file);
      assertEquals("4", segment.rule.toString());
      byte[] last = segment.largest(segment.intervals() - 1);
      ranges.add(Bytes.toString(segment.smallest(0)) + "-" + Bytes.toString(last));
    }
    return ranges;
  }

  @Test
  void halvesOfASplitFileHaveTheirOwnSegmentsOrThoseOfTheWhole() throws Exception {
    TableName whole = segmentTable("segment-whole", null, "4");
    Path files = writeFiles(whole, Map.of());
    assertEquals(List.of(STOCK), versions(files));
    load(files, whole);
    assertEquals(Set.of("00000000-00001998"), ranges(server.storeFiles(whole)));

    TableName own = segmentTable("segment-halves", TWO_REGIONS, "4");
    load(files, own);
    assertEquals(Set.of("00000000-00000998", "00001000-00001998"), ranges(server.storeFiles(own)));

    // As a tool without the agent does: it copies what it does not know.
    TableName wide = segmentTable("segment-of-the-whole", TWO_REGIONS, null);
    load(writeFiles(segmentTable("segment-again", null, "4"), Map.of()), wide);
    assertEquals(2, server.storeFiles(wide).size());
    assertEquals(Set.of("00000000-00001998"), ranges(server.storeFiles(wide)));

    for (TableName table : List.of(whole, own, wide)) {
      TableTruth truth = TableTruth.of(server, table);
      truth.wereWritten(0, ROWS);
      truth.assertRows();
    }
  }

  @Test
  void stockFilesStayStockUntilTheyAreRewritten() throws Exception {
    TableName stock = table("stock", null, BloomType.ROW, null);
    Path files = writeFiles(stock, Map.of());
    assertEquals(List.of(STOCK), versions(files));
    TableName whole = table("stock-to-whole", null, BloomType.ROW, "ribbon");
    load(files, whole);
    assertEquals(List.of(STOCK), server.filterVersions(whole));
    server.majorCompact(whole);
    assertEquals(List.of(WINNOW), server.filterVersions(whole));

    TableName halves = table("stock-to-halves", TWO_REGIONS, BloomType.ROW, "ribbon");
    load(files, halves);
    assertEquals(List.of(WINNOW, WINNOW), server.filterVersions(halves), "splitting rewrites");
  }

  @Test
  void familyThatAsksForTheStockFilterGetsItWhateverTheJobSays() throws Exception {
    TableName silent = table("silent", null, BloomType.ROW, null);
    TableName stock = table("says-bloom", null, BloomType.ROW, "bloom");
    Map<String, String> job = Map.of("winnow.filter", "ribbon");
    assertEquals(List.of(WINNOW), versions(writeFiles(silent, job)));
    assertEquals(List.of(STOCK), versions(writeFiles(stock, job)));
  }

  @Test
  void wrongSettingCostsAToolNoMoreThanTheFilter() throws Exception {
    TableName wrong =
        server.createUnchecked(
            "wrong",
            TWO_REGIONS,
            Rows.family("f", BloomType.ROW, Map.of("winnow.filter", "ribon")));
    Path files = writeFiles(wrong, Map.of());
    assertTrue(versions(files).stream().allMatch(version -> version == STOCK));
    load(files, wrong);
    assertEquals(List.of(STOCK, STOCK), server.filterVersions(wrong));
  }
}
