package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import io.winnow.bench.Run;
import io.winnow.bench.Samples;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Lookups of absent keys in a filter, one at a time and in batches: at rest, and while another
 * thread inserts at full speed, so that merges go on.
 */
record AbsentLookups(Run run, String benchmark, String name, Structure filter, int batch) {
  private static final int INSERTS = 8192;

  void atRest(double seconds) throws IOException {
    int levels = filter.state().levels();
    Timed single = Timed.lookups(filter, 1, Keys::absent, seconds);
    add("absent", single, seconds).add("levels", levels);
    add("absent, batched", Timed.lookups(filter, batch, Keys::absent, seconds), seconds);
  }

  /**
   * Measures lookups for some seconds each, or until the other thread has inserted all keys.
   *
   * @param until number of keys in the filter at which all inserts end
   */
  void duringInserts(Events events, long until, double seconds) throws IOException {
    long half = (events.distinct + until) / 2;
    during("absent, during inserts", 1, events, half, seconds);
    during("absent, batched, during inserts", batch, events, until, seconds);
  }

  private void during(String work, int size, Events events, long until, double seconds)
      throws IOException {
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean enough = new AtomicBoolean();
    FutureTask<Double> inserts = new FutureTask<>(() -> insert(events, until, begun, enough));
    Thread thread = new Thread(inserts, "ingest");
    thread.setDaemon(true);
    thread.start();
    Timed lookups;
    try {
      lookups =
          Timed.lookups(
              filter,
              size,
              Keys::absent,
              Long.MAX_VALUE,
              time -> time >= seconds && begun.getCount() == 0 || inserts.isDone());
    } finally {
      enough.set(true);
    }
    double perSecond = IoCalls.io(inserts::get);
    add(work, lookups, seconds).add("insertsPerSecond", perSecond);
  }

  /**
   * Inserts keys until there are enough, and returns the inserts per second.
   *
   * @param begun counted down after the first inserts: lookups do not end before them
   */
  private double insert(Events events, long until, CountDownLatch begun, AtomicBoolean enough)
      throws IOException {
    long before = events.distinct;
    long start = System.nanoTime();
    while (!enough.get() && events.distinct < until) {
      events.fill(filter, Math.min(until, events.distinct + INSERTS));
      begun.countDown();
    }
    return (events.distinct - before) * 1e9 / (System.nanoTime() - start);
  }

  private Samples add(String work, Timed lookups, double seconds) {
    run.step(seconds, name, "%,.0f lookups/s, %s", lookups.perSecond(), work);
    return lookups.addLookupsTo(run.samples(benchmark, "filter", name, "work", work));
  }
}
