package io.winnow.ycsb;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.List;

/** Lindorm's profile with many sizes of the cache. */
final class SweepSection {
  private static final String BLOOM = FilterKind.BLOOM.id();
  private static final String BUMPED = FilterKind.BUMPED_RIBBON.id();

  private SweepSection() {}

  /** Empty if these are not the results of a sweep. */
  static Section section(Results sweep) {
    Section section =
        new Section(
            "Where the gain begins and ends",
            """
            The profile *lindorm* at one key length and with one number of hot rows, for several sizes of
            the block cache. *Share* is how much of the cache stock Bloom filters would take. Ratios are
            medians of the rounds', with their 95 % intervals.
            """);
    Reads reads = new Reads(sweep, Comparison.READS);
    double bloomBytes =
        sweep.median(Comparison.FILTERS, "bytes", "filter", BLOOM).orElse(Double.NaN);
    Table table =
        new Table(
            "sweep",
            "share, cache",
            "bloom, rows/s",
            "bumped-ribbon, rows/s",
            "ribbon : bloom",
            "bumped : bloom",
            "bloom, hits",
            "bumped, hits",
            "bloom, read",
            "bumped, read");
    List<Reads.Situation> caches =
        sweep.values(Comparison.READS, "cacheBytes").stream()
            .map(
                cache ->
                    reads.situation(
                        Profile.LINDORM,
                        sweep.values(Comparison.READS, "keyLength").get(0),
                        "cacheBytes",
                        cache))
            .toList();
    for (Reads.Situation one : caches) {
      table.row(
          share(one, bloomBytes) + ", " + Table.number(bytes(one) / (1 << 20), 1) + " MB",
          one.number(Reads.THROUGHPUT, BLOOM, 0),
          one.number(Reads.THROUGHPUT, BUMPED, 0),
          one.ratio(Reads.THROUGHPUT, FilterKind.RIBBON.id(), BLOOM).text(),
          one.ratio(Reads.THROUGHPUT, BUMPED, BLOOM).text(),
          Table.percent(one.median("hitRatio", BLOOM), 2),
          Table.percent(one.median("hitRatio", BUMPED), 2),
          one.number("blocksReadPerRow", BLOOM, 3),
          one.number("blocksReadPerRow", BUMPED, 3));
    }
    section.add(table).measuredBy(sweep, Comparison.READS);
    if (!caches.isEmpty()) {
      section.plot("ycsb-sweep", chart(caches, bloomBytes, "rows per second", Reads.THROUGHPUT, 1));
      section.plot(
          "ycsb-sweep-hits", chart(caches, bloomBytes, "block-cache hits, %", "hitRatio", 100));
    }
    return section;
  }

  private static double bytes(Reads.Situation one) {
    return Double.parseDouble(one.at().get(one.at().size() - 1));
  }

  private static String share(Reads.Situation one, double bloomBytes) {
    return Table.number(100 * bloomBytes / bytes(one), 0) + " %";
  }

  private static String chart(
      List<Reads.Situation> caches, double bloomBytes, String yLabel, String metric, double unit) {
    Chart chart =
        Chart.linear(
            "Over the size of the cache",
            "stock Bloom filters' share of the block cache",
            yLabel,
            caches.stream().map(one -> share(one, bloomBytes)).toList());
    for (FilterKind kind : FilterKind.values()) {
      chart.add(
          kind.id(),
          caches.stream()
              .mapToDouble(one -> unit * one.median(metric, kind.id()).orElse(Double.NaN))
              .toArray());
    }
    return chart.lines();
  }
}
