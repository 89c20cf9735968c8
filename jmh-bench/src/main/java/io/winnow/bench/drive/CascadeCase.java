package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import io.winnow.bench.Part;
import io.winnow.bench.Run;
import io.winnow.bench.Samples;
import io.winnow.cascade.CascadeCount;
import io.winnow.cascade.CascadeOptions;
import io.winnow.cascade.CascadeStatistics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongUnaryOperator;

/**
 * Inserts of all keys into a cascade filter, without tombstones or with them, and lookups
 * afterwards. With tombstones some keys are deleted then.
 */
record CascadeCase(CascadeBench options, Run run, boolean deletes) implements Part {
  static final int BUCKETS = 200;

  /**
   * Number of inserts between two readings of the clock; reading it takes a tenth of the time of an
   * insert.
   */
  static final int GROUP = 8;

  /** Number of keys per second that a cascade filter takes in, approximately. */
  static final double KEYS_PER_SECOND = 8e6;

  private static final int BUCKETS_PER_STEP = 10;

  /** Number of inserted keys for each deleted one, if the filter can delete keys. */
  private static final int DELETED = 20;

  /** Number of keys, as a share of all, that are inserted during measurements of lookups. */
  private static final double MORE = 0.1;

  private String name() {
    return deletes ? "cascade, tombstones" : "cascade";
  }

  @Override
  public double weight() {
    return options.keys / KEYS_PER_SECOND + (deletes ? 5 : 4) * options.seconds;
  }

  @Override
  public void measure() throws IOException, InterruptedException {
    CascadeOptions shape =
        options.cascade(options.keys, options.memoryBytes).fanOut(options.fanOut).deletes(deletes);
    options.in("cascade", files -> measure(files, shape));
  }

  private void measure(Path files, CascadeOptions shape) throws IOException {
    try (Cascade filter = new Cascade(files, shape)) {
      ingest(filter, files);
      AbsentLookups absent =
          new AbsentLookups(run, CascadeBench.LOOKUP, name(), filter, options.batch);
      absent.atRest(options.seconds);
      lookups(filter, CascadeBench.PRESENT, spread(options.keys, 1, 0), options.seconds);
      if (deletes) {
        deletes(filter);
      } else {
        long until = options.keys + Math.round(options.keys * MORE);
        absent.duringInserts(new Events(options.keys), until, options.seconds / 2);
      }
      ingested().add("failedLookups", filter.filter.statistics().get(CascadeCount.FAILED_LOOKUPS));
    }
  }

  private Samples ingested() {
    return run.samples(CascadeBench.INGEST, "filter", name());
  }

  private void ingest(Cascade filter, Path files) throws IOException {
    long peak = 0;
    double before = 0;
    Timed inserts = new Timed(filter);
    for (int bucket = 1; bucket <= BUCKETS; bucket++) {
      long end = (long) ((double) options.keys * bucket / BUCKETS);
      inserts.run(GROUP, end, Timed.inserting(filter, 0));
      ingested().add("bucketSeconds", inserts.seconds() - before);
      before = inserts.seconds();
      peak = Math.max(peak, FlashMap.bytesIn(files, ""));
      if (bucket % BUCKETS_PER_STEP == 0) {
        run.step(
            options.keys / KEYS_PER_SECOND / BUCKETS * BUCKETS_PER_STEP,
            name(),
            "%,d keys, %,.0f inserts/s so far, %d levels",
            end,
            inserts.perSecond(),
            filter.state().levels());
      }
    }
    long start = System.nanoTime();
    filter.flush();
    double settling = (System.nanoTime() - start) / 1e9;
    CascadeStatistics settled = filter.filter.statistics();
    inserts
        .addTo(ingested())
        .add("flashBytes", filter.state().flashBytes())
        .add("cpuNanos", (double) inserts.cpuNanos / inserts.operations)
        .add("settleSeconds", settling)
        .add("peakBytes", peak)
        .add("levels", filter.state().levels())
        .add("rewrites", settled.writeAmplification())
        .add("pacedSeconds", settled.get(CascadeCount.PACED_NANOS) / 1e9);
  }

  /** Deletes some keys, evenly spread, and looks up deleted and other keys. */
  private void deletes(Cascade filter) throws IOException {
    long count = options.keys / DELETED;
    Timed.Step step =
        (first, group) -> {
          for (int i = 0; i < group; i++) {
            filter.filter.delete(Keys.present((first + i) * DELETED));
          }
        };
    Timed deletes = new Timed(filter).run(GROUP, count, step);
    deletes.addTo(run.samples("cascade.deletes", "filter", name()));
    run.step(options.seconds, name(), "%,.0f deletes/s", deletes.perSecond());
    filter.flush();
    lookups(filter, "deleted", spread(count, DELETED, 0), options.seconds / 2);
    lookups(filter, CascadeBench.LEFT, spread(count, DELETED, 1), options.seconds / 2);
  }

  private void lookups(Cascade filter, String work, LongUnaryOperator keys, double seconds)
      throws IOException {
    Timed lookups = Timed.lookups(filter, options.batch, keys, seconds);
    lookups.addLookupsTo(CascadeBench.lookups(run, name(), work));
    run.step(seconds, name(), "%,.0f lookups/s, %s", lookups.perSecond(), work);
  }

  /**
   * Returns a sequence of present keys that is spread over a number of them: those of each {@code
   * stride} numbers that come {@code after} the first of these.
   */
  private static LongUnaryOperator spread(long count, int stride, int after) {
    return i -> Keys.present(Long.remainderUnsigned(Keys.scramble(i), count) * stride + after);
  }
}
