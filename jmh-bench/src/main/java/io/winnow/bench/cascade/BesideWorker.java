package io.winnow.bench.cascade;

import io.winnow.bench.Keys;
import io.winnow.cascade.CascadeFilter;
import io.winnow.cascade.CascadeOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * All keys into a cascade filter, then lookups at rest and during further inserts; in a JVM of its
 * own, since its {@code filter-core} may be that of another commit. So this asks for nothing that
 * the first cascade filter did not have. It prints a name and a number on each line.
 */
final class BesideWorker {
  static final String END = "end";

  /** A part of the keys comes after the others, while lookups are measured; so, twice. */
  static final double MORE = 0.05;

  private BesideWorker() {}

  public static void main(String[] args) throws IOException, ReflectiveOperationException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    CascadeBenchOptions options = CascadeBenchOptions.parse(args);
    CascadeOptions cascade =
        CascadeOptions.defaults()
            .memoryBudget(options.memoryBytes())
            .rate(options.rate())
            .expectedMaximum(options.keys())
            .fanOut(options.fanOut())
            .mergeThreads(options.mergeThreads())
            .readThreads(options.readThreads());
    Path directory = options.directory();
    try (Cascade filter = Cascade.of(CascadeFilter.open(directory, withoutLog(cascade)))) {
      run(filter, options, out);
    }
    out.println(END);
  }

  /** The class of what is said here was in another package once. */
  private static CascadeOptions withoutLog(CascadeOptions options)
      throws ReflectiveOperationException {
    for (var method : CascadeOptions.class.getMethods()) {
      if (method.getName().equals("durability")) {
        Object none = method.getParameterTypes()[0].getField("NONE").get(null);
        return (CascadeOptions) method.invoke(options, none);
      }
    }
    throw new NoSuchMethodException("CascadeOptions.durability");
  }

  private static void run(Cascade filter, CascadeBenchOptions options, PrintStream out)
      throws IOException {
    Ingest.Outcome ingest =
        new Ingest(filter, CascadeRuns.GROUP)
            .all(options.keys(), CascadeRuns.BUCKETS, (bucket, keys, seconds) -> {});
    long before = System.nanoTime();
    filter.settle();
    print(out, "insertsPerSecond", ingest.perSecond());
    print(out, "insertP999Micros", ingest.nanos().getValueAtPercentile(99.9) / 1e3);
    print(out, "longestMillis", ingest.nanos().getMaxValue() / 1e6);
    print(out, "cpuNanos", 1e9 * ingest.cpuSeconds() / ingest.keys());
    print(out, "settleSeconds", (System.nanoTime() - before) / 1e9);
    print(out, "levels", filter.levels());
    double seconds = options.seconds() / 2;
    print(out, "single", Lookups.single(filter, Keys::absent, seconds).perSecond());
    print(
        out,
        "batched",
        Lookups.batched(filter, filter::positives, options.batch(), Keys::absent, seconds)
            .perSecond());
    Events events = new Events(options.keys());
    long more = Math.round(options.keys() * MORE);
    print(
        out,
        "singleDuring",
        new DuringIngest(filter, events, options.keys() + more)
            .measure(1, seconds)
            .lookups()
            .perSecond());
    print(
        out,
        "batchedDuring",
        new DuringIngest(filter, events, options.keys() + 2 * more)
            .measure(options.batch(), seconds)
            .lookups()
            .perSecond());
  }

  private static void print(PrintStream out, String metric, double value) {
    out.println(metric + " " + value);
  }
}
