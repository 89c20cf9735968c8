package io.winnow.ycsb;

import io.winnow.hbase.cli.Crew;
import io.winnow.hbase.storefile.StoreFileFilter;
import io.winnow.hbase.storefile.StoreFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;

/**
 * The store files of a run's tables, which are written without servers to be bulk-loaded. HBase's
 * own writer writes them straight to the file system, to be loaded in bulk. A {@link LoadPlan} says
 * which file holds which rows. Each file spans the keys of its region, as if the rows had been
 * written in any order and flushed from time to time. This JVM writes the filters, so it must have
 * the agent.
 *
 * @param regions number of regions, among which the rows are divided evenly
 * @param numbers the numbers of all present row keys in the key space, in the order of the keys
 */
record TableFiles(
    Configuration conf,
    KeySpace keys,
    LoadPlan plan,
    int regions,
    BlockSizes blocks,
    long[] numbers) {
  /** Maximum number of absent keys for which the filters of store files are probed. */
  static final int ABSENT_PROBES = 200_000;

  /** Plans the store files of a table and sorts its keys, which takes 8 bytes of memory per row. */
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

  /** Name of the figure in results: bytes of the filters. */
  static final String BYTES = "bytes";

  private static final String RATE = "falsePositiveRate";

  /** Name of the figure in results: bytes of the index of data blocks in the block cache. */
  static final String LEAF_INDEX = "leafIndexBytes";

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
      rows.add(row(key, plan.newestVersion(keys.indexOfNumber(numbers[start(region)]))));
    }
    return rows;
  }

  /** Returns the rows of one store file in all regions as Puts, which are made one by one. */
  Iterable<Put> rowsOf(int file) {
    return rowsOf(file, 0, numbers.length);
  }

  private Iterable<Put> rowsOf(int file, int from, int to) {
    return () ->
        Arrays.stream(numbers, from, to)
            .filter(number -> plan.holds(file, keys.indexOfNumber(number)))
            .mapToObj(number -> row(keys.keyOfNumber(number), file))
            .iterator();
  }

  /** Returns a row in a version, with all its columns. */
  static Put row(byte[] key, long version) {
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
   * Writes the first store files of each region, two at a time.
   *
   * @param files number of files for each region
   * @param progress receives the numbers of rows that were written
   */
  List<Path> write(Path directory, TableFilter contender, int files, LongConsumer progress)
      throws IOException, InterruptedException {
    try (Crew crew = new Crew(2)) {
      return crew.map(
          IntStream.range(0, regions * files).boxed().toList(),
          i -> write(directory, contender, i / files, i % files, progress));
    }
  }

  private Path write(
      Path directory, TableFilter contender, int region, int file, LongConsumer progress)
      throws IOException {
    // The block cache of this JVM knows files by their names alone.
    String name = "%s-%s-%d-%d".formatted(directory.getName(), contender.id(), region, file);
    Path path = new Path(directory, name);
    Configuration settings = new Configuration(conf);
    settings.setInt(RunTables.INDEX_BLOCK_SIZE, blocks.index());
    HFileContextBuilder context =
        new HFileContextBuilder()
            .withBlockSize(blocks.dataOf(keys.keyLength()))
            .withCompression(RunTables.COMPRESSION);
    Iterable<Put> rows = rowsOf(file, start(region), start(region + 1));
    write(settings, path, contender, context, rows, progress);
    return path;
  }

  /**
   * Writes a store file that is to be loaded in bulk. Returns the number of its rows.
   *
   * @param settings the configuration of the file, to which the contender's is added
   * @param context the sizes and encodings of blocks
   * @param progress receives the numbers of rows that were written
   */
  static long write(
      Configuration settings,
      Path path,
      TableFilter contender,
      HFileContextBuilder context,
      Iterable<Put> rows,
      LongConsumer progress)
      throws IOException {
    contender.configuration().forEach(settings::set);
    return StoreFiles.write(
        settings, path, context.withColumnFamily(RunTables.FAMILY), rows, progress);
  }

  /**
   * Returns the figures of some store files and their filters, summed up over the files, by their
   * names in results. The rate is a mean: each filter is probed for the same absent keys.
   */
  Map<String, Double> filters(List<Path> files) throws IOException {
    Map<String, Double> sum = new TreeMap<>();
    int probes = (int) Math.min(ABSENT_PROBES, keys.rows());
    for (Path file : files) {
      Map<String, Double> its = filter(conf, file, probes, i -> keys.key(keys.rows() + i));
      its.merge(RATE, 1.0 / files.size(), (rate, share) -> rate * share);
      its.forEach((figure, value) -> sum.merge(figure, value, Double::sum));
    }
    return sum;
  }

  /**
   * Returns the figures of a store file and its filter, by their names in results.
   *
   * @param probes number of absent keys for which the filter is probed
   * @param absent returns absent keys
   */
  static Map<String, Double> filter(
      Configuration conf, Path file, int probes, LongFunction<byte[]> absent) throws IOException {
    try (StoreFileFilter filter = StoreFileFilter.open(conf, file)) {
      double positives = 0;
      for (int i = 0; i < probes; i++) {
        positives += filter.mightContain(absent.apply(i)) ? 1 : 0;
      }
      return new TreeMap<>(
          Map.of(
              BYTES,
              (double) filter.sizeInBytes(),
              "keys",
              (double) filter.keys(),
              "maxKeys",
              (double) filter.maxKeys(),
              "chunks",
              (double) filter.chunks(),
              LEAF_INDEX,
              (double) filter.leafIndexBytes(),
              "fileBytes",
              (double) file.getFileSystem(conf).getFileStatus(file).getLen(),
              RATE,
              positives / probes));
    }
  }
}
