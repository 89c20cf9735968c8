package io.winnow.hbase.soak;

import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The report of {@code ./winnow soak}: targets, the resources of the servers, and the actions done.
 */
final class SoakReport {
  /** Name under which the results have the numbers of operations and actions done. */
  static final String WORK = "Soak.work";

  static final String WHAT = "what";
  static final String COUNT = "count";

  /**
   * Suffix of the names of the result files of {@code ./winnow soak}, after date, machine and
   * commit.
   */
  private static final String OF_SOAK = "_soak";

  /** Maximum slope of a server's heap after the warm-up, in percent an hour. */
  private static final double MAX_SLOPE = 1;

  private static final List<String> JUDGED = List.of(Deeds.SPARED, Servers.MASTER);

  private SoakReport() {}

  /** Returns the report of a run of {@code ./winnow soak} with all its tables. */
  static PageTemplate page(Results results) {
    return page(results, "");
  }

  private static PageTemplate page(Results results, String file) {
    return new PageTemplate(
        SoakReport.class,
        "soak.ftl",
        results,
        Map.of(
            "resultsFile",
            file,
            "spared",
            Deeds.SPARED,
            "killed",
            Deeds.KILLED,
            "bounds",
            bounds(results),
            "watched",
            Servers.WATCHED,
            "warmUpMinutes",
            Growth.WARM_UP_MINUTES));
  }

  private static Growth growth(Results results, String server, String metric) {
    return new Growth(samples(results, server, Servers.MINUTES), samples(results, server, metric));
  }

  /**
   * Returns the samples of one metric of a server from all its processes, one process after the
   * other.
   */
  private static double[] samples(Results results, String server, String metric) {
    return results.values(Servers.BENCHMARK, Servers.LIFE).stream()
        .flatMapToDouble(
            life ->
                Arrays.stream(
                    results.samples(
                        Servers.BENCHMARK, metric, Servers.SERVER, server, Servers.LIFE, life)))
        .toArray();
  }

  static List<Bound> bounds(Results results) {
    List<Bound> bounds = new ArrayList<>();
    bounds.add(new Bound(SoakRows.WRONG, true, 0, count(results, SoakRows.WRONG), 0));
    for (String server : JUDGED) {
      bounds.add(
          growth(results, server, Servers.HEAP)
              .slope(server + ": slope of the heap after collection, % an hour", MAX_SLOPE));
      bounds.add(growth(results, server, Servers.THREADS).rise(server + ": more threads"));
      bounds.add(growth(results, server, Servers.HANDLES).rise(server + ": more file handles"));
    }
    return bounds;
  }

  private static double count(Results results, String what) {
    return results.median(WORK, COUNT, WHAT, what).orElse(Double.NaN);
  }

  /** Replaces the measured part of {@code docs/soak.md}; the rest is written by hand. */
  static void renew(Path home) throws IOException {
    Path directory = home.resolve("hbase-integration").resolve("results");
    Path newest = new ResultFiles(directory).newest(OF_SOAK).orElseThrow();
    page(ResultFiles.read(newest), newest.getFileName().toString())
        .writeInto(home.resolve("docs"), "soak");
  }
}
