package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import io.winnow.bench.Part;
import io.winnow.bench.Run;
import io.winnow.bench.Samples;
import io.winnow.cascade.CascadeOptions;
import io.winnow.flash.bloom.BloomSizing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongUnaryOperator;

/**
 * Inserts into sets on flash and lookups that are answered at once, with the memory and the rate of
 * the buffered Bloom filter. Bloom filters begin full, with random bits. The cascade filter takes
 * all keys. A peer has fewer, because all would take too long.
 */
record SetsCase(FlashBench options, Run run, long keys, long memory) implements Part {
  private static final double RATE = 0.0025;
  private static final long MIN_CASCADE_MEMORY = 1 << 20;

  SetsCase(FlashBench options, Run run) {
    this(options, run, options.buildKeys(), options.memoryBytes(1));
  }

  /** Figures of a set: inserts, and lookups of present and of absent keys. */
  record Figures(Timed inserts, Timed present, Timed absent) {}

  @Override
  public double weight() {
    return 2 * bloomWeight() + cascadeWeight() + options.peers().size() * peerWeight();
  }

  private double bloomWeight() {
    return 2.5 * options.seconds;
  }

  private double cascadeWeight() {
    return keys / CascadeCase.KEYS_PER_SECOND + 1.5 * options.seconds;
  }

  private double peerWeight() {
    return options.peerKeys() / MapPeer.KEYS_PER_SECOND + 3 * options.seconds;
  }

  @Override
  public void measure() throws IOException, InterruptedException {
    options.in("plain", files -> bloom(FlashBench.PLAIN, 0, files));
    options.in("elevator", files -> bloom(FlashBench.ELEVATOR, Drive.LARGE, files));
    options.in("cascade", this::cascade);
    for (MapPeer peer : options.peers()) {
      options.in("peer", files -> peer(peer, files));
    }
  }

  private void bloom(String name, int requestPages, Path files) throws IOException {
    BloomSizing sizing = BloomSizing.forRate(keys, RATE);
    try (FlashBloom filter =
        FlashBloom.open(files.resolve("bits"), sizing, keys, memory, requestPages)) {
      add(name, filter, keys, filter.measure(keys, options.seconds), bloomWeight());
    }
  }

  private void cascade(Path files) throws IOException {
    CascadeOptions shape =
        CascadeOptions.defaults()
            .memoryBudget(Math.max(MIN_CASCADE_MEMORY, memory))
            .rate(RATE)
            .expectedMaximum(keys);
    try (Cascade filter = new Cascade(files, shape)) {
      Timed inserts = new Timed(filter);
      inserts.run(CascadeCase.GROUP, keys, Timed.inserting(filter, 0));
      filter.flush();
      LongUnaryOperator presents = i -> ProbeKeys.spread(i, keys);
      add("cascade", filter, keys, lookups(filter, inserts, presents), cascadeWeight());
    }
  }

  /** Loads some keys into a peer, whose numbers are above those of the following inserts. */
  private void peer(MapPeer peer, Path files) throws IOException {
    int loaded = options.peerKeys();
    try (FlashMap set = peer.open(options, files, memory, 0)) {
      double perSecond = set.load(keys, loaded);
      Timed inserts = new Timed(set);
      inserts.run(1, loaded / 10, time -> time > options.seconds, Timed.inserting(set, 0));
      set.settle();
      LongUnaryOperator presents =
          i -> Keys.present(keys + Long.remainderUnsigned(Keys.scramble(i), loaded));
      Figures figures = lookups(set, inserts, presents);
      add(peer.structure, set, loaded + inserts.operations, figures, peerWeight())
          .add("loadsPerSecond", perSecond);
    }
  }

  private Figures lookups(Structure set, Timed inserts, LongUnaryOperator presents)
      throws IOException {
    Timed absent = Timed.lookups(set, 1, Keys::absent, options.seconds);
    Timed present = Timed.lookups(set, 1, presents, options.seconds / 2);
    return new Figures(inserts, present, absent);
  }

  private Samples add(String name, Structure set, long held, Figures figures, double weight)
      throws IOException {
    Timed inserts = figures.inserts();
    Timed absent = figures.absent();
    String format = "%,.0f inserts/s, %,.0f lookups/s of absent keys";
    run.step(weight, name + ", a set", format, inserts.perSecond(), absent.perSecond());
    return FlashBench.samples(run, name, FlashBench.SET)
        .add("memoryBytes", memory)
        .add("flashBytes", set.state().flashBytes())
        .add("keys", held)
        .add("insertsPerSecond", inserts.perSecond())
        .latencies(Samples.INSERT, inserts.nanos)
        .traffic(Samples.INSERT, inserts.operations, inserts.traffic)
        .add("lookupsPerSecond", absent.perSecond())
        .add("falsePositiveRate", (double) absent.positives / absent.operations)
        .add("lost", figures.present().operations - figures.present().positives)
        .latencies(Samples.LOOKUP, absent.nanos)
        .traffic(Samples.LOOKUP, absent.operations, absent.traffic);
  }
}
