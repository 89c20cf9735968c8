package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * A measurement of lookups of absent keys while another thread inserts at full speed, so that
 * merges go on.
 */
final class DuringIngest {
  private static final int STEP = 8192;

  private final BatchContender filter;
  private final Events events;
  private final long until;
  private volatile boolean enough;

  /**
   * Prepares a measurement of lookups during inserts.
   *
   * @param until number of keys at which the inserts end, and the lookups with them
   */
  DuringIngest(BatchContender filter, Events events, long until) {
    this.filter = filter;
    this.events = events;
    this.until = until;
  }

  /**
   * Figures of lookups while another thread inserts: their times, the pages that each of them read,
   * and the inserts per second.
   */
  record Outcome(String work, TimedLookups.Outcome lookups, double pages, double insertsPerSecond) {
    void addTo(Results results, String name) {
      addTo(results, CascadeMetrics.MIX_LOOKUP, name);
    }

    void addTo(Results results, String benchmark, String name) {
      CascadeMetrics.lookups(results, benchmark, name, work, lookups);
      Map<String, String> at = Map.of(CascadeMetrics.FILTER, name, CascadeMetrics.WORK, work);
      results.add(benchmark, at, "pages", pages);
      results.add(benchmark, at, "insertsPerSecond", insertsPerSecond);
    }
  }

  /** Measures lookups for some seconds, or until the other thread has inserted all keys. */
  Outcome measure(int batch, double seconds) throws IOException {
    FutureTask<Double> inserts = new FutureTask<>(this::insert);
    Thread thread = new Thread(inserts, "ingest");
    thread.setDaemon(true);
    long pages = filter.lookupPages();
    thread.start();
    TimedLookups.Outcome lookups;
    try {
      lookups =
          batch == 1
              ? TimedLookups.single(filter, Keys::absent, seconds, inserts::isDone)
              : TimedLookups.batched(
                  filter, filter::positives, batch, Keys::absent, seconds, inserts::isDone);
    } finally {
      enough = true;
    }
    try {
      return new Outcome(
          batch == 1 ? CascadeMetrics.ABSENT_DURING : CascadeMetrics.BATCHED_DURING,
          lookups,
          (double) (filter.lookupPages() - pages) / lookups.lookups(),
          inserts.get());
    } catch (ExecutionException e) {
      throw new IOException("an insert failed: " + e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      throw new InterruptedIOException();
    }
  }

  private double insert() throws IOException {
    long before = events.distinct();
    long start = System.nanoTime();
    while (!enough && events.distinct() < until) {
      events.fill(filter, Math.min(until, events.distinct() + STEP));
    }
    return (events.distinct() - before) * 1e9 / (System.nanoTime() - start);
  }
}
