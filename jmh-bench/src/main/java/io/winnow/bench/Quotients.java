package io.winnow.bench;

import io.winnow.flash.bloom.BloomSizing;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Results;
import io.winnow.quotient.FingerprintCursor;
import io.winnow.quotient.QuotientFilter;
import io.winnow.quotient.QuotientScheme;
import io.winnow.quotient.QuotientShape;
import io.winnow.quotient.QuotientSizing;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
final class Quotients {
  static final String NAME = "quotient";
  static final String CURVE = NAME + ".curve";
  static final String FILTER = NAME + ".filter";
  static final String WHOLE = NAME + ".whole";
  static final String SPACE = NAME + ".space";

  /**
   * Name of a Bloom filter with ten hash functions, at the rate of the three-bit quotient filter
   * with which it is compared.
   */
  static final String BLOOM_10 = "bloom-10-functions";

  static final String INSERT = "insertNs";
  static final String PRESENT = "presentNs";
  static final String ABSENT = "absentNs";
  static final String DELETE = "deleteNs";

  static final String BULK = "bulk build, sorted";
  static final String READ = "reading in order";
  static final String DOUBLE = "doubling";
  static final String HALVE = "halving";

  /**
   * Prefix of the name under which the results have a merge of quotient filters; the number of
   * merged filters follows.
   */
  static final String MERGE = "merge of ";

  /**
   * The false-positive rate of the comparison by Bender and others, 2011, where Bloom filters have
   * 11 hash functions.
   */
  static final double RATE = 0.0004;

  /** Percentage of a filter's slots that are filled between two measurements. */
  static final int STEP = 5;

  private static final int BATCH = 1 << 13;
  private static final int MAX_QUERIES = 1_000_000;

  private final Effort effort;
  private final Results results;
  private final Progress progress;
  private final long[] batch = new long[BATCH];

  /** An operation on a batch of hashes that is timed, such as inserting or looking up. */
  @FunctionalInterface
  private interface Operation {
    /**
     * Runs the operation on a batch of hashes. Returns the number of hashes for which it succeeded
     * or the answer was <i>maybe</i>.
     */
    int run(long[] hashes, int count);
  }

  /**
   * The mean time of an operation per key in nanoseconds, and the number of keys for which it
   * succeeded.
   */
  private record Timed(double nanosPerKey, long positives) {}

  Quotients(Effort effort, Results results, Progress progress) {
    this.effort = effort;
    this.results = results;
    this.progress = progress;
  }

  private static int[] sizes(Effort effort) {
    return switch (effort) {
      case SMOKE -> new int[] {20_000};
      case QUICK -> new int[] {1_000_000, 10_000_000};
      case FULL -> new int[] {1_000_000, 10_000_000, 100_000_000};
    };
  }

  private static int rounds(Effort effort, int n) {
    return switch (effort) {
      case SMOKE -> 1;
      case QUICK -> n > 1_000_000 ? 1 : 3;
      case FULL -> n > 10_000_000 ? 1 : n > 1_000_000 ? 3 : 9;
    };
  }

  /**
   * Returns the number of short rounds before the measured ones, in which the JIT compiles the
   * filters' code.
   */
  private static int warmups(Effort effort, int n) {
    return n > 1_000_000 ? 0 : Math.max(1, rounds(effort, n) / 3);
  }

  private static int wholeSize(Effort effort) {
    return effort == Effort.SMOKE ? 20_000 : 10_000_000;
  }

  private static int wholeRounds(Effort effort) {
    return effort == Effort.FULL ? 5 : 1;
  }

  private static double weight(int n) {
    return 0.3 * n / 1e6;
  }

  private static double wholeWeight(int n) {
    return 0.3 * n / 1e6;
  }

  static double weight(Effort effort) {
    double sum = 0;
    for (int n : sizes(effort)) {
      sum += QuotientPeer.values().length * (warmups(effort, n) + rounds(effort, n)) * weight(n);
    }
    return sum
        + QuotientScheme.values().length
            * (1 + wholeRounds(effort))
            * wholeWeight(wholeSize(effort));
  }

  void run() {
    for (int n : sizes(effort)) {
      fill(n);
    }
    whole(wholeSize(effort));
    space(effort == Effort.SMOKE ? 20_000 : 1_000_000);
  }

  // ==== key by key

  private void fill(int n) {
    List<QuotientPeer> order = new ArrayList<>(List.of(QuotientPeer.values()));
    for (int round = -warmups(effort, n); round < rounds(effort, n); round++) {
      Collections.rotate(order, 1);
      for (QuotientPeer peer : order) {
        System.gc();
        double nanosPerInsert =
            fill(peer, n, round >= 0 ? results : new Results(results.setting()));
        progress.step(
            weight(n),
            String.format(
                Locale.ROOT, "%s, %,d keys%s", peer.label(), n, round < 0 ? ", warming up" : ""),
            String.format(Locale.ROOT, "%.1f ns per insert", nanosPerInsert));
      }
    }
  }

  private double fill(QuotientPeer peer, int n, Results to) {
    Map<String, String> whole = Map.of("filter", peer.label(), "n", String.valueOf(n));
    QuotientPeer.Filling filling = peer.make(n, RATE);
    int queries = Math.min(n / 20, MAX_QUERIES);
    double insertNanos = 0;
    int held = 0;
    for (int load = STEP; load <= peer.fullPercent(); load += STEP) {
      int from = held;
      int count = (int) ((long) n * load / peer.fullPercent()) - held;
      Timed inserts =
          timed(
              count,
              i -> Keys.present(from + i),
              (hashes, size) -> inserted(filling, hashes, size));
      insertNanos += inserts.nanosPerKey() * count;
      held += count;
      long bound = held;
      Timed present = timed(queries, i -> Keys.present(drawn(i, bound)), filling::lookup);
      if (present.positives() != queries) {
        throw new IllegalStateException(peer.label() + " misses a present key");
      }
      Timed absent = timed(queries, Keys::absent, filling::lookup);
      Map<String, String> at =
          Map.of("filter", peer.label(), "n", String.valueOf(n), "load", String.valueOf(load));
      to.add(CURVE, at, INSERT, inserts.nanosPerKey());
      to.add(CURVE, at, PRESENT, present.nanosPerKey());
      to.add(CURVE, at, ABSENT, absent.nanosPerKey());
    }
    to.add(FILTER, whole, INSERT, insertNanos / n);
    to.add(FILTER, whole, JmhRuns.BITS_PER_KEY, (double) filling.sizeInBits() / n);
    int probes = Math.max(n / 10, MAX_QUERIES);
    to.add(
        FILTER,
        whole,
        JmhRuns.RATE,
        (double) timed(probes, i -> Keys.absent(n + (long) i), filling::lookup).positives()
            / probes);
    if (peer.deletes()) {
      Timed deletes = timed(n / 20, i -> Keys.present(20L * i), filling::delete);
      if (deletes.positives() != n / 20) {
        throw new IllegalStateException(peer.label() + " refuses to delete a present key");
      }
      to.add(FILTER, whole, DELETE, deletes.nanosPerKey());
    }
    return insertNanos / n;
  }

  private static int inserted(QuotientPeer.Filling filling, long[] hashes, int count) {
    filling.insert(hashes, count);
    return count;
  }

  /** Returns the i-th number of a pseudorandom sequence below a bound. */
  private static long drawn(long i, long bound) {
    return Math.multiplyHigh(Keys.scramble(i) >>> 1, bound << 1);
  }

  private Timed timed(int count, IntToLongFunction hashes, Operation operation) {
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

  private void whole(int n) {
    for (int round = -1; round < wholeRounds(effort); round++) {
      for (QuotientScheme scheme : QuotientScheme.values()) {
        whole(scheme, n, round >= 0 ? results : new Results(results.setting()));
        progress.step(
            wholeWeight(n),
            "whole filters, " + scheme.label() + (round < 0 ? ", warming up" : ""),
            String.format(Locale.ROOT, "%,d fingerprints", n));
      }
    }
  }

  private void whole(QuotientScheme scheme, int n, Results to) {
    QuotientShape shape = QuotientSizing.forRate(RATE, scheme).shape(n);
    long[] sorted = new long[n];
    for (int i = 0; i < n; i++) {
      sorted[i] = shape.fingerprint(Keys.present(i));
    }
    Arrays.sort(sorted);
    Sorted all = new Sorted(sorted, 0, 1, shape.universe());
    QuotientFilter[] full = new QuotientFilter[1];
    whole(scheme, BULK, n, to, () -> full[0] = QuotientFilter.ofSorted(shape, all));
    long[] sum = new long[1];
    whole(scheme, READ, n, to, () -> sum[0] = sum(full[0].fingerprints()));
    if (sum[0] != Arrays.stream(sorted).sum()) {
      throw new IllegalStateException(scheme.label() + " holds other fingerprints");
    }
    QuotientFilter resized = full[0].copy();
    whole(scheme, DOUBLE, n, to, resized::doubleSlots);
    whole(scheme, HALVE, n, to, resized::halveSlots);
    for (int parts : new int[] {2, 8}) {
      List<QuotientFilter> filters = new ArrayList<>();
      QuotientShape part = shape.withSlots(shape.slots() / parts + 1);
      for (int i = 0; i < parts; i++) {
        filters.add(QuotientFilter.ofSorted(part, new Sorted(sorted, i, parts, shape.universe())));
      }
      whole(scheme, MERGE + parts, n, to, () -> full[0] = QuotientFilter.merge(filters));
      if (full[0].count() != n) {
        throw new IllegalStateException(scheme.label() + " merges into " + full[0].count());
      }
    }
  }

  private static void whole(QuotientScheme scheme, String work, int n, Results to, Runnable code) {
    long start = cpuNanos();
    code.run();
    double nanos = (double) (cpuNanos() - start) / n;
    Map<String, String> at = Map.of("filter", scheme.label(), "n", String.valueOf(n), "work", work);
    to.add(WHOLE, at, JmhRuns.NS_PER_KEY, nanos);
  }

  private static long sum(FingerprintCursor fingerprints) {
    long sum = 0;
    while (fingerprints.next()) {
      sum += fingerprints.fingerprint();
    }
    return sum;
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
          space(BLOOM_10, rate, (double) BloomSizing.forRate(n, same, 10).bits() / n, same);
        }
      }
    }
  }

  private void space(String filter, double configured, double bitsPerKey, double rate) {
    Map<String, String> at = Map.of("filter", filter, "rate", String.valueOf(configured));
    results.add(SPACE, at, JmhRuns.BITS_PER_KEY, bitsPerKey);
    results.add(SPACE, at, JmhRuns.RATE, rate);
  }

  /**
   * A cursor over fingerprints at equal distances in a sorted array, which is so divided among
   * several filters.
   */
  private static final class Sorted implements FingerprintCursor {
    private final long[] fingerprints;
    private final int step;
    private final long universe;
    private int at;

    Sorted(long[] fingerprints, int first, int step, long universe) {
      this.fingerprints = fingerprints;
      this.step = step;
      this.universe = universe;
      this.at = first - step;
    }

    @Override
    public long universe() {
      return universe;
    }

    @Override
    public boolean next() {
      at += step;
      return at < fingerprints.length;
    }

    @Override
    public long fingerprint() {
      return fingerprints[at];
    }
  }

  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
