package io.winnow.hbase.clients;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.mapreduce.HFileOutputFormat2;
import org.apache.hadoop.hbase.mapreduce.TableInputFormat;
import org.apache.hadoop.hbase.mapreduce.TableMapReduceUtil;
import org.apache.hadoop.hbase.mapreduce.TableSnapshotInputFormat;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * A program of Spark: it writes events of users into store files and loads them, takes a snapshot,
 * and writes the rows of the table and of the snapshot into files. It has no class of Winnow.
 */
final class SparkJobs {
  /** The files with rows that it read. */
  static final List<String> READS = List.of("table", "snapshot");

  private SparkJobs() {}

  /** Runs it: with a table, and a directory for what it writes. */
  public static void main(String... args) throws Exception {
    TableName table = TableName.valueOf(args[0]);
    Path directory = Path.of(args[1]);
    SparkConf conf =
        new SparkConf()
            .setMaster("local[2]")
            .setAppName("spark")
            .set("spark.driver.host", "127.0.0.1")
            .set("spark.driver.bindAddress", "127.0.0.1")
            .set("spark.ui.enabled", "false")
            .set("spark.local.dir", directory.resolve("local").toString())
            .set("spark.hadoopRDD.ignoreEmptySplits", "false");
    Configuration site = HBaseConfiguration.create();
    site.set("hbase.fs.tmp.dir", directory.resolve("partitions").toString());
    try (JavaSparkContext spark = new JavaSparkContext(conf);
        Connection connection = ConnectionFactory.createConnection(site)) {
      load(spark, connection, table, path(directory.resolve("files")));
      connection.getAdmin().snapshot(args[0], table);

      Job ofTable = Job.getInstance(site);
      ofTable.getConfiguration().set(TableInputFormat.INPUT_TABLE, args[0]);
      write(
          rows(spark, ofTable.getConfiguration(), TableInputFormat.class),
          directory.resolve(READS.get(0)));

      Job ofSnapshot = Job.getInstance(site);
      ofSnapshot
          .getConfiguration()
          .set(
              TableInputFormat.SCAN,
              TableMapReduceUtil.convertScanToString(new org.apache.hadoop.hbase.client.Scan()));
      TableSnapshotInputFormat.setInput(ofSnapshot, args[0], path(directory.resolve("restored")));
      write(
          rows(spark, ofSnapshot.getConfiguration(), TableSnapshotInputFormat.class),
          directory.resolve(READS.get(1)));
    }
  }

  private static org.apache.hadoop.fs.Path path(Path path) {
    return new org.apache.hadoop.fs.Path(path.toUri());
  }

  private static void load(
      JavaSparkContext spark,
      Connection connection,
      TableName name,
      org.apache.hadoop.fs.Path files)
      throws Exception {
    Job job = Job.getInstance(connection.getConfiguration());
    try (Table table = connection.getTable(name);
        RegionLocator locator = connection.getRegionLocator(name)) {
      HFileOutputFormat2.configureIncrementalLoad(job, table.getDescriptor(), locator);
    }
    List<Tuple2<String, Integer>> events = new ArrayList<>();
    for (int user = 0; user < EventTables.USERS; user++) {
      for (int event = 0; event < EventTables.EVENTS; event++) {
        Put put = EventTables.put(user, event, 1);
        events.add(new Tuple2<>(Bytes.toString(put.getRow()), user * EventTables.EVENTS + event));
      }
    }
    Collections.shuffle(events, new java.util.Random(1));
    spark
        .parallelizePairs(events, 3)
        .sortByKey(true, 2)
        .flatMapToPair(event -> cells(event._2()))
        .saveAsNewAPIHadoopFile(
            files.toString(),
            ImmutableBytesWritable.class,
            KeyValue.class,
            HFileOutputFormat2.class,
            job.getConfiguration());
    BulkLoadHFiles.create(connection.getConfiguration()).bulkLoad(name, files);
  }

  /** Returns the cells of an event in their order in a store file. */
  private static Iterator<Tuple2<ImmutableBytesWritable, KeyValue>> cells(int event) {
    Put put = EventTables.put(event / EventTables.EVENTS, event % EventTables.EVENTS, 1);
    return put.getFamilyCellMap().values().stream()
        .flatMap(List::stream)
        .map(cell -> new KeyValue(cell))
        .sorted(org.apache.hadoop.hbase.CellComparator.getInstance())
        .map(cell -> new Tuple2<>(new ImmutableBytesWritable(put.getRow()), cell))
        .iterator();
  }

  private static <F extends InputFormat<ImmutableBytesWritable, Result>> List<String> rows(
      JavaSparkContext spark, Configuration conf, Class<F> format) {
    JavaPairRDD<ImmutableBytesWritable, Result> rows =
        spark.newAPIHadoopRDD(conf, format, ImmutableBytesWritable.class, Result.class);
    List<String> found =
        new ArrayList<>(rows.map(row -> EventTables.cells(row._2()).toString()).collect());
    Collections.sort(found); // splits come in any order
    return found;
  }

  private static void write(List<String> rows, Path file) throws IOException {
    Files.write(file, rows, StandardCharsets.UTF_8);
  }
}
