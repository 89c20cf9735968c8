package io.winnow.bench;

import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Page;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** The tables and plots of one run: for a terminal, and as {@code docs/benchmarks.md}. */
final class Report {
  private static final List<String> FAMILY_FILTERS = List.of("bloom", "ribbon", "bumped-ribbon");
  private static final List<String> OURS = List.of("ribbon", "bumped-ribbon");

  /** A chart holds eight: variants of a filter stand in the table only. */
  private static final List<String> NOT_PLOTTED =
      List.of("ribbon-128", "ribbon-chunks", "bumped-ribbon-chunks");

  private final Results results;
  private final Page page = new Page();

  private Report(Results results) {
    this.results = results;
  }

  static Report of(Results results) {
    Report report = new Report(results);
    report.bounds();
    report.seed();
    report.space();
    report.peers();
    report.kernels();
    report.rates();
    report.writePath();
    return report;
  }

  // ==== the three forms

  String text() {
    return page.text();
  }

  /** Writes the plots, and the CSV of the rates, into a directory. */
  void writePlots(Path directory) throws IOException {
    page.writePlots(directory);
  }

  /**
   * The page.
   *
   * @param resultsFile the name of the document that it is made from
   */
  String markdown(String resultsFile) {
    return """
        # Benchmarks

        <!-- Made by `./winnow bench --report` from the results named below. Do not edit. -->

        %s
        Times are medians over all samples of all forks; contenders took turns, fork by fork, in one
        run. A ratio is that of two medians, and below 1 means better than stock HBase Bloom. Keys are
        asked for in random order. `./winnow bench` makes such a run on your machine (about 25 minutes;
        `--quick`: four), `./winnow bench --report` this page.
        """
            .formatted(Page.facts(results.setting(), "jmh-bench/results/" + resultsFile))
        + page.markdown();
  }

  // ==== the sections

  private void bounds() {
    Page.Section section =
        new Page.Section(
            "Asked and measured", "What Winnow set out to reach, and what this run says of it.\n");
    section.add(Bound.table(Bounds.of(results)));
    page.add(section);
  }

  private void seed() {
    seed(
        "SeedConstruct.construct",
        "Building the filter of a file",
        "construct",
        """
        Nanoseconds per key: hashing, adding, solving and writing the chunks to memory, through the
        chunk writers that HBase's factory makes, a million keys (200k of 2000 bytes), 1 %, 128 KiB
        chunks. Stock HBase Bloom hashes with its default, Murmur, twice per key and byte by byte; ours
        with XXH3, once. Lindorm's columns are what its authors published, on another machine: compare
        ratios, not times.
        """);
    seed(
        "SeedQuery.query",
        "Asking the filter of a file",
        "query",
        """
        Nanoseconds per question, half of the keys present, on a store file on the local disk, its
        chunks in HBase's block cache: chunk index, block cache, hash, probe.
        """);
    Page.Section section =
        new Page.Section(
            "Bits per key",
            """
            Of the chunks and the meta block, at a million keys and 1 %; it does not depend on the key
            length, but for the first keys in the chunk index.
            """);
    Table table =
        new Table(
            "bits per key",
            "key length",
            "bloom",
            "ribbon",
            "bumped-ribbon",
            "ribbon : bloom",
            "bumped : bloom",
            "Lindorm ribbon",
            "Lindorm bloom",
            "Lindorm ratio");
    for (String length : results.values("SeedConstruct.construct", "keyLength")) {
      OptionalDouble[] bits = new OptionalDouble[3];
      for (int i = 0; i < 3; i++) {
        bits[i] =
            results.median(
                "SeedConstruct.construct",
                JmhRuns.BITS_PER_KEY,
                "filter",
                FAMILY_FILTERS.get(i),
                "keyLength",
                length);
      }
      table.row(
          length,
          Table.number(bits[0], 3),
          Table.number(bits[1], 3),
          Table.number(bits[2], 3),
          Table.ratio(bits[1], bits[0]),
          Table.ratio(bits[2], bits[0]),
          Table.number(Seed.RIBBON_BITS_PER_KEY, 3),
          Table.number(Seed.BLOOM_BITS_PER_KEY, 3),
          Table.number(Seed.RIBBON_BITS_PER_KEY / Seed.BLOOM_BITS_PER_KEY, 2));
    }
    section.add(table);
    page.add(section);
  }

  private void seed(String benchmark, String title, String plot, String words) {
    Page.Section section = new Page.Section(title, words);
    Table table =
        new Table(
            plot + ", ns per key",
            "key length",
            "bloom",
            "ribbon",
            "bumped-ribbon",
            "ribbon : bloom",
            "bumped : bloom",
            "Lindorm ribbon",
            "Lindorm bloom",
            "Lindorm ratio");
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
                FAMILY_FILTERS.get(f),
                "keyLength",
                length);
      }
      table.row(
          length,
          Table.number(times[0], 1),
          Table.number(times[1], 1),
          Table.number(times[2], 1),
          Table.ratio(times[1], times[0]),
          Table.ratio(times[2], times[0]),
          Table.number(Seed.ribbon(benchmark, length), 1),
          Table.number(Seed.bloom(benchmark, length), 1),
          Table.number(Seed.ratio(benchmark, length), 2));
      ratios[0][i] = Seed.ratio(benchmark, length);
      ratios[1][i] = Table.divided(times[1], times[0]).orElse(Double.NaN);
      ratios[2][i] = Table.divided(times[2], times[0]).orElse(Double.NaN);
    }
    section.add(table);
    if (!lengths.isEmpty()) {
      section.plot(
          plot,
          Chart.linear(
                  title + ": time over that of the same store's Bloom filter",
                  "key length, bytes",
                  "time, stock Bloom = 1",
                  lengths)
              .add("Lindorm's ribbon (published)", ratios[0])
              .add("ribbon", ratios[1])
              .add("bumped-ribbon", ratios[2])
              .bars());
    }
    page.add(section);
  }

  private void space() {
    Page.Section section =
        new Page.Section(
            "Whole files",
            """
            Bits per key that a filter adds to a store file of 25-byte row keys, every header, index and
            meta byte included (the file's length less that of the same file without a filter), and the
            rate that the open file answers absent keys with.
            """);
    Table table =
        new Table(
            "filter in a file",
            "keys, asked rate",
            "bloom",
            "ribbon",
            "bumped-ribbon",
            "ribbon : bloom",
            "bumped : bloom",
            "bloom's rate",
            "ribbon's rate",
            "bumped's rate");
    for (String n : results.values(Space.NAME, "n")) {
      for (String rate : results.values(Space.NAME, "rate")) {
        OptionalDouble[] bits = new OptionalDouble[3];
        OptionalDouble[] rates = new OptionalDouble[3];
        for (int f = 0; f < 3; f++) {
          Object[] at = {"filter", FAMILY_FILTERS.get(f), "n", n, "rate", rate};
          bits[f] = results.median(Space.NAME, JmhRuns.BITS_PER_KEY, at);
          rates[f] = results.median(Space.NAME, JmhRuns.RATE, at);
        }
        table.row(
            Table.number(Double.parseDouble(n), 0) + ", " + percent(rate),
            Table.number(bits[0], 3),
            Table.number(bits[1], 3),
            Table.number(bits[2], 3),
            Table.ratio(bits[1], bits[0]),
            Table.ratio(bits[2], bits[0]),
            Table.percent(rates[0], 4),
            Table.percent(rates[1], 4),
            Table.percent(rates[2], 4));
      }
    }
    section.add(table);
    page.add(section);
  }

  private static String percent(String rate) {
    double value = Double.parseDouble(rate);
    return Table.percent(OptionalDouble.of(value), value < 0.01 ? 1 : 0);
  }

  private void peers() {
    Page.Section section =
        new Page.Section(
            "Peers in memory",
            """
            Plain filters over the same `byte[]` keys, hashing included, no file and no cache: a million
            keys, half of the asked ones present, 1 % where a rate can be chosen. fastfilter's take longs
            and ours hashes: both have XXH3 in front. `-chunks` are several of ours, of 128 KiB each, a
            key's hash telling which. fastfilter 1.0.2, the release on Maven Central, has no binary fuse
            filter; its older fuse filter, XorFuse8, stands in. The bits of Guava's are by its formula,
            as the class does not tell.
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
    page.add(section);
  }

  private OptionalDouble peer(String benchmark, String filter, String length) {
    return results.median(benchmark, JmhRuns.NS_PER_KEY, "filter", filter, "keyLength", length);
  }

  private OptionalDouble probe(String call, String filter, Object n, String mix, String buffer) {
    return results.median(
        "KernelProbe." + call,
        JmhRuns.NS_PER_KEY,
        "filter",
        filter,
        "n",
        n,
        "mix",
        mix,
        "buffer",
        buffer);
  }

  private void kernels() {
    Page.Section section =
        new Page.Section(
            "Kernels",
            """
            64-bit hashes at 1 %, no keys, no file. *Counted* sums the answers without a branch, *branched*
            goes one way or the other on each answer, as a caller does; *batched* asks for 20 answers at a
            time. Probes are of filters on the heap unless it says otherwise; *split* is HBase's buffer of
            64 KiB pieces.
            """);
    List<String> sizes = results.values("KernelBuild.build", "n");
    Table builds = new Table("kernel build, ns per key", "keys", "ribbon", "bumped-ribbon");
    for (String n : sizes) {
      builds.row(
          Table.number(Double.parseDouble(n), 0),
          Table.number(built("ribbon", n, true), 1),
          Table.number(built("bumped-ribbon", n, true), 1));
    }
    section.add(builds);
    Table shares =
        new Table("shares of a build of 145,000 keys, ns per key", "", "ribbon", "bumped-ribbon");
    if (results.has("KernelGuard.measure")) {
      shares.row("whole", share("ribbon", true), share("bumped-ribbon", true));
      shares.row("without verification", share("ribbon", false), share("bumped-ribbon", false));
      shares.row(
          "the rate guard",
          Table.number(results.median("KernelGuard.measure", JmhRuns.NS_PER_KEY, "n", 145_000), 2),
          "-");
    }
    section.add(shares);
    Table probes =
        new Table(
            "kernel probe, ns",
            "keys, mix",
            "ribbon",
            "bumped-ribbon",
            "ribbon branched",
            "bumped branched",
            "ribbon batched",
            "bumped batched");
    List<String> probed = results.values("KernelProbe.counted", "n");
    for (String n : probed) {
      for (String mix : List.of("positive", "negative", "mixed")) {
        if (probe("counted", "ribbon", n, mix, "heap").isPresent()) {
          List<String> row = new ArrayList<>();
          row.add(Table.number(Double.parseDouble(n), 0) + ", " + mix);
          for (String call : List.of("counted", "branched", "batched")) {
            for (String filter : OURS) {
              row.add(Table.number(probe(call, filter, n, mix, "heap"), 1));
            }
          }
          probes.row(row.toArray(String[]::new));
        }
      }
    }
    section.add(probes);
    Table buffers =
        new Table(
            "counted probe of 145,000 keys by buffer, mixed, ns",
            "buffer",
            "ribbon",
            "bumped-ribbon");
    for (String buffer : results.values("KernelProbe.counted", "buffer")) {
      buffers.row(
          buffer,
          Table.number(probe("counted", "ribbon", 145_000, "mixed", buffer), 1),
          Table.number(probe("counted", "bumped-ribbon", 145_000, "mixed", buffer), 1));
    }
    section.add(buffers);
    Table hashing =
        new Table(
            "hashing alone, ns per key",
            "key length",
            "XXH3",
            "MurmurHash3",
            "HBase Murmur, twice");
    for (String length : results.values("Hashing.hash", "keyLength")) {
      hashing.row(
          length,
          hash("xxh3", length),
          hash("murmur3", length),
          hash("hbase-murmur-twice", length));
    }
    section.add(hashing);
    if (sizes.size() > 1) {
      Chart build = Chart.linear("Building from hashes", "keys", "ns per key", grouped(sizes));
      Chart probe = Chart.linear("Probing, half present", "keys", "ns per probe", grouped(sizes));
      for (String filter : OURS) {
        build.add(
            filter,
            sizes.stream().mapToDouble(n -> built(filter, n, true).orElse(Double.NaN)).toArray());
        for (String call : List.of("counted", "branched", "batched")) {
          probe.add(
              filter + ", " + call,
              sizes.stream()
                  .mapToDouble(n -> probe(call, filter, n, "mixed", "heap").orElse(Double.NaN))
                  .toArray());
        }
      }
      section.plot("kernel-build", build.lines());
      section.plot("kernel-probe", probe.lines());
    }
    page.add(section);
  }

  private OptionalDouble built(String filter, Object n, boolean verified) {
    return results.median(
        "KernelBuild.build", JmhRuns.NS_PER_KEY, "filter", filter, "n", n, "verified", verified);
  }

  private String share(String filter, boolean verified) {
    return Table.number(built(filter, 145_000, verified), 1);
  }

  private String hash(String hash, String length) {
    return Table.number(
        results.median("Hashing.hash", JmhRuns.NS_PER_KEY, "hash", hash, "keyLength", length), 1);
  }

  private void rates() {
    Page.Section section =
        new Page.Section(
            "Rates",
            """
            Measured false-positive rates of chunks as HBase's chunk writers cut them, by the number of keys
            in the file, and bits per key of the chunks, without the meta block. *Low* and *high* leave out
            one chunk in twenty on either side; what sampling alone makes of an exact rate is in the last
            column. All figures: [rates.csv](plots/rates.csv).
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
              percent(rate) + ", " + Table.number(Double.parseDouble(n), 0) + ", " + filter,
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
      List<String> names = grouped(plotted);
      Chart chart =
          Chart.linear(
              "False-positive rate of chunks over the asked " + percent(rate),
              "keys in the file",
              "measured over asked; 5th to 95th percentile",
              names);
      Chart bits =
          Chart.linear(
              "Bits per key of chunks at " + percent(rate),
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
    page.add(section);
  }

  private static List<String> grouped(List<String> sizes) {
    return sizes.stream().map(n -> Table.number(Double.parseDouble(n), 0)).toList();
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

  private void writePath() {
    Page.Section section =
        new Page.Section(
            "HBase's write path",
            """
            Store files written through HBase's own writer to the local disk, 25-byte rows with one value of
            75 bytes: from memory as a flush does, and merged from two files as a compaction does. Nanoseconds
            per row of wall time, and of the writing thread's CPU time; the filters took turns.
            """);
    Table table =
        new Table(
            "write path, ns per row",
            "",
            "bloom",
            "ribbon",
            "bumped-ribbon",
            "ribbon : bloom",
            "bumped : bloom");
    List<String> works = results.values(WritePath.NAME, "work");
    for (String work : works) {
      for (String clock : List.of("wall", "cpu")) {
        OptionalDouble[] times = new OptionalDouble[3];
        for (int f = 0; f < 3; f++) {
          times[f] =
              results.median(
                  WritePath.NAME,
                  clock + "NsPerRow",
                  "filter",
                  FAMILY_FILTERS.get(f),
                  "work",
                  work);
        }
        table.row(
            work + ", " + clock,
            Table.number(times[0], 0),
            Table.number(times[1], 0),
            Table.number(times[2], 0),
            Table.number(Table.divided(times[1], times[0]), 3),
            Table.number(Table.divided(times[2], times[0]), 3));
      }
    }
    section.add(table);
    if (!works.isEmpty()) {
      Chart chart = Chart.linear("Writing store files", "", "ns per row, wall time", works);
      for (String filter : FAMILY_FILTERS) {
        chart.add(
            filter,
            works.stream()
                .mapToDouble(
                    work ->
                        results
                            .median(WritePath.NAME, "wallNsPerRow", "filter", filter, "work", work)
                            .orElse(Double.NaN))
                .toArray());
      }
      section.plot("write-path", chart.bars());
    }
    page.add(section);
  }
}
