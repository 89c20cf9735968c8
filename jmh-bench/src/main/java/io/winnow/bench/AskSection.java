package io.winnow.bench;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What a question costs, with the cache at rest and turning over. */
final class AskSection {
  private AskSection() {}

  static Section of(Results results) {
    Section section =
        new Section(
            "Asking a filter",
            """
            Nanoseconds of wall time for one question to the filter of a store file; half of the rows, of 25
            bytes, are present. All chunks are in HBase's `LruBlockCache`. *At rest* nothing else happens there.
            Else other blocks come in and the cache evicts others for them, between the questions and not timed,
            the same number for each contender. A window is the time in which 1/128 of the cache's blocks comes
            in; the number is how often a chunk is asked in one window (at 0, a quarter of the cache comes in
            between two questions to a chunk). The files have 10,000 rows each (*small*) or a million, and are
            asked in turn; 1280 files have over 1 GiB of filters. The chunks stay in the cache whatever is looked up:
            what a look-up is good for there, read-path.md says, and these times do not. Each contender has JVMs of its own, which took
            turns. A ratio is the median over pairs of turns, and in brackets is the interval that has the true
            median with 95 % certainty.
            """);
    Table table =
        new Table(
            "a question, ns",
            "files",
            "threads",
            "questions per chunk and window",
            "bloom",
            "ribbon",
            "bumped-ribbon",
            "ribbon : bloom",
            "bumped : bloom");
    for (Ask.Place place : Ask.Place.values()) {
      for (int threads : threads(results)) {
        for (Ask.Turnover turnover : Ask.Turnover.values()) {
          if (Ask.samples(results, place, turnover, threads, Ask.STOCK).length > 0) {
            table.row(
                place.label(),
                String.valueOf(threads),
                turnover.label(),
                time(results, place, turnover, threads, Ask.STOCK),
                time(results, place, turnover, threads, "ribbon"),
                time(results, place, turnover, threads, "bumped-ribbon"),
                Ask.ratio(results, place, turnover, threads, "ribbon").text(),
                Ask.ratio(results, place, turnover, threads, "bumped-ribbon").text());
          }
        }
      }
    }
    section.add(table);
    if (!table.isEmpty()) {
      section.plot("ask", chart(results));
    }
    return section;
  }

  private static List<Integer> threads(Results results) {
    return results.values(Ask.NAME, "threads").stream().map(Integer::valueOf).toList();
  }

  private static String time(
      Results results, Ask.Place place, Ask.Turnover turnover, int threads, String filter) {
    return Table.number(Results.median(Ask.samples(results, place, turnover, threads, filter)), 0);
  }

  private static String chart(Results results) {
    List<String> turnovers = Arrays.stream(Ask.Turnover.values()).map(Ask.Turnover::label).toList();
    Chart chart =
        Chart.linear(
            "A question to bumped-ribbon, one thread: time over stock Bloom's",
            "questions per chunk and window",
            "time, stock Bloom = 1",
            turnovers);
    for (Ask.Place place : Ask.Place.values()) {
      List<PairedRatio> ratios = new ArrayList<>();
      for (Ask.Turnover turnover : Ask.Turnover.values()) {
        ratios.add(Ask.ratio(results, place, turnover, 1, "bumped-ribbon"));
      }
      chart.add(
          place.label(),
          ratios.stream().mapToDouble(PairedRatio::median).toArray(),
          ratios.stream().mapToDouble(PairedRatio::low).toArray(),
          ratios.stream().mapToDouble(PairedRatio::high).toArray());
    }
    return chart.lines();
  }
}
