package io.winnow.ycsb;

import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Page;
import io.winnow.hbase.report.Progress;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import io.winnow.hbase.report.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;

/** The tables and plots of a run, and {@code docs/ycsb.md}. */
final class YcsbReport {
  private static final String BLOOM = FilterKind.BLOOM.id();
  private static final String BUMPED = FilterKind.BUMPED_RIBBON.id();
  private static final List<String> KINDS =
      Arrays.stream(FilterKind.values()).map(FilterKind::id).toList();
  private static final List<String> OURS =
      List.of(FilterKind.RIBBON.id(), FilterKind.BUMPED_RIBBON.id());

  // Lindorm's figures (see the page's last section).
  private static final double LINDORM_THROUGHPUT = 1.18;
  private static final double LINDORM_LATENCY = 0.85;
  private static final long LINDORM_BLOOM_BYTES = 11_993_088;
  private static final long LINDORM_RIBBON_BYTES = 9_043_968;
  private static final long LINDORM_KEYS = 9_999_833;
  private static final long LINDORM_BLOOM_MAX_KEYS = 10_001_499;
  private static final long LINDORM_RIBBON_MAX_KEYS = 10_005_000;
  private static final int LINDORM_BLOOM_CHUNKS = 92;
  private static final int LINDORM_RIBBON_CHUNKS = 69;

  private static final String WORDS =
      """

      ## How it is measured

      - Rows have five columns of 20 bytes in one family. All keys have exactly the same length, and
        absent keys lie between present ones. Every value that comes back is compared with what must be
        there, and every absent row must be absent. One difference ends the run with exit code 2.
      - HBase's own writer writes the store files, with Snappy and blocks of 64 KiB, and they are loaded
        in bulk. Each of a table's files spans all keys, as files from flushes do.
      - The block cache has the size of which the stock Bloom filters of the *lindorm* tables take 40 %.
        It is the same for all profiles. All tables are in one server and share its cache. So before a
        turn the blocks of all tables are taken out of it, and the table whose turn it is warms the cache
        for itself. The servers' counters are read while the client pauses.
      - The three kinds of filter take turns, in an order that changes from round to round. In a round all
        kinds are asked for the same rows in the same order; the next round asks for other rows.
      - The profiles are YCSB property files, in `ycsb-profiles/profiles/`. In *lindorm*, *half-miss* and
        *read-mostly* 95 % of the reads go to a few hot rows that lie anywhere: as many rows as fill the
        cache together with the stock Bloom filters, one data block each. *hit-only* and *miss-only* ask
        for all rows equally often, *skewed* by YCSB's Zipfian distribution.

      ## Beside Lindorm's test

      Lindorm's authors ("Ribbon filter in Lindorm") loaded a billion rows of about 0.1 kB into a node of
      4 cores and 8 GB with ESSD storage. They read them in batches of 20 with YCSB, with keys of 10, 25,
      50 and 300 bytes, and published the best of the four: throughput up by 18 %, mean latency down by 15
      %. Their curves are pictures without figures, so the table at the top compares the best of ours.

      The same: the client, the batches, the rows' columns and sizes, the key lengths, stored rows of
      about 0.1 kB, filters that take some 40 % of the cache, a rate of 1 %, chunks of 128 KiB, and a
      table many times the size of the cache.

      Not the same:

      - One machine of two cores is client and server at once. Every figure includes the client's own
        work, which makes the server's gain look smaller. The server's CPU time per row, in the table of
        latencies, does not include it.
      - Everything is smaller in proportion, the cache too, so that a run takes minutes.
      - The files are in the operating system's page cache. A block that is not in the block cache costs a
        copy, a checksum and Snappy, but no wait for a disk. With a disk a saved read is worth more.
      - The publication does not say which rows were asked for. That decides most of all what a cache
        gains by a few percent more room. It gains most when a hot set is about as large as the cache
        (*lindorm*), as much when popularity follows YCSB's Zipfian law (*skewed*), and little when all
        rows of a table that is many times the cache are asked for equally often (*hit-only*).
      - HBase's LRU cache keeps a quarter of itself for blocks that were asked for once. The hot set does
        not get that quarter. So the room that filters leave to the hot set grows by more than the
        filters' share of the whole cache.
      """;

  private final Results results;
  private final Results sweep;

  private YcsbReport(Results results, Results sweep) {
    this.results = results;
    this.sweep = sweep;
  }

  /**
   * The sections for which there are figures.
   *
   * @param sweep where those of a sweep are
   * @param stores where those of stores of several files are
   */
  static Page page(Results results, Results sweep, Results stores) {
    YcsbReport report = new YcsbReport(results, sweep);
    Page page = new Page();
    page.add(report.bounds());
    page.add(report.reads());
    page.add(report.cache());
    page.add(report.filters());
    page.add(report.compaction());
    page.add(report.sweep());
    page.add(StoreReport.section(stores));
    return page;
  }

  // ==== the sections

  private Section bounds() {
    List<Bound> bounds = new ArrayList<>();
    List<String> lengths = keyLengths(Profile.LINDORM);
    bounds.add(
        new Bound(
            "Lindorm's profile, best key length: throughput of bumped-ribbon over stock Bloom's",
            false,
            LINDORM_THROUGHPUT,
            best(lengths, "rowsPerSecond", false),
            2));
    for (String length : lengths) {
      bounds.add(
          new Bound(
              "Lindorm's profile, " + length + "-byte keys: throughput over stock Bloom's",
              false,
              1,
              ratio("rowsPerSecond", BUMPED, Profile.LINDORM, length),
              3));
    }
    bounds.add(
        new Bound(
            "Lindorm's profile, best key length: mean latency over stock Bloom's",
            true,
            LINDORM_LATENCY,
            best(lengths, "meanMicros", true),
            2));
    for (String profile : profiles()) {
      for (String length : keyLengths(profile)) {
        bounds.add(
            new Bound(
                profile + ", " + length + "-byte keys: block-cache hit ratio over stock Bloom's",
                false,
                1,
                ratio("hitRatio", BUMPED, profile, length),
                4));
      }
    }
    for (String time : List.of("wall", "cpu")) {
      double[] stock = results.samples(Comparison.COMPACTION, time + "Seconds", "filter", BLOOM);
      bounds.add(
          new Bound(
              "major compaction, "
                  + time
                  + " time over stock Bloom's, the spread of the latter added",
              true,
              1 + (stock.length == 0 ? 0 : spread(stock)),
              Table.divided(
                  results.median(Comparison.COMPACTION, time + "Seconds", "filter", BUMPED),
                  results.median(Comparison.COMPACTION, time + "Seconds", "filter", BLOOM)),
              3));
    }
    for (String length : results.values(Comparison.FILTERS, "keyLength")) {
      bounds.add(
          new Bound(
              "filter bytes in the store files, " + length + "-byte keys, over stock Bloom's",
              true,
              0.71,
              Table.divided(filter("bytes", BUMPED, length), filter("bytes", BLOOM, length)),
              3));
    }
    Section section =
        new Section(
            "Asked and measured",
            "What Winnow set out to reach with bumped-ribbon filters, and what this run says of it.\n");
    return !lengths.isEmpty() ? section.add(Bound.table(bounds)) : section;
  }

  private Section reads() {
    Section section =
        new Section(
            "Throughput and latency",
            """
            Medians over the rounds. The spread is the difference between the fastest and the slowest round,
            over the median. A batch is one operation of the client, and latency is that of a batch.
            """);
    Table table =
        new Table(
            "throughput, rows per second",
            "profile, key length",
            "bloom",
            "ribbon",
            "bumped-ribbon",
            "ribbon : bloom",
            "bumped : bloom",
            "spread of bloom",
            "of bumped");
    Table latency =
        new Table(
            "latency of a batch, microseconds",
            "profile, key length, filter",
            "mean",
            "p50",
            "p95",
            "p99",
            "mean : bloom's",
            "p99 : bloom's",
            "server CPU, µs per row");
    for (String profile : profiles()) {
      for (String length : keyLengths(profile)) {
        table.row(
            profile + ", " + length,
            number("rowsPerSecond", BLOOM, profile, length, 0),
            number("rowsPerSecond", OURS.get(0), profile, length, 0),
            number("rowsPerSecond", BUMPED, profile, length, 0),
            Table.number(ratio("rowsPerSecond", OURS.get(0), profile, length), 3),
            Table.number(ratio("rowsPerSecond", BUMPED, profile, length), 3),
            percent(spread(samples("rowsPerSecond", BLOOM, profile, length))),
            percent(spread(samples("rowsPerSecond", BUMPED, profile, length))));
        for (String filter : KINDS) {
          latency.row(
              profile + ", " + length + ", " + filter,
              number("meanMicros", filter, profile, length, 0),
              number("p50Micros", filter, profile, length, 0),
              number("p95Micros", filter, profile, length, 0),
              number("p99Micros", filter, profile, length, 0),
              Table.number(ratio("meanMicros", filter, profile, length), 3),
              Table.number(ratio("p99Micros", filter, profile, length), 3),
              number("serverCpuMicrosPerRow", filter, profile, length, 1));
        }
      }
    }
    section.add(table).add(latency);
    List<String> lengths = keyLengths(Profile.LINDORM);
    if (!lengths.isEmpty()) {
      section.plot(
          "ycsb-throughput",
          byKeyLength("Batch reads, Lindorm's profile", "rows per second", "rowsPerSecond", 1));
      section.plot(
          "ycsb-latency",
          byKeyLength("Batch reads, Lindorm's profile", "mean latency, ms", "meanMicros", 1e-3));
    }
    if (profiles().size() > 1) {
      section.plot("ycsb-profiles", byProfile());
    }
    return section;
  }

  private Section cache() {
    Section section =
        new Section(
            "Block cache and store files",
            """
            HBase's own counters, over the measured parts of the turns. Per row that was asked for: *read* is
            the number of blocks that were not in the block cache, *asked* how many store files' filters were
            asked, *skipped* how many files a filter ruled out. The false-positive rate counts the questions
            about rows that are not in the file. It is known only where each row is in at most one file.
            """);
    Table table =
        new Table(
            "block cache and store files",
            "profile, key length, filter",
            "hits, all",
            "data blocks",
            "filter blocks",
            "read",
            "asked",
            "skipped",
            "false positives");
    for (String profile : profiles()) {
      for (String length : keyLengths(profile)) {
        for (String filter : KINDS) {
          table.row(
              profile + ", " + length + ", " + filter,
              Table.percent(read("hitRatio", filter, profile, length), 2),
              Table.percent(read("dataHitRatio", filter, profile, length), 2),
              Table.percent(read("filterHitRatio", filter, profile, length), 2),
              number("blocksReadPerRow", filter, profile, length, 3),
              number("filesAskedPerRow", filter, profile, length, 2),
              number("filesSkippedPerRow", filter, profile, length, 2),
              Table.percent(read("falsePositiveRate", filter, profile, length), 2));
        }
      }
    }
    section.add(table);
    if (!keyLengths(Profile.LINDORM).isEmpty()) {
      section.plot(
          "ycsb-hit-ratio",
          byKeyLength("Batch reads, Lindorm's profile", "block-cache hits, %", "hitRatio", 100));
    }
    return section;
  }

  private Section filters() {
    Section section =
        new Section(
            "The filters in the files",
            """
            What the meta blocks of a table's files say, summed up, as in Lindorm's table. False positives are
            measured with keys that are in no file.
            """);
    Table table =
        new Table(
            "filters",
            "",
            "size, bytes",
            "size : bloom's",
            "keys",
            "max keys",
            "filled",
            "chunks",
            "bits per key",
            "false positives",
            "files, MB");
    for (String length : results.values(Comparison.FILTERS, "keyLength")) {
      for (String filter : KINDS) {
        OptionalDouble keys = filter("keys", filter, length);
        OptionalDouble bytes = filter("bytes", filter, length);
        table.row(
            length + "-byte keys, " + filter,
            Table.number(bytes, 0),
            Table.ratio(bytes, filter("bytes", BLOOM, length)),
            Table.number(keys, 0),
            Table.number(filter("maxKeys", filter, length), 0),
            Table.percent(Table.divided(keys, filter("maxKeys", filter, length)), 0),
            Table.number(filter("chunks", filter, length), 0),
            Table.number(bits(bytes, keys), 2),
            Table.percent(filter("falsePositiveRate", filter, length), 2),
            Table.number(megabytes(filter("fileBytes", filter, length)), 0));
      }
    }
    if (!table.isEmpty()) {
      lindorm(table, "bloom", LINDORM_BLOOM_BYTES, LINDORM_BLOOM_MAX_KEYS, LINDORM_BLOOM_CHUNKS);
      lindorm(
          table, "ribbon", LINDORM_RIBBON_BYTES, LINDORM_RIBBON_MAX_KEYS, LINDORM_RIBBON_CHUNKS);
    }
    return section.add(table);
  }

  private static void lindorm(Table table, String filter, long bytes, long maxKeys, int chunks) {
    table.row(
        "Lindorm's " + filter + ", published",
        Table.number(bytes, 0),
        Table.number((double) bytes / LINDORM_BLOOM_BYTES, 2),
        Table.number(LINDORM_KEYS, 0),
        Table.number(maxKeys, 0),
        "100 %",
        Table.number(chunks, 0),
        Table.number(8.0 * bytes / LINDORM_KEYS, 2),
        "-",
        "-");
  }

  private Section compaction() {
    Section section =
        new Section(
            "Major compaction",
            """
            A table's files are merged into one, again and again, the tables in turns. HBase's limit on the
            speed of compactions is off. CPU time is that of the whole server, garbage collection included.
            """);
    Table table =
        new Table(
            "major compaction, seconds",
            "",
            "bloom",
            "ribbon",
            "bumped-ribbon",
            "ribbon : bloom",
            "bumped : bloom",
            "spread of bloom");
    for (String time : List.of("wall", "cpu")) {
      String metric = time + "Seconds";
      OptionalDouble[] seconds = new OptionalDouble[KINDS.size()];
      Arrays.setAll(
          seconds, i -> results.median(Comparison.COMPACTION, metric, "filter", KINDS.get(i)));
      if (seconds[0].isPresent()) {
        table.row(
            time,
            Table.number(seconds[0], 2),
            Table.number(seconds[1], 2),
            Table.number(seconds[2], 2),
            Table.number(Table.divided(seconds[1], seconds[0]), 3),
            Table.number(Table.divided(seconds[2], seconds[0]), 3),
            percent(spread(results.samples(Comparison.COMPACTION, metric, "filter", BLOOM))));
      }
    }
    section.add(table);
    if (!table.isEmpty()) {
      Chart chart = Chart.linear("Major compaction", "", "seconds", List.of("wall", "CPU"));
      for (String filter : KINDS) {
        chart.add(
            filter,
            new double[] {
              results
                  .median(Comparison.COMPACTION, "wallSeconds", "filter", filter)
                  .orElse(Double.NaN),
              results
                  .median(Comparison.COMPACTION, "cpuSeconds", "filter", filter)
                  .orElse(Double.NaN)
            });
      }
      section.plot("ycsb-compaction", chart.bars());
    }
    return section;
  }

  private Section sweep() {
    Section section =
        new Section(
            "Where the gain begins and ends",
            """
            The profile *lindorm* at one key length and with one hot set, for several sizes of the block cache.
            *Share* is how much of the cache stock Bloom filters would take.
            """);
    List<String> caches = sweep.values(Comparison.READS, "cacheBytes");
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
    List<String> names = new ArrayList<>();
    double bloomBytes =
        sweep.median(Comparison.FILTERS, "bytes", "filter", BLOOM).orElse(Double.NaN);
    for (String cache : caches) {
      String share = Table.number(100 * bloomBytes / Double.parseDouble(cache), 0) + " %";
      names.add(share);
      table.row(
          share + ", " + Table.number(Double.parseDouble(cache) / (1 << 20), 1) + " MB",
          Table.number(swept("rowsPerSecond", BLOOM, cache), 0),
          Table.number(swept("rowsPerSecond", BUMPED, cache), 0),
          Table.number(sweptRatio("rowsPerSecond", OURS.get(0), cache), 3),
          Table.number(sweptRatio("rowsPerSecond", BUMPED, cache), 3),
          Table.percent(swept("hitRatio", BLOOM, cache), 2),
          Table.percent(swept("hitRatio", BUMPED, cache), 2),
          Table.number(swept("blocksReadPerRow", BLOOM, cache), 3),
          Table.number(swept("blocksReadPerRow", BUMPED, cache), 3));
    }
    section.add(table);
    if (!caches.isEmpty()) {
      section.plot(
          "ycsb-sweep",
          swept(
              "Over the size of the cache", "rows per second", names, caches, "rowsPerSecond", 1));
      section.plot(
          "ycsb-sweep-hits",
          swept(
              "Over the size of the cache", "block-cache hits, %", names, caches, "hitRatio", 100));
    }
    return section;
  }

  // ==== figures

  private List<String> profiles() {
    return results.values(Comparison.READS, "cacheBytes").isEmpty()
        ? results.values(Comparison.READS, "profile")
        : List.of();
  }

  private List<String> keyLengths(String profile) {
    return results.values(Comparison.READS, "keyLength").stream()
        .filter(length -> read("rowsPerSecond", BLOOM, profile, length).isPresent())
        .filter(length -> profiles().contains(profile))
        .toList();
  }

  private double[] samples(String metric, String filter, String profile, String length) {
    return results.samples(
        Comparison.READS, metric, "filter", filter, "profile", profile, "keyLength", length);
  }

  private OptionalDouble read(String metric, String filter, String profile, String length) {
    double[] samples = samples(metric, filter, profile, length);
    return samples.length == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(Results.median(samples));
  }

  private String number(String metric, String filter, String profile, String length, int decimals) {
    return Table.number(read(metric, filter, profile, length), decimals);
  }

  private OptionalDouble ratio(String metric, String filter, String profile, String length) {
    return Table.divided(
        read(metric, filter, profile, length), read(metric, BLOOM, profile, length));
  }

  private OptionalDouble best(List<String> lengths, String metric, boolean least) {
    var ratios =
        lengths.stream()
            .map(length -> ratio(metric, BUMPED, Profile.LINDORM, length))
            .filter(OptionalDouble::isPresent)
            .mapToDouble(OptionalDouble::getAsDouble);
    return least ? ratios.min() : ratios.max();
  }

  private OptionalDouble filter(String metric, String filter, String length) {
    return results.median(Comparison.FILTERS, metric, "filter", filter, "keyLength", length);
  }

  private static OptionalDouble bits(OptionalDouble bytes, OptionalDouble keys) {
    return bytes.isPresent()
        ? Table.divided(OptionalDouble.of(8 * bytes.getAsDouble()), keys)
        : bytes;
  }

  private static OptionalDouble megabytes(OptionalDouble bytes) {
    return Table.divided(bytes, OptionalDouble.of(1 << 20));
  }

  private OptionalDouble swept(String metric, String filter, String cache) {
    return sweep.median(Comparison.READS, metric, "filter", filter, "cacheBytes", cache);
  }

  private OptionalDouble sweptRatio(String metric, String filter, String cache) {
    return Table.divided(swept(metric, filter, cache), swept(metric, BLOOM, cache));
  }

  static double spread(double[] samples) {
    return (Arrays.stream(samples).max().orElse(0) - Arrays.stream(samples).min().orElse(0))
        / Results.median(samples);
  }

  private static String percent(double share) {
    return Table.percent(OptionalDouble.of(share), 0);
  }

  // ==== plots

  private String byKeyLength(String title, String yLabel, String metric, double unit) {
    List<String> lengths = keyLengths(Profile.LINDORM);
    Chart chart = Chart.linear(title, "key length, bytes", yLabel, lengths);
    for (String filter : KINDS) {
      chart.add(filter, values(lengths, l -> read(metric, filter, Profile.LINDORM, l), unit));
    }
    return chart.bars();
  }

  private String byProfile() {
    List<String> profiles = profiles();
    Chart chart =
        Chart.linear(
            "Throughput over that of stock Bloom, by profile",
            "",
            "rows per second, stock Bloom = 1",
            profiles);
    for (String filter : KINDS) {
      chart.add(
          filter, values(profiles, p -> ratio("rowsPerSecond", filter, p, usualKeyLength()), 1));
    }
    return chart.bars();
  }

  /** The key length that most profiles have. */
  private String usualKeyLength() {
    List<String> profiles = profiles();
    return keyLengths(profiles.get(profiles.size() - 1)).get(0);
  }

  private String swept(
      String title,
      String yLabel,
      List<String> names,
      List<String> caches,
      String metric,
      double unit) {
    Chart chart =
        Chart.linear(title, "stock Bloom filters' share of the block cache", yLabel, names);
    for (String filter : KINDS) {
      chart.add(filter, values(caches, cache -> swept(metric, filter, cache), unit));
    }
    return chart.lines();
  }

  private static double[] values(
      List<String> categories, Function<String, OptionalDouble> value, double unit) {
    return categories.stream()
        .mapToDouble(category -> unit * value.apply(category).orElse(Double.NaN))
        .toArray();
  }

  /** Results, and the name of their file; the name is empty if there is none. */
  record Source(Results results, String file) {}

  /** The page, from a default run, and from a sweep and a run of {@code --stores} if there are. */
  static String markdown(Source run, Source sweep, Source stores) {
    return """
        # YCSB: what a smaller filter does for reads

        <!-- Made by `./winnow ycsb --report` from the results named below. Do not edit. -->

        A real HBase has three tables with the same rows: one with HBase's own Bloom filters, one with
        Winnow's ribbon filters, one with bumped-ribbon filters. YCSB reads the same rows from each, in
        turns.

        %s%s
        `./winnow ycsb` makes such a run on your machine, `./winnow ycsb --sweep` a sweep over the size of
        the block cache, `./winnow ycsb --stores` a run on stores of several files, and `./winnow ycsb
        --report` this page.
        """
            .formatted(
                Page.facts(run.results().setting(), "ycsb-profiles/results/" + run.file()),
                facts("sweep", sweep) + facts("stores", stores))
        + page(run.results(), sweep.results(), stores.results()).markdown()
        + WORDS;
  }

  private static String facts(String what, Source source) {
    Results.Setting setting = source.results().setting();
    return source.file().isEmpty()
        ? ""
        : "| %s | `%s` (%s minutes), commit `%s`: `ycsb-profiles/results/%s` |\n"
            .formatted(
                what,
                setting.command(),
                Progress.clock(setting.seconds()),
                setting.commit(),
                source.file());
  }
}
