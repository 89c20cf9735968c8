package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import io.winnow.bench.Part;
import io.winnow.bench.Run;
import io.winnow.bench.Samples;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Lookups and inserts in maps on flash, mixed as in Anand et al., "Cheap and Large CAMs for High
 * Performance Data-Intensive Networked Systems", NSDI 2010: a WAN optimizer, and fixed shares; and
 * lookups of one kind, to show the pages that they read. Before, the maps hold eight times their
 * memory. It uses one thread, and reads the clock once per operation.
 */
record MapsCase(FlashBench options, Run run, int loaded) implements Part {
  /** Share of lookups whose key is in the map. */
  private static final double HITS = 0.4;

  private static final List<Mix> MIXES =
      List.of(
          new Mix("WAN optimizer", 1, HITS, true),
          new Mix("lookups, share 0", 0, HITS, false),
          new Mix("lookups, share 0.5", 0.5, HITS, false),
          new Mix("lookups, share 1", 1, HITS, false),
          new Mix("lookups of present keys", 1, 1, false),
          new Mix("lookups of absent keys", 1, 0, false));

  private static final int MIXES_WITH_INSERTS = 3;

  /**
   * Maximum number of inserts in one mix, as a share of the map's entries before, so that no entry
   * is evicted.
   */
  private static final double MAX_INSERTS = 1.0 / 12;

  /** Minimum number of operations in one mix, however little time there is for it. */
  private static final int MIN_OPERATIONS = 100;

  MapsCase(FlashBench options, Run run) {
    this(options, run, options.mapEntries());
  }

  private long maxInserts() {
    return (long) (MAX_INSERTS * loaded);
  }

  /**
   * A mix of operations.
   *
   * @param lookups share of lookups; the others are inserts
   * @param hits share of lookups whose key is in the map
   * @param insertsMissed whether a key that was not found is inserted then
   */
  private record Mix(String name, double lookups, double hits, boolean insertsMissed) {}

  /** A function that opens an empty map. */
  interface Opening {
    FlashMap open(Path directory) throws IOException;
  }

  @Override
  public double weight() {
    return (1 + options.peers().size())
        * (loaded / MapPeer.KEYS_PER_SECOND + (MIXES.size() + 0.5) * options.seconds);
  }

  @Override
  public void measure() throws IOException, InterruptedException {
    long memory = options.memoryBytes(1);
    long entries = loaded + MIXES_WITH_INSERTS * maxInserts();
    measure("bufferhash", files -> new BufferHashMap(files, memory, entries));
    for (MapPeer peer : options.peers()) {
      measure(peer.structure, files -> peer.open(options, files, memory, FlashMap.VALUE_BYTES));
    }
  }

  void measure(String structure, Opening opening) throws IOException, InterruptedException {
    options.in(
        "map",
        files -> {
          try (FlashMap map = opening.open(files)) {
            measure(structure, map);
            map.describe(run.samples(FlashBench.SETUP));
          }
        });
  }

  private void measure(String structure, FlashMap map) throws IOException {
    double perSecond = map.load(0, loaded);
    run.step(loaded / MapPeer.KEYS_PER_SECOND, structure, "%,.0f entries/s loaded", perSecond);
    Loop loop = new Loop(map);
    loop.run(MIXES.get(MIXES_WITH_INSERTS), options.seconds / 2); // warms the code up
    run.step(options.seconds / 2, structure, "warm");
    for (Mix mix : MIXES) {
      map.settle();
      IoSnapshot before = map.state().traffic();
      loop.run(mix, options.seconds);
      IoSnapshot traffic = map.state().traffic().since(before);
      long inserts = loop.inserts.getTotalCount();
      long lookups = loop.lookups.getTotalCount();
      double operationsPerSecond = (inserts + lookups) / loop.seconds;
      Samples samples =
          FlashBench.samples(run, structure, mix.name)
              .add("keys", loop.entries)
              .add("memoryBytes", options.memoryBytes(1))
              .add("flashBytes", map.state().flashBytes())
              .add("loadsPerSecond", perSecond)
              .add("operationsPerSecond", operationsPerSecond)
              .add("lost", loop.lost)
              .latencies(Samples.INSERT, loop.inserts)
              .latencies(Samples.LOOKUP, loop.lookups)
              .traffic("operation", inserts + lookups, traffic);
      if (inserts > 0) {
        samples.add("insertsPerSecond", inserts / loop.seconds);
      } else {
        samples.add("lookups", lookups).traffic(Samples.LOOKUP, lookups, traffic);
      }
      if (lookups > 0) {
        samples.add("lookupsPerSecond", lookups / loop.seconds);
      }
      String what = structure + ", " + mix.name;
      run.step(options.seconds, what, "%,.0f operations/s", operationsPerSecond);
    }
  }

  /** The operations on one map, and the figures of its last mix. */
  private final class Loop {
    private final FlashMap map;
    private long entries = loaded;
    private long presents;
    private long absents;

    private Histogram inserts;
    private Histogram lookups;
    private long lost;
    private double seconds;

    Loop(FlashMap map) {
      this.map = map;
    }

    void run(Mix mix, double length) throws IOException {
      inserts = Timed.histogram();
      lookups = Timed.histogram();
      lost = -map.wrongValues;
      long before = entries;
      long start = System.nanoTime();
      long last = start;
      long until = before + maxInserts();
      for (long i = 0;
          entries < until && (i < MIN_OPERATIONS || last - start < length * 1e9);
          i++) {
        long dice = Keys.scramble(~i);
        boolean inserting = (dice >>> 40) * 0x1p-24 >= mix.lookups;
        if (!inserting) {
          boolean hit = (dice & 0xffffff) * 0x1p-24 < mix.hits;
          boolean found = map.mightContain(key(hit, mix, before));
          long now = System.nanoTime();
          lookups.recordValue(now - last);
          last = now;
          if (found != hit && !(hit && map.hasEvicted())) {
            lost++;
          }
          inserting = mix.insertsMissed && !hit;
        }
        if (inserting) {
          map.insert(Keys.present(entries++));
          long now = System.nanoTime();
          inserts.recordValue(now - last);
          last = now;
        }
      }
      seconds = (last - start) / 1e9;
      lost += map.wrongValues;
    }

    /** Returns the next key to look up. A missed key is the one that is inserted then. */
    private long key(boolean hit, Mix mix, long before) {
      if (hit) {
        return ProbeKeys.spread(presents++, before);
      }
      return mix.insertsMissed ? Keys.present(entries) : Keys.absent(absents++);
    }
  }
}
