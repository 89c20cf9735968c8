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
 * How much heap filters under construction may take: {@code winnow.build.memory.limit} in
 * hbase-site.xml.
 *
 * <p>One for a JVM: a region server reads it when it starts, and what a table or a family says is
 * not looked at. Where there is no server, in a job or a tool, the configuration of the first file
 * that is written says it.
 *
 * <p>A size ({@code 64m}, {@code 1g}, bytes if there is no unit; {@value #LEAST_BYTES} at least) or
 * a share of the heap ({@code 5%}, {@code 0.05}). Without it, or with a value that is neither, a
 * share of {@value #DEFAULT_SHARE}.
 */
public final class MemoryLimit {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryLimit.class);

  static final double DEFAULT_SHARE = 0.05;
  static final long LEAST_BYTES = 1 << 20;

  private static final Pattern SIZE = Pattern.compile("(\\d{1,15})([kmgt]?)b?");
  private static final Pattern SHARE = Pattern.compile("(\\d*\\.\\d+|\\d+(?:\\.\\d+)?%)");

  /** Values that were reported. */
  private static final Set<String> REPORTED = Collections.synchronizedSet(new HashSet<>());

  private static final long UNKNOWN = 0;

  private static volatile long ofThisJvm = UNKNOWN;

  private MemoryLimit() {}

  /** The limit in bytes; 0 as long as it is not known. */
  public static long ofThisJvm() {
    return ofThisJvm;
  }

  /** The limit in bytes. This configuration says it if nobody has said it before. */
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

  /** The site's configuration, which a region server has. */
  public static synchronized void serverStarts(Configuration site) {
    ofThisJvm = of(site, Runtime.getRuntime().maxMemory());
  }

  /** As in a JVM that has just begun: for tests. */
  static void forget() {
    ofThisJvm = UNKNOWN;
  }

  static long of(Configuration conf, long heap) {
    String value = conf.getTrimmed(Setting.BUILD_MEMORY_LIMIT.key(), "");
    long byDefault = (long) (DEFAULT_SHARE * heap);
    if (value.isEmpty()) {
      return byDefault;
    }
    long limit = parse(value.toLowerCase(Locale.ROOT), heap);
    if (limit >= LEAST_BYTES) {
      return limit;
    }
    if (REPORTED.add(value)) {
      LOG.error(
          "{} is '{}', must be a size of at least 1m, like 512m, or a share of the heap, like 5%."
              + " {} bytes are used, {} % of the heap",
          Setting.BUILD_MEMORY_LIMIT.key(), value, byDefault, Math.round(100 * DEFAULT_SHARE));
    }
    return byDefault;
  }

  /** The bytes, or -1 if the value means nothing. */
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
