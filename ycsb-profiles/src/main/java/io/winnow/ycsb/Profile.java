package io.winnow.ycsb;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Properties;

/**
 * A workload as a YCSB property file of {@code ycsb-profiles/profiles/} describes it.
 *
 * @param name the file's, without its ending
 */
public record Profile(String name, Properties properties) {

  /** The shape of Lindorm's test, which is run at every key length. */
  static final String LINDORM = "lindorm";

  /** Those of a usual run, in the order in which they are run: what writes comes last. */
  static final List<String> NAMES =
      List.of(LINDORM, "hit-only", "half-miss", "miss-only", "skewed", "read-mostly");

  /** Of stores with one large file and small ones, run by {@code --stores} only. */
  static final List<String> STORES = List.of("store-absent", "store-present", "store-mixed");

  /** The profile of one of these names. */
  public static Profile of(String name) throws IOException {
    Properties properties = new Properties();
    try (InputStream in =
        Profile.class.getResourceAsStream("/io/winnow/ycsb/profiles/" + name + ".properties")) {
      if (in == null) {
        throw new IOException("there is no profile " + name);
      }
      properties.load(in);
    }
    return new Profile(name, properties);
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

  /** How many rows one operation reads. */
  public int batch() {
    return Integer.parseInt(properties.getProperty(ReadWorkload.BATCH, "20"));
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
