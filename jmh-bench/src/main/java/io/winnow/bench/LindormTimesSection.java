package io.winnow.bench;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.List;
import java.util.OptionalDouble;

/** The times of a store file's filter, beside what Lindorm's authors published. */
final class LindormTimesSection {
  private LindormTimesSection() {}

  static Section construct(Results results) {
    return of(
        results,
        "LindormConstruct.construct",
        "Building the filter of a file",
        "construct",
        """
        Nanoseconds per key for hashing, adding, solving and writing the chunks to memory, through the chunk
        writers that HBase's factory makes: a million keys (200k keys where they have 2000 bytes), 1 %,
        chunks of 128 KiB. Stock HBase Bloom uses its default hash, Murmur, twice per key and byte by byte;
        our filters use XXH3, once. The second table is what Lindorm's authors published ("Ribbon filter in
        Lindorm"), on their machine: its times do not compare with ours, its ratios do.
        """);
  }

  static Section query(Results results) {
    return of(
        results,
        "LindormQuery.query",
        "Asking the filter of a file",
        "query",
        """
        Nanoseconds per question; half of the keys are present. The store file is on the local disk, and its
        chunks are in HBase's block cache. A question is: chunk index, block cache, hash, probe. The second
        table is what Lindorm's authors published, on their machine: compare its ratios, not its times.
        """);
  }

  private static Section of(
      Results results, String benchmark, String title, String plot, String words) {
    Section section = new Section(title, words);
    Table table =
        new Table(
            plot + ", ns per key, on this machine",
            "key length",
            "bloom",
            "ribbon",
            "bumped-ribbon",
            "ribbon : bloom",
            "bumped : bloom");
    Table published =
        new Table(
            plot + ", ns per key, published by Lindorm, on another machine",
            "key length",
            "Lindorm's bloom",
            "Lindorm's ribbon",
            "ribbon : bloom");
    List<String> lengths = results.values(benchmark, "keyLength");
    double[][] ratios = new double[3][lengths.size()];
    for (int i = 0; i < lengths.size(); i++) {
      String length = lengths.get(i);
      OptionalDouble[] times = new OptionalDouble[3];
      for (int f = 0; f < 3; f++) {
        times[f] =
            results.median(
                benchmark,
                JmhRuns.NS_PER_KEY,
                "filter",
                Labels.FAMILY_FILTERS.get(f),
                "keyLength",
                length);
      }
      table.row(
          length,
          Table.number(times[0], 1),
          Table.number(times[1], 1),
          Table.number(times[2], 1),
          Table.ratio(times[1], times[0]),
          Table.ratio(times[2], times[0]));
      published.row(
          length,
          Table.number(LindormPublished.bloom(benchmark, length), 1),
          Table.number(LindormPublished.ribbon(benchmark, length), 1),
          Table.number(LindormPublished.ratio(benchmark, length), 2));
      ratios[0][i] = LindormPublished.ratio(benchmark, length);
      ratios[1][i] = Table.divided(times[1], times[0]).orElse(Double.NaN);
      ratios[2][i] = Table.divided(times[2], times[0]).orElse(Double.NaN);
    }
    section.add(table).add(published);
    if (!lengths.isEmpty()) {
      section.plot(
          plot,
          Chart.linear(
                  title + ": time over that of the same store's Bloom filter",
                  "key length, bytes",
                  "time, stock Bloom = 1",
                  lengths)
              .add("Lindorm's ribbon (published, on its machine)", ratios[0])
              .add("ribbon", ratios[1])
              .add("bumped-ribbon", ratios[2])
              .bars());
    }
    return section;
  }
}
