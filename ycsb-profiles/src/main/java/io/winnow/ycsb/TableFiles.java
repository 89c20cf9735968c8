package io.winnow.ycsb;

import io.winnow.hbase.storefile.StoreFileFilter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The store files of a run's tables, which are written without servers to be bulk-loaded. HBase's
 * own writer writes them straight to the file system, to be loaded in bulk. A {@link LoadPlan} says
 * which file holds which rows. Each file spans the keys of its region, as if the rows had been
 * written in any order and flushed from time to time. This JVM writes the filters, so it must have
 * the agent.
 */
final class TableFiles {
  /** Maximum number of absent keys for which the filters of store files are probed. */
  private static final int ABSENT_PROBES = 200_000;

  /** Number of written rows between two reports of progress. */
  private static final int STRIDE = 10_000;

  private final Configuration conf;
  private final KeySpace keys;
  private final LoadPlan plan;
  private final int regions;
  private final BlockSizes blocks;

  /** The numbers of all present row keys in the key space, in the order of the keys. */
  private final long[] numbers;

  private TableFiles(
      Configuration conf,
      KeySpace keys,
      LoadPlan plan,
      int regions,
      BlockSizes blocks,
      long[] numbers) {
    this.conf = conf;
    this.keys = keys;
    this.plan = plan;
    this.regions = regions;
    this.blocks = blocks;
    this.numbers = numbers;
  }

  /**
   * Plans the store files of a table and sorts its keys, which takes 8 bytes of memory per row.
   *
   * @param regions number of regions, among which the rows are divided evenly
   */
  static TableFiles of(
      Configuration conf, KeySpace keys, LoadPlan plan, int regions, BlockSizes blocks) {
    if (keys.rows() > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(keys.rows() + " rows do not fit in memory as numbers");
    }
    long[] numbers = new long[(int) keys.rows()];
    Arrays.parallelSetAll(numbers, keys::number);
    Arrays.parallelSort(numbers);
    return new TableFiles(conf, keys, plan, regions, blocks, numbers);
  }

  /**
   * Sums of the sizes and of the numbers of keys and chunks in a table's store files and their
   * filters, read from the files.
   *
   * @param leafIndexBytes bytes of the index of data blocks that are cached in the block cache
   */
  record Filters(
      long bytes, long keys, long maxKeys, long chunks, long leafIndexBytes, long fileBytes) {
    private static final Filters NONE = new Filters(0, 0, 0, 0, 0, 0);

    private Filters plus(Filters other) {
      return new Filters(
          bytes + other.bytes,
          keys + other.keys,
          maxKeys + other.maxKeys,
          chunks + other.chunks,
          leafIndexBytes + other.leafIndexBytes,
          fileBytes + other.fileBytes);
    }
  }

  /** Returns the first row keys of all regions but the first. */
  byte[][] splits() {
    byte[][] splits = new byte[regions - 1][];
    for (int region = 1; region < regions; region++) {
      splits[region - 1] = keys.keyOfNumber(numbers[start(region)]);
    }
    return splits;
  }

  /** Returns the first row of each region, with the newest version that the files have. */
  List<Put> firstRows() {
    List<Put> rows = new ArrayList<>();
    for (int region = 0; region < regions; region++) {
      byte[] key = keys.keyOfNumber(numbers[start(region)]);
      rows.add(row(key, plan.newestVersion(keys.indexOf(key))));
    }
    return rows;
  }

  /** Returns the rows of one store file in all regions as Puts, which are made one by one. */
  Iterable<Put> rowsOf(int file) {
    return () ->
        Arrays.stream(numbers)
            .filter(number -> plan.holds(file, keys.indexOfNumber(number)))
            .mapToObj(number -> row(keys.keyOfNumber(number), file))
            .iterator();
  }

  private static Put row(byte[] key, long version) {
    byte[][] values = RowValues.values(key, version);
    Put row = new Put(key, LoadPlan.timestamp(version));
    for (int column = 0; column < values.length; column++) {
      row.addColumn(RunTables.FAMILY, RowValues.qualifier(column), values[column]);
    }
    return row;
  }

  private int start(int region) {
    return (int) ((long) numbers.length * region / regions);
  }

  /**
   * Returns tasks that write the store files of a table, one task for each file.
   *
   * @param progress receives the numbers of rows that were written
   */
  List<Callable<Path>> writers(Path directory, TableContender contender, LongConsumer progress) {
    return writers(directory, contender, plan.files(), progress);
  }

  /**
   * Returns tasks that write only the first store files of each region, one task for each file.
   *
   * @param files number of files for each region
   */
  List<Callable<Path>> writers(
      Path directory, TableContender contender, int files, LongConsumer progress) {
    List<Callable<Path>> tasks = new ArrayList<>();
    for (int region = 0; region < regions; region++) {
      int from = start(region);
      int to = start(region + 1);
      for (int file = 0; file < files; file++) {
        Path path = new Path(directory, "%s-%d-%d".formatted(contender.id(), region, file));
        int version = file;
        tasks.add(
            () -> {
              write(path, contender, version, from, to, progress);
              return path;
            });
      }
    }
    return tasks;
  }

  private void write(
      Path path, TableContender contender, int file, int from, int to, LongConsumer progress)
      throws IOException {
    Configuration settings = new Configuration(conf);
    settings.setInt(RunTables.INDEX_BLOCK_SIZE, blocks.index());
    contender.configuration().forEach(settings::set);
    byte[][] qualifiers = new byte[RowValues.COLUMNS][];
    Arrays.setAll(qualifiers, RowValues::qualifier);
    StoreFileWriter writer =
        new StoreFileWriter.Builder(settings, CacheConfig.DISABLED, path.getFileSystem(settings))
            .withFilePath(path)
            .withBloomType(BloomType.ROW)
            .withFileContext(
                new HFileContextBuilder()
                    .withBlockSize(blocks.dataOf(keys.keyLength()))
                    .withCompression(RunTables.COMPRESSION)
                    .withColumnFamily(RunTables.FAMILY)
                    .withCellComparator(CellComparator.getInstance())
                    .withCreateTime(System.currentTimeMillis())
                    .build())
            .build();
    try {
      long rows = 0;
      for (int i = from; i < to; i++) {
        if (!plan.holds(file, keys.indexOfNumber(numbers[i]))) {
          continue;
        }
        byte[] row = keys.keyOfNumber(numbers[i]);
        byte[][] values = RowValues.values(row, file);
        for (int column = 0; column < values.length; column++) {
          writer.append(
              new KeyValue(
                  row,
                  RunTables.FAMILY,
                  qualifiers[column],
                  LoadPlan.timestamp(file),
                  values[column]));
        }
        if (++rows % STRIDE == 0) {
          progress.accept(STRIDE);
        }
      }
      progress.accept(rows % STRIDE);
      writer.appendFileInfo(
          HStoreFile.BULKLOAD_TIME_KEY, Bytes.toBytes(System.currentTimeMillis()));
    } finally {
      writer.close();
    }
  }

  /**
   * Returns the sums of the sizes and of the numbers of keys and chunks of some store files and
   * their filters.
   */
  static Filters filters(Configuration conf, List<Path> files) throws IOException {
    Filters sum = Filters.NONE;
    for (Path file : files) {
      try (StoreFileFilter filter = StoreFileFilter.open(conf, file)) {
        sum =
            sum.plus(
                new Filters(
                    filter.sizeInBytes(),
                    filter.keys(),
                    filter.maxKeys(),
                    filter.chunks(),
                    filter.leafIndexBytes(),
                    file.getFileSystem(conf).getFileStatus(file).getLen()));
      }
    }
    return sum;
  }

  /**
   * Measures the false-positive rate of the filters of some store files with absent keys; a mean
   * over the files.
   */
  static double falsePositiveRate(Configuration conf, KeySpace keys, List<Path> files)
      throws IOException {
    long positives = 0;
    int probes = (int) Math.min(ABSENT_PROBES, keys.rows());
    for (Path file : files) {
      try (StoreFileFilter filter = StoreFileFilter.open(conf, file)) {
        for (int i = 0; i < probes; i++) {
          positives += filter.mightContain(keys.key(keys.rows() + i)) ? 1 : 0;
        }
      }
    }
    return (double) positives / probes / files.size();
  }
}
