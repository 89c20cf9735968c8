package io.winnow.hbase.settings;

import java.util.Collections;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limit on the heap that filters under construction take, from {@code winnow.build.memory.limit} in
 * hbase-site.xml.
 *
 * <p>There is one for a JVM. A region server reads it when it starts, and ignores the values of
 * tables and families. Without a server, in a job or a tool, the configuration of the first file
 * that is written sets it.
 *
 * <p>The value is a size ({@code 64m}, {@code 1g}, bytes if there is no unit; at least {@value
 * #MIN_BYTES}) or a share of the heap ({@code 5%}, {@code 0.05}). Without a value, or with one that
 * is neither, the share is {@value #DEFAULT_SHARE}.
 */
public final class MemoryLimit {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryLimit.class);

  static final double DEFAULT_SHARE = 0.05;
  static final long MIN_BYTES = 1 << 20;

  private static final Pattern SIZE = Pattern.compile("(\\d{1,15})([kmgt]?)b?");
  private static final Pattern SHARE = Pattern.compile("(\\d*\\.\\d+|\\d+(?:\\.\\d+)?%)");

  /** Wrong values of the memory limit that were logged already. */
  private static final Set<String> REPORTED = Collections.synchronizedSet(new HashSet<>());

  private static final long UNKNOWN = 0;

  private static volatile long ofThisJvm = UNKNOWN;

  private MemoryLimit() {}

  /**
   * Returns the number of bytes that filters under construction may take in this JVM; 0 as long as
   * it is unknown.
   */
  public static long ofThisJvm() {
    return ofThisJvm;
  }

  /**
   * Returns the number of bytes that filters under construction may take in this JVM; sets it by a
   * configuration if it is unknown.
   */
  public static long ofThisJvm(Configuration conf) {
    long known = ofThisJvm;
    return known == UNKNOWN ? firstOf(conf) : known;
  }

  private static synchronized long firstOf(Configuration conf) {
    if (ofThisJvm == UNKNOWN) {
      serverStarts(conf);
    }
    return ofThisJvm;
  }

  /**
   * Sets the memory limit of filters under construction from the site's configuration, when a
   * region server starts.
   *
   * @param site the configuration of the server
   */
  public static synchronized void serverStarts(Configuration site) {
    ofThisJvm = of(site, Runtime.getRuntime().maxMemory());
  }

  /**
   * Forgets the memory limit of filters under construction, as in a JVM that has just begun: for
   * tests.
   */
  static void forget() {
    ofThisJvm = UNKNOWN;
  }

  /**
   * Returns the memory limit in bytes that a configuration sets for filters under construction;
   * logs a wrong value once.
   */
  static long of(Configuration conf, long heap) {
    String value = conf.getTrimmed(Setting.BUILD_MEMORY_LIMIT.key, "");
    long byDefault = (long) (DEFAULT_SHARE * heap);
    if (value.isEmpty()) {
      return byDefault;
    }
    long limit = parse(value.toLowerCase(Locale.ROOT), heap);
    if (limit >= MIN_BYTES) {
      return limit;
    }
    if (REPORTED.add(value)) {
      LOG.error(
          "{} is '{}', must be a size of at least 1m, like 512m, or a share of the heap, like 5%."
              + " The limit is {} bytes, {} % of the heap",
          Setting.BUILD_MEMORY_LIMIT.key, value, byDefault, Math.round(100 * DEFAULT_SHARE));
    }
    return byDefault;
  }

  /**
   * Returns the bytes that a memory limit such as {@code 512m} or {@code 5%} means, or -1 if it
   * means nothing.
   */
  private static long parse(String value, long heap) {
    Matcher size = SIZE.matcher(value);
    if (size.matches()) {
      long number = Long.parseLong(size.group(1));
      int shift = 10 * ("kmgt".indexOf(size.group(2)) + (size.group(2).isEmpty() ? 0 : 1));
      return number > Long.MAX_VALUE >> shift ? -1 : number << shift;
    }
    if (SHARE.matcher(value).matches()) {
      boolean percent = value.endsWith("%");
      double number = Double.parseDouble(percent ? value.substring(0, value.length() - 1) : value);
      double share = percent ? number / 100 : number;
      return share <= 1 ? (long) (share * heap) : -1;
    }
    return -1;
  }
}
