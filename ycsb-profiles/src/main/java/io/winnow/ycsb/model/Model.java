package io.winnow.ycsb.model;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.Table;
import io.winnow.ycsb.TableFilter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code ./winnow model}: prints tables of the computed size of filters and of the cost
 * of reads, from the size of a fleet.
 */
@Command(name = "winnow model")
public final class Model extends Program {
  static final double GIB = 1 << 30;

  /** Minimum value of {@code winnow.store.memory}; {@code MAX_MEMORY} is its maximum. */
  static final double MIN_MEMORY = 0.1;

  static final double MAX_MEMORY = 1.25;

  private static final double MAX_KEYS = 1e12;

  private static final String ASSUMPTIONS =
      """

%s
Assumed: rows, regions and reads are spread evenly. Every Get queries the filters of all files of its store.
Hot rows lie anywhere in the data blocks. The block cache is HBase's LruBlockCache with its
default shares, on heap, long after the start, with nothing else in it. Reads are independent of each other.
Time per row = cost of any row + more if it is present + filters queried + data and index blocks looked up
+ blocks read.
Blocks are read more seldom because fewer files are opened, and because smaller filters leave cache to data.
There are no writes, scans or compactions meanwhile.
""";

  private static final String BY_STORE =
      "Each file of a store has its own rate, as by default; --one-rate gives all files the same.";

  private static final String ONE_RATE =
      "All files have one rate: winnow.error.rate.scope = file, which is not the default.";

  /** An example on a page: the command, and its output. */
  private static final Pattern EXAMPLE =
      Pattern.compile("(```\n\\$ \\./winnow model ?([^\n]*)\n).*?```\n", Pattern.DOTALL);

  /**
   * Names of the options that select the model of stores of several files, as a list of sizes in
   * {@code --files} does too.
   */
  private static final String[] OF_STORES = {
    "growth", "store-memory", "wish-memory", "wish-false-reads"
  };

  /** Names of the options that have no meaning in the model of stores of several files. */
  private static final String[] NOT_OF_STORES = {
    "key-length", "row-bytes", "one-rate", "rewritten", "servers", "heap",
    "cache-share", "cache", "hot-rows", "hot-reads", "reads", "row-us",
    "found-us", "block-us", "read-us", "disk-us", "on-disk", "probe-ns"
  };

  @Option(names = "--rows")
  @Range(min = 1, max = 1e15)
  long rows = 80_000_000_000L;

  @Option(names = "--key-length")
  @Range(min = 1, max = Short.MAX_VALUE)
  int keyLength = 25;

  @Option(names = "--row-bytes")
  @Range(min = 1, max = 1e9)
  Double rowBytes;

  /** The number of files in a store, or a list of the number of keys in each file. */
  @Option(names = "--files")
  private String files = "4";

  /** Chance that a row of one file is also in each later file. */
  @Option(names = "--rewritten")
  @Range(min = 0, max = 1)
  double rewritten;

  @Option(names = "--regions")
  @Range(min = 1, max = 1e8)
  Integer regions;

  @Option(names = "--servers")
  @Range(min = 1, max = 1e6)
  int servers = 20;

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
  double rate = 0.01;

  @Option(names = "--one-rate")
  boolean oneRate;

  @Option(names = "--chunk")
  @Range(min = 128, max = 64 << 20)
  int chunk = 131_072;

  @Option(names = "--absent")
  @Range(min = 0, max = 1)
  Double absent;

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

  /** The client, its share of the RPC, and the scanners. */
  @Option(names = "--row-us")
  @Range(min = 0, max = 1e9)
  double rowMicros = 8;

  /** A present row's cells on their way to the client. */
  @Option(names = "--found-us")
  @Range(min = 0, max = 1e9)
  double foundMicros = 0;

  /** A block that is looked up, in the cache or not: the look-up, and the search in the block. */
  @Option(names = "--block-us")
  @Range(min = 0, max = 1e9)
  double blockMicros = 7;

  /**
   * A block that is not in the block cache: to copy it from the page cache, verify its checksums,
   * unpack it, and evict another.
   */
  @Option(names = "--read-us")
  @Range(min = 0, max = 1e9)
  double readMicros = 50;

  @Option(names = "--disk-us")
  @Range(min = 0, max = 1e9)
  double diskMicros = 500;

  @Option(names = "--on-disk")
  @Range(min = 0, max = 1)
  double onDisk;

  @Option(names = "--probe-ns")
  private String probeNanos;

  @Option(names = "--growth")
  @Range(min = 1, max = 1e6)
  private double growth = 1;

  @Option(names = "--store-memory")
  @Range(min = MIN_MEMORY, max = MAX_MEMORY)
  Double storeMemory;

  @Option(names = "--wish-memory")
  private String wishedMemory;

  @Option(names = "--wish-false-reads")
  @Range(min = 1e-9, max = 1000)
  Double wishedFalseReads;

  @Option(names = "--report")
  private boolean report;

  /** Number of files in a store of a fleet. */
  int fileCount;

  ReadPattern pattern;

  /** Nanoseconds for a probe of a filter whose chunk is in the cache, for each kind of filter. */
  double[] probes;

  /**
   * Numbers of keys of a store's files, oldest first, for which to print the model of one store;
   * null to print that of a whole fleet.
   */
  List<Long> keys;

  /** Target for the bytes of a store's filters; null if the user has none. */
  Double wishedBytes;

  public static void main(String[] args) {
    main(Model::new, args);
  }

  @Override
  protected int work() throws IOException {
    if (report) {
      Path page = Path.of(System.getProperty("winnow.home", ""), "docs", "cost-model.md");
      Files.writeString(page, renewed(Files.readString(page)));
    } else {
      out.print(output());
    }
    return DONE;
  }

  /**
   * Returns a page of Markdown in which each example of the command has its present output: {@code
   * docs/cost-model.md}.
   */
  static String renewed(String page) {
    return EXAMPLE
        .matcher(page)
        .replaceAll(
            example -> {
              String[] args =
                  Pattern.compile(" ")
                      .splitAsStream(example.group(2))
                      .filter(word -> !word.isEmpty())
                      .toArray(String[]::new);
              String output = Program.read(new Model(), args).output();
              return Matcher.quoteReplacement(example.group(1) + output + "```\n");
            });
  }

  /** Returns the text that {@code ./winnow model} prints. */
  String output() {
    return keys == null ? fleetText() : new StoreModel(this).text();
  }

  static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }

  // ==== the options together

  @Override
  protected void check() {
    exclude("zipf", "hot-rows", "hot-reads");
    exclude("cache", "heap", "cache-share");
    boolean isList = files.contains(",");
    boolean isOfStores = isList || Stream.of(OF_STORES).anyMatch(this::has);
    regions = regions != null ? regions : isList ? 1 : 2000;
    absent = absent != null ? absent : isOfStores ? 0.5 : 0;
    if (isOfStores) {
      checkStores(isList);
      return;
    }
    fileCount = fileCount();
    rowBytes = rowBytes != null ? rowBytes : Fleet.rowBytes(keyLength, 5, 20);
    cache = cache != null ? cache : heap * cacheShare;
    pattern = zipf ? ReadPattern.zipf(rows) : ReadPattern.hotSet(hotRows * rows, hotReads);
    // By default as measured with row keys of 10 and 250 bytes.
    probes = new double[] {185 + 1.69 * keyLength, 63 + 0.22 * keyLength, 65 + 0.21 * keyLength};
    if (probeNanos != null) {
      String[] parts = probeNanos.split(",", -1);
      if (parts.length != probes.length) {
        throw wrong(
            "--probe-ns %s is not three numbers, of bloom, ribbon and bumped-ribbon", probeNanos);
      }
      probes = Stream.of(parts).mapToDouble(part -> number("probe-ns", part, 0, 1e9)).toArray();
    }
  }

  private static IllegalArgumentException wrong(String sentence, String value) {
    return new IllegalArgumentException(format(sentence, value));
  }

  double cacheBytes() {
    return cache * GIB;
  }

  private int fileCount() {
    double count = number("files", files, 1, 1000);
    if (count != Math.rint(count)) {
      throw wrong("--files %s is not a whole number", files);
    }
    return (int) count;
  }

  private void checkStores(boolean isList) {
    for (String name : NOT_OF_STORES) {
      if (has(name)) {
        throw wrong(
            "--%s has no meaning for stores of several files, which other options select", name);
      }
    }
    for (String name : List.of("rows", "growth")) {
      if (isList && has(name)) {
        throw wrong("--%s and a list of --files exclude each other", name);
      }
    }
    keys = isList ? listed() : grown();
    wishedBytes = wishedMemory == null ? null : wishedBytes();
  }

  private List<Long> listed() {
    Stream<String> parts = Stream.of(files.split(",", -1));
    return parts.map(one -> Math.round(number("files", one, 1, MAX_KEYS))).toList();
  }

  /**
   * Returns the numbers of keys in a store's files, which fall by the factor {@code growth} from
   * each file to the next.
   */
  private List<Long> grown() {
    double[] parts =
        IntStream.range(0, fileCount()).mapToDouble(file -> Math.pow(growth, -file)).toArray();
    double largest = rows / (double) regions / DoubleStream.of(parts).sum();
    return DoubleStream.of(parts).mapToObj(n -> Math.max(1, Math.round(largest * n))).toList();
  }

  /**
   * Returns the number of bytes that the user wants the filters of one store to take, from bits per
   * key or from bytes of all stores.
   */
  private double wishedBytes() {
    String number = wishedMemory.strip().toLowerCase(Locale.ROOT);
    double unit = 1.0 / regions;
    int power = number.isEmpty() ? -1 : "kmgt".indexOf(number.charAt(number.length() - 1));
    if (number.endsWith("bits")) {
      unit = keys.stream().mapToLong(Long::longValue).sum() / 8.0;
      number = number.substring(0, number.length() - 4);
    } else if (power >= 0) {
      unit *= Math.pow(1024, power + 1);
      number = number.substring(0, number.length() - 1);
    }
    try {
      return unit * number("wish-memory", number, 1e-3, 1e15);
    } catch (IllegalArgumentException e) {
      throw wrong("--wish-memory %s is not like 60g, 500m or 5.5bits (per key)", wishedMemory);
    }
  }

  // ==== the fleet's table

  private String fleetText() {
    List<Fleet> fleets = TableFilter.KINDS.stream().map(kind -> new Fleet(this, kind)).toList();
    Fleet stock = fleets.get(0);
    double dataGib = stock.dataBlocks() * servers * Fleet.BLOCK_BYTES / GIB;
    double disk = diskMicros * onDisk;
    return format("%,d rows, keys of %d bytes, %,.0f bytes a row: ", rows, keyLength, rowBytes)
        + format("%,.1f GiB of data blocks\n", dataGib)
        + format("%,d region servers, %,d regions, %d files", servers, regions, fileCount)
        + format(" in a store, %,.0f keys in a file\n", stock.keysPerFile())
        + format("%,.1f GiB of block cache on each server\n%s, ", cache, pattern.text())
        + Table.exact(100 * absent)
        + format(" %% of the rows that are read are absent, %,.0f rows per second\n", reads)
        + costs("%s us a row, %s more if it is there, ", rowMicros, foundMicros)
        + costs("%s a data or index block looked up, %s a block read", blockMicros, readMicros)
        + (disk == 0 ? "\n\n" : costs(" and %s for the disk\n\n", disk))
        + table(fleets, stock).text()
        + format(ASSUMPTIONS, oneRate ? ONE_RATE : BY_STORE);
  }

  private static String costs(String pattern, Double... micros) {
    return format(pattern, Stream.of(micros).map(Table::exact).toArray());
  }

  private FigureTable<Fleet> table(List<Fleet> fleets, Fleet stock) {
    String[] header = {"", "bloom", "ribbon", "bumped-ribbon", "ribbon : bloom", "bumped : bloom"};
    double gibOfServer = servers * GIB;
    FigureTable<Fleet> table = new FigureTable<>(fleets, "what it saves", header);
    table.row("bits per key", 3, Fleet::bitsPerKey);
    table.row("false positives, %", 3, fleet -> 100 * fleet.rate());
    table.row("filters of the fleet, GiB", 1, fleet -> fleet.filterBytes() / GIB);
    table.row("filters of a server, GiB", 3, fleet -> fleet.filterBytes() / gibOfServer);
    table.row("share of its cache, %", 1, fleet -> 100 * fleet.filterBytes() / gibOfServer / cache);
    table.row(
        "cache left to data and indexes, GiB",
        3,
        fleet -> Math.max(0, cache - fleet.filterBytes() / gibOfServer));
    table.row("cache hits, all blocks, %", 2, fleet -> 100 * fleet.hitRatio(fleet.all));
    table.row("cache hits, data blocks, %", 2, fleet -> 100 * fleet.hitRatio(fleet.data));
    table.row("files opened per row", 4, Fleet::opened);
    table.row("blocks read per row", 4, Fleet::blocksRead);
    table.row("blocks read per second, fleet", 0, fleet -> fleet.blocksRead() * reads);
    table.row("time per row, us", 2, Fleet::micros);
    String by = "  of it saved by ";
    table.row("time saved per row, us", 2, fleet -> stock.micros() - fleet.micros());
    table.row(by + "fewer blocks read", 2, fleet -> stock.readMicros() - fleet.readMicros());
    table.row(by + "fewer look-ups", 2, fleet -> stock.lookUpMicros() - fleet.lookUpMicros());
    table.row(by + "faster queries", 2, fleet -> stock.queryMicros() - fleet.queryMicros());
    table.row("throughput over stock Bloom's", 3, fleet -> stock.micros() / fleet.micros());
    table.row(
        "cache of a server with which stock Bloom reads as little, GiB",
        2,
        fleet -> fleet == stock ? cache : stock.equalCache(fleet.blocksRead()) / GIB);
    return table;
  }
}
