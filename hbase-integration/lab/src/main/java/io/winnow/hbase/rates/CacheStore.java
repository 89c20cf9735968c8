package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Crew;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.standalone.CountedFiles;
import io.winnow.hbase.standalone.ScratchDirectory;
import io.winnow.hbase.storefile.RowKey;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileBlockIndex;
import org.apache.hadoop.hbase.util.BloomFilterFactory;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A store of one large and several small store files with the filters of one policy, whose Gets are
 * counted with block caches of several sizes. With fewer rows than {@link #FULL_ROWS} its blocks
 * and chunks are smaller in proportion, so that the counts of reads stay alike.
 */
final class CacheStore implements Closeable {
  /** Number of rows for which blocks and chunks have HBase's default sizes. */
  static final int FULL_ROWS = 8_000_000;

  /** First of the row numbers that are never written; {@code ABSENT_TO} is their end. */
  static final int ABSENT_FROM = 90_000_000;

  static final int ABSENT_TO = 100_000_000;

  /** HBase's default size of a full chunk of a filter, and of a full index block. */
  private static final int CHUNK_BYTES = 128 << 10;

  /** Share of the rows that are in the large file. */
  private static final double LARGE = 0.8;

  /** Number of flushes whose store files are compacted into the large file. */
  private static final int PARTS = 8;

  /** The value of each row: with it a row takes 119 bytes of a store file. */
  private static final byte[] VALUE = new byte[71];

  final LabRegion region;

  /**
   * Costs of some Gets.
   *
   * @param missesAgain number of probes of Winnow filters whose chunk the block cache had evicted
   * @param wrong number of Gets that found an absent row, or no present one
   */
  record Cost(long gets, long reads, long bytes, long missesAgain, double seconds, long wrong) {}

  private CacheStore(LabRegion region) {
    this.region = region;
  }

  /**
   * Makes a store and fills it with rows, whose numbers count from 0.
   *
   * @param cache the block cache while the files are written
   * @param progress a consumer of the number of rows of each batch
   */
  static CacheStore create(
      Policy policy,
      int rows,
      int smallFiles,
      Path directory,
      BlockCache cache,
      IntConsumer progress)
      throws IOException {
    String chunk = String.valueOf(scaled(CHUNK_BYTES, rows));
    ColumnFamilyDescriptorBuilder family =
        LabRegion.newFamily()
            .setBlocksize(blockBytes(rows))
            .setConfiguration(BloomFilterFactory.IO_STOREFILE_BLOOM_BLOCK_SIZE, chunk);
    Map<String, String> site =
        Map.of(
            "fs.file.impl",
            CountedFiles.class.getName(),
            CacheConfig.EVICT_BLOCKS_ON_CLOSE_KEY,
            "true",
            "fs.file.impl.disable.cache",
            "true",
            HFileBlockIndex.MAX_CHUNK_SIZE_KEY,
            chunk);
    CacheStore store = new CacheStore(LabRegion.create(directory, policy, family, site, cache));
    int large = (int) (LARGE * rows);
    store.write(0, large, PARTS, progress);
    store.region.majorCompact();
    store.write(large, rows, smallFiles, progress);
    store.region.requireFiles(1 + smallFiles);
    ScratchDirectory.delete(directory.resolve(HConstants.HFILE_ARCHIVE_DIRECTORY));
    return store;
  }

  /** Returns the size of a data block in a store with a given number of rows. */
  static int blockBytes(int rows) {
    return scaled(HConstants.DEFAULT_BLOCKSIZE, rows);
  }

  private static int scaled(int bytes, int rows) {
    return Math.max(1024, (int) Math.min(bytes, (long) bytes * rows / FULL_ROWS));
  }

  private void write(int begin, int end, int parts, IntConsumer progress) throws IOException {
    for (int part = 0; part < parts; part++) {
      int from = begin + (int) ((long) (end - begin) * part / parts);
      int to = begin + (int) ((long) (end - begin) * (part + 1) / parts);
      region.write(
          IntStream.range(from, to)
              .mapToObj(RowKey::of)
              .sorted(Bytes.BYTES_COMPARATOR), // the memstore takes sorted rows faster
          VALUE,
          progress);
    }
  }

  /**
   * Runs Gets in several threads at once, and returns their cost in total.
   *
   * @param rows the choice of the next row's number
   */
  Cost run(int gets, int threads, long seed, ToIntFunction<SplittableRandom> rows)
      throws IOException, InterruptedException {
    List<SplittableRandom> randoms =
        Stream.generate(new SplittableRandom(seed)::split).limit(threads).toList();
    try (Crew crew = new Crew(threads)) {
      long reads = CountedFiles.reads();
      long bytes = CountedFiles.bytes();
      long missesAgain = missesAgain();
      long start = System.nanoTime();
      List<Long> wrong = crew.map(randoms, random -> wrong(gets / threads, random, rows));
      return new Cost(
          gets / threads * threads,
          CountedFiles.reads() - reads,
          CountedFiles.bytes() - bytes,
          missesAgain() - missesAgain,
          (System.nanoTime() - start) / 1e9,
          wrong.stream().mapToLong(Long::longValue).sum());
    }
  }

  private static long missesAgain() {
    return ServerMetric.CHUNK_RELOADS.value() + ServerMetric.LOADS_SKIPPED.value();
  }

  private long wrong(int gets, SplittableRandom random, ToIntFunction<SplittableRandom> rows)
      throws IOException {
    long wrong = 0;
    for (int i = 0; i < gets; i++) {
      int row = rows.applyAsInt(random);
      boolean isAbsent = region.region.get(new Get(RowKey.of(row))).isEmpty();
      wrong += isAbsent == row >= ABSENT_FROM ? 0 : 1;
    }
    return wrong;
  }

  @Override
  public void close() throws IOException {
    region.close();
  }
}
