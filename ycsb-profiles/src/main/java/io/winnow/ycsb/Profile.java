package io.winnow.ycsb;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * A workload as a YCSB property file of {@code ycsb-profiles/profiles/} describes it; or one of
 * those with a larger or smaller hot set, as in {@code lindorm@4}.
 *
 * @param name the file's, without its ending; and after an {@code @} how many times as many rows
 *     are hot
 */
public record Profile(String name, Properties properties) {

  /** The shape of Lindorm's test, which is run at every key length. */
  static final String LINDORM = "lindorm";

  /** Before how many times the hot rows that fill the cache are hot. */
  private static final char HOT_SETS = '@';

  /** Those of a usual run, in the order in which they are run: what writes comes last. */
  static final List<String> NAMES =
      List.of(
          LINDORM,
          "lindorm@0.25",
          "lindorm@0.5",
          "lindorm@2",
          "lindorm@4",
          "lindorm@8",
          "uniform",
          "skewed",
          "half-miss",
          "miss-only",
          "read-mostly");

  /** Those that can be asked for, in the order in which they are run. */
  static final List<String> ALL = Stream.concat(Stream.of("hit-only"), NAMES.stream()).toList();

  /** Of stores with one large file and small ones, run by {@code --stores} only. */
  static final List<String> STORES =
      List.of(
          "store-hot",
          "store-skewed",
          "store-absent",
          "store-present",
          "store-mixed",
          "store-arrivals",
          "store-cold",
          "store-busy",
          "store-bucket");

  /** Those of them that compare rates by store with one rate, too. */
  static final List<String> RATES = List.of("store-absent", "store-present", "store-mixed");

  /** Of such stores whose rows come in groups, run by {@code --scans} only. */
  static final List<String> SCANS = List.of("scan-present", "scan-absent", "scan-rows");

  /** The profile of one of these names. */
  public static Profile of(String name) throws IOException {
    int at = name.indexOf(HOT_SETS);
    String file = at < 0 ? name : name.substring(0, at);
    Properties properties = new Properties();
    try (InputStream in =
        Profile.class.getResourceAsStream("/io/winnow/ycsb/profiles/" + file + ".properties")) {
      if (in == null) {
        throw new IOException("there is no profile " + name);
      }
      properties.load(in);
    }
    return new Profile(name, properties);
  }

  /** How many times the rows that fill the cache are hot: 1 but for the names that say another. */
  public double hotSets() {
    int at = name.indexOf(HOT_SETS);
    return at < 0 ? 1 : Double.parseDouble(name.substring(at + 1));
  }

  /**
   * How many files a store of its tables has: {@code asked}, or the profile's own number if that is
   * 0.
   */
  public int files(int asked) {
    return asked > 0 ? asked : Integer.parseInt(properties.getProperty(ReadWorkload.FILES, "1"));
  }

  /** The chance of a row in a file to be in each later file too. */
  public double rewritten() {
    return Double.parseDouble(properties.getProperty(ReadWorkload.REWRITTEN, "0"));
  }

  /** How many rows of a group follow each other. */
  public int group() {
    return Integer.parseInt(properties.getProperty(ReadWorkload.GROUP, "1"));
  }

  /**
   * The property of a profile whose operations come at a fixed rate: the share that this is of what
   * the slowest table answers in a closed loop.
   */
  static final String ARRIVALS = "winnow.arrivals";

  /**
   * The property of a profile whose tables are read in special conditions: {@link #COLD}, where
   * their files are kept out of the page cache; {@link #BUSY}, where a flush and a major compaction
   * run meanwhile; {@link #BUCKET}, where data blocks are in an off-heap BucketCache.
   */
  static final String CONDITION = "winnow.condition";

  static final String COLD = "cold";
  static final String BUSY = "busy";
  static final String BUCKET = "bucket";

  /** See {@link #ARRIVALS}; 0 for a closed loop. */
  double arrivals() {
    return Double.parseDouble(properties.getProperty(ARRIVALS, "0"));
  }

  /** Whether it is read in this condition: see {@link #CONDITION}. */
  boolean is(String condition) {
    return properties.getProperty(CONDITION, "").equals(condition);
  }

  /** Whether nearly all reads go to a few hot rows. */
  boolean isHot() {
    return properties.getProperty("requestdistribution", "uniform").equals("hotspot");
  }

  /** Whether some rows are asked for more often than others, so that it matters which. */
  boolean hasPopularRows() {
    return !properties.getProperty("requestdistribution", "uniform").equals("uniform");
  }

  /** The share of absent rows. */
  public double absent() {
    return Double.parseDouble(properties.getProperty(ReadWorkload.ABSENT, "0"));
  }

  /**
   * Whether false positives can be counted: rows that are asked for are in one file or in none, and
   * are many enough for chance.
   */
  boolean showsFalsePositives() {
    return rewritten() == 0
        && properties.getProperty("updateproportion", "0").equals("0")
        && properties.getProperty("requestdistribution", "uniform").equals("uniform")
        && absent() > 0;
  }
}
