package io.winnow.hbase.it;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.mapreduce.HFileOutputFormat2;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/**
 * A MapReduce job that writes a table's rows into store files: maps, a shuffle, and a reduce for
 * each region, by Hadoop's local runner in the JVM that asks for it.
 */
public final class LoadJob {
  private static final String FAMILIES = "load.job.families";

  private LoadJob() {}

  /** Runs the job and loads its files, in a JVM of its own: site, table, rows, directory. */
  public static void main(String[] args) throws Exception {
    Configuration conf = new Configuration();
    conf.addResource(new org.apache.hadoop.fs.Path(URI.create(args[0])));
    TableName table = TableName.valueOf(args[1]);
    Path files = run(conf, table, Integer.parseInt(args[2]), Path.of(args[3]));
    load(conf, table, files);
  }

  /** The directory of the files, which has one per family. */
  static Path run(Configuration site, TableName name, int rows, Path directory) throws Exception {
    Configuration conf = new Configuration(site);
    conf.set("mapreduce.framework.name", "local");
    conf.set("mapreduce.jobtracker.staging.root.dir", directory.resolve("staging").toString());
    conf.set("mapreduce.cluster.local.dir", directory.resolve("local").toString());
    conf.set("mapreduce.input.fileinputformat.split.maxsize", "2000"); // several maps
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    conf.set("hbase.fs.tmp.dir", directory.resolve("partitions").toString());
    Path output = directory.resolve("files");
    Job job = Job.getInstance(conf, "load " + name);
    job.setJarByClass(LoadJob.class);
    job.setMapperClass(RowToPut.class);
    job.setMapOutputKeyClass(ImmutableBytesWritable.class);
    job.setMapOutputValueClass(Put.class);
    FileInputFormat.addInputPath(job, path(input(directory, rows)));
    FileOutputFormat.setOutputPath(job, path(output));
    try (Connection connection = ConnectionFactory.createConnection(conf);
        Table table = connection.getTable(name);
        RegionLocator locator = connection.getRegionLocator(name)) {
      HFileOutputFormat2.configureIncrementalLoad(job, table.getDescriptor(), locator);
      job.getConfiguration()
          .setStrings(
              FAMILIES,
              table.getDescriptor().getColumnFamilyNames().stream()
                  .map(Bytes::toString)
                  .toArray(String[]::new));
    }
    // The local runner would link these jars into the working directory. It has them already.
    job.getConfiguration().unset("tmpjars");
    if (!job.waitForCompletion(false)) {
      throw new IOException("the job failed: " + job.getStatus().getFailureInfo());
    }
    return output;
  }

  static void load(Configuration conf, TableName table, Path files) throws IOException {
    BulkLoadHFiles.create(conf).bulkLoad(table, path(files));
  }

  private static org.apache.hadoop.fs.Path path(Path path) {
    return new org.apache.hadoop.fs.Path(path.toUri());
  }

  /** The numbers of the rows, in no order. */
  private static Path input(Path directory, int rows) throws IOException {
    List<Integer> numbers = IntStream.range(0, rows).boxed().collect(Collectors.toList());
    Collections.shuffle(numbers, new Random(1));
    Path input = Files.createDirectories(directory).resolve("rows.txt");
    return Files.write(input, numbers.stream().map(String::valueOf).toList());
  }

  /** As {@link Rows#write} does. */
  public static final class RowToPut
      extends Mapper<LongWritable, Text, ImmutableBytesWritable, Put> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      int number = 2 * Integer.parseInt(line.toString());
      Put put = new Put(Rows.key(number));
      for (String family : context.getConfiguration().getStrings(FAMILIES)) {
        put.addColumn(Bytes.toBytes(family), Rows.QUALIFIER, Rows.value(number));
      }
      context.write(new ImmutableBytesWritable(put.getRow()), put);
    }
  }
}
