package io.winnow.cascade;

import io.winnow.flash.store.Arguments;
import io.winnow.flash.store.FieldText;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * What a filter is used for, and what it costs on its drive: from it follows the fan-out that takes
 * the least time ({@link CascadeOptions#fanOutFor}).
 *
 * <p>A larger fan-out makes fewer levels. A lookup of an absent key then reads fewer {@link
 * #pages}, and an insert has more {@link #writes}. The times of both are added, since lookups and
 * merges share the drive and the processors. While merges run there may be one level more of a
 * rank; where lookups take most of the time, merges are soon done.
 */
public final class CascadeMix {
  /** Batches of 1024 lookups, 16 read threads, on a virtual drive with two cores. */
  private static final double READS_IN_BATCHES = 200_000;

  /**
   * One merge thread, there: the run that {@code docs/cascade-bench.md} shows took in 11.3 million
   * keys per second and wrote 11.1 bytes for each, of 15.1 bits, so each key 5.9 times. On a busy
   * machine it is a third of that. It matters little: with one lookup for each insert and 56
   * memories, one level takes the least time from 5 million on.
   */
  private static final double MERGED_KEYS = 60e6;

  static final int LEAST_FAN_OUT = 2;
  static final int MOST_FAN_OUT = 64;

  /**
   * Lookups of keys that are absent, or were inserted long ago, for each insert; 0 if there are
   * none.
   */
  private final double lookupsPerInsert;

  /**
   * Pages that the drive reads, as the lookups ask for them: in batches five times as many as one
   * at a time.
   */
  private final double pageReadsPerSecond;

  private final double mergedKeysPerSecond;

  /** Checks the bounds. */
  public CascadeMix(
      double lookupsPerInsert, double pageReadsPerSecond, double mergedKeysPerSecond) {
    check(lookupsPerInsert >= 0, lookupsPerInsert, "lookups per insert");
    check(pageReadsPerSecond > 0, pageReadsPerSecond, "page reads per second");
    check(mergedKeysPerSecond > 0, mergedKeysPerSecond, "merged keys per second");
    this.lookupsPerInsert = lookupsPerInsert;
    this.pageReadsPerSecond = pageReadsPerSecond;
    this.mergedKeysPerSecond = mergedKeysPerSecond;
  }

  /** Keys that all merge threads together write, on this drive. */
  public double mergedKeysPerSecond() {
    return mergedKeysPerSecond;
  }

  private static void check(boolean inRange, double value, String what) {
    Arguments.check(inRange && Double.isFinite(value), value + " " + what);
  }

  /**
   * Lookups in batches, and one merge thread, on the drive that {@code docs/cascade-bench.md} was
   * measured with: 200,000 page reads and 60 million merged keys per second.
   */
  public static CascadeMix of(double lookupsPerInsert) {
    return new CascadeMix(lookupsPerInsert, READS_IN_BATCHES, MERGED_KEYS);
  }

  /** The same lookups on another drive. */
  public CascadeMix onDrive(double pageReads, double mergedKeys) {
    return new CascadeMix(lookupsPerInsert, pageReads, mergedKeys);
  }

  /**
   * The fan-out that takes the least time, once all keys are in.
   *
   * @param memories how many times the keys of a level in memory there are to be
   */
  public int fanOut(double memories) {
    return IntStream.rangeClosed(LEAST_FAN_OUT, MOST_FAN_OUT)
        .boxed()
        .min(Comparator.comparingDouble(fanOut -> secondsPerInsert(fanOut, memories)))
        .orElseThrow();
  }

  /** Time that an insert and its lookups take, where nothing else holds them up. */
  public double secondsPerInsert(int fanOut, double memories) {
    return writes(fanOut, memories) / mergedKeysPerSecond
        + lookupsPerInsert * pages(fanOut, memories) / pageReadsPerSecond;
  }

  /** Pages that a lookup of an absent key reads on the average, with merges done. */
  public static double pages(int fanOut, double memories) {
    int ranks = ranks(fanOut, memories);
    return 1 + (ranks - 1) * (1 - 1.0 / fanOut); // a lower rank is empty 1 / fanOut of the time
  }

  /**
   * How often a key was written to flash on the average, when so many are in; with small fan-outs
   * it is less, since some merges skip a rank.
   */
  public static double writes(int fanOut, double memories) {
    int ranks = ranks(fanOut, memories);
    double intoLast = Math.max(memories, 1) / Math.pow(fanOut, ranks - 1);
    return (ranks - 1) * (fanOut + 1) / 2.0 + (intoLast + 1) / 2;
  }

  private static int ranks(int fanOut, double memories) {
    CascadeOptions.checkFanOut(fanOut);
    int ranks = 1;
    for (double capacity = fanOut; capacity < memories; capacity *= fanOut) {
      ranks++;
    }
    return ranks;
  }

  @Override
  public String toString() {
    return FieldText.of(this);
  }
}
