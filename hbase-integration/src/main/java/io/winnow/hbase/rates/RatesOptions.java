package io.winnow.hbase.rates;

import io.winnow.hbase.command.Arguments;
import java.nio.file.Path;
import java.util.List;

/**
 * What the user asked for. Paths that were not given are {@code null}.
 *
 * @param large rows of the large file, in flushes
 * @param majorAt the flush after which all files are compacted into one; 0 for none
 * @param gets absent rows, and as many present ones, that are asked for at each moment
 * @param presentShare of the run whose Gets mostly find their row; 0 for no such run
 * @param chunk bytes of a full chunk of a filter
 * @param seed of the sizes of flushes and of the rows asked for
 */
record RatesOptions(
    int large,
    int flushes,
    int rowsPerFlush,
    int majorAt,
    double errorRate,
    double presentShare,
    int gets,
    int chunk,
    long seed,
    Path json,
    Path plots,
    boolean report,
    boolean help) {
  static final int DEFAULT_LARGE = 80;
  static final int DEFAULT_FLUSHES = 100;
  static final int DEFAULT_ROWS = 20_000;
  static final int DEFAULT_GETS = 1000;
  static final int DEFAULT_CHUNK = 8192;
  static final int DEFAULT_SEED = 13;

  /** The number of a row has eight digits. */
  private static final long MAX_ROWS = 90_000_000;

  static final String USAGE =
      """
      usage: ./winnow rates [OPTION...]

      Fills a region of HBase's own classes with one large file and then with flushes of differing
      size, compacts as HBase's own policy selects, and counts after each flush and each compaction
      what the Gets pay: files read in vain. The same rows come again for each of these filters:
        stock               HBase's Bloom filter
        file                bumped-ribbon, each file with the rate that is asked for
        store               bumped-ribbon, a file's rate by its share of the store's keys
        store-equal-reads   the same, for the rate at which absent rows cost what they do with stock
        store-mostly-present  the same, told how many Gets find their row (--present-share), for the
                            rate at which such Gets cost what they do with stock

        --large N           rows of the large file, in flushes; 0: from an empty region (default: 80)
        --flushes N         how many (default: 100)
        --rows-per-flush N  on average; a flush has 0.3 to 1.7 times as many (default: 20000)
        --major-at N        a major compaction after the flush of this number (default: none)
        --error-rate E      io.storefile.bloom.error.rate (default: 0.01)
        --present-share P   share of Gets that find their row, in store-mostly-present; 0 leaves that
                            run out (default: 0.95)
        --gets N            absent rows, and as many present ones, asked for at each moment
                            (default: 1000)
        --chunk BYTES       io.storefile.bloom.block.size: small, so that a flush fills several chunks
                            as a large flush of a server does (default: 8192)
        --seed N            of the sizes of flushes and of the rows asked for (default: 13)
        --json FILE         writes the result to FILE as JSON
        --plots DIR         where plots and the figures of each moment go
                            (default: hbase-integration/target/rates)
        --report            writes the tables in docs/rates.md anew, from hbase-integration/results
        --help              this text

      Exit codes: 0 all is well, 1 it failed, 2 rows were lost, 3 what the agent counted is not what is
      true, 64 wrong options.""";

  private static final List<String> WITH_VALUE =
      List.of(
          "large",
          "flushes",
          "rows-per-flush",
          "major-at",
          "error-rate",
          "present-share",
          "gets",
          "chunk",
          "seed",
          "json",
          "plots");

  /**
   * Reads the command line.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static RatesOptions parse(String... args) {
    Arguments arguments = Arguments.parse(List.of("report"), WITH_VALUE, List.of(), args);
    int flushes = (int) arguments.whole("flushes", DEFAULT_FLUSHES, 1, 10_000);
    RatesOptions options =
        new RatesOptions(
            (int) arguments.whole("large", DEFAULT_LARGE, 0, 10_000),
            flushes,
            (int) arguments.whole("rows-per-flush", DEFAULT_ROWS, 10, 10_000_000),
            (int) arguments.whole("major-at", 0, 0, flushes),
            arguments.number("error-rate", 0.01, 1e-6, 0.2),
            arguments.number("present-share", 0.95, 0, 1),
            (int) arguments.whole("gets", DEFAULT_GETS, 1, 1_000_000),
            (int) arguments.whole("chunk", DEFAULT_CHUNK, 512, 64 << 20),
            arguments.whole("seed", DEFAULT_SEED, 0, 1e15),
            arguments.path("json"),
            arguments.path("plots"),
            arguments.has("report"),
            arguments.has("help"));
    long rows = Schedule.of(options).rows();
    if (rows > MAX_ROWS) {
      throw new IllegalArgumentException(
          rows + " rows are too many, must be at most " + MAX_ROWS + ": fewer --rows-per-flush");
    }
    return options;
  }
}
