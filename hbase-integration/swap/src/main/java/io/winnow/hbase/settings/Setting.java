package io.winnow.hbase.settings;

import io.winnow.KeyHash;
import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.format.SegmentRule;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;

/**
 * The settings of Winnow, each with its key and its allowed values. A new setting is a line here.
 *
 * <p>Values may have any case, and blanks around them; an empty one counts as not set. HBase's own
 * keys, which keep their meaning, are not in this list.
 */
public enum Setting {
  /** Kind of filter in the files of a column family; {@code bloom} is HBase's own. */
  FILTER("winnow.filter", labels(FilterChoice.values(), choice -> choice.label)),
  /** Kind of filter in files that a flush writes, if it differs from that of other files. */
  FILTER_FLUSH("winnow.filter.flush", FILTER.words),
  /**
   * Kind of filter in files that a minor compaction writes, if it differs from that of other files.
   */
  FILTER_COMPACTION("winnow.filter.compaction", FILTER.words),
  /**
   * Scope of the false-positive rate: with {@code store}, a file's rate follows from the rates that
   * a Get meets in the whole store; with {@code file}, all files have one rate; with {@code auto},
   * it is that of {@code store} unless the server's block cache is too small for its filters.
   */
  RATE_SCOPE("winnow.error.rate.scope", List.of("auto", "store", "file")),
  /**
   * Largest memory that the filters of a store may take, as a share of the memory of HBase's own
   * filters.
   */
  STORE_MEMORY("winnow.store.memory", 0.1, 1.25),
  /**
   * Hash function that makes 64 bits of a key; the default has a seed that differs from file to
   * file.
   */
  HASH("winnow.hash", KeyHash.labels()),
  /**
   * Sizing of the filter {@code ribbon}: as small as the rate allows, or with chunks of a fixed
   * size.
   */
  RIBBON_SIZING("winnow.ribbon.sizing", List.of("rate", "lindorm")),
  /**
   * Number of coefficients in each of the linear equations whose solution the filter {@code ribbon}
   * is.
   */
  RIBBON_WIDTH("winnow.ribbon.width", List.of("64", "128")),
  /** Rule for the prefixes of rows that filters have as keys beside the rows, for scans. */
  SCAN_PREFIX("winnow.scan.prefix", PrefixRule::isRule, PrefixRule.ALLOWED),
  /** Rule for the segments of rows that files keep in intervals, for scans and Gets. */
  SCAN_SEGMENT("winnow.scan.segment", SegmentRule::isRule, SegmentRule.ALLOWED),
  /** Switch for the check of each new chunk of a filter against all of its keys. */
  VERIFY("winnow.verify", List.of("true", "false")),
  /**
   * Switch for probes of a chunk that a filter's reader holds already, without a look-up in the
   * block cache.
   */
  READ_SHORTCUT("winnow.read.shortcut", List.of("true", "false")),
  /**
   * Rule for the chunks of filters that the block cache has evicted: with {@code earned}, a chunk
   * is loaded again if loads of its file pay; with {@code always}, at each query.
   */
  READ_RELOADS("winnow.read.reloads", List.of("earned", "always")),
  /** Limit on the heap that filters under construction take in a JVM. */
  BUILD_MEMORY_LIMIT("winnow.build.memory.limit");

  /** Prefix of the keys of all Winnow settings. */
  public static final String PREFIX = "winnow.";

  /** The key of a setting in HBase's configuration. */
  public final String key;

  private final List<String> words;
  private final double min;
  private final double max;

  /**
   * Predicate that checks the syntax of the setting's value; null if the setting has a list of
   * values or a range of numbers.
   */
  private final Predicate<String> form;

  private final String formInWords;

  /**
   * Creates a setting of a column family with a list of allowed values; the first is the default.
   */
  Setting(String key, List<String> words) {
    this(key, words, Double.NaN, Double.NaN, null, null);
  }

  /** Creates a setting of a column family whose value is a number in a range. */
  Setting(String key, double min, double max) {
    this(key, List.of(), min, max, null, null);
  }

  /**
   * Creates a setting of the whole server, which stands in hbase-site.xml only. Another class reads
   * its value.
   */
  Setting(String key) {
    this(key, List.of());
  }

  /** Creates a setting of a column family whose value is a text with a syntax of its own. */
  Setting(String key, Predicate<String> form, String formInWords) {
    this(key, List.of(), Double.NaN, Double.NaN, form, formInWords);
  }

  Setting(
      String key,
      List<String> words,
      double min,
      double max,
      Predicate<String> form,
      String formInWords) {
    this.form = form;
    this.formInWords = formInWords;
    this.key = key;
    this.words = words;
    this.min = min;
    this.max = max;
  }

  private static <T> List<String> labels(T[] values, Function<T, String> label) {
    return Arrays.stream(values).map(label).collect(Collectors.toList());
  }

  /** Returns the setting that has exactly the given key; null if there is none. */
  static Setting ofKey(String key) {
    for (Setting setting : values()) {
      if (setting.key.equals(key)) {
        return setting;
      }
    }
    return null;
  }

  /** Returns true if the setting belongs in hbase-site.xml only. */
  boolean isOfServer() {
    return words.isEmpty() && !isNumber() && form == null;
  }

  private boolean isNumber() {
    return !Double.isNaN(max);
  }

  /** Returns the value of a setting in small letters, allowed or not; empty if there is none. */
  String valueIn(Configuration conf) {
    return conf.getTrimmed(key, "").toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the value that a configuration has for the setting; the default if it has none.
   *
   * @throws WrongSettingException if the value is not allowed
   */
  String in(Configuration conf) throws WrongSettingException {
    String word = valueIn(conf);
    return word.isEmpty() ? words.get(0) : checked(word, conf);
  }

  /**
   * Returns a value of the setting that a configuration has, after a check that it is allowed.
   *
   * @throws WrongSettingException if the value is not allowed
   */
  String checked(String word, Configuration conf) throws WrongSettingException {
    if (!words.contains(word)) {
      throw wrongIn(conf, allowed());
    }
    return word;
  }

  /**
   * Returns the number that a configuration has as the value of the setting.
   *
   * @param otherwise the result if there is none
   * @throws WrongSettingException if the value is no number, or out of its range
   */
  double numberIn(Configuration conf, double otherwise) throws WrongSettingException {
    String text = conf.getTrimmed(key, "");
    if (text.isEmpty()) {
      return otherwise;
    }
    double value;
    try {
      value = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      value = Double.NaN;
    }
    if (!(value >= min && value <= max)) {
      throw wrongIn(conf, allowed());
    }
    return value;
  }

  /**
   * Returns the value of a setting as it was written in the configuration; empty if there is none.
   *
   * @throws WrongSettingException if the value is not allowed
   */
  String textIn(Configuration conf) throws WrongSettingException {
    String text = conf.getTrimmed(key, "");
    if (!text.isEmpty() && !form.test(text)) {
      throw wrongIn(conf, allowed());
    }
    return text;
  }

  /**
   * Checks the value that a configuration has for the setting, independently of other settings.
   *
   * @throws WrongSettingException if the value is not allowed
   */
  void check(Configuration conf) throws WrongSettingException {
    if (isNumber()) {
      numberIn(conf, max);
    } else if (form != null) {
      textIn(conf);
    } else {
      in(conf);
    }
  }

  /** Returns the allowed values of the setting, in words. */
  private String allowed() {
    if (form != null) {
      return formInWords;
    }
    if (isNumber()) {
      return "a number from " + min + " to " + max;
    }
    String last = words.get(words.size() - 1);
    return words.size() == 2
        ? words.get(0) + " or " + last
        : "one of " + String.join(", ", words.subList(0, words.size() - 1)) + " and " + last;
  }

  /** Returns an exception for a value of the setting that is not allowed. */
  WrongSettingException wrongIn(Configuration conf, String allowed) {
    return new WrongSettingException(key, conf.get(key), allowed);
  }
}
