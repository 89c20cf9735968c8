package io.winnow.ycsb;

import io.winnow.hbase.cli.Arguments;
import io.winnow.hbase.command.Help;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the user asked for. What was not given is {@code null}, or empty for lists and texts.
 *
 * @param cluster whether the cluster of {@code ./winnow cluster} is asked, and no HBase of our own
 * @param files of a store; 0 for as many as the profile says
 * @param stores whether {@link StoreComparison} is run
 * @param profiles empty for Lindorm's at all key lengths and the others at one
 */
record YcsbOptions(
    boolean cluster,
    long rows,
    CacheSize cache,
    List<String> profiles,
    List<Integer> keyLengths,
    int rounds,
    double duration,
    int files,
    int threads,
    boolean sweep,
    boolean stores,
    Path directory,
    boolean report,
    Path reportFile,
    boolean help) {

  /** As many as make a thousand hot rows of 300-byte keys. */
  static final long DEFAULT_ROWS = 8_500_000;

  /** Of {@code --stores}: a small file must fit into a memory store. */
  static final long STORES_ROWS = 3_000_000;

  static final double DEFAULT_SHARE = 0.4;
  static final List<Integer> DEFAULT_KEY_LENGTHS = List.of(10, 25, 50, 300);

  /**
   * The key length at which everything but Lindorm's profile is run, if it is among those asked.
   */
  static final int USUAL_KEY_LENGTH = 25;

  /** As many draws of hot rows, in each of the orders of three tables equally often. */
  static final int DEFAULT_ROUNDS = 24;

  /** The most of other profiles than Lindorm's: the fewest with an interval of 95 %. */
  static final int OTHER_ROUNDS = 6;

  /** Of {@code --stores}, where differences are smaller. */
  static final int STORES_ROUNDS = 12;

  /** In so many orders three tables can have their turns. */
  static final int ORDERS = 6;

  static final double DEFAULT_DURATION = 0.8;

  /** With more, the small ones would be as much as the large one. */
  static final int MOST_STORE_FILES = 33;

  static final String USAGE = Help.of("ycsb");

  /**
   * Reads the command line.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static YcsbOptions parse(String... args) {
    Arguments arguments =
        Arguments.parse(
            List.of("cluster", "sweep", "stores"),
            List.of(
                "rows",
                "cache",
                "profile",
                "key-lengths",
                "rounds",
                "duration",
                "files",
                "threads",
                "dir"),
            List.of("report"),
            args);
    List<Integer> keyLengths = keyLengths(arguments.text("key-lengths"));
    if (arguments.has("sweep") && (arguments.has("cache") || arguments.has("profile"))) {
      throw new IllegalArgumentException("--sweep chooses cache and profile by itself");
    }
    arguments.exclude("stores", "sweep");
    if (arguments.has("stores") && arguments.has("files")) {
      storeFiles((int) arguments.whole("files", 0, 1, 100));
    }
    return new YcsbOptions(
        arguments.has("cluster"),
        arguments.whole(
            "rows", arguments.has("stores") ? STORES_ROWS : DEFAULT_ROWS, 1_000, 1_000_000_000),
        arguments.has("cache")
            ? CacheSize.parse(arguments.text("cache"))
            : CacheSize.ofShare(DEFAULT_SHARE),
        profiles(arguments.text("profile"), arguments.has("stores") ? Profile.STORES : Profile.ALL),
        keyLengths,
        rounds(
            (int)
                arguments.whole(
                    "rounds", arguments.has("stores") ? STORES_ROUNDS : DEFAULT_ROUNDS, 1, 1_200)),
        arguments.number("duration", DEFAULT_DURATION, 0.2, 3_600),
        (int) arguments.whole("files", 0, 1, 100),
        (int) arguments.whole("threads", 2, 1, 1_000),
        arguments.has("sweep"),
        arguments.has("stores"),
        arguments.path("dir"),
        arguments.has("report"),
        arguments.path("report"),
        arguments.has("help"));
  }

  /**
   * Whether nothing was asked for that changes what is measured, beside the kind of run, so that
   * runs of a kind can be compared.
   */
  boolean isDefault() {
    YcsbOptions usual = sweep ? parse("--sweep") : stores ? parse("--stores") : parse();
    return equals(usual.in(directory));
  }

  private YcsbOptions in(Path other) {
    return new YcsbOptions(
        cluster,
        rows,
        cache,
        profiles,
        keyLengths,
        rounds,
        duration,
        files,
        threads,
        sweep,
        stores,
        other,
        report,
        reportFile,
        help);
  }

  /** The key length of what is not run at all of them. */
  int usualKeyLength() {
    return keyLengths.contains(USUAL_KEY_LENGTH) ? USUAL_KEY_LENGTH : keyLengths.get(0);
  }

  /** Of other profiles than Lindorm's. */
  int otherRounds() {
    return Math.min(rounds, OTHER_ROUNDS);
  }

  private static int rounds(int rounds) {
    if (rounds > ORDERS && rounds % ORDERS != 0) {
      throw new IllegalArgumentException(
          "--rounds %d: must be a multiple of %d, so that each order of the tables comes equally often, or less than %d for a trial"
              .formatted(rounds, ORDERS, ORDERS));
    }
    return rounds;
  }

  private static void storeFiles(int files) {
    if (files < 2 || files > MOST_STORE_FILES) {
      throw new IllegalArgumentException(
          "--files %d: stores of several files have 2..%d".formatted(files, MOST_STORE_FILES));
    }
  }

  private static List<String> profiles(String text, List<String> all) {
    List<String> names = text == null ? List.of() : List.of(text.split(","));
    for (String name : names) {
      if (!all.contains(name)) {
        throw new IllegalArgumentException(
            "there is no profile " + name + "; there are " + String.join(", ", all));
      }
    }
    return names;
  }

  private static List<Integer> keyLengths(String text) {
    if (text == null) {
      return DEFAULT_KEY_LENGTHS;
    }
    List<Integer> lengths = new ArrayList<>();
    for (String one : text.split(",")) {
      int length = (int) Arguments.number("key-lengths", one, 8, 10_000);
      if (!lengths.contains(length)) {
        lengths.add(length);
      }
    }
    return lengths;
  }
}
