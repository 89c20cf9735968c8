package io.winnow.ycsb.model;

import io.winnow.hbase.cli.Arguments;
import io.winnow.ycsb.FilterKind;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the user asked for.
 *
 * @param stores of several files, or {@code null} if these are not asked for; nothing else of the
 *     fleet counts then
 * @param readsPerSecond rows that all clients ask for
 * @param run results of {@code ./winnow ycsb} to compare with, or {@code null}
 * @param measured results of {@code --measure}, or {@code null}
 */
record ModelOptions(
    StoreOptions stores,
    Fleet fleet,
    ReadPattern pattern,
    String patternText,
    double absent,
    Costs costs,
    double readsPerSecond,
    Path run,
    Path measured,
    boolean measure,
    boolean report,
    boolean help) {

  static final String USAGE =
      """
      usage: ./winnow model [OPTION...]

      Computes what a fleet saves with ribbon and bumped-ribbon filters in place of HBase's Bloom
      filters: filter bytes, block cache, reads. docs/cost-model.md has the formulas.

      The table:
        --rows N             of the table, on all servers (default: 80e9)
        --key-length N       of row keys, in bytes (default: 25)
        --row-bytes N        of a row in a data block, all its cells with their keys
                             (default: of five columns of 20 bytes, 365 with keys of 25)
        --files N            store files of a region (default: 4)
        --rewritten P        chance of a row in a file to be in each later one too (default: 0)
        --regions N          in all (default: 2000)

      The servers:
        --servers N          region servers (default: 20)
        --heap GIB           of each (default: 32)
        --cache-share P      of the heap that is block cache, hfile.block.cache.size (default: 0.4)
        --cache GIB          block cache of each server, in place of the two

      The filters:
        --rate P             false-positive rate, io.storefile.bloom.error.rate (default: 0.01)
        --chunk BYTES        of a full filter chunk, io.storefile.bloom.block.size (default: 131072)

      What is read, by batches or one by one:
        --absent P           share of rows asked for that are not there (default: 0)
        --hot-rows P         share of the rows that are hot, and lie anywhere (default: 0.00003)
        --hot-reads P        share of reads that ask for them (default: 0.95); 0: all rows equally often
        --zipf               in place of the two: YCSB's Zipfian distribution
        --reads N            rows asked for per second, of all servers (default: 100000)

      What it costs; the defaults were measured on one machine (docs/cost-model.md):
        --row-us T           a row that is asked for, whatever comes of it, microseconds
                             (default: %s)
        --found-us T         on top, a row that is there (default: %s)
        --block-us T         a data or index block that is looked up (default: %s)
        --read-us T          on top, a block read from the page cache (default: %s)
        --disk-us T          on top, a block that has to come from a disk (default: 500)
        --on-disk P          share of blocks read that have to (default: 0)
        --probe-ns B,R,U     a question to a Bloom, a ribbon, a bumped-ribbon filter
                             (default: by the key's length)

      Stores of several files, oldest first: what a Get pays with one rate for all files and with a
      rate by each file's share. Of the above, --rows, --regions, --rate, --chunk and --absent count:
        --files N,N,...      the keys of each file, of one store or of --regions alike
        --files N --growth G so many files, each G times as large as the next one
        --store-error-rate E winnow.store.error.rate (default: as HBase's rate, with two guards)
        --present-share P    winnow.store.present.share, and the share of Gets that find their row
                             (default: not set; of the Gets 0.5, or what --absent leaves)
        --wish-memory SIZE   says what E to set for filters of all stores of 60g, 500m, or of 5.5bits
                             per key
        --wish-false-reads X says what E to set for at most X files read in vain per Get

      With what was measured:
        --measure            measures what the parts of a read cost, on two servers of its own, in
                             about 8 minutes; the results go to ycsb-profiles/results/
        --costs FILE         what --measure measured: FILE is its JSON. Alone, shows it
        --run FILE           compares with what ./winnow ycsb measured: FILE is its JSON. The run's
                             tables, caches and profiles take the place of the options. Without
                             --costs the costs are fitted to the run's Bloom tables

        --report             writes the outputs in docs/cost-model.md anew
        --help               this text

      Numbers may be written like 80e9. Exit codes: 0 all is well, 1 it failed, 64 wrong options."""
          .formatted(
              Arguments.plain(Model.ROW_MICROS),
              Arguments.plain(Model.FOUND_MICROS),
              Arguments.plain(Model.BLOCK_MICROS),
              Arguments.plain(Model.READ_MICROS));

  private static final List<String> WITH_VALUE =
      List.of(
          "rows",
          "key-length",
          "row-bytes",
          "files",
          "rewritten",
          "regions",
          "servers",
          "heap",
          "cache-share",
          "cache",
          "rate",
          "chunk",
          "absent",
          "hot-rows",
          "hot-reads",
          "reads",
          "row-us",
          "found-us",
          "block-us",
          "read-us",
          "disk-us",
          "on-disk",
          "probe-ns",
          "growth",
          "store-error-rate",
          "present-share",
          "wish-memory",
          "wish-false-reads",
          "costs",
          "run");

  /**
   * Reads the command line.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static ModelOptions parse(String... args) {
    Arguments arguments =
        Arguments.parse(List.of("report", "measure", "zipf"), WITH_VALUE, List.of(), args);
    arguments.exclude("zipf", "hot-rows", "hot-reads");
    arguments.exclude("measure", "run", "costs", "report");
    arguments.exclude("cache", "heap", "cache-share");
    StoreOptions stores =
        StoreOptions.areAsked(arguments) ? StoreOptions.of(arguments, WITH_VALUE) : null;
    int keyLength = (int) arguments.whole("key-length", 25, 1, Short.MAX_VALUE);
    double cacheGib =
        arguments.has("cache")
            ? arguments.number("cache", 0, 0.001, 1e6)
            : arguments.number("heap", 32, 0.1, 1e6)
                * arguments.number("cache-share", 0.4, 0.01, 0.8);
    Fleet fleet =
        new Fleet(
            arguments.whole("rows", 80e9, 1, 1e15),
            keyLength,
            arguments.number("row-bytes", Fleet.rowBytes(keyLength, 5, 20), 1, 1e9),
            (int) arguments.whole("servers", 20, 1, 1e6),
            (int) arguments.whole("regions", 2000, 1, 1e8),
            stores == null ? (int) arguments.whole("files", 4, 1, 1000) : stores.keys().size(),
            arguments.number("rewritten", 0, 0, 1),
            cacheGib * (1 << 30),
            arguments.number("rate", 0.01, 1e-9, 0.5),
            (int) arguments.whole("chunk", 131_072, 128, 64 << 20),
            -1);
    double hotRows = arguments.number("hot-rows", 0.00003, 0, 1) * fleet.rows();
    double hotReads = arguments.number("hot-reads", 0.95, 0, 1);
    boolean uniform = hotReads == 0 || hotRows == 0;
    ReadPattern pattern =
        arguments.has("zipf")
            ? ReadPattern.zipf(fleet.rows())
            : uniform ? ReadPattern.uniform() : ReadPattern.hotSet(hotRows, hotReads);
    String patternText =
        arguments.has("zipf")
            ? "rows by YCSB's Zipfian distribution"
            : uniform
                ? "all rows alike"
                : String.format(
                    Locale.ROOT,
                    "%s %% of reads for %,.0f hot rows",
                    Arguments.plain(100 * hotReads),
                    hotRows);
    return new ModelOptions(
        stores,
        fleet,
        pattern,
        patternText,
        arguments.number("absent", 0, 0, 1),
        new Costs(
            arguments.number("row-us", Model.ROW_MICROS, 0, 1e9),
            arguments.number("found-us", Model.FOUND_MICROS, 0, 1e9),
            arguments.number("block-us", Model.BLOCK_MICROS, 0, 1e9),
            arguments.number("read-us", Model.READ_MICROS, 0, 1e9),
            arguments.number("disk-us", 500, 0, 1e9) * arguments.number("on-disk", 0, 0, 1),
            probes(arguments.text("probe-ns"), keyLength)),
        arguments.number("reads", 100_000, 0, 1e12),
        arguments.has("run") ? Path.of(arguments.text("run")) : null,
        arguments.has("costs") ? Path.of(arguments.text("costs")) : null,
        arguments.has("measure"),
        arguments.has("report"),
        arguments.has("help"));
  }

  private static Map<FilterKind, Double> probes(String text, int keyLength) {
    if (text == null) {
      return Costs.probes(keyLength);
    }
    String[] parts = text.split(",", -1);
    if (parts.length != FilterKind.values().length) {
      throw new IllegalArgumentException(
          "--probe-ns " + text + " is not three numbers, of bloom, ribbon and bumped-ribbon");
    }
    Map<FilterKind, Double> nanos = new TreeMap<>();
    Arrays.stream(FilterKind.values())
        .forEach(
            kind -> nanos.put(kind, Arguments.number("probe-ns", parts[kind.ordinal()], 0, 1e9)));
    return nanos;
  }
}
