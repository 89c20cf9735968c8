package io.winnow.ycsb.model;

import io.winnow.hbase.cli.Arguments;
import io.winnow.hbase.command.Help;
import io.winnow.ycsb.FilterKind;
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
 */
record ModelOptions(
    StoreOptions stores,
    Fleet fleet,
    ReadPattern pattern,
    String patternText,
    double absent,
    Costs costs,
    double readsPerSecond,
    boolean report,
    boolean help) {

  static final String USAGE = Help.of("model");

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
          "store-memory",
          "wish-memory",
          "wish-false-reads");

  /**
   * Reads the command line.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static ModelOptions parse(String... args) {
    Arguments arguments = Arguments.parse(List.of("report", "zipf"), WITH_VALUE, List.of(), args);
    arguments.exclude("zipf", "hot-rows", "hot-reads");
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
