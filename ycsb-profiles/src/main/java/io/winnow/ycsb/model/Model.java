package io.winnow.ycsb.model;

import io.winnow.hbase.cli.Arguments;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.ycsb.FilterKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Function;

/** What {@code ./winnow model} runs: the tables of the cost model. */
public final class Model {
  // What the parts of a read cost where they were measured: docs/cost-model.md.
  static final double ROW_MICROS = 8;
  static final double FOUND_MICROS = 0;
  static final double BLOCK_MICROS = 7;
  static final double READ_MICROS = 50;

  private static final int EXIT_FAILED = 1;
  private static final int EXIT_USAGE = 64;
  private static final double GIB = 1 << 30;

  private static final String ASSUMPTIONS =
      """

Assumed: rows, regions and reads are spread evenly. Every Get asks the filters of all files of its store.
Hot rows lie anywhere in the data blocks. The block cache is HBase's LruBlockCache with its
default shares, on heap, long after the start, with nothing else in it. Reads are independent of each other.
Time per row = what a row costs anyway + more if it is there + filters asked + data and index blocks looked up
+ blocks read.
There are no writes, scans or compactions meanwhile.
""";

  private Model() {}

  public static void main(String[] args) {
    QuietEnd.install();
    System.exit(run(args));
  }

  /** What the command returns to the shell. */
  static int run(String... args) {
    ModelOptions options;
    try {
      options = ModelOptions.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println("winnow model: " + e.getMessage() + "\n" + ModelOptions.USAGE);
      return EXIT_USAGE;
    }
    if (options.help()) {
      System.out.println(ModelOptions.USAGE);
      return 0;
    }
    try {
      Path home = Path.of(System.getProperty("winnow.home", "")).toAbsolutePath();
      if (options.report()) {
        ModelPage.renew(home);
      } else {
        System.out.print(output(options));
      }
      return 0;
    } catch (IOException | IllegalArgumentException e) {
      System.err.println("winnow model: " + UserFiles.sentence(e));
      return EXIT_FAILED;
    }
  }

  /** What the command prints. */
  static String output(ModelOptions options) {
    return options.stores() == null ? fleet(options) : StoreModel.of(options.stores()).text();
  }

  private static String fleet(ModelOptions options) {
    Fleet fleet = options.fleet();
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
        "%s, %s %% of what is asked for is absent, %,.0f rows per second",
        options.patternText(),
        Arguments.plain(100 * options.absent()),
        options.readsPerSecond());
    Costs costs = options.costs();
    line(
        text,
        "%s us a row, %s more if it is there, %s a data or index block looked up, %s a block"
            + " read%s",
        Arguments.plain(costs.rowMicros()),
        Arguments.plain(costs.foundMicros()),
        Arguments.plain(costs.blockMicros()),
        Arguments.plain(costs.readMicros()),
        costs.diskMicros() == 0
            ? ""
            : " and " + Arguments.plain(costs.diskMicros()) + " for the disk");
    return text.append('\n').append(table(options).text()).append(ASSUMPTIONS).toString();
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static Table table(ModelOptions options) {
    Fleet fleet = options.fleet();
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
    ReadModel[] reads = new ReadModel[FilterKind.values().length];
    for (FilterKind kind : FilterKind.values()) {
      reads[kind.ordinal()] = ReadModel.of(fleet, options.pattern(), options.absent(), kind);
    }
    row(table, "cache hits, all blocks, %", 2, each(kind -> 100 * of(reads, kind).hitRatio()));
    row(table, "cache hits, data blocks, %", 2, each(kind -> 100 * of(reads, kind).dataHitRatio()));
    row(
        table,
        "files opened per row",
        4,
        each(kind -> of(reads, kind).asked() - of(reads, kind).skipped()));
    double[] blocksRead = each(kind -> of(reads, kind).blocksRead());
    row(table, "blocks read per row", 4, blocksRead);
    row(
        table,
        "blocks read per second, fleet",
        0,
        scaled(blocksRead, 1 / options.readsPerSecond()));
    double[] micros = each(kind -> of(reads, kind).micros(kind, options.costs()));
    row(table, "time per row, us", 2, micros);
    row(table, "throughput over stock Bloom's", 3, each(kind -> micros[0] / of(micros, kind)));
    row(
        table,
        "cache of a server with which stock Bloom reads as little, GiB",
        2,
        scaled(
            each(
                kind ->
                    kind == FilterKind.BLOOM
                        ? fleet.cacheBytes()
                        : equalCache(options, of(reads, kind).blocksRead())),
            GIB));
    return table;
  }

  /** The cache with which Bloom filters read only {@code blocksRead} blocks per row. */
  private static double equalCache(ModelOptions options, double blocksRead) {
    Fleet fleet = options.fleet();
    double low = fleet.cacheBytes() / 4;
    double high = fleet.cacheBytes() * 4;
    for (int step = 0; step < 30; step++) {
      double middle = (low + high) / 2;
      ReadModel reads =
          ReadModel.of(
              fleet.withCache(middle), options.pattern(), options.absent(), FilterKind.BLOOM);
      if (reads.blocksRead() > blocksRead) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  private static double[] each(Function<FilterKind, Double> value) {
    double[] values = new double[FilterKind.values().length];
    for (FilterKind kind : FilterKind.values()) {
      values[kind.ordinal()] = value.apply(kind);
    }
    return values;
  }

  private static ReadModel of(ReadModel[] reads, FilterKind kind) {
    return reads[kind.ordinal()];
  }

  private static double of(double[] values, FilterKind kind) {
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
