package io.winnow.hbase.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableSnapshotScanner;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.mapreduce.CopyTable;
import org.apache.hadoop.hbase.mapreduce.Export;
import org.apache.hadoop.hbase.mapreduce.HFileOutputFormat2;
import org.apache.hadoop.hbase.mapreduce.HashTable;
import org.apache.hadoop.hbase.mapreduce.Import;
import org.apache.hadoop.hbase.mapreduce.RowCounter;
import org.apache.hadoop.hbase.mapreduce.SyncTable;
import org.apache.hadoop.hbase.mapreduce.TableInputFormat;
import org.apache.hadoop.hbase.mapreduce.TableMapReduceUtil;
import org.apache.hadoop.hbase.mapreduce.TableSnapshotInputFormat;
import org.apache.hadoop.hbase.mapreduce.WALPlayer;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.hadoop.util.Tool;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The jobs that come with HBase, by Hadoop's local runner in a JVM with the agent: what they write
 * into a table with Winnow's filters is what a table with HBase's has, and files that they write
 * for a bulk load have the filters that their families ask for.
 */
@Tag("clients")
class HBaseJobsIT {
  /** A scan of no user reads hardly a file that has prefixes, and each of those without. */
  private static final double HARDLY = 0.3;

  private static PhoenixHBase hbase;
  private static TableName stock;
  private static TableName winnow;

  @BeforeAll
  static void fill() throws Exception {
    hbase = PhoenixHBase.shared();
    stock = EventTables.stock(hbase, "jobsB");
    winnow = EventTables.winnow(hbase, "jobsW");
    EventTables.fill(hbase, stock);
    EventTables.fill(hbase, winnow);
  }

  private static Path directory(String name) {
    return Path.of(System.getProperty("winnow.it.directory"), "jobs", name);
  }

  private static org.apache.hadoop.fs.Path path(String name) {
    return new org.apache.hadoop.fs.Path(directory(name).toUri());
  }

  private static Configuration configuration() {
    Configuration conf = new Configuration(hbase.admin().getConfiguration());
    conf.set("mapreduce.framework.name", "local");
    conf.set("mapreduce.jobtracker.staging.root.dir", directory("staging").toString());
    conf.set("mapreduce.cluster.local.dir", directory("local").toString());
    conf.set("hadoop.tmp.dir", directory("tmp").toString());
    conf.set("hbase.fs.tmp.dir", directory("partitions").toString());
    return conf;
  }

  private static void run(Tool tool, Configuration conf, String... args) throws Exception {
    tool.setConf(conf);
    assertEquals(0, tool.run(args), tool.getClass().getSimpleName());
  }

  /** Checks a table whose files a job wrote, or the server after a job. */
  private static void check(String job, TableName table) throws Exception {
    TwoTables.Read absent = EventTables.compare(hbase, job, stock, table);
    assertTrue(absent.stock().blocks() >= 2, absent::toString);
    assertTrue(absent.winnow().blocks() <= HARDLY, absent::toString);
    assertTrue(absent.winnow().filterQueries() > 0.5, absent::toString);
  }

  private static void load(Configuration conf, TableName table, String files) throws IOException {
    BulkLoadHFiles.create(conf).bulkLoad(table, path(files));
  }

  @Test
  void filledByPuts() throws Exception {
    check("Puts", winnow);
  }

  @Test
  void exportAndImport() throws Exception {
    Configuration raw = configuration();
    raw.setBoolean("hbase.mapreduce.include.deleted.rows", true);
    run(new Export(), raw, winnow.getNameAsString(), path("export").toString(), "3");

    TableName byPuts = EventTables.winnow(hbase, "import");
    run(new Import(), configuration(), byPuts.getNameAsString(), path("export").toString());
    hbase.flush(byPuts.getNameAsString());
    check("Export, Import", byPuts);

    TableName loaded = EventTables.winnow(hbase, "importBulk");
    Configuration bulk = configuration();
    bulk.set(Import.BULK_OUTPUT_CONF_KEY, path("import").toString());
    run(new Import(), bulk, loaded.getNameAsString(), path("export").toString());
    load(bulk, loaded, "import");
    check("Export, Import with bulk output", loaded);
  }

  @Test
  void hashTableAndSyncTable() throws Exception {
    run(
        new HashTable(configuration()),
        configuration(),
        "--batchsize=200",
        "--numhashfiles=2",
        "--versions=3",
        winnow.getNameAsString(),
        path("hashes").toString());
    TableName table = EventTables.winnow(hbase, "sync");
    EventTables.write(hbase, table, 0);
    EventTables.write(hbase, table, 2);
    EventTables.writeOfNobody(hbase, table);
    run(
        new SyncTable(configuration()),
        configuration(),
        "--dryrun=false",
        path("hashes").toString(),
        winnow.getNameAsString(),
        table.getNameAsString());
    hbase.flush(table.getNameAsString());
    check("HashTable, SyncTable", table);
  }

  @Test
  void walPlayer() throws Exception {
    TableName source = EventTables.winnow(hbase, "walSource");
    EventTables.fill(hbase, source);
    Configuration conf = configuration();
    hbase.rollWal();
    org.apache.hadoop.fs.Path root = CommonFSUtils.getWALRootDir(conf);
    String wals =
        new org.apache.hadoop.fs.Path(root, "WALs")
            + ","
            + new org.apache.hadoop.fs.Path(root, "oldWALs");

    TableName byPuts = EventTables.winnow(hbase, "wal");
    run(new WALPlayer(), conf, wals, source.getNameAsString(), byPuts.getNameAsString());
    hbase.flush(byPuts.getNameAsString());
    check("WALPlayer", byPuts);

    TableName loaded = EventTables.winnow(hbase, "walBulk");
    Configuration bulk = configuration();
    bulk.set(WALPlayer.BULK_OUTPUT_CONF_KEY, path("wal").toString());
    run(new WALPlayer(), bulk, wals, source.getNameAsString(), loaded.getNameAsString());
    load(bulk, loaded, "wal");
    check("WALPlayer with bulk output", loaded);
  }

  @Test
  void copyTable() throws Exception {
    TableName byPuts = EventTables.winnow(hbase, "copy");
    run(
        new CopyTable(),
        configuration(),
        "--new.name=" + byPuts,
        "--versions=3",
        winnow.getNameAsString());
    hbase.flush(byPuts.getNameAsString());
    check("CopyTable", byPuts);

    TableName loaded = EventTables.winnow(hbase, "copyBulk");
    run(
        new CopyTable(),
        configuration(),
        "--new.name=" + loaded,
        "--versions=3",
        "--bulkload",
        winnow.getNameAsString());
    check("CopyTable --bulkload", loaded);
  }

  @Test
  void rowCounter() throws Exception {
    run(
        new RowCounter(),
        configuration(),
        winnow.getNameAsString(),
        "--expectedCount=" + (EventTables.USERS * EventTables.EVENTS - 1));
    for (int user : new int[] {2, 13, 44}) {
      run(
          new RowCounter(),
          configuration(),
          winnow.getNameAsString(),
          "--range=" + range(user) + ";" + range(user + 30),
          "--expectedCount=" + 2 * EventTables.EVENTS);
    }
  }

  private static String range(int user) {
    return Bytes.toString(EventTables.user(user)) + "," + Bytes.toString(EventTables.behind(user));
  }

  /** Numbers of users whose rows are compared, of whom the last is not there; -1 for all users. */
  private static final int[] SCANS = {-1, 1, 5, 7, 42, 100};

  private static Scan scan(int user) {
    Scan scan = new Scan().readAllVersions();
    return user < 0
        ? scan
        : scan.withStartRow(EventTables.user(user)).withStopRow(EventTables.behind(user));
  }

  @Test
  void snapshotScanners() throws Exception {
    hbase.admin().snapshot("jobs", winnow);
    TwoTables tables = new TwoTables(hbase, "snapshot", stock, winnow);
    tables.compare(
        "TableSnapshotScanner",
        SCANS.length,
        (table, run) -> {
          if (table.equals(stock)) {
            return EventTables.scan(hbase, table, scan(SCANS[run]));
          }
          List<String> rows = new ArrayList<>();
          try (ResultScanner scanner =
              new TableSnapshotScanner(
                  configuration(), path("restored" + run), "jobs", scan(SCANS[run]))) {
            scanner.forEach(result -> rows.add(EventTables.cells(result).toString()));
          }
          return rows;
        });
    tables.compare(
        "TableSnapshotInputFormat",
        SCANS.length,
        (table, run) -> {
          if (table.equals(stock)) {
            return EventTables.scan(hbase, table, scan(SCANS[run]));
          }
          Job job = Job.getInstance(configuration());
          job.getConfiguration()
              .set(TableInputFormat.SCAN, TableMapReduceUtil.convertScanToString(scan(SCANS[run])));
          TableSnapshotInputFormat.setInput(job, "jobs", path("inputs" + run));
          return rows(job, new TableSnapshotInputFormat());
        });
  }

  /** Returns the rows of all splits of an input format, which come in any order. */
  private static List<String> rows(Job job, InputFormat<ImmutableBytesWritable, Result> format)
      throws IOException, InterruptedException {
    List<String> rows = new ArrayList<>();
    for (InputSplit split : format.getSplits(job)) {
      TaskAttemptContext task =
          new TaskAttemptContextImpl(job.getConfiguration(), new TaskAttemptID());
      try (RecordReader<ImmutableBytesWritable, Result> reader =
          format.createRecordReader(split, task)) {
        reader.initialize(split, task);
        while (reader.nextKeyValue()) {
          rows.add(EventTables.cells(reader.getCurrentValue()).toString());
        }
      }
    }
    Collections.sort(rows);
    return rows;
  }

  /** Without configureIncrementalLoad a job must name its table, and its filters too. */
  @Test
  void outputWithoutConfigureIncrementalLoad() throws Exception {
    Configuration conf = configuration();
    conf.set("winnow.filter", "bumped-ribbon");
    conf.set("winnow.scan.prefix", "7");
    conf.set("hbase.mapreduce.hfileoutputformat.table.name", "own");
    TwoTables.Read without = EventTables.absent(hbase, "own job", stock, written(conf, "own"));
    assertTrue(without.winnow().blocks() >= 0.4, without::toString);
    assertEquals(0, without.winnow().filterQueries(), without::toString);

    conf.set("hbase.mapreduce.hfileoutputformat.table.name", "ownNamed");
    conf.set("hbase.hfileoutputformat.families.bloomtype", "ownNamed%3Ba=ROW");
    TwoTables.Read with =
        EventTables.absent(
            hbase, "own job with the type of its filter", stock, written(conf, "ownNamed"));
    assertTrue(with.winnow().blocks() <= 0.1, with::toString);
  }

  /**
   * Writes rows of one region and of the first family by a writer of HFileOutputFormat2, and loads
   * them: the loader need not split the file, which it would do by the settings of the family.
   */
  private static TableName written(Configuration conf, String name) throws Exception {
    TableName table = EventTables.winnow(hbase, name);
    Job job = Job.getInstance(conf);
    FileOutputFormat.setOutputPath(job, path(name));
    TaskAttemptContext task =
        new TaskAttemptContextImpl(job.getConfiguration(), new TaskAttemptID());
    HFileOutputFormat2 format = new HFileOutputFormat2();
    RecordWriter<ImmutableBytesWritable, Cell> writer = format.getRecordWriter(task);
    try (Table from = hbase.admin().getConnection().getTable(stock);
        ResultScanner rows =
            from.getScanner(
                new Scan()
                    .withStartRow(EventTables.user(EventTables.USERS / 2))
                    .addFamily(EventTables.BY_ROW))) {
      for (Result row : rows) {
        for (Cell cell : row.rawCells()) {
          writer.write(new ImmutableBytesWritable(row.getRow()), cell);
        }
      }
    }
    writer.close(task);
    FileOutputCommitter committer = (FileOutputCommitter) format.getOutputCommitter(task);
    committer.commitTask(task);
    committer.commitJob(task);
    load(conf, table, name);
    return table;
  }
}
