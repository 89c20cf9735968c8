package io.winnow.ycsb;

import io.winnow.hbase.cli.Crew;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.settings.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;

/**
 * The tables of {@code --scale}, with HBase's filters and with Winnow's, in a directory that
 * outlives the run. All have FAST_DIFF, HBase's default block sizes, and one store of seven files.
 *
 * <p>The first file is loaded in bulk. The second and the third are loaded in halves, which a minor
 * compaction merges: so the server that writes them knows their shares of the store, as it does in
 * a store that grows. The small files are flushed.
 *
 * @param directory the directory of the tables, which need not be there yet
 * @param made the text of the file that says that a table is complete
 */
record ScaleStore(ScaleRows rows, java.nio.file.Path directory, String made) {
  /** HBase's own filters. */
  static final TableFilter STOCK = TableFilter.STOCK;

  /** Winnow's default filter. */
  static final TableFilter WINNOW =
      new TableFilter("winnow", Map.of(Setting.FILTER.key, TableFilter.BUMPED_RIBBON.id()));

  /** Winnow's default filter, with what scans of an entity's events need. */
  static final TableFilter WINNOW_SCANS =
      new TableFilter(
          "winnow-scans",
          Map.of(
              Setting.FILTER.key,
              TableFilter.BUMPED_RIBBON.id(),
              Setting.SCAN_PREFIX.key,
              Integer.toString(ScaleRows.ENTITY_BYTES),
              Setting.SCAN_SEGMENT.key,
              ScaleRows.ENTITY_BYTES + "," + Long.BYTES));

  static final List<TableFilter> CONTENDERS = List.of(STOCK, WINNOW, WINNOW_SCANS);

  /** Name of the benchmark in results: the filters of the store files. */
  static final String FILES = "scaleFiles";

  private static final String PURPOSE = "scale";

  /** Number of store files that are loaded in bulk; the others are flushed. */
  private static final int LOADED = 3;

  /** Size of a memory store in bytes, so large that HBase flushes it on request only. */
  private static final long MEMORY_STORE = 4L << 30;

  /**
   * Name of HBase's setting with the size up to which a compaction takes any file. Its default is
   * the size of a memory store.
   */
  private static final String MIN_SIZE = "hbase.hstore.compaction.min.size";

  /**
   * Describes the tables in a directory.
   *
   * @param commit the commit of this program, which must be the one that wrote the tables
   */
  static ScaleStore of(java.nio.file.Path directory, long rows, String commit) {
    return new ScaleStore(
        ScaleRows.of(rows), directory, "%d rows of commit %s".formatted(rows, commit));
  }

  /** Returns whether all tables are there, complete, and written by this commit. */
  boolean isMade() throws IOException {
    for (TableFilter contender : CONTENDERS) {
      if (!isMade(contender)) {
        return false;
      }
    }
    return true;
  }

  private boolean isMade(TableFilter contender) throws IOException {
    java.nio.file.Path mark = mark(contender);
    return Files.exists(mark) && Files.readString(mark).strip().equals(made);
  }

  private java.nio.file.Path mark(TableFilter contender) {
    return directory.resolve("made-" + contender.id());
  }

  static TableName table(TableFilter contender) {
    return RunTables.name(PURPOSE, contender);
  }

  /** A part of a store file: the entities of an even or odd number, or all. */
  private record Part(TableFilter contender, int file, int first, int step) {
    String name() {
      return "%s-%d-%d".formatted(contender.id(), file, first);
    }

    /** Returns the part's rows, which are made one by one and need no log. */
    Iterable<Put> of(ScaleRows rows) {
      return () ->
          IntStream.iterate(first, entity -> entity < rows.entities(), entity -> entity + step)
              .boxed()
              .flatMap(entity -> rows.keys(entity, file).stream())
              .map(key -> TableFiles.row(key, file).setDurability(Durability.SKIP_WAL))
              .iterator();
    }
  }

  private static List<Part> parts(TableFilter contender) {
    return IntStream.range(0, LOADED)
        .boxed()
        .flatMap(
            file ->
                file == 0
                    ? Stream.of(new Part(contender, file, 0, 1))
                    : Stream.of(new Part(contender, file, 0, 2), new Part(contender, file, 1, 2)))
        .toList();
  }

  // ==== making the tables

  /** Makes the tables that are missing, one after the other: the disk has room for few copies. */
  void make(Deployment deployment, RunTables tables, Progress progress)
      throws IOException, InterruptedException {
    Path staging = new Path(deployment.staging(), made.replace(' ', '_'));
    for (TableFilter contender : CONTENDERS) {
      if (!isMade(contender)) {
        Files.deleteIfExists(mark(contender));
        tables.drop(table(contender));
        write(contender, deployment.connection.getConfiguration(), staging, progress);
        load(contender, staging, deployment, tables);
        tables.files(table(contender), 1, ScaleRows.FILES); // fails if HBase flushed by itself
        Files.writeString(mark(contender), made);
        progress.step(0, contender.id(), "the table is complete");
      }
    }
  }

  /** Records the figures of the filters in all tables. */
  void record(Deployment deployment, RunTables tables, Results results)
      throws IOException, InterruptedException {
    for (TableFilter contender : CONTENDERS) {
      List<List<Path>> files = tables.files(table(contender), 1, ScaleRows.FILES);
      for (int file = 0; file < files.size(); file++) {
        record(
            deployment.connection.getConfiguration(),
            contender,
            file,
            files.get(file).get(0),
            results);
      }
    }
  }

  /** Writes all parts, two at a time; those that an interrupted run has finished stay. */
  private void write(TableFilter contender, Configuration conf, Path staging, Progress progress)
      throws IOException, InterruptedException {
    try (Crew crew = new Crew(2)) {
      crew.map(
          parts(contender),
          part -> {
            Path path = new Path(staging, part.name());
            if (!path.getFileSystem(conf).exists(path)) {
              Path unfinished = path.suffix(".unfinished");
              write(conf, part, unfinished, rows, count -> progress.part(0, part.name()));
              path.getFileSystem(conf).rename(unfinished, path);
            }
            return path;
          });
    }
  }

  /** Writes a part of a store file. Returns the number of its rows. */
  private static long write(
      Configuration conf, Part part, Path path, ScaleRows rows, LongConsumer progress)
      throws IOException {
    HFileContextBuilder context =
        new HFileContextBuilder()
            .withBlockSize(BlockSizes.DEFAULT.dataOf(ScaleRows.KEY_BYTES))
            .withDataBlockEncoding(DataBlockEncoding.FAST_DIFF);
    return TableFiles.write(
        new Configuration(conf), path, part.contender(), context, part.of(rows), progress);
  }

  /** Makes a table of the parts of one contender, and flushes its small files. */
  private void load(TableFilter contender, Path staging, Deployment deployment, RunTables tables)
      throws IOException, InterruptedException {
    TableName table = table(contender);
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(RunTables.FAMILY)
            .setBloomFilterType(BloomType.ROW)
            .setDataBlockEncoding(DataBlockEncoding.FAST_DIFF)
            .setConfiguration(RunTables.MIN_FILES, "2")
            .setConfiguration(MIN_SIZE, "1");
    contender.configuration().forEach(family::setConfiguration);
    tables.create(
        TableDescriptorBuilder.newBuilder(table)
            .setColumnFamily(family.build())
            .setMemStoreFlushSize(MEMORY_STORE),
        null);
    for (int file = 0; file < LOADED; file++) {
      for (Part part : parts(contender)) {
        if (part.file() == file) {
          Path path = new Path(staging, part.name());
          tables.load(table, List.of(path));
          path.getFileSystem(deployment.connection.getConfiguration()).delete(path, false);
        }
      }
      if (file > 0) {
        tables.compact(table, file + 1, Admin::compact);
      }
    }
    configure(deployment, contender, RunTables.MIN_FILES, null);
    configure(deployment, contender, MIN_SIZE, null);
    for (int file = LOADED; file < ScaleRows.FILES; file++) {
      tables.flush(table, new Part(contender, file, 0, 1).of(rows));
    }
  }

  /**
   * Sets an entry of the configuration of a table's family, if it differs.
   *
   * @param value {@code null} to remove the entry
   */
  static void configure(Deployment deployment, TableFilter contender, String key, String value)
      throws IOException {
    try (Admin admin = deployment.connection.getAdmin()) {
      ColumnFamilyDescriptor family =
          admin.getDescriptor(table(contender)).getColumnFamily(RunTables.FAMILY);
      if (!Objects.equals(value, family.getConfigurationValue(key))) {
        admin.modifyColumnFamily(
            table(contender),
            ColumnFamilyDescriptorBuilder.newBuilder(family).setConfiguration(key, value).build());
      }
    }
  }

  // ==== the figures of the files

  private void record(
      Configuration conf, TableFilter contender, int file, Path path, Results results)
      throws IOException {
    Map<String, String> at = Map.of("filter", contender.id(), "file", Integer.toString(file));
    int probes = Math.min(TableFiles.ABSENT_PROBES, 10 * rows.entities());
    TableFiles.filter(
            conf,
            path,
            probes,
            i -> rows.newKey((int) Math.floorMod(Mix.of(i), (long) rows.entities()), Mix.of(-i)))
        .forEach((figure, value) -> results.add(FILES, at, figure, value));
  }

  /** Returns the bytes of the filters of HBase's table. */
  static long stockBytes(Results results) {
    return Math.round(results.sum(FILES, TableFiles.BYTES, "filter", STOCK.id()));
  }

  // ==== its cost, from a smaller store

  /** Returns the bytes of all files in a directory, which an interrupted run may have written. */
  static double written(java.nio.file.Path directory) throws IOException {
    try (Stream<java.nio.file.Path> files = Files.walk(directory)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    }
  }

  /** The cost of a store, estimated from a smaller one. */
  record Cost(double seconds, double bytes) {}

  /** Writes a part of a smaller store, deletes it, and estimates the cost of all tables from it. */
  Cost estimate(Configuration conf, Path staging, Progress progress) throws IOException {
    ScaleRows sample = new ScaleRows(Math.max(1, Math.min(rows.entities(), SAMPLE_ENTITIES)));
    Path path = new Path(staging, "sample");
    long start = System.nanoTime();
    long written =
        write(
            conf,
            new Part(WINNOW_SCANS, 0, 0, 1),
            path,
            sample,
            count -> progress.part(0, "writing a sample"));
    double seconds = (System.nanoTime() - start) / 1e9;
    double bytes = path.getFileSystem(conf).getFileStatus(path).getLen();
    path.getFileSystem(conf).delete(path, false);
    double times =
        CONTENDERS.size() * (double) rows.entities() * ScaleRows.ROWS_PER_ENTITY / written;
    // One thread writes most of a table; then files are copied, compacted and flushed.
    return new Cost(seconds * times * SHARE_OF_WRITING, bytes * times);
  }

  /** Number of entities in the sample, whose first file has five million rows. */
  private static final int SAMPLE_ENTITIES = 58_824;

  /** Time to make the tables, as a share of the time in which one thread writes their rows. */
  private static final double SHARE_OF_WRITING = 1.5;
}
