package io.winnow.hbase.soak;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Page;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.commons.math3.stat.StatUtils;

/** What people see of a run: what was asked, what the servers took, what was done. */
final class SoakReport {
  /** What was counted: a case each, by its name. */
  static final String WORK = "Soak.work";

  static final String WHAT = "what";
  static final String COUNT = "count";

  static final String BEGIN = "<!-- Measured: `./winnow soak --report` writes from here on. -->\n";

  /** How the names of results end, after date, machine and commit. */
  private static final String OF_SOAK = "_soak";

  /** Percent an hour. */
  private static final double MOST_SLOPE = 1;

  private static final List<String> JUDGED = List.of(Deeds.SPARED, Servers.MASTER);

  private SoakReport() {}

  static Page page(Results results) {
    Page page = new Page();
    page.add(
        new Section(
                "Asked and measured",
                """
                Nobody kills `%s` and `master`: growth is judged in them. The slope of the heap after collection has
                an interval of 95 %% certainty, and fails the run if all of it lies above the bound. Threads and
                handles are medians of the third and the last quarter of the run, and fail it if they rise by more
                than one, and by more than the middle half of the third quarter's samples spread.
                """
                    .formatted(Deeds.SPARED))
            .add(Bound.table(bounds(results))));
    page.add(
        new Section(
                "Servers",
                """
                Medians of the samples after the warm-up. `%s` is killed again and again, so that its samples are of
                many processes.
                """
                    .formatted(Deeds.KILLED))
            .add(servers(results)));
    page.add(new Section("Done", "").add(work(results)));
    return page;
  }

  private static Growth growth(Results results, String server, String metric) {
    return new Growth(samples(results, server, Servers.MINUTES), samples(results, server, metric));
  }

  /** Of all lives of a server, one after the other. */
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
              .slope(server + ": slope of the heap after collection, % an hour", MOST_SLOPE));
      bounds.add(growth(results, server, Servers.THREADS).rise(server + ": more threads"));
      bounds.add(growth(results, server, Servers.HANDLES).rise(server + ": more file handles"));
    }
    return bounds;
  }

  private static OptionalDouble count(Results results, String what) {
    return results.median(WORK, COUNT, WHAT, what);
  }

  private static Table servers(Results results) {
    Table table =
        new Table(
            "Servers",
            "",
            "samples",
            "processes",
            "heap after collection, MB",
            "direct memory, MB",
            "threads",
            "file handles",
            "log, MB an hour");
    for (String server : Servers.WATCHED) {
      double[] minutes = samples(results, server, Servers.MINUTES);
      if (minutes.length > 0) {
        table.row(
            server,
            Integer.toString(minutes.length),
            Long.toString(lives(results, server)),
            median(results, server, Servers.HEAP, 1e6),
            median(results, server, Servers.DIRECT, 1e6),
            median(results, server, Servers.THREADS, 1),
            median(results, server, Servers.HANDLES, 1),
            Table.number(perHour(minutes, samples(results, server, Servers.LOG)) / 1e6, 2));
      }
    }
    return table;
  }

  private static long lives(Results results, String server) {
    return results.values(Servers.BENCHMARK, Servers.LIFE).stream()
        .filter(
            life ->
                results.samples(
                            Servers.BENCHMARK,
                            Servers.MINUTES,
                            Servers.SERVER,
                            server,
                            Servers.LIFE,
                            life)
                        .length
                    > 0)
        .count();
  }

  private static String median(Results results, String server, String metric, double unit) {
    double[] warm = growth(results, server, metric).warm();
    double[] all = warm.length > 0 ? warm : samples(results, server, metric);
    return Table.number(StatUtils.percentile(all, 50) / unit, 1);
  }

  private static double perHour(double[] minutes, double[] bytes) {
    int last = minutes.length - 1;
    return 60 * (bytes[last] - bytes[0]) / (minutes[last] - minutes[0]);
  }

  private static Table work(Results results) {
    Table table = new Table("Done", "what", "times");
    for (String what : results.values(WORK, WHAT)) {
      double count = count(results, what).orElse(0);
      table.row(what, Table.number(count, count == Math.rint(count) ? 0 : 2));
    }
    return table;
  }

  /** Writes the measured part of {@code docs/soak.md} anew; the rest is by hand. */
  static void renew(Path home) throws IOException {
    Files.writeString(file(home), renewed(Files.readString(file(home)), home));
  }

  static Path file(Path home) {
    return home.resolve("docs").resolve("soak.md");
  }

  /** The page with what the newest results say. */
  static String renewed(String page, Path home) throws IOException {
    int begin = page.indexOf(BEGIN);
    if (begin < 0) {
      throw new IOException("docs/soak.md has no line " + BEGIN.strip());
    }
    String byHand = page.substring(0, begin + BEGIN.length());
    Path directory = home.resolve("hbase-integration").resolve("results");
    Optional<Path> newest = ResultFiles.in(directory, "").newest(OF_SOAK);
    if (newest.isEmpty()) {
      return byHand + "\nNo results are kept yet.\n";
    }
    Results results = ResultFiles.read(newest.get());
    return byHand
        + '\n'
        + Page.facts(results.setting(), "hbase-integration/results/" + newest.get().getFileName())
        + page(results).markdown();
  }
}
