package io.winnow.bench;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** Plain filters in memory, ours beside others. */
final class PeersSection {
  /** A chart holds eight: variants of a filter stand in the table only. */
  private static final List<String> NOT_PLOTTED =
      List.of("ribbon-128", "ribbon-chunks", "bumped-ribbon-chunks");

  private final Results results;

  private PeersSection(Results results) {
    this.results = results;
  }

  static Section of(Results results) {
    return new PeersSection(results).section();
  }

  private Section section() {
    Section section =
        new Section(
            "Peers in memory",
            """
            Plain filters over the same `byte[]` keys, hashing included, no file and no cache: a million keys,
            half of the keys asked for present, 1 % where a rate can be chosen. fastfilter's filters take longs
            and ours take hashes, so both have XXH3 in front. A `-chunks` contender is several of our filters,
            of 128 KiB each; a key's hash tells which one has it. fastfilter 1.0.2, the release on Maven
            Central, has no binary fuse filter; its older fuse filter, XorFuse8, takes that place. The bits of
            Guava's filter are computed by its formula, as the class does not tell them.
            """);
    List<String> header = new ArrayList<>(List.of("filter", "bits per key", "rate"));
    for (String work : List.of("construct", "query")) {
      for (String length : results.values("Peers." + work, "keyLength")) {
        header.add(work + " " + length + " B");
      }
    }
    Table table = new Table("peers, ns per key", header.toArray(String[]::new));
    List<String> filters = results.values("Peers.query", "filter");
    for (String filter : filters) {
      List<String> row =
          new ArrayList<>(
              List.of(
                  filter,
                  Table.number(
                      results.median("Peers.query", JmhRuns.BITS_PER_KEY, "filter", filter), 2),
                  Table.percent(results.median("Peers.query", JmhRuns.RATE, "filter", filter), 2)));
      for (String work : List.of("Peers.construct", "Peers.query")) {
        for (String length : results.values(work, "keyLength")) {
          row.add(Table.number(peer(work, filter, length), 1));
        }
      }
      table.row(row.toArray(String[]::new));
    }
    section.add(table);
    for (String work : List.of("construct", "query")) {
      List<String> lengths = results.values("Peers." + work, "keyLength");
      if (lengths.isEmpty()) {
        continue;
      }
      Chart chart =
          Chart.linear("Peers in memory, " + work, "key length, bytes", "ns per key", lengths);
      for (String filter : filters) {
        if (!NOT_PLOTTED.contains(filter)) {
          chart.add(
              filter,
              lengths.stream()
                  .mapToDouble(length -> peer("Peers." + work, filter, length).orElse(Double.NaN))
                  .toArray());
        }
      }
      section.plot("peers-" + work, chart.bars());
    }
    return section;
  }

  private OptionalDouble peer(String benchmark, String filter, String length) {
    return results.median(benchmark, JmhRuns.NS_PER_KEY, "filter", filter, "keyLength", length);
  }
}
