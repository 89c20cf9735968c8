package io.winnow.bench;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** Quotient filters beside Bloom filters in memory, as they fill, and what only they do. */
final class QuotientSection {
  private static final String CURVES =
      """
      64-bit hashes, inserted one by one in random order into filters that are made for this number of
      keys and a rate of 0.04 %. That is the rate of the comparison in "Don't Thrash: How to Cache Your
      Hash on Flash" (Bender et al., HotStorage 2011); a Bloom filter then has 11 hash functions. Times
      are CPU time of one thread; contenders took turns. *Load* is the share of a quotient filter's slots
      that is filled, up to 95 % (`rank-select`) or 75 % (`three-bit`). Bloom filters have no slots; their
      load counts the slots of `rank-select`. `rank-select` is smaller than a Bloom filter, and its rate
      is better than asked, because remainders have whole bits. `rank-select-80` is filled to 80 % and has
      remainders of one bit less: it has the Bloom filter's size and rate. `bloom` is ours. `guava` is
      Guava's, which hashes once more and boxes. Quotient filters get 64 keys at a time and fetch their
      slots side by side; a Bloom filter fetches its positions side by side in any case. A million keys, 2
      MB, fit a core's own cache; 100 million, 200 MB, are more than a core's share of the cache of all
      cores.
      """;

  private static final List<String> LOADS = List.of("25", "50", "75", "90", "95");

  private final Results results;

  private QuotientSection(Results results) {
    this.results = results;
  }

  static Section of(Results results) {
    return new QuotientSection(results).section();
  }

  private Section section() {
    Section section = new Section("Quotient filters in memory", CURVES);
    List<String> sizes = results.values(Quotients.FILTER, "n");
    section.add(filters(sizes));
    section.add(paper(sizes));
    section.add(curves(sizes));
    section.add(whole());
    section.add(space());
    for (String n : sizes) {
      section.plot("quotient-insert-" + n, chart("Inserts", Quotients.INSERT, n));
      section.plot("quotient-lookup-" + n, chart("Lookups of absent keys", Quotients.ABSENT, n));
    }
    return section;
  }

  private Table filters(List<String> sizes) {
    Table table =
        new Table(
            "full filters, ns per key",
            "keys, filter",
            "bits per key",
            "rate",
            "insert, mean",
            "insert, to 90 % load",
            "lookup, present",
            "lookup, absent",
            "delete");
    for (String n : sizes) {
      for (QuotientPeer peer : QuotientPeer.values()) {
        String filter = peer.label();
        table.row(
            Table.number(Double.parseDouble(n), 0) + ", " + filter,
            Table.number(whole(JmhRuns.BITS_PER_KEY, filter, n), 2),
            Table.percent(whole(JmhRuns.RATE, filter, n), 4),
            Table.number(whole(Quotients.INSERT, filter, n), 1),
            Table.number(insertsTo(results, filter, n, 90), 1),
            Table.number(full(Quotients.PRESENT, peer, n), 1),
            Table.number(full(Quotients.ABSENT, peer, n), 1),
            Table.number(whole(Quotients.DELETE, filter, n), 1));
      }
    }
    return table;
  }

  /** The table of Bender et al. 2011, and the same from this run. */
  private Table paper(List<String> sizes) {
    List<String> header = new ArrayList<>(List.of(""));
    for (QuotientPeer peer : QuotientPeer.values()) {
      header.add(peer.label());
    }
    Table table =
        new Table(
            "millions per second, beside the figures of Bender et al. 2011",
            header.toArray(String[]::new));
    if (!sizes.isEmpty()) {
      table.row("paper, inserts", "-", "-", "2.40", "0.69", "-");
      table.row("paper, lookups", "-", "-", "2.00", "1.90", "-");
    }
    for (String n : sizes) {
      String keys = Table.number(Double.parseDouble(n), 0) + " keys, ";
      List<String> inserts = new ArrayList<>(List.of(keys + "inserts"));
      List<String> present = new ArrayList<>(List.of(keys + "lookups, present"));
      List<String> absent = new ArrayList<>(List.of(keys + "lookups, absent"));
      for (QuotientPeer peer : QuotientPeer.values()) {
        inserts.add(millions(whole(Quotients.INSERT, peer.label(), n)));
        present.add(millions(full(Quotients.PRESENT, peer, n)));
        absent.add(millions(full(Quotients.ABSENT, peer, n)));
      }
      for (List<String> row : List.of(inserts, present, absent)) {
        table.row(row.toArray(String[]::new));
      }
    }
    return table;
  }

  private static String millions(OptionalDouble nanos) {
    return Table.number(Table.divided(OptionalDouble.of(1e3), nanos), 2);
  }

  private Table curves(List<String> sizes) {
    List<String> header = new ArrayList<>(List.of("ns per insert, keys, filter"));
    LOADS.forEach(load -> header.add("at " + load + " %"));
    Table table = new Table("inserts by load, ns", header.toArray(String[]::new));
    for (String n : sizes) {
      for (QuotientPeer peer : QuotientPeer.values()) {
        List<String> row = new ArrayList<>();
        row.add(Table.number(Double.parseDouble(n), 0) + ", " + peer.label());
        for (String load : LOADS) {
          row.add(Table.number(at(results, Quotients.INSERT, peer.label(), n, load), 1));
        }
        table.row(row.toArray(String[]::new));
      }
    }
    return table;
  }

  private Table whole() {
    Table table =
        new Table(
            "whole filters, ns per fingerprint",
            "fingerprints, work",
            "rank-select",
            "three-bit",
            "rank-select, millions per second");
    for (String n : results.values(Quotients.WHOLE, "n")) {
      for (String work : results.values(Quotients.WHOLE, "work")) {
        OptionalDouble rankSelect = whole(results, work, "rank-select", n);
        table.row(
            Table.number(Double.parseDouble(n), 0) + ", " + work,
            Table.number(rankSelect, 1),
            Table.number(whole(results, work, "three-bit", n), 1),
            millions(rankSelect));
      }
    }
    return table;
  }

  private Table space() {
    Table table =
        new Table(
            "space of full filters of a million keys, bits per key",
            "asked rate",
            "rank-select",
            "its rate",
            "three-bit",
            "its rate",
            "Bloom filter of 10 hash functions at that rate");
    for (String rate : results.values(Quotients.SPACE, "rate")) {
      table.row(
          Labels.askedRate(rate),
          Table.number(space(results, JmhRuns.BITS_PER_KEY, "rank-select", rate), 3),
          Table.percent(space(results, JmhRuns.RATE, "rank-select", rate), 4),
          Table.number(space(results, JmhRuns.BITS_PER_KEY, "three-bit", rate), 3),
          Table.percent(space(results, JmhRuns.RATE, "three-bit", rate), 4),
          Table.number(space(results, JmhRuns.BITS_PER_KEY, Quotients.BLOOM_10, rate), 3));
    }
    return table;
  }

  /** Millions per second over load. */
  private String chart(String what, String metric, String n) {
    List<String> loads = results.values(Quotients.CURVE, "load");
    Chart chart =
        Chart.linear(
            what + ", " + Table.number(Double.parseDouble(n), 0) + " keys at 0.04 %",
            "load, % of the slots",
            "millions per second",
            loads);
    for (QuotientPeer peer : QuotientPeer.values()) {
      chart.add(
          peer.label(),
          loads.stream()
              .mapToDouble(
                  load -> 1e3 / at(results, metric, peer.label(), n, load).orElse(Double.NaN))
              .toArray());
    }
    return chart.lines();
  }

  private OptionalDouble whole(String metric, String filter, String n) {
    return results.median(Quotients.FILTER, metric, "filter", filter, "n", n);
  }

  private OptionalDouble full(String metric, QuotientPeer peer, String n) {
    return at(results, metric, peer.label(), n, String.valueOf(peer.fullPercent()));
  }

  // ==== what Bounds asks for too

  static OptionalDouble at(Results results, String metric, String filter, Object n, Object load) {
    return results.median(Quotients.CURVE, metric, "filter", filter, "n", n, "load", load);
  }

  static OptionalDouble whole(Results results, String work, String filter, Object n) {
    return results.median(
        Quotients.WHOLE, JmhRuns.NS_PER_KEY, "work", work, "filter", filter, "n", n);
  }

  static OptionalDouble space(Results results, String metric, String filter, Object rate) {
    return results.median(Quotients.SPACE, metric, "filter", filter, "rate", rate);
  }

  /** The mean time of an insert from the empty filter to a load; none if it is not reached. */
  static OptionalDouble insertsTo(Results results, String filter, Object n, int load) {
    double sum = 0;
    int steps = 0;
    for (int at = Quotients.STEP; at <= load; at += Quotients.STEP) {
      OptionalDouble step = at(results, Quotients.INSERT, filter, n, at);
      if (step.isEmpty()) {
        return step;
      }
      sum += step.getAsDouble();
      steps++;
    }
    return OptionalDouble.of(sum / steps);
  }
}
