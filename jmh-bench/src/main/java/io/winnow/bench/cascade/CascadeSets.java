package io.winnow.bench.cascade;

import io.winnow.cascade.CascadeCount;
import io.winnow.flash.store.IoCounters;
import io.winnow.hbase.cli.Program;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import org.HdrHistogram.Histogram;

/** The cascade filter, and this benchmark's lookups, for the one of all structures on flash. */
public final class CascadeSets {
  private static final long LEAST_MEMORY = 1 << 20;

  private CascadeSets() {}

  /** What came of lookups by one thread; times are those of one. */
  public record Asked(
      long lookups, long positives, double seconds, Histogram nanos, IoCounters.Snapshot traffic) {
    private static Asked of(TimedLookups.Outcome outcome) {
      return new Asked(
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

  /** A cascade filter that is measured as it is here, in a directory of its own. */
  public static FlashContender cascade(Path directory, long keys, long memoryBytes, double rate)
      throws IOException {
    return Cascade.open(
        directory,
        Program.read(
            new CascadeBench(Path.of("")),
            "--keys",
            String.valueOf(keys),
            "--memory",
            String.valueOf(Math.max(LEAST_MEMORY, memoryBytes)),
            "--rate",
            String.valueOf(rate)),
        false);
  }

  /** Returns when all that is in such a filter is on flash, and no merge runs. */
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

  /** Lookups, one at a time, for some time. */
  public static Asked ask(FlashContender contender, LongUnaryOperator keys, double seconds)
      throws IOException {
    return Asked.of(TimedLookups.single(contender, keys, seconds));
  }

  /** So many lookups, one at a time. */
  public static Asked ask(FlashContender contender, LongUnaryOperator keys, long count)
      throws IOException {
    return Asked.of(TimedLookups.some(contender, keys, count));
  }
}
