package io.winnow.bench;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Counters that JMH reports besides the time of a whole invocation of a benchmark. */
public final class JmhCounters {
  private JmhCounters() {}

  /**
   * Number of keys that one invocation of a benchmark processed. JMH reports the time of one of
   * them.
   */
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  @State(Scope.Thread)
  public static class Work {
    public long key;

    @Setup(Level.Iteration)
    public void reset() {
      key = 0;
    }
  }

  /**
   * Counts from which the false-positive rate and the bits per key of the benchmark's filter are
   * computed. JMH reports their sums over iterations: the false-positive rate is {@code
   * falsePositives / absentProbes}, the bits per key are {@code filterBits / filterKeys}.
   */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Figures {
    public long falsePositives;
    public long absentProbes;
    public long filterBits;
    public long filterKeys;

    void space(long bits, long keys) {
      filterBits = bits;
      filterKeys = keys;
    }

    void rate(long positives, long probes) {
      falsePositives = positives;
      absentProbes = probes;
    }
  }
}
