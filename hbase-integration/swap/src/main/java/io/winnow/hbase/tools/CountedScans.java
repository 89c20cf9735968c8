package io.winnow.hbase.tools;

import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.format.SegmentRule;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hbase.thirdparty.com.google.gson.Gson;
import org.apache.hbase.thirdparty.com.google.gson.JsonParseException;

/**
 * Scans of one column family by the row prefix that they imply, as region servers counted them and
 * report them on their pages {@code /winnow?format=json}.
 */
final class CountedScans {
  /** Scans of a family of which no page has any. */
  static final CountedScans NONE = new CountedScans();

  private static final int TIMEOUT_MILLIS = 60_000;

  /**
   * Smallest share of the scans with any prefix that must imply the prefix of a setting: with less,
   * most scans would not use it.
   */
  private static final double MIN_SHARE = 0.5;

  /** The parts of a page that are read. */
  private static final class Page {
    List<Family> families;
  }

  private static final class Family {
    String table;
    String family;
    Map<String, List<Long>> scansByPrefix;
    Map<String, Long> scansByDelimiter;
  }

  /** Number of scans by the length in bytes of the row prefix that they imply. */
  private final TreeMap<Integer, Long> byLength = new TreeMap<>();

  /** Number of scans by the rule of a delimiter by which they imply a prefix. */
  private final Map<String, Long> byDelimiter = new TreeMap<>();

  private CountedScans() {}

  /**
   * Reads the pages of region servers, and returns the scans of each family on them, by the names
   * of table and family together: {@link #key}.
   *
   * @param sources each the URL of a page, or the path of a file with a page's JSON
   * @throws IOException with a sentence for the user, if one cannot be read
   */
  static Map<String, CountedScans> read(List<String> sources) throws IOException {
    Map<String, CountedScans> families = new TreeMap<>();
    for (String source : sources) {
      Page page = page(source);
      for (Family family : page.families) {
        families
            .computeIfAbsent(key(family.table, family.family), unseen -> new CountedScans())
            .add(family);
      }
    }
    return families;
  }

  /** Returns the key of a family in the result of {@link #read}. */
  static String key(String table, String family) {
    return table + ", " + family;
  }

  private static Page page(String source) throws IOException {
    Page page = null;
    try {
      page = new Gson().fromJson(text(source), Page.class);
    } catch (JsonParseException e) {
      // Refused below, as a document of another kind is.
    } catch (IOException e) {
      throw new IOException("cannot read the counted scans of " + source + ": " + e, e);
    }
    if (page == null || page.families == null) {
      throw new IOException(source + " is not the JSON of a page /winnow?format=json");
    }
    return page;
  }

  private static String text(String source) throws IOException {
    URL url = url(source);
    if (url == null) {
      return Files.readString(Path.of(source));
    }
    URLConnection connection = url.openConnection();
    connection.setConnectTimeout(TIMEOUT_MILLIS);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    try (InputStream in = connection.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static URL url(String source) throws MalformedURLException {
    if (!source.startsWith("http://") && !source.startsWith("https://")) {
      return null;
    }
    return new URL(source.contains("?") ? source : source + "?format=json");
  }

  private void add(Family family) {
    if (family.scansByPrefix != null) {
      family.scansByPrefix.forEach(
          (length, counts) -> byLength.merge(Integer.valueOf(length), counts.get(0), Long::sum));
    }
    if (family.scansByDelimiter != null) { // a server of 0.1.0 does not count these
      family.scansByDelimiter.forEach((rule, scans) -> byDelimiter.merge(rule, scans, Long::sum));
    }
  }

  /** Returns the number of scans that were counted. */
  long all() {
    return sum(byLength);
  }

  /** Returns the number of scans that imply a prefix of any length. */
  long withPrefix() {
    return sum(byLength.tailMap(1));
  }

  private static long sum(Map<Integer, Long> scans) {
    return scans.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns the number of scans that imply the prefix of a rule. */
  long scans(PrefixRule rule) {
    int length = rule.fixedLength();
    return length == PrefixRule.NONE
        ? byDelimiter.getOrDefault(rule.toString(), 0L)
        : sum(byLength.tailMap(length));
  }

  /** Returns true if most scans that imply a prefix imply that of a rule. */
  boolean imply(PrefixRule rule) {
    long scans = scans(rule);
    return scans > 0 && scans >= MIN_SHARE * withPrefix();
  }

  /**
   * Returns true if most scans that imply a prefix imply all bytes before the segment of a rule.
   */
  boolean imply(SegmentRule rule) {
    return imply(before(rule));
  }

  /** Returns the number of scans that imply all bytes before the segment of a rule. */
  long scans(SegmentRule rule) {
    return scans(before(rule));
  }

  /** Returns the shortest prefix that a scan must imply so that it can use segments of a rule. */
  private static PrefixRule before(SegmentRule rule) {
    return rule.before == null ? PrefixRule.parse("1") : rule.before;
  }
}
