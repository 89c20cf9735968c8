package io.winnow.bench.drive;

import com.sun.management.OperatingSystemMXBean;
import io.winnow.bench.Keys;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import org.HdrHistogram.Histogram;

/**
 * A measurement of inserts of new keys into a filter by one thread, one after the other, in buckets
 * of equal numbers of keys.
 *
 * <p>If an insert takes little longer than reading the clock, the clock is read once per group of
 * inserts. A group's time is never shorter than that of any insert in it, so the share of inserts
 * that take longer than some time is at most that of the groups.
 */
public final class TimedInserts {
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private static final long LONGEST_NANOS = 24L * 3600 * 1_000_000_000;

  private final FlashContender contender;
  private final int group;
  private final Histogram nanos = new Histogram(LONGEST_NANOS, 3);

  /**
   * Figures of inserts into a filter: their number, their times, and the reads and writes of the
   * drive.
   *
   * @param keys number of keys that were inserted
   * @param seconds time from the first insert until the last one returned
   * @param cpuSeconds CPU time of all threads meanwhile, with merges
   * @param nanos times of the groups of inserts
   * @param traffic reads and writes of the drive meanwhile
   * @param bucketSeconds the time of each bucket
   * @param bucketLongestMillis the longest group of each bucket
   */
  public record Outcome(
      long keys,
      double seconds,
      double cpuSeconds,
      Histogram nanos,
      IoSnapshot traffic,
      double[] bucketSeconds,
      double[] bucketLongestMillis) {
    public double perSecond() {
      return keys / seconds;
    }
  }

  /**
   * A receiver of a call after each bucket of measured inserts. Its time counts for the next
   * bucket, but for no insert.
   */
  public interface Watcher {
    void after(int bucket, long keys, double seconds) throws IOException;
  }

  /**
   * Prepares a measurement of inserts into a filter.
   *
   * @param group number of inserts for each reading of the clock
   */
  public TimedInserts(FlashContender contender, int group) {
    this.contender = contender;
    this.group = group;
  }

  /** Inserts a number of keys into the filter and measures their times. */
  public Outcome all(long keys, int buckets, Watcher watcher) throws IOException {
    IoSnapshot before = contender.traffic();
    long cpuBefore = PROCESS.getProcessCpuTime();
    double[] bucketSeconds = new double[buckets];
    double[] longest = new double[buckets];
    long inserted = 0;
    long start = System.nanoTime();
    long bucketStart = start;
    long last = start;
    for (int bucket = 0; bucket < buckets; bucket++) {
      long end = (long) ((double) keys * (bucket + 1) / buckets);
      long max = 0;
      while (inserted < end) {
        long groupEnd = Math.min(inserted + group, end);
        for (; inserted < groupEnd; inserted++) {
          contender.insert(Keys.present(inserted));
        }
        long now = System.nanoTime();
        nanos.recordValue(now - last);
        max = Math.max(max, now - last);
        last = now;
      }
      bucketSeconds[bucket] = (last - bucketStart) / 1e9;
      longest[bucket] = max / 1e6;
      bucketStart = last;
      watcher.after(bucket, inserted, (last - start) / 1e9);
      last = System.nanoTime();
    }
    return new Outcome(
        keys,
        (bucketStart - start) / 1e9,
        (PROCESS.getProcessCpuTime() - cpuBefore) / 1e9,
        nanos,
        contender.traffic().since(before),
        bucketSeconds,
        longest);
  }

  /**
   * Inserts keys for at least some seconds after the warm-up, and on until the filter has done the
   * work that it puts off, or until a maximum number of keys is inserted.
   */
  public Outcome during(double seconds, long atMost) throws IOException {
    long warm = Math.min(contender.warmUp(), atMost / 2);
    for (long i = 0; i < warm; i++) {
      contender.insert(Keys.present(i));
    }
    IoSnapshot before = contender.traffic();
    long cpuBefore = PROCESS.getProcessCpuTime();
    long inserted = 0;
    long start = System.nanoTime();
    long last = start;
    boolean done = false;
    while (!done && warm + inserted < atMost) {
      contender.insert(Keys.present(warm + inserted++));
      long now = System.nanoTime();
      nanos.recordValue(now - last);
      last = now;
      done = contender.mayStop() && now - start > seconds * 1e9;
    }
    double took = (last - start) / 1e9;
    return new Outcome(
        inserted,
        took,
        (PROCESS.getProcessCpuTime() - cpuBefore) / 1e9,
        nanos,
        contender.traffic().since(before),
        new double[] {took},
        new double[] {nanos.getMaxValue() / 1e6});
  }
}
