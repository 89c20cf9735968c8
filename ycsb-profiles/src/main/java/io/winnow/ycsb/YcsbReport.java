package io.winnow.ycsb;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Page;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The tables and plots of a run, and {@code docs/ycsb.md}. */
final class YcsbReport {
  private static final String BLOOM = FilterKind.BLOOM.id();
  private static final String BUMPED = FilterKind.BUMPED_RIBBON.id();

  // The best of four lengths of keys in Lindorm's publication (see the page's last section).
  private static final double LINDORM_THROUGHPUT = 1.18;
  private static final double LINDORM_LATENCY = 0.85;

  private static final String WORDS =
      """

      ## How it is measured

      - Rows have five columns of 20 bytes in one family. All keys have exactly the same length, and
        absent keys lie between present ones. Every value that comes back is compared with what must be
        there, and every absent row must be absent. One difference ends the run with exit code 2.
      - HBase's own writer writes the store files, with Snappy, and they are loaded in bulk. Each of a
        table's files spans all keys, as files from flushes do. Data blocks have whole rows of about
        8 KiB, and index blocks 4 KiB (`BLOCKSIZE`, `hfile.index.block.max.size`). HBase's defaults are
        64 KiB and 128 KiB. With those, a cache of which filters take 40 % would hold a thousand hot rows
        only of tables of 40 million rows each, too much for half an hour. A small block costs less to
        read than a large one: a hit saves less here than it does with the defaults.
      - The block cache has the size of which the stock Bloom filters take 40 %. All tables are in one
        server and share its cache. So before a turn the blocks of all tables are taken out of it, and the
        table whose turn it is warms the cache for itself, till throughput rises no more. The servers'
        counters are read while the client pauses, when they stand still.
      - The three kinds of filter take turns. Three tables have six orders, and the number of rounds is a
        multiple of six: each kind is equally often first, second and third, and equally often after each
        other. In a round all kinds are asked for the same rows in the same order. The next round draws
        other hot rows, and with YCSB's Zipfian law other popular rows. A ratio compares two tables in one
        round; its interval comes from the ratios of all rounds (sign test).
      - The profiles are YCSB property files, in `ycsb-profiles/profiles/`. In *lindorm*, *half-miss* and
        *read-mostly* 95 % of the reads go to a few hot rows that lie anywhere: as many rows as fill the
        cache together with the stock Bloom filters, with a data block and an index block each. *uniform*
        and *miss-only* ask for all rows equally often, *skewed* by YCSB's Zipfian distribution.
      - With a BucketCache, data blocks have as many bytes off the heap as they have in the LRU cache beside
        stock Bloom filters, and the first level has room for all filters and index blocks. Smaller
        filters then save heap, and leave data blocks no more room.

      ## Beside Lindorm's test

      Lindorm's authors ("Ribbon filter in Lindorm") loaded a billion rows of about 0.1 kB into a node of
      4 cores and 8 GB with ESSD storage. They read them in batches of 20 with YCSB, with keys of 10, 25,
      50 and 300 bytes, and published the best of the four: throughput up by 18 %, mean latency down by 15
      %. Their curves are pictures without figures. The table at the top asks as much of each length.

      The same: the client, the batches, the rows' columns and sizes, the key lengths, stored rows of
      about 0.1 kB, filters that take some 40 % of the cache, a rate of 1 %, chunks of 128 KiB, and a
      table many times the size of the cache. Their blocks' size is not published.

      Not the same:

      - One machine of two cores is client and server at once. Every figure includes the client's own
        work, which makes the server's gain look smaller. The server's CPU time per row, in the table of
        latencies, does not include it.
      - Everything is smaller in proportion, the cache too, so that a run takes minutes.
      - The files are in the operating system's page cache. A block that is not in the block cache costs a
        copy, a checksum and Snappy, but no wait for a disk. With a disk a saved read is worth more.
      - The publication does not say which rows were asked for. That decides most of all what a cache
        gains by a few percent more room. "What is gained, and where" has several answers.
      - HBase's LRU cache keeps a quarter of itself for blocks that were asked for once. The hot set does
        not get that quarter. So the room that filters leave to the hot set grows by more than the
        filters' share of the whole cache.
      """;

  /** Results, and the name of their file; the name is empty if there is none. */
  record Source(Results results, String file) {

    /** Says so if these results are of an older kind, which the page cannot be made of. */
    Source readable(String command) throws IOException {
      for (String reads :
          List.of(Comparison.READS, Comparison.BUCKET_READS, StoreComparison.READS)) {
        if (!new Reads(results, reads).areReadable()) {
          throw new IOException(
              "%s is of an older kind of run, whose turns may have counted wrongly: make a new run: %s"
                  .formatted(file, command));
        }
      }
      return this;
    }
  }

  private YcsbReport() {}

  /** The sections for which one run has figures, for a terminal. */
  static Page page(Results run) {
    Source source = new Source(run, "");
    return page(source, source, source);
  }

  /**
   * The sections for which there are figures.
   *
   * @param sweep where those of a sweep are
   * @param stores where those of stores of several files are
   */
  static Page page(Source run, Source sweep, Source stores) {
    ReadsSections reads = new ReadsSections(run.results());
    Page page = new Page();
    page.add(bounds(run.results()));
    page.add(GainSection.section(run.results(), stores.results()));
    page.add(reads.reads());
    page.add(reads.cache());
    page.add(TurnsSection.section(turns(run.results())));
    page.add(FilterSection.section(run.results()));
    page.add(CompactionSection.section(run.results()));
    page.add(SweepSection.section(sweep.results()));
    page.add(StoreReport.section(stores.results()));
    return page;
  }

  private static List<Reads> turns(Results run) {
    return List.of(new Reads(run, Comparison.READS), new Reads(run, Comparison.BUCKET_READS));
  }

  private static Section bounds(Results results) {
    Section section =
        new Section(
            "Asked and measured",
            """
            What was asked of bumped-ribbon filters, and what this run says of it. A ratio is the median of the
            rounds' ratios with its 95 % interval. It counts as reached with all of the interval only. Fewer
            than six rounds carry no claim.
            """);
    List<Bound> bounds = new ArrayList<>();
    for (Reads.Situation one : new Reads(results, Comparison.READS).of(Profile.LINDORM)) {
      if (!one.carriesClaims(BLOOM)) {
        continue;
      }
      String what = "Lindorm's profile, " + one.keyLength() + "-byte keys: ";
      String over = " over stock Bloom's";
      bounds.add(
          Bound.atLeast(what + "throughput" + over, 1, one.ratio(Reads.THROUGHPUT, BUMPED, BLOOM)));
      bounds.add(
          Bound.atLeast(
              what + "throughput" + over + ", as Lindorm published",
              LINDORM_THROUGHPUT,
              one.ratio(Reads.THROUGHPUT, BUMPED, BLOOM)));
      bounds.add(
          Bound.atMost(
              what + "mean latency" + over + ", as Lindorm published",
              LINDORM_LATENCY,
              one.ratio("meanMicros", BUMPED, BLOOM)));
      bounds.add(
          Bound.atLeast(
              what + "block-cache hit ratio" + over, 1, one.ratio("hitRatio", BUMPED, BLOOM)));
    }
    bounds.addAll(CompactionSection.bounds(results));
    bounds.addAll(FilterSection.bounds(results));
    return bounds.isEmpty() || !results.values(Comparison.READS, "cacheBytes").isEmpty()
        ? section
        : section
            .add(Bound.table(bounds))
            .measuredBy(results, Comparison.READS, Comparison.COMPACTION, Comparison.FILTERS);
  }

  /**
   * What README shows of a run: reads with Lindorm's profile, as lines of text without a title;
   * empty if the run has none.
   */
  static String readme(Results run) {
    Table table =
        new Table(
            "", "key length", "bloom, rows/s", "bumped-ribbon, rows/s", "bumped-ribbon/bloom");
    for (Reads.Situation one : new Reads(run, Comparison.READS).of(Profile.LINDORM)) {
      table.row(
          one.keyLength() + " bytes",
          one.number(Reads.THROUGHPUT, BLOOM, 0),
          one.number(Reads.THROUGHPUT, BUMPED, 0),
          one.ratio(Reads.THROUGHPUT, BUMPED, BLOOM).text());
    }
    // The title's line is empty, and those of a table are indented.
    return table.isEmpty()
        ? ""
        : table.text().lines().skip(1).collect(Collectors.joining("\n")).indent(-2);
  }

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
                other("sweep", sweep) + other("stores", stores))
        + page(run, sweep, stores).markdown()
        + WORDS;
  }

  /** A line of the facts, of another run that the page is made of. */
  private static String other(String what, Source source) {
    return source.file().isEmpty()
        ? ""
        : "| %s | `ycsb-profiles/results/%s` |\n".formatted(what, source.file());
  }
}
