package io.winnow.ycsb;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * A workload that a YCSB property file of {@code ycsb-profiles/profiles/} describes, or one of
 * these with a larger or smaller hot set, such as {@code lindorm@4}.
 *
 * @param name name of the file without its ending; after an {@code @}, the factor of the number of
 *     hot rows
 */
public record Profile(String name, Properties properties) {

  /** Name of the workload with the shape of Lindorm's test, which is run at every key length. */
  static final String LINDORM = "lindorm";

  /** Separator in a workload's name before the factor of the number of hot rows. */
  private static final char HOT_SETS = '@';

  /**
   * Names of the workloads of a default run, in the order in which they are run: a workload that
   * writes comes last.
   */
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

  /** Names of the workloads that a user can select, in the order in which they are run. */
  static final List<String> ALL = Stream.concat(Stream.of("hit-only"), NAMES.stream()).toList();

  /**
   * Names of the workloads that read stores with one large file and small ones, which only {@code
   * --stores} runs.
   */
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

  /**
   * Names of the workloads of {@code --stores} that also compare rates by store with one rate for
   * all files.
   */
  static final List<String> RATES = List.of("store-absent", "store-present", "store-mixed");

  /**
   * Names of the workloads that scan stores whose rows come in groups, which only {@code --scans}
   * runs.
   */
  static final List<String> SCANS = List.of("scan-present", "scan-absent", "scan-rows");

  /** Reads a workload from its property file. */
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

  /**
   * Returns the number of hot rows as a multiple of those that fill the block cache: 1 unless the
   * workload's name has another factor.
   */
  public double hotSets() {
    int at = name.indexOf(HOT_SETS);
    return at < 0 ? 1 : Double.parseDouble(name.substring(at + 1));
  }

  /**
   * Returns the number of files in a store of the tables that this workload reads.
   *
   * @param wanted the number that the user wants; 0 for the profile's own
   */
  public int files(int wanted) {
    return wanted > 0 ? wanted : Integer.parseInt(properties.getProperty(ReadWorkload.FILES, "1"));
  }

  /**
   * Returns the plan of loading the tables that this workload reads.
   *
   * @param wanted the number of files of a store that the user wants; 0 for the profile's own
   */
  LoadPlan plan(int wanted) {
    Properties plan = new Properties();
    plan.putAll(properties);
    plan.setProperty(ReadWorkload.FILES, Integer.toString(files(wanted)));
    return ReadWorkload.plan(plan);
  }

  /** Returns the chance that a row of one store file is also in each later file. */
  public double rewritten() {
    return Double.parseDouble(properties.getProperty(ReadWorkload.REWRITTEN, "0"));
  }

  /** Returns the number of rows in a group whose keys are successive. */
  public int group() {
    return Integer.parseInt(properties.getProperty(ReadWorkload.GROUP, "1"));
  }

  /**
   * Name of the property of a workload whose operations arrive at a fixed rate: this rate as a
   * share of the rate of the slowest table in a closed loop.
   */
  static final String ARRIVALS = "winnow.arrivals";

  /**
   * Name of the property of a workload whose tables are read in special conditions. {@link #COLD}:
   * their files are kept out of the page cache. {@link #BUSY}: a flush and a major compaction run
   * meanwhile. {@link #BUCKET}: data blocks are in an off-heap BucketCache.
   */
  static final String CONDITION = "winnow.condition";

  static final String COLD = "cold";
  static final String BUSY = "busy";
  static final String BUCKET = "bucket";

  /**
   * Returns the rate at which the workload's operations arrive, as a share of the slowest table's
   * rate in a closed loop; 0 if the workload is a closed loop.
   */
  double arrivals() {
    return Double.parseDouble(properties.getProperty(ARRIVALS, "0"));
  }

  /**
   * Returns whether the workload's tables are read in a given special condition, such as a cold
   * page cache.
   */
  boolean is(String condition) {
    return properties.getProperty(CONDITION, "").equals(condition);
  }

  /**
   * Returns whether the workload reads some rows more often than others, so that the choice of
   * these rows matters.
   */
  boolean hasPopularRows() {
    return !properties.getProperty("requestdistribution", "uniform").equals("uniform");
  }

  /** Returns the share of the workload's reads that read absent rows. */
  public double absent() {
    return Double.parseDouble(properties.getProperty(ReadWorkload.ABSENT, "0"));
  }

  /**
   * Returns whether the workload can show false positives: each row is in one file or in none, and
   * enough different rows are read for a rate.
   */
  boolean showsFalsePositives() {
    return rewritten() == 0
        && properties.getProperty("updateproportion", "0").equals("0")
        && properties.getProperty("requestdistribution", "uniform").equals("uniform")
        && absent() > 0;
  }
}
