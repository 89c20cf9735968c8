package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import io.winnow.flash.bufferhash.BufferHashCount;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.IoSnapshot;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.HdrHistogram.Histogram;

/**
 * A benchmark of maps on flash with the workloads of Anand et al., "Cheap and Large CAMs for High
 * Performance Data-Intensive Networked Systems", NSDI 2010: a WAN optimizer, and mixes of lookups
 * and inserts. Before, the maps hold eight times their memory. It uses one thread, and reads the
 * clock once per operation.
 */
final class MapRuns {
  /** Shares of lookups among the operations of a workload, as in the paper by Anand et al. */
  static final double[] SHARES = {0, 0.5, 1};

  /** Share of lookups whose key is in the map. */
  private static final double HIT_SHARE = 0.4;

  /**
   * Maximum number of inserts in one phase, as a share of the map's entries before, so that no
   * entry is evicted.
   */
  private static final double MAX_INSERTS = 1.0 / 12;

  private static final int PHASES_WITH_INSERTS = 3;
  private static final int PHASES = 6;
  private static final long LONGEST_NANOS = 3600L * 1_000_000_000;

  /** Number of absent keys that have been looked up in the map so far. */
  private long absents;

  /** Number of present keys that have been looked up in the map so far. */
  private long presents;

  private final FlashBench options;
  private final Path directory;
  private final Results results;
  private final Progress progress;

  MapRuns(FlashBench options, Path directory, Results results, Progress progress) {
    this.options = options;
    this.directory = directory;
    this.results = results;
    this.progress = progress;
  }

  /** Returns the approximate seconds that the benchmark of maps takes. */
  static double weight(FlashBench options) {
    if (!options.runs(FlashBench.MAPS)) {
      return 0;
    }
    int maps = 1 + (options.runs(FlashBench.PEERS) ? PeerStore.values().length : 0);
    return maps * (loadWeight(options) + (PHASES + 0.5) * options.seconds);
  }

  private static double loadWeight(FlashBench options) {
    return options.mapEntries() / PeerStore.KEYS_PER_SECOND;
  }

  private long maxInserts() {
    return (long) (MAX_INSERTS * options.mapEntries());
  }

  void run() throws IOException {
    if (!options.runs(FlashBench.MAPS)) {
      return;
    }
    Path files = directory.resolve("map");
    long max = options.mapEntries() + PHASES_WITH_INSERTS * maxInserts();
    measure(
        FlashMetrics.BUFFERHASH,
        files,
        () -> BufferHashStore.open(files, options.memoryBytes(), max));
    if (options.runs(FlashBench.PEERS)) {
      for (PeerStore peer : PeerStore.values()) {
        measure(peer.structure(), files, () -> peer.open(files, options.memoryBytes(), directory));
      }
    }
  }

  /** A function that opens an empty map to measure. */
  interface Opening {
    Store open() throws IOException;
  }

  void measure(String structure, Path files, Opening opening) throws IOException {
    absents = 0;
    presents = 0;
    try (Store store = opening.open()) {
      long entries = options.mapEntries();
      Load.Outcome load = Load.run(store, 0, entries, MapRuns::value);
      progress.step(
          loadWeight(options),
          structure,
          Table.number(entries, 0)
              + " entries, "
              + Table.number(entries / load.seconds(), 0)
              + " per second");
      run(store, entries, options.seconds / 2, 1, false, null); // warms the code up
      progress.step(options.seconds / 2, structure, "warm");
      entries = phase(structure, FlashMetrics.WAN, store, entries, load, 1, true);
      for (double share : SHARES) {
        String workload = FlashMetrics.LOOKUPS + Table.number(share, share == 0.5 ? 1 : 0);
        entries = phase(structure, workload, store, entries, load, share, false);
      }
      only(structure, FlashMetrics.HITS, store, entries, true);
      only(structure, FlashMetrics.MISSES, store, entries, false);
      if (store instanceof BufferHashStore bufferHash) {
        ofBufferHash(bufferHash);
      }
      if (store instanceof JeStore je) {
        FlashMetrics.setup(results, "jeOutOfPageCache", je.limitsThePageCache() ? 1 : 0);
      }
    } finally {
      ScratchDirectory.delete(files);
    }
  }

  private void ofBufferHash(BufferHashStore store) {
    FlashStatistics<BufferHashCount> statistics = store.statistics();
    FlashMetrics.setup(
        results, "bufferHashFalseReadsByLayout", store.table().layout().falseReadsPerLookup());
    FlashMetrics.setup(results, "bufferHashIncarnations", store.table().layout().incarnations());
    FlashMetrics.setup(results, "bufferHashSuperTables", store.table().layout().superTables());
    FlashMetrics.setup(
        results, "bufferHashEvicted", statistics.get(BufferHashCount.INCARNATIONS_EVICTED));
    FlashMetrics.setup(results, "bufferHashWaits", statistics.get(BufferHashCount.WAITS));
    FlashMetrics.setup(
        results, "bufferHashWaitedSeconds", statistics.get(BufferHashCount.WAITED_NANOS) / 1e9);
  }

  /** Times of the operations of one workload on a map, and the number of lost entries. */
  private static final class Counts {
    private final Histogram inserts = new Histogram(LONGEST_NANOS, 3);
    private final Histogram lookups = new Histogram(LONGEST_NANOS, 3);
    private long lost;
    private double seconds;
    private long entries;
  }

  /**
   * Runs a workload of lookups and inserts on a map, and adds its figures to the results. Returns
   * the number of entries after it.
   */
  private long phase(
      String structure,
      String workload,
      Store store,
      long entries,
      Load.Outcome load,
      double share,
      boolean insertsMissed)
      throws IOException {
    store.settle();
    IoSnapshot before = store.traffic();
    Counts counts = run(store, entries, options.seconds, share, insertsMissed, new Counts());
    IoSnapshot traffic = store.traffic().since(before);
    long inserts = counts.inserts.getTotalCount();
    long lookups = counts.lookups.getTotalCount();
    FlashMetrics metrics =
        new FlashMetrics(results, structure, workload)
            .add(FlashMetrics.KEYS, counts.entries)
            .add(FlashMetrics.MEMORY, options.memoryBytes())
            .add(FlashMetrics.FLASH, store.flashBytes())
            .add("loadsPerSecond", options.mapEntries() / load.seconds())
            .add("operationsPerSecond", (inserts + lookups) / counts.seconds)
            .add(FlashMetrics.LOST, counts.lost)
            .latencies(FlashMetrics.INSERT, counts.inserts)
            .latencies(FlashMetrics.LOOKUP, counts.lookups)
            .traffic("operation", inserts + lookups, traffic);
    if (inserts > 0) {
      metrics.add(FlashMetrics.INSERTS, inserts / counts.seconds);
    }
    if (lookups > 0) {
      metrics.add(FlashMetrics.PROBES, lookups / counts.seconds);
    }
    progress.step(
        options.seconds,
        structure + ", " + workload,
        Table.number((inserts + lookups) / counts.seconds, 0) + " operations/s");
    return counts.entries;
  }

  /**
   * Runs lookups and inserts on a map for some seconds.
   *
   * @param share share of lookups
   * @param insertsMissed whether a key that was not found is inserted then
   * @param into receives the counts; null to drop them
   */
  private Counts run(
      Store store, long entries, double seconds, double share, boolean insertsMissed, Counts into)
      throws IOException {
    Counts counts = into == null ? new Counts() : into;
    long max = entries + maxInserts();
    long next = entries;
    long start = System.nanoTime();
    long last = start;
    for (long i = 0; next < max && last - start < seconds * 1e9; i++) {
      long dice = Keys.scramble(~i);
      if ((dice >>> 40) * 0x1p-24 < share) {
        boolean hit = (dice & 0xffffff) * 0x1p-24 < HIT_SHARE;
        long key =
            hit
                ? ProbeKeys.spread(presents++, entries)
                : insertsMissed ? Keys.present(next) : Keys.absent(absents++);
        byte[] found = store.get(key);
        long now = System.nanoTime();
        counts.lookups.recordValue(now - last);
        if (isLost(store, key, found, hit)) {
          counts.lost++;
        }
        last = System.nanoTime();
        if (hit || !insertsMissed) {
          continue;
        }
      }
      long key = Keys.present(next++);
      store.put(key, value(key));
      long now = System.nanoTime();
      counts.inserts.recordValue(now - last);
      last = now;
    }
    counts.seconds = (last - start) / 1e9;
    counts.entries = next;
    return counts;
  }

  private static boolean isLost(Store store, long key, byte[] found, boolean present) {
    if (found == null) {
      return present && !store.hasEvicted();
    }
    return !present || !Arrays.equals(found, value(key));
  }

  /**
   * Measures lookups of present keys only, or of absent keys only, to show the number of pages that
   * they read.
   */
  private void only(String structure, String workload, Store store, long entries, boolean present)
      throws IOException {
    store.settle();
    IoSnapshot before = store.traffic();
    Histogram nanos = new Histogram(LONGEST_NANOS, 3);
    long lost = 0;
    long start = System.nanoTime();
    long last = start;
    while (last - start < options.seconds * 1e9) {
      long key = present ? ProbeKeys.spread(presents++, entries) : Keys.absent(absents++);
      byte[] found = store.get(key);
      long now = System.nanoTime();
      nanos.recordValue(now - last);
      if (isLost(store, key, found, present)) {
        lost++;
      }
      last = now;
    }
    long lookups = nanos.getTotalCount();
    new FlashMetrics(results, structure, workload)
        .add(FlashMetrics.KEYS, entries)
        .add(FlashMetrics.MEMORY, options.memoryBytes())
        .add(FlashMetrics.FLASH, store.flashBytes())
        .add(FlashMetrics.PROBES, lookups / ((last - start) / 1e9))
        .add("lookups", lookups)
        .add(FlashMetrics.LOST, lost)
        .latencies(FlashMetrics.LOOKUP, nanos)
        .traffic(FlashMetrics.LOOKUP, lookups, store.traffic().since(before));
    progress.step(
        options.seconds,
        structure + ", " + workload,
        Table.number(lookups / ((last - start) / 1e9), 0) + " per second");
  }

  /** Returns the value that the map must have for a key, so that a wrong value is detected. */
  private static byte[] value(long key) {
    return ByteBuffer.allocate(Store.VALUE_BYTES)
        .putLong(Keys.scramble(key))
        .putLong(Keys.scramble(key + 1))
        .putLong(Keys.scramble(key + 2))
        .array();
  }
}
