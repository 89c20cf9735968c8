package io.winnow.bench;

import io.winnow.flash.bloom.BloomSizing;
import io.winnow.hbase.contest.Orders;
import io.winnow.hbase.report.Results;
import io.winnow.quotient.FingerprintCursor;
import io.winnow.quotient.QuotientFilter;
import io.winnow.quotient.QuotientScheme;
import io.winnow.quotient.QuotientShape;
import io.winnow.quotient.QuotientSizing;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntToLongFunction;

/**
 * The in-memory comparison of "Don't Thrash: How to Cache Your Hash on Flash", section 3: filters
 * that are filled key by key, with the cost of each step, quotient filters beside Bloom filters of
 * the same rate. It adds the operations of quotient filters alone: deleting, merging, doubling.
 *
 * <p>JMH does not suit such a curve, because its iterations must be alike. The contenders take
 * turns, round after round, and each step is timed by the CPU time of the thread. Filters get
 * 64-bit hashes, which are queried in random order; making them is not timed.
 */
record Quotients(Effort effort, Run run) implements Part {
  static final String NAME = "quotient";
  static final String CURVE = NAME + ".curve";
  static final String FILTER = NAME + ".filter";
  static final String WHOLE = NAME + ".whole";
  static final String SPACE = NAME + ".space";

  /**
   * The false-positive rate of the comparison by Bender and others, 2011, where Bloom filters have
   * 11 hash functions.
   */
  static final double RATE = 0.0004;

  /** Percentage of a filter's slots that are filled between two measurements. */
  static final int STEP = 5;

  private static final int BATCH = 1 << 13;
  private static final int MAX_QUERIES = 1_000_000;

  /**
   * The number of keys of the filters that are filled key by key, and the rounds of it.
   *
   * @param warmups number of rounds before the measured ones, in which the JIT compiles the
   *     filters' code
   */
  private record Size(int n, int warmups, int rounds) {}

  /**
   * The mean time of an operation per key in nanoseconds, and the number of keys for which it
   * succeeded.
   */
  private record Timed(double nanosPerKey, long positives) {}

  private List<Size> sizes() {
    return effort.choose(
        List.of(new Size(20_000, 1, 1)),
        List.of(new Size(1_000_000, 1, 3), new Size(10_000_000, 0, 1)),
        List.of(
            new Size(1_000_000, 3, 9), new Size(10_000_000, 0, 3), new Size(100_000_000, 0, 1)));
  }

  /** Returns the number of fingerprints of filters that are built and merged as a whole. */
  private int wholeSize() {
    return effort == Effort.SMOKE ? 20_000 : 10_000_000;
  }

  /** Returns the number of rounds of whole filters that count. */
  private int wholeRounds() {
    return effort == Effort.FULL ? 5 : 1;
  }

  /** Returns the expected seconds of a turn with filters of n keys. */
  private static double weight(int n) {
    return 0.3 * n / 1e6;
  }

  @Override
  public double weight() {
    double sum = QuotientScheme.values().length * (1 + wholeRounds()) * weight(wholeSize());
    for (Size size : sizes()) {
      sum += QuotientPeer.values().length * (size.warmups + size.rounds) * weight(size.n);
    }
    return sum;
  }

  @Override
  public void measure() {
    sizes().forEach(this::fill);
    whole();
    space(effort == Effort.SMOKE ? 20_000 : 1_000_000);
  }

  // ==== key by key

  private void fill(Size size) {
    int n = size.n;
    for (int round = -size.warmups; round < size.rounds; round++) {
      for (QuotientPeer peer : Orders.of(List.of(QuotientPeer.values()), round)) {
        System.gc();
        double nanosPerInsert = fill(peer, n, counted(round));
        String what = String.format(Locale.ROOT, "%s, %,d keys", Labels.of(peer), n);
        run.step(weight(n), what + words(round), "%.1f ns per insert", nanosPerInsert);
      }
    }
  }

  /** Returns the results of a round; those of a round that warms up are thrown away. */
  private Run counted(int round) {
    return round < 0 ? new Run(new Results(run.results.setting())) : run;
  }

  private static String words(int round) {
    return round < 0 ? ", warming up" : "";
  }

  private double fill(QuotientPeer peer, int n, Run to) {
    Samples whole = to.samples(FILTER, "filter", Labels.of(peer), "n", n);
    QuotientPeer.Filling filling = peer.make(n, RATE);
    int queries = Math.min(n / 20, MAX_QUERIES);
    double insertNanos = 0;
    int held = 0;
    for (int load = STEP; load <= peer.fullPercent; load += STEP) {
      int from = held;
      int count = (int) ((long) n * load / peer.fullPercent) - held;
      Timed inserts = timed(count, i -> Keys.present(from + i), filling.insert());
      insertNanos += inserts.nanosPerKey() * count;
      held += count;
      long bound = held;
      Timed present = timed(queries, i -> Keys.present(drawn(i, bound)), filling.lookup());
      require(present.positives() == queries, Labels.of(peer) + " misses a present key");
      Timed absent = timed(queries, Keys::absent, filling.lookup());
      to.samples(CURVE, "filter", Labels.of(peer), "n", n, "load", load)
          .add("insertNs", inserts.nanosPerKey())
          .add("presentNs", present.nanosPerKey())
          .add("absentNs", absent.nanosPerKey());
    }
    whole.add("insertNs", insertNanos / n).add(BITS_PER_KEY, (double) filling.sizeInBits() / n);
    int probes = Math.max(n / 10, MAX_QUERIES);
    Timed others = timed(probes, i -> Keys.absent(n + (long) i), filling.lookup());
    whole.add(FALSE_POSITIVE_RATE, (double) others.positives() / probes);
    if (filling.delete() != null) {
      Timed deletes = timed(n / 20, i -> Keys.present(20L * i), filling.delete());
      require(deletes.positives() == n / 20, Labels.of(peer) + " cannot delete a present key");
      whole.add("deleteNs", deletes.nanosPerKey());
    }
    return insertNanos / n;
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalStateException(otherwise);
    }
  }

  /** Returns the i-th number of a pseudorandom sequence below a bound. */
  private static long drawn(long i, long bound) {
    return Math.multiplyHigh(Keys.scramble(i) >>> 1, bound << 1);
  }

  private static Timed timed(
      int count, IntToLongFunction hashes, QuotientPeer.Operation operation) {
    long[] batch = new long[BATCH];
    long nanos = 0;
    long positives = 0;
    for (int done = 0; done < count; done += BATCH) {
      int size = Math.min(BATCH, count - done);
      for (int i = 0; i < size; i++) {
        batch[i] = hashes.applyAsLong(done + i);
      }
      long start = cpuNanos();
      positives += operation.run(batch, size);
      nanos += cpuNanos() - start;
    }
    return new Timed((double) nanos / count, positives);
  }

  // ==== whole filters

  private void whole() {
    for (int round = -1; round < wholeRounds(); round++) {
      for (QuotientScheme scheme : Orders.of(List.of(QuotientScheme.values()), round)) {
        whole(scheme, wholeSize(), counted(round));
        String what = "whole filters, " + scheme.label() + words(round);
        run.step(weight(wholeSize()), what, "%,d fingerprints", wholeSize());
      }
    }
  }

  private void whole(QuotientScheme scheme, int n, Run to) {
    QuotientShape shape = QuotientSizing.forRate(RATE, scheme).shape(n);
    long[] sorted = new long[n];
    Arrays.setAll(sorted, i -> shape.fingerprint(Keys.present(i)));
    Arrays.sort(sorted);
    FingerprintCursor all = every(1, 0, sorted, shape);
    QuotientFilter[] full = new QuotientFilter[1];
    whole(scheme, "bulk build, sorted", n, to, () -> full[0] = QuotientFilter.ofSorted(shape, all));
    QuotientFilter resized = full[0].copy();
    whole(scheme, "doubling", n, to, resized::doubleSlots);
    whole(scheme, "halving", n, to, resized::halveSlots);
    for (int parts : new int[] {2, 8}) {
      List<QuotientFilter> filters = new ArrayList<>();
      QuotientShape part = shape.withSlots(shape.slots() / parts + 1);
      for (int i = 0; i < parts; i++) {
        filters.add(QuotientFilter.ofSorted(part, every(parts, i, sorted, shape)));
      }
      whole(scheme, "merge of " + parts, n, to, () -> full[0] = QuotientFilter.merge(filters));
      require(full[0].count() == n, scheme.label() + " merges into " + full[0].count());
    }
  }

  private static void whole(QuotientScheme scheme, String work, int n, Run to, Runnable code) {
    long start = cpuNanos();
    code.run();
    double nanos = (double) (cpuNanos() - start) / n;
    to.samples(WHOLE, "filter", scheme.label(), "n", n, "work", work).add(NS_PER_KEY, nanos);
  }

  // ==== space

  private void space(int n) {
    for (double rate : new double[] {0.01, 0.001}) {
      for (QuotientScheme scheme : QuotientScheme.values()) {
        QuotientFilter filter = QuotientFilter.of(QuotientSizing.forRate(rate, scheme).shape(n));
        for (int i = 0; i < n; i++) {
          filter.insert(Keys.present(i));
        }
        space(scheme.label(), rate, 8.0 * filter.sizeInBytes() / n, filter.expectedRate());
        if (scheme == QuotientScheme.THREE_BIT) {
          double same = filter.expectedRate();
          double bits = BloomSizing.forRate(n, same, 10).bits();
          space("bloom-10-functions", rate, bits / n, same);
        }
      }
    }
  }

  private void space(String filter, double configured, double bitsPerKey, double rate) {
    run.samples(SPACE, "filter", filter, "rate", configured)
        .add(BITS_PER_KEY, bitsPerKey)
        .add(FALSE_POSITIVE_RATE, rate);
  }

  /**
   * Returns a cursor over fingerprints at equal distances in a sorted array, which is so divided
   * among several filters.
   */
  private static FingerprintCursor every(int step, int first, long[] sorted, QuotientShape shape) {
    return new FingerprintCursor() {
      private int at = first - step;

      @Override
      public long universe() {
        return shape.universe();
      }

      @Override
      public boolean next() {
        at += step;
        return at < sorted.length;
      }

      @Override
      public long fingerprint() {
        return sorted[at];
      }
    };
  }

  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
