package io.winnow.ycsb.model;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.Table;
import io.winnow.ycsb.TableFilter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code ./winnow model}: prints tables of the computed size of filters and of the cost
 * of reads, from the size of a fleet.
 */
@Command(name = "winnow model")
public final class Model extends Program {
  private static final double GIB = 1 << 30;

  private static final String ASSUMPTIONS =
      """

%s
Assumed: rows, regions and reads are spread evenly. Every Get queries the filters of all files of its store.
Hot rows lie anywhere in the data blocks. The block cache is HBase's LruBlockCache with its
default shares, on heap, long after the start, with nothing else in it. Reads are independent of each other.
Time per row = cost of any row + more if it is present + filters queried + data and index blocks looked up
+ blocks read.
There are no writes, scans or compactions meanwhile.
""";

  private static final String BY_STORE =
      "Each file of a store has its own rate, as by default; --one-rate gives all files the same.";

  private static final String ONE_RATE =
      "All files have one rate: winnow.error.rate.scope = file, which is not the default.";

  /**
   * Names of the options that select the model of stores of several files, as a list of sizes in
   * {@code --files} does too.
   */
  private static final List<String> OF_STORES =
      List.of("growth", "store-memory", "wish-memory", "wish-false-reads");

  /** Names of the options that have no meaning in the model of stores of several files. */
  private static final List<String> NOT_OF_STORES =
      List.of(
          "key-length",
          "row-bytes",
          "one-rate",
          "rewritten",
          "servers",
          "heap",
          "cache-share",
          "cache",
          "hot-rows",
          "hot-reads",
          "reads",
          "row-us",
          "found-us",
          "block-us",
          "read-us",
          "disk-us",
          "on-disk",
          "probe-ns");

  private static final double MAX_KEYS = 1e12;

  @Option(names = "--rows")
  @Range(min = 1, max = 1e15)
  private long rows = 80_000_000_000L;

  @Option(names = "--key-length")
  @Range(min = 1, max = Short.MAX_VALUE)
  private int keyLength = 25;

  @Option(names = "--row-bytes")
  @Range(min = 1, max = 1e9)
  private Double rowBytes;

  /** The number of files in a store, or a list of the number of keys in each file. */
  @Option(names = "--files")
  private String files = "4";

  @Option(names = "--rewritten")
  @Range(min = 0, max = 1)
  private double rewritten;

  @Option(names = "--regions")
  @Range(min = 1, max = 1e8)
  private Integer regions;

  @Option(names = "--servers")
  @Range(min = 1, max = 1e6)
  private int servers = 20;

  @Option(names = "--heap")
  @Range(min = 0.1, max = 1e6)
  private double heap = 32;

  @Option(names = "--cache-share")
  @Range(min = 0.01, max = 0.8)
  private double cacheShare = 0.4;

  @Option(names = "--cache")
  @Range(min = 0.001, max = 1e6)
  private Double cache;

  @Option(names = "--rate")
  @Range(min = 1e-9, max = 0.5)
  private double rate = 0.01;

  @Option(names = "--one-rate")
  private boolean oneRate;

  @Option(names = "--chunk")
  @Range(min = 128, max = 64 << 20)
  private int chunk = 131_072;

  @Option(names = "--absent")
  @Range(min = 0, max = 1)
  private Double absent;

  @Option(names = "--zipf")
  private boolean zipf;

  @Option(names = "--hot-rows")
  @Range(min = 0, max = 1)
  private double hotRows = 0.00003;

  @Option(names = "--hot-reads")
  @Range(min = 0, max = 1)
  private double hotReads = 0.95;

  /** Number of rows that all clients read per second. */
  @Option(names = "--reads")
  @Range(min = 0, max = 1e12)
  private double reads = 100_000;

  // Costs of the parts of a read, as measured: docs/design/cost-model.md.
  @Option(names = "--row-us")
  @Range(min = 0, max = 1e9)
  private double rowMicros = 8;

  @Option(names = "--found-us")
  @Range(min = 0, max = 1e9)
  private double foundMicros = 0;

  @Option(names = "--block-us")
  @Range(min = 0, max = 1e9)
  private double blockMicros = 7;

  @Option(names = "--read-us")
  @Range(min = 0, max = 1e9)
  private double readMicros = 50;

  @Option(names = "--disk-us")
  @Range(min = 0, max = 1e9)
  private double diskMicros = 500;

  @Option(names = "--on-disk")
  @Range(min = 0, max = 1)
  private double onDisk;

  @Option(names = "--probe-ns")
  private String probeNanos;

  @Option(names = "--growth")
  @Range(min = 1, max = 1e6)
  private double growth = 1;

  @Option(names = "--store-memory")
  @Range(min = Stores.MIN_MEMORY, max = Stores.MAX_MEMORY)
  private Double storeMemory;

  @Option(names = "--wish-memory")
  private String wishedMemory;

  @Option(names = "--wish-false-reads")
  @Range(min = 1e-9, max = 1000)
  private Double wishedFalseReads;

  @Option(names = "--report")
  private boolean report;

  /**
   * Stores of several files for which to print the model; {@code null} to print that of a whole
   * fleet.
   */
  private Stores stores;

  private Fleet fleet;
  private ReadPattern pattern;
  private String patternText;
  private Costs costs;

  public static void main(String[] args) {
    QuietEnd.install();
    System.exit(new Model().run(System.out, System.err, args));
  }

  @Override
  protected int work() throws IOException {
    if (report) {
      ModelPage.renew(Path.of(System.getProperty("winnow.home", "")).toAbsolutePath());
    } else {
      out.print(output());
    }
    return DONE;
  }

  /** Returns the text that {@code ./winnow model} prints. */
  String output() {
    return stores == null ? fleetText() : StoreModel.of(stores).text();
  }

  Stores stores() {
    return stores;
  }

  Fleet fleet() {
    return fleet;
  }

  ReadPattern pattern() {
    return pattern;
  }

  Costs costs() {
    return costs;
  }

  // ---- The options together

  @Override
  protected void check() {
    exclude("zipf", "hot-rows", "hot-reads");
    exclude("cache", "heap", "cache-share");
    boolean isList = files.contains(",");
    if (isList || OF_STORES.stream().anyMatch(this::has)) {
      stores = selectedStores(isList);
      return;
    }
    int fileCount = fileCount();
    fleet =
        new Fleet(
            rows,
            keyLength,
            rowBytes != null ? rowBytes : Fleet.rowBytes(keyLength, 5, 20),
            servers,
            regions != null ? regions : 2000,
            fileCount,
            rewritten,
            (cache != null ? cache : heap * cacheShare) * (1 << 30),
            rate,
            chunk,
            -1,
            Fleet.BLOCK_BYTES,
            Fleet.INDEX_BLOCK_BYTES,
            !oneRate);
    double hot = hotRows * rows;
    boolean uniform = hotReads == 0 || hot == 0;
    if (zipf) {
      pattern = ReadPattern.zipf(rows);
      patternText = "rows by YCSB's Zipfian distribution";
    } else if (uniform) {
      pattern = ReadPattern.uniform();
      patternText = "all rows alike";
    } else {
      pattern = ReadPattern.hotSet(hot, hotReads);
      patternText =
          String.format(
              Locale.ROOT, "%s %% of reads for %,.0f hot rows", Table.exact(100 * hotReads), hot);
    }
    absent = absent != null ? absent : 0;
    costs =
        new Costs(rowMicros, foundMicros, blockMicros, readMicros, diskMicros * onDisk, probes());
  }

  private int fileCount() {
    double count = number("files", files, 1, 1000);
    if (count != Math.rint(count)) {
      throw new IllegalArgumentException("--files " + files + " is not a whole number");
    }
    return (int) count;
  }

  private Map<TableFilter, Double> probes() {
    if (probeNanos == null) {
      return Costs.probes(keyLength);
    }
    String[] parts = probeNanos.split(",", -1);
    if (parts.length != TableFilter.values().length) {
      throw new IllegalArgumentException(
          "--probe-ns " + probeNanos + " is not three numbers, of bloom, ribbon and bumped-ribbon");
    }
    Map<TableFilter, Double> nanos = new TreeMap<>();
    for (TableFilter kind : TableFilter.values()) {
      nanos.put(kind, number("probe-ns", parts[kind.ordinal()], 0, 1e9));
    }
    return nanos;
  }

  private Stores selectedStores(boolean isList) {
    for (String name : NOT_OF_STORES) {
      if (has(name)) {
        throw new IllegalArgumentException(
            "--"
                + name
                + " has no meaning for stores of several files, which other options select");
      }
    }
    if (isList && (has("rows") || has("growth"))) {
      throw new IllegalArgumentException(
          "--" + (has("rows") ? "rows" : "growth") + " and a list of --files exclude each other");
    }
    int count = regions != null ? regions : isList ? 1 : 2000;
    List<Long> keys =
        isList
            ? Arrays.stream(files.split(",", -1))
                .map(one -> Math.round(number("files", one, 1, MAX_KEYS)))
                .toList()
            : grown(count);
    return new Stores(
        keys,
        count,
        rate,
        chunk,
        optional(storeMemory),
        1 - (absent != null ? absent : 0.5),
        wishedBytes(keys, count),
        optional(wishedFalseReads));
  }

  private static OptionalDouble optional(Double value) {
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }

  /**
   * Returns the numbers of keys in a store's files, which fall by the factor {@code growth} from
   * each file to the next.
   */
  private List<Long> grown(int count) {
    int fileCount = fileCount();
    double parts = 0;
    for (int file = 0; file < fileCount; file++) {
      parts += Math.pow(growth, -file);
    }
    double largest = rows / (double) count / parts;
    List<Long> keys = new ArrayList<>();
    for (int file = 0; file < fileCount; file++) {
      keys.add(Math.max(1, Math.round(largest * Math.pow(growth, -file))));
    }
    return keys;
  }

  /**
   * Returns the number of bytes that the user wants the filters of one store to take, from bits per
   * key or from bytes of all stores.
   */
  private OptionalDouble wishedBytes(List<Long> keys, int count) {
    if (wishedMemory == null) {
      return OptionalDouble.empty();
    }
    String number = wishedMemory.strip().toLowerCase(Locale.ROOT);
    double unit = 1.0 / count;
    if (number.endsWith("bits")) {
      unit = keys.stream().mapToLong(Long::longValue).sum() / 8.0;
      number = number.substring(0, number.length() - 4);
    } else if (!number.isEmpty() && "kmgt".indexOf(number.charAt(number.length() - 1)) >= 0) {
      unit *= Math.pow(1024, "kmgt".indexOf(number.charAt(number.length() - 1)) + 1);
      number = number.substring(0, number.length() - 1);
    }
    try {
      return OptionalDouble.of(unit * number("wish-memory", number, 1e-3, 1e15));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "--wish-memory " + wishedMemory + " is not like 60g, 500m or 5.5bits (per key)", e);
    }
  }

  // ---- The fleet's tables

  private String fleetText() {
    StringBuilder text = new StringBuilder();
    line(
        text,
        "%,d rows, keys of %d bytes, %,.0f bytes a row: %s of data blocks",
        fleet.rows(),
        fleet.keyLength(),
        fleet.rowBytes(),
        gib(fleet.dataBlocksPerServer() * fleet.servers() * fleet.blockBytes()));
    line(
        text,
        "%,d region servers, %,d regions, %d files in a store, %,.0f keys in a file",
        fleet.servers(),
        fleet.regions(),
        fleet.files(),
        fleet.keysPerFile());
    line(text, "%s of block cache on each server", gib(fleet.cacheBytes()));
    line(
        text,
        "%s, %s %% of the rows that are read are absent, %,.0f rows per second",
        patternText,
        Table.exact(100 * absent),
        reads);
    line(
        text,
        "%s us a row, %s more if it is there, %s a data or index block looked up, %s a block"
            + " read%s",
        Table.exact(costs.rowMicros()),
        Table.exact(costs.foundMicros()),
        Table.exact(costs.blockMicros()),
        Table.exact(costs.readMicros()),
        costs.diskMicros() == 0 ? "" : " and " + Table.exact(costs.diskMicros()) + " for the disk");
    return text.append('\n')
        .append(table().text())
        .append(ASSUMPTIONS.formatted(oneRate ? ONE_RATE : BY_STORE))
        .toString();
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private Table table() {
    Table table =
        new Table(
            "what it saves",
            "",
            "bloom",
            "ribbon",
            "bumped-ribbon",
            "ribbon : bloom",
            "bumped : bloom");
    double[] filterBytes = each(fleet::filterBytes);
    double[] perServer = each(fleet::filterBytesPerServer);
    row(table, "bits per key", 3, each(fleet::bitsPerKey));
    row(table, "false positives, %", 3, each(kind -> 100 * fleet.falsePositiveRate(kind)));
    row(table, "filters of the fleet, GiB", 1, scaled(filterBytes, GIB));
    row(table, "filters of a server, GiB", 3, scaled(perServer, GIB));
    row(table, "share of its cache, %", 1, scaled(perServer, fleet.cacheBytes() / 100));
    row(
        table,
        "cache left to data and indexes, GiB",
        3,
        scaled(
            each(kind -> Math.max(0, fleet.cacheBytes() - fleet.filterBytesPerServer(kind))), GIB));
    ReadModel[] models = new ReadModel[TableFilter.values().length];
    for (TableFilter kind : TableFilter.values()) {
      models[kind.ordinal()] = ReadModel.of(fleet, pattern, absent, kind);
    }
    row(table, "cache hits, all blocks, %", 2, each(kind -> 100 * of(models, kind).hitRatio()));
    row(
        table,
        "cache hits, data blocks, %",
        2,
        each(kind -> 100 * of(models, kind).dataHitRatio()));
    row(
        table,
        "files opened per row",
        4,
        each(kind -> of(models, kind).queried() - of(models, kind).skipped()));
    double[] blocksRead = each(kind -> of(models, kind).blocksRead());
    row(table, "blocks read per row", 4, blocksRead);
    row(table, "blocks read per second, fleet", 0, scaled(blocksRead, 1 / reads));
    double[] micros = each(kind -> of(models, kind).micros(kind, costs));
    row(table, "time per row, us", 2, micros);
    row(table, "throughput over stock Bloom's", 3, each(kind -> micros[0] / of(micros, kind)));
    row(
        table,
        "cache of a server with which stock Bloom reads as little, GiB",
        2,
        scaled(
            each(
                kind ->
                    kind == TableFilter.BLOOM
                        ? fleet.cacheBytes()
                        : equalCache(of(models, kind).blocksRead())),
            GIB));
    return table;
  }

  /**
   * Returns the size of a block cache in bytes with which Bloom filters read only a given number of
   * blocks per row.
   */
  private double equalCache(double blocksRead) {
    double low = fleet.cacheBytes() / 4;
    double high = fleet.cacheBytes() * 4;
    for (int step = 0; step < 30; step++) {
      double middle = (low + high) / 2;
      ReadModel model = ReadModel.of(fleet.withCache(middle), pattern, absent, TableFilter.BLOOM);
      if (model.blocksRead() > blocksRead) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  private static double[] each(Function<TableFilter, Double> value) {
    double[] values = new double[TableFilter.values().length];
    for (TableFilter kind : TableFilter.values()) {
      values[kind.ordinal()] = value.apply(kind);
    }
    return values;
  }

  private static ReadModel of(ReadModel[] reads, TableFilter kind) {
    return reads[kind.ordinal()];
  }

  private static double of(double[] values, TableFilter kind) {
    return values[kind.ordinal()];
  }

  private static double[] scaled(double[] values, double unit) {
    double[] scaled = values.clone();
    for (int i = 0; i < scaled.length; i++) {
      scaled[i] /= unit;
    }
    return scaled;
  }

  private static void row(Table table, String name, int decimals, double[] values) {
    table.row(
        name,
        Table.number(values[0], decimals),
        Table.number(values[1], decimals),
        Table.number(values[2], decimals),
        Table.number(values[1] / values[0], 3),
        Table.number(values[2] / values[0], 3));
  }

  private static String gib(double bytes) {
    return String.format(Locale.ROOT, "%,.1f GiB", bytes / GIB);
  }
}
