package io.winnow.bench.flash;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.OptionalDouble;

/** The figures of the papers beside those of the run. */
final class PublishedSection {
  private final Figures figures;
  private final Table table = new Table("published and measured", "what", "published", "this run");

  private PublishedSection(Figures figures) {
    this.figures = figures;
  }

  static Section of(Results results) {
    PublishedSection section = new PublishedSection(new Figures(results));
    section.buffered();
    section.bufferHash();
    return new Section(
            "Published figures",
            """
            Canim et al. 2010 measured on a Fusion-io card of 2010 (50 us a read, 88,000 requests a second) with
            a processor of 2.4 GHz; Anand et al. 2010 on an Intel SSD of 2008 (0.15 ms a read), and the shares of
            lookups on a Transcend SSD, with BerkeleyDB in C. So compare ratios, not times. Where a drive answers
            faster, what saves reads saves less. Their BerkeleyDB wrote its pages in place, which those drives
            were slow at; JE appends to a log.
            """)
        .add(section.table);
  }

  private void row(String what, String published, OptionalDouble measured, int decimals) {
    if (measured.isPresent()) {
      table.row(what, published, Table.number(measured, decimals));
    }
  }

  private void buffered() {
    row(
        "buffered Bloom over plain in memory of 4 times the memory: time at the same rate",
        "below 1",
        Table.divided(
            figures.of(Metrics.BUFFERED, Metrics.SET, "seconds"),
            figures.of(Metrics.PLAIN, Metrics.MEMORY_4X, "seconds")),
        2);
    row(
        "the same with a quarter of the buffer",
        "far above 1",
        Table.divided(
            figures.of(Metrics.BUFFERED, BufferedRuns.sweep().get(0), "seconds"),
            figures.of(Metrics.PLAIN, Metrics.MEMORY_4X, "seconds")),
        2);
    row(
        "plain in twice the memory over buffered: false positives, 3 and 2 hash functions",
        "at least 10; 7.0 by their formula",
        Table.divided(
            figures.of(Metrics.PLAIN, Metrics.MEMORY_2X, Metrics.RATE),
            figures.of(Metrics.BUFFERED, Metrics.SET, Metrics.RATE)),
        1);
  }

  private void bufferHash() {
    String je = "berkeleydb-je (theirs: BerkeleyDB)";
    mean("WAN optimizer, bufferhash: lookup, ms", "0.06", Metrics.BUFFERHASH, Metrics.WAN, false);
    mean("WAN optimizer, bufferhash: insert, ms", "0.006", Metrics.BUFFERHASH, Metrics.WAN, true);
    mean("WAN optimizer, " + je + ": lookup, ms", "4.6", Metrics.JE, Metrics.WAN, false);
    mean("WAN optimizer, " + je + ": insert, ms", "4.8", Metrics.JE, Metrics.WAN, true);
    row(
        "WAN optimizer: bufferhash's lookups over JE's",
        "77",
        figures.ratio(Metrics.WAN, Metrics.PROBES, Metrics.BUFFERHASH, Metrics.JE),
        1);
    row(
        "WAN optimizer: bufferhash's inserts over JE's",
        "800",
        figures.ratio(Metrics.WAN, Metrics.INSERTS, Metrics.BUFFERHASH, Metrics.JE),
        1);
    row(
        "bufferhash: inserts below 0.1 ms, %",
        "99",
        Figures.scaled(figures.of(Metrics.BUFFERHASH, Metrics.WAN, "insertBelow100Micros"), 100),
        2);
    String[] shares = {"0", "0.5", "1"};
    String[] ours = {"0.007", "0.09", "0.12"};
    String[] theirs = {"18.4", "10.3", "0.3"};
    for (int i = 0; i < shares.length; i++) {
      String mix = Metrics.LOOKUPS + shares[i];
      operation(mix + ", bufferhash: operation, ms", ours[i], Metrics.BUFFERHASH, mix);
      operation(mix + ", " + je + ": operation, ms", theirs[i], Metrics.JE, mix);
    }
  }

  private void mean(
      String what, String published, String structure, String workload, boolean insert) {
    String metric = insert ? "insertMeanMicros" : "lookupMeanMicros";
    row(what, published, Figures.scaled(figures.of(structure, workload, metric), 1e-3), 4);
  }

  private void operation(String what, String published, String structure, String workload) {
    OptionalDouble perSecond = figures.of(structure, workload, "operationsPerSecond");
    row(what, published, Table.divided(OptionalDouble.of(1e3), perSecond), 4);
  }
}
