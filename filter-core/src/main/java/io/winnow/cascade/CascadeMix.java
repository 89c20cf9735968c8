package io.winnow.cascade;

import io.winnow.base.Arguments;
import io.winnow.base.FieldText;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The lookups per insert of a filter and the speed of its drive, from which {@link
 * CascadeOptions#fanOutFor} computes the fan-out that takes the least time.
 *
 * <p>A larger fan-out makes fewer levels. A lookup of an absent key then reads fewer {@link
 * #pages}, and an insert costs more {@link #writes}. The times of both are added, since lookups and
 * merges share the drive and the processors. While merges run, a rank may have one level more;
 * where lookups take most of the time, merges are soon done.
 */
public final class CascadeMix {
  /**
   * Default of the page reads per second of a drive, measured with batches of 1024 lookups and 16
   * read threads on a virtual drive with two cores.
   */
  private static final double READS_IN_BATCHES = 200_000;

  /**
   * Default of the keys per second that one merge thread writes to a drive. In the run that {@code
   * docs/cascade-bench.md} shows, it took in 11.3 million keys per second and wrote 11.1 bytes for
   * each, of 15.1 bits, so each key 5.9 times. On a busy machine it is a third of that. This
   * matters little: with one lookup per insert and keys for 56 memory levels, a single level takes
   * the least time from 5 million on.
   */
  private static final double MERGED_KEYS = 60e6;

  static final int MIN_FAN_OUT = 2;
  static final int MAX_FAN_OUT = 64;

  /** Lookups per insert of keys that are absent or were inserted long ago; 0 if there are none. */
  private final double lookupsPerInsert;

  /**
   * Pages per second that the drive reads in the way that lookups request them: in batches, it
   * reads five times as many as one at a time.
   */
  private final double pageReadsPerSecond;

  private final double mergedKeysPerSecond;

  /**
   * Creates a description of a load: its lookups per insert and the speed of its drive.
   *
   * @param lookupsPerInsert lookups of keys that are absent or were inserted long ago, 0 or more
   * @param pageReadsPerSecond pages that the drive reads for lookups, above 0
   * @param mergedKeysPerSecond keys that all merge threads write, above 0
   * @throws IllegalArgumentException if a value is out of bounds
   */
  public CascadeMix(
      double lookupsPerInsert, double pageReadsPerSecond, double mergedKeysPerSecond) {
    check(lookupsPerInsert >= 0, lookupsPerInsert, "lookups per insert");
    check(pageReadsPerSecond > 0, pageReadsPerSecond, "page reads per second");
    check(mergedKeysPerSecond > 0, mergedKeysPerSecond, "merged keys per second");
    this.lookupsPerInsert = lookupsPerInsert;
    this.pageReadsPerSecond = pageReadsPerSecond;
    this.mergedKeysPerSecond = mergedKeysPerSecond;
  }

  /** Returns the number of keys that all merge threads together write per second. */
  public double mergedKeysPerSecond() {
    return mergedKeysPerSecond;
  }

  private static void check(boolean inRange, double value, String what) {
    Arguments.check(inRange && Double.isFinite(value), value + " " + what);
  }

  /**
   * Returns a mix of inserts and batched lookups with one merge thread on the drive of {@code
   * docs/cascade-bench.md}: 200,000 page reads and 60 million merged keys per second.
   */
  public static CascadeMix of(double lookupsPerInsert) {
    return new CascadeMix(lookupsPerInsert, READS_IN_BATCHES, MERGED_KEYS);
  }

  /** Returns a mix with the same lookups per insert, on a drive of another speed. */
  public CascadeMix onDrive(double pageReads, double mergedKeys) {
    return new CascadeMix(lookupsPerInsert, pageReads, mergedKeys);
  }

  /**
   * Returns the fan-out of a cascade filter's levels that takes the least time once all keys are
   * inserted.
   *
   * @param memories expected keys, divided by the keys that a memory level holds
   */
  public int fanOut(double memories) {
    return IntStream.rangeClosed(MIN_FAN_OUT, MAX_FAN_OUT)
        .boxed()
        .min(Comparator.comparingDouble(fanOut -> secondsPerInsert(fanOut, memories)))
        .orElseThrow();
  }

  /**
   * Returns the seconds that an insert and its lookups take, if nothing else uses the drive and the
   * processors.
   */
  public double secondsPerInsert(int fanOut, double memories) {
    return writes(fanOut, memories) / mergedKeysPerSecond
        + lookupsPerInsert * pages(fanOut, memories) / pageReadsPerSecond;
  }

  /**
   * Returns the average number of pages that a lookup of an absent key reads when all merges are
   * done.
   */
  public static double pages(int fanOut, double memories) {
    int ranks = ranks(fanOut, memories);
    return 1 + (ranks - 1) * (1 - 1.0 / fanOut); // a lower rank is empty 1 / fanOut of the time
  }

  /**
   * Returns the average number of times that a key is written to flash until the filter has a given
   * multiple of a memory level's keys. With small fan-outs it is less, since some merges skip a
   * rank.
   */
  public static double writes(int fanOut, double memories) {
    int ranks = ranks(fanOut, memories);
    double intoLast = Math.max(memories, 1) / Math.pow(fanOut, ranks - 1);
    return (ranks - 1) * (fanOut + 1) / 2.0 + (intoLast + 1) / 2;
  }

  static void checkFanOut(int times) {
    Arguments.check(
        times >= MIN_FAN_OUT && times <= MAX_FAN_OUT,
        "fan-out " + times + ", must be 2 to " + MAX_FAN_OUT);
  }

  private static int ranks(int fanOut, double memories) {
    checkFanOut(fanOut);
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
