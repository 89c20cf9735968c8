package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import io.winnow.flash.bloom.BloomSizing;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongUnaryOperator;

/**
 * A benchmark of sets on flash whose lookups are answered at once, with the memory and the rate of
 * the buffered Bloom filter. Bloom filters begin full, with random bits. The cascade filter takes
 * all keys. A peer has fewer, because all would take too long.
 */
final class SetRuns {
  static final double RATE = 0.0025;

  private static final int REQUEST_PAGES = 256;
  private static final int GROUP = 8;
  private static final long CHECKED = 1000;
  private static final double CASCADE_KEYS_PER_SECOND = 8e6;

  private final FlashBench options;
  private final Path directory;
  private final Results results;
  private final Progress progress;

  SetRuns(FlashBench options, Path directory, Results results, Progress progress) {
    this.options = options;
    this.directory = directory;
    this.results = results;
    this.progress = progress;
  }

  /** Returns the approximate seconds that the benchmark of sets takes. */
  static double weight(FlashBench options) {
    if (!options.runs(FlashBench.SETS)) {
      return 0;
    }
    double ours = 2 * bloomWeight(options) + cascadeWeight(options);
    return options.runs(FlashBench.PEERS)
        ? ours + PeerStore.values().length * peerWeight(options)
        : ours;
  }

  private static double bloomWeight(FlashBench options) {
    return 2.5 * options.seconds;
  }

  private static double cascadeWeight(FlashBench options) {
    return options.buildKeys() / CASCADE_KEYS_PER_SECOND + 1.5 * options.seconds;
  }

  private static double peerWeight(FlashBench options) {
    return options.peerKeys() / PeerStore.KEYS_PER_SECOND + 3 * options.seconds;
  }

  void run() throws IOException {
    if (!options.runs(FlashBench.SETS)) {
      return;
    }
    bloom(FlashMetrics.PLAIN);
    bloom(FlashMetrics.ELEVATOR);
    cascade();
    if (options.runs(FlashBench.PEERS)) {
      for (PeerStore peer : PeerStore.values()) {
        peer(peer);
      }
    }
  }

  private void bloom(String name) throws IOException {
    Path file = directory.resolve("bloom-bits");
    long keys = options.buildKeys();
    long memory = options.memoryBytes();
    BloomSizing sizing = BloomSizing.forRate(keys, RATE);
    try (FlashContender filter =
        name.equals(FlashMetrics.PLAIN)
            ? FlashBlooms.plain(file, sizing, keys, memory)
            : FlashBlooms.elevator(file, sizing, keys, memory, REQUEST_PAGES)) {
      TimedInserts.Outcome ingest = new TimedInserts(filter, 1).during(options.seconds, keys);
      long inserted = ingest.keys();
      long checked = Math.min(inserted, CHECKED);
      CascadeSets.Lookups present =
          CascadeSets.lookUp(filter, i -> Keys.present(i * (inserted / checked)), checked);
      CascadeSets.Lookups absent = CascadeSets.lookUp(filter, Keys::absent, options.seconds);
      FlashMetrics metrics = metrics(name, filter, keys, ingest);
      lookups(metrics, absent, present);
      step(bloomWeight(options), name, ingest, absent);
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private void cascade() throws IOException {
    Path files = directory.resolve("cascade");
    long keys = options.buildKeys();
    try (FlashContender filter = CascadeSets.cascade(files, keys, options.memoryBytes(), RATE)) {
      TimedInserts.Outcome ingest =
          new TimedInserts(filter, GROUP).all(keys, 1, (bucket, n, seconds) -> {});
      CascadeSets.awaitRest(filter);
      LongUnaryOperator presents = i -> ProbeKeys.spread(i, keys);
      CascadeSets.Lookups absent = CascadeSets.lookUp(filter, Keys::absent, options.seconds);
      CascadeSets.Lookups present = CascadeSets.lookUp(filter, presents, options.seconds / 2);
      FlashMetrics metrics = metrics(FlashMetrics.CASCADE, filter, keys, ingest);
      lookups(metrics, absent, present);
      step(cascadeWeight(options), FlashMetrics.CASCADE, ingest, absent);
    } finally {
      ScratchDirectory.delete(files);
    }
  }

  /**
   * Measures a set of RocksDB or BerkeleyDB: loads some keys, and then inserts others at random.
   */
  private void peer(PeerStore peer) throws IOException {
    Path files = directory.resolve("set-" + peer.structure());
    long loaded = options.peerKeys();
    try (Store store = peer.open(files, options.memoryBytes(), directory)) {
      FlashContender set = new StoreSet(store);
      // their numbers are above those of the following inserts
      Load.Outcome load = Load.run(store, options.buildKeys(), loaded, key -> new byte[0]);
      TimedInserts.Outcome ingest = new TimedInserts(set, 1).during(options.seconds, loaded / 10);
      store.settle();
      CascadeSets.Lookups absent = CascadeSets.lookUp(set, Keys::absent, options.seconds);
      LongUnaryOperator presents =
          i -> Keys.present(options.buildKeys() + Long.remainderUnsigned(Keys.scramble(i), loaded));
      CascadeSets.Lookups present = CascadeSets.lookUp(set, presents, options.seconds / 2);
      FlashMetrics metrics =
          metrics(peer.structure(), set, loaded + ingest.keys(), ingest)
              .add("loadsPerSecond", loaded / load.seconds())
              .add("presentLookupsPerSecond", present.perSecond());
      lookups(metrics, absent, present);
      step(peerWeight(options), peer.structure(), ingest, absent);
    } finally {
      ScratchDirectory.delete(files);
    }
  }

  private FlashMetrics metrics(
      String structure, FlashContender filter, long keys, TimedInserts.Outcome ingest)
      throws IOException {
    return new FlashMetrics(results, structure, FlashMetrics.SET)
        .add(FlashMetrics.MEMORY, options.memoryBytes())
        .add(FlashMetrics.FLASH, filter.flashBytes())
        .add(FlashMetrics.KEYS, keys)
        .add(FlashMetrics.INSERTS, ingest.perSecond())
        .latencies(FlashMetrics.INSERT, ingest.nanos())
        .traffic(FlashMetrics.INSERT, ingest.keys(), ingest.traffic());
  }

  private static void lookups(
      FlashMetrics metrics, CascadeSets.Lookups absent, CascadeSets.Lookups present) {
    metrics
        .add(FlashMetrics.PROBES, absent.perSecond())
        .add(FlashMetrics.RATE, (double) absent.positives() / absent.lookups())
        .add(FlashMetrics.LOST, present.lookups() - present.positives())
        .latencies(FlashMetrics.LOOKUP, absent.nanos())
        .traffic(FlashMetrics.LOOKUP, absent.lookups(), absent.traffic());
  }

  private void step(
      double weight, String name, TimedInserts.Outcome ingest, CascadeSets.Lookups absent) {
    progress.step(
        weight,
        name + ", a set",
        Table.number(ingest.perSecond(), 0)
            + " inserts/s, "
            + Table.number(absent.perSecond(), 0)
            + " lookups/s of absent keys");
  }
}
