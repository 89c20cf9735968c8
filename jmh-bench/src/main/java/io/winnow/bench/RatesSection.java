package io.winnow.bench;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.List;

/** The rates of chunks, and how far they spread. */
final class RatesSection {
  private final Results results;

  private RatesSection(Results results) {
    this.results = results;
  }

  static Section of(Results results) {
    return new RatesSection(results).section();
  }

  private Section section() {
    Section section =
        new Section(
            "Rates",
            """
            Measured false-positive rates of chunks as HBase's chunk writers cut them, by the number of keys in
            the file, and bits per key of the chunks, without the meta block. *Low* and *high* leave out one
            chunk in twenty on either side. The last column is how far sampling alone takes an exact rate. All
            figures: [rates.csv](plots/rates.csv).
            """);
    List<String> sizes = results.values(Rates.NAME, "n");
    List<String> filters = results.values(Rates.NAME, "filter");
    Table table =
        new Table(
            "rates of chunks, percent",
            "asked, keys, filter",
            "bits per key",
            "mean",
            "low",
            "high",
            "worst",
            "chunks",
            "sampling, 1 sigma");
    StringBuilder csv =
        new StringBuilder(
            "filter,rate,keys,chunks,probesPerChunk,bitsPerKey,leastBitsPerKey,mostBitsPerKey,"
                + "meanRate,leastRate,lowRate,medianRate,highRate,mostRate\n");
    for (String rate : results.values(Rates.NAME, "rate")) {
      double asked = Double.parseDouble(rate);
      for (String filter : filters) {
        for (String n : sizes) {
          csv.append(String.join(",", filter, rate, n));
          for (String metric :
              List.of(
                  "chunks",
                  "probesPerChunk",
                  "bitsPerKey",
                  "leastBitsPerKey",
                  "mostBitsPerKey",
                  "meanRate",
                  "leastRate",
                  "lowRate",
                  "medianRate",
                  "highRate",
                  "mostRate")) {
            csv.append(',').append(rate(metric, filter, rate, n));
          }
          csv.append('\n');
        }
      }
      for (String n : sizes) {
        for (String filter : filters) {
          double probes = rate("probesPerChunk", filter, rate, n);
          table.row(
              Labels.askedRate(rate)
                  + ", "
                  + Table.number(Double.parseDouble(n), 0)
                  + ", "
                  + filter,
              Table.number(rate("bitsPerKey", filter, rate, n), 3),
              Table.number(100 * rate("meanRate", filter, rate, n), 4),
              Table.number(100 * rate("lowRate", filter, rate, n), 4),
              Table.number(100 * rate("highRate", filter, rate, n), 4),
              Table.number(100 * rate("mostRate", filter, rate, n), 4),
              Table.number(rate("chunks", filter, rate, n), 0),
              Table.number(100 * Math.sqrt(asked * (1 - asked) / probes), 4));
        }
      }
      List<String> plotted = sizes.stream().filter(n -> Integer.parseInt(n) >= 100).toList();
      List<String> names = Labels.grouped(plotted);
      Chart chart =
          Chart.linear(
              "False-positive rate of chunks over the asked " + Labels.askedRate(rate),
              "keys in the file",
              "measured over asked; 5th to 95th percentile",
              names);
      Chart bits =
          Chart.linear(
              "Bits per key of chunks at " + Labels.askedRate(rate),
              "keys in the file",
              "bits per key",
              names);
      for (String filter : filters) {
        chart.add(
            filter,
            over(asked, "meanRate", filter, rate, plotted),
            over(asked, "lowRate", filter, rate, plotted),
            over(asked, "highRate", filter, rate, plotted));
        bits.add(filter, over(1, "bitsPerKey", filter, rate, plotted));
      }
      section.plot("rates-" + rate.replace('.', '-'), chart.lines());
      if (asked == 0.01) {
        section.plot("bits-per-key", bits.lines());
      }
    }
    section.file("rates.csv", csv.toString());
    section.add(table);
    return section;
  }

  private double[] over(
      double asked, String metric, String filter, String rate, List<String> sizes) {
    return sizes.stream().mapToDouble(n -> rate(metric, filter, rate, n) / asked).toArray();
  }

  private double rate(String metric, String filter, String rate, String n) {
    return results
        .median(Rates.NAME, metric, "filter", filter, "rate", rate, "n", n)
        .orElse(Double.NaN);
  }
}
