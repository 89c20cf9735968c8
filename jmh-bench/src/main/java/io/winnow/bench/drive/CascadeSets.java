package io.winnow.bench.drive;

import io.winnow.cascade.CascadeCount;
import io.winnow.flash.store.IoSnapshot;
import io.winnow.hbase.cli.Program;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import org.HdrHistogram.Histogram;

/**
 * Access to the cascade filter and to the timed lookups of {@code ./winnow cascade bench}, for the
 * benchmark of all structures on flash.
 */
public final class CascadeSets {
  private static final long MIN_MEMORY = 1 << 20;

  private CascadeSets() {}

  /**
   * Figures of lookups by one thread: their number, their times, their positive answers, and the
   * reads of the drive. {@code nanos} has the time of each lookup.
   */
  public record Lookups(
      long lookups, long positives, double seconds, Histogram nanos, IoSnapshot traffic) {
    private static Lookups of(TimedLookups.Outcome outcome) {
      return new Lookups(
          outcome.lookups(),
          outcome.positives(),
          outcome.seconds(),
          outcome.nanos(),
          outcome.traffic());
    }

    public double perSecond() {
      return lookups / seconds;
    }
  }

  /**
   * Opens a cascade filter in a directory of its own, with the options of {@code ./winnow cascade
   * bench}.
   */
  public static FlashContender cascade(Path directory, long keys, long memoryBytes, double rate)
      throws IOException {
    return Cascade.open(
        directory,
        Program.read(
            new CascadeBench(Path.of("")),
            "--keys",
            String.valueOf(keys),
            "--memory",
            String.valueOf(Math.max(MIN_MEMORY, memoryBytes)),
            "--rate",
            String.valueOf(rate)),
        false);
  }

  /** Waits until all keys of a cascade filter are on flash, and no merge runs. */
  public static void awaitRest(FlashContender cascade) throws IOException {
    cascade.sync();
    while (((Cascade) cascade).statistics().get(CascadeCount.RUNNING_MERGES) > 0) {
      try {
        TimeUnit.MILLISECONDS.sleep(10);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException();
      }
    }
  }

  /** Looks up keys in a filter one at a time, for some seconds. */
  public static Lookups lookUp(FlashContender contender, LongUnaryOperator keys, double seconds)
      throws IOException {
    return Lookups.of(TimedLookups.single(contender, keys, seconds));
  }

  /** Looks up a number of keys in a filter, one at a time. */
  public static Lookups lookUp(FlashContender contender, LongUnaryOperator keys, long count)
      throws IOException {
    return Lookups.of(TimedLookups.some(contender, keys, count));
  }
}
