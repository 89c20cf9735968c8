package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.metrics.Families;
import io.winnow.hbase.metrics.FamilyCounters;
import io.winnow.hbase.settings.StockBloom;
import io.winnow.hbase.storefile.RowKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.BloomFilterFactory;

/**
 * One run of a schedule of flushes: writes the rows into a region with one filter policy, and
 * measures the region after each flush and compaction.
 */
final class PolicyRun {
  private static final String FLUSH = "flush";

  /** Number of flushes whose store files are compacted into the large file at the start. */
  private static final int PARTS = 8;

  /** The block cache of all runs, because a block cache has threads of its own. */
  private static final BlockCache CACHE =
      BlockCacheFactory.createBlockCache(HBaseConfiguration.create());

  private final Rates options;
  private final long seed;
  private final Policy policy;
  private final LabRegion region;
  private final FamilyCounters counters;
  private final StockBloom stock;
  private final Progress progress;
  private final List<Moment> moments = new ArrayList<>();
  private Map<org.apache.hadoop.fs.Path, LabFile> open = new HashMap<>();
  private int written;

  /** Counts of the file reads that Gets of some rows cause, and of rows that were not found. */
  private static final class GetCost {
    private long falseReads;
    private long falsePositives;
    private long truePositives;
    private long notFound;
  }

  private PolicyRun(Rates options, long seed, Policy policy, LabRegion region, Progress progress) {
    this.options = options;
    this.seed = seed;
    this.policy = policy;
    this.region = region;
    this.counters =
        Families.of(region.region.getTableDescriptor().getTableName(), LabRegion.FAMILY);
    this.stock = StockBloom.of(options.errorRate, options.chunk, StockBloom.DEFAULT_MAX_FOLD);
    this.progress = progress;
  }

  /**
   * Runs a schedule of flushes and compactions in a new region.
   *
   * @param directory the directory for the region's files
   * @throws WrongCountException if the agent's counters differ from the true counts
   */
  static List<Moment> run(
      Rates options, long seed, Policy policy, Path directory, Progress progress)
      throws IOException {
    ColumnFamilyDescriptorBuilder family =
        LabRegion.newFamily()
            .setConfiguration(
                BloomFilterFactory.IO_STOREFILE_BLOOM_ERROR_RATE, String.valueOf(options.errorRate))
            .setConfiguration(
                BloomFilterFactory.IO_STOREFILE_BLOOM_BLOCK_SIZE, String.valueOf(options.chunk));
    try (LabRegion region = LabRegion.create(directory, policy, family, Map.of(), CACHE)) {
      PolicyRun run = new PolicyRun(options, seed, policy, region, progress);
      run.ingest();
      return run.moments;
    }
  }

  private void ingest() throws IOException {
    if (options.large > 0) {
      for (int part = 1; part <= PARTS; part++) {
        write((int) (options.largeRows() * part / PARTS));
      }
      region.majorCompact();
      measure(0, "load");
    }
    int[] rowsOfFlushes = options.rowsOfFlushes(seed);
    for (int flush = 1; flush <= rowsOfFlushes.length; flush++) {
      write(written + rowsOfFlushes[flush - 1]);
      measure(flush, FLUSH);
      while (region.compact()) {
        measure(flush, "compaction");
      }
      if (flush == options.majorAt) {
        region.majorCompact();
        measure(flush, "major compaction");
      }
    }
  }

  private void write(int upTo) throws IOException {
    region.write(IntStream.range(written, upTo).mapToObj(RowKey::of), null, put -> written += put);
  }

  private void measure(int flush, String after) throws IOException {
    long ruledOut = openFiles();
    SplittableRandom random = new SplittableRandom(seed + 31L * moments.size());
    GetCost absent = new GetCost();
    GetCost present = new GetCost();
    long falsePositives = counters.falsePositives.sum();
    long truePositives = counters.truePositives.sum();
    for (int i = 0; i < options.gets; i++) {
      get(random.nextInt(CacheStore.ABSENT_FROM, CacheStore.ABSENT_TO), absent);
      get(random.nextInt(written), present);
    }
    check(
        "false positives",
        counters.falsePositives.sum() - falsePositives,
        absent.falsePositives + present.falsePositives);
    check(
        "true positives",
        counters.truePositives.sum() - truePositives,
        absent.truePositives + present.truePositives);
    if (absent.notFound != options.gets) {
      throw new IOException("a row was found that was never written");
    }
    Moment moment =
        new Moment(
            open.size(),
            8.0 * region.filterBytes() / written,
            open.values().stream().mapToDouble(file -> file.rate).sum(),
            (double) absent.falseReads / options.gets,
            (double) present.falseReads / options.gets,
            present.notFound + ruledOut);
    moments.add(moment);
    progress.part(
        after.equals(FLUSH) ? 1 : 0,
        String.format(
            Locale.ROOT,
            "%s, %s %d: %d files, %,d keys, %.2f bits per key, sum of rates %.2f %%",
            policy.id(),
            after,
            flush,
            moment.files(),
            written,
            moment.bitsPerKey(),
            100 * moment.sumOfRates()));
  }

  /**
   * Reads the store files of the region that were not read before. Returns the number of their rows
   * that their filters rule out.
   */
  private long openFiles() throws IOException {
    Collection<HStoreFile> files = region.files();
    long keys = files.stream().mapToLong(file -> file.getReader().getEntries()).sum();
    Map<org.apache.hadoop.fs.Path, LabFile> now = new HashMap<>();
    BitSet rows = new BitSet(written);
    long ruledOut = 0;
    for (HStoreFile file : files) {
      LabFile known = open.get(file.getPath());
      if (known == null) {
        known = new LabFile(file, stock);
        ruledOut += known.ruledOut;
      }
      now.put(file.getPath(), known);
      rows.or(known.rows);
    }
    if (rows.cardinality() != written || keys != written) {
      throw new IOException(
          "the files have " + rows.cardinality() + " rows in " + keys + " cells, not " + written);
    }
    open = now;
    return ruledOut;
  }

  private void get(int number, GetCost cost) throws IOException {
    byte[] row = RowKey.of(number);
    Scan get = new Scan(new Get(row));
    for (LabFile file : open.values()) {
      if (file.isRead(get)) {
        boolean isThere = file.rows.get(number);
        cost.falseReads += isThere ? 0 : 1;
        if (file.filter != null) { // the agent does not count files without a filter
          cost.falsePositives += isThere ? 0 : 1;
          cost.truePositives += isThere ? 1 : 0;
        }
      }
    }
    cost.notFound += region.get(row) ? 0 : 1;
  }

  private static void check(String what, long counted, long isTrue) {
    if (counted != isTrue) {
      throw new WrongCountException(
          "the agent counted " + counted + " " + what + ", but there were " + isTrue);
    }
  }
}
