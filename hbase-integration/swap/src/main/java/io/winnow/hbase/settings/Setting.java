package io.winnow.hbase.settings;

import io.winnow.hash.KeyHash;
import io.winnow.hbase.format.PrefixRule;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;

/**
 * The settings that Winnow knows, each with the values it may have: a new one is a line here.
 *
 * <p>Values may have blanks around them and any case; an empty one counts as not set. HBase's own
 * keys, which keep their meaning, are not in this list.
 */
public enum Setting {
  /** Which filter a family gets; {@code bloom} is HBase's own. */
  FILTER("winnow.filter", labels(FilterChoice.values(), FilterChoice::label)),
  /** Which filter a file gets that a flush writes, instead. */
  FILTER_FLUSH("winnow.filter.flush", FILTER.words),
  /** Which filter a file gets that a compaction of some of a store's files writes, instead. */
  FILTER_COMPACTION("winnow.filter.compaction", FILTER.words),
  /** Whether a file's rate comes from what a Get pays in its whole store. */
  RATE_SCOPE("winnow.error.rate.scope", List.of("store", "file")),
  /** The most that a store's filters take, as a share of what HBase's own would. */
  STORE_MEMORY("winnow.store.memory", 0.1, 1.25),
  /** What makes 64 bits of a key; the default has a seed of the file's own. */
  HASH("winnow.hash", KeyHash.labels()),
  /** For {@code ribbon}: as small as the rate allows, or chunks of a fixed size. */
  RIBBON_SIZING("winnow.ribbon.sizing", List.of("rate", "lindorm")),
  /** For {@code ribbon}. */
  RIBBON_WIDTH("winnow.ribbon.width", List.of("64", "128")),
  /** Which part of a row is a key beside the row, for scans. */
  SCAN_PREFIX("winnow.scan.prefix", PrefixRule::isRule, PrefixRule.ALLOWED),
  /** Whether each new chunk is checked against all of its keys. */
  VERIFY("winnow.verify", List.of("true", "false")),
  /** Whether a probe may take a chunk that was remembered. */
  READ_SHORTCUT("winnow.read.shortcut", List.of("true", "false")),
  /** How much filters under construction may take of the heap. */
  BUILD_MEMORY_LIMIT("winnow.build.memory.limit");

  /** What the keys of all settings begin with. */
  public static final String PREFIX = "winnow.";

  private final String key;
  private final List<String> words;
  private final double least;
  private final double most;

  /** Tells a text of a form of its own; null where there is none. */
  private final Predicate<String> form;

  private final String formInWords;

  /** One that is a family's; the first word is the default. */
  Setting(String key, List<String> words) {
    this(key, words, Double.NaN, Double.NaN);
  }

  /** A number of a family's. */
  Setting(String key, double least, double most) {
    this(key, List.of(), least, most);
  }

  /** One of the whole server, whose value somebody else reads. */
  Setting(String key) {
    this(key, List.of());
  }

  Setting(String key, List<String> words, double least, double most) {
    this(key, words, least, most, null, null);
  }

  /** A text of a family's. */
  Setting(String key, Predicate<String> form, String formInWords) {
    this(key, List.of(), Double.NaN, Double.NaN, form, formInWords);
  }

  Setting(
      String key,
      List<String> words,
      double least,
      double most,
      Predicate<String> form,
      String formInWords) {
    this.form = form;
    this.formInWords = formInWords;
    this.key = key;
    this.words = words;
    this.least = least;
    this.most = most;
  }

  private static <T> List<String> labels(T[] values, Function<T, String> label) {
    return Arrays.stream(values).map(label).collect(Collectors.toList());
  }

  /** The setting with this key, exactly; null if there is none. */
  static Setting ofKey(String key) {
    for (Setting setting : values()) {
      if (setting.key.equals(key)) {
        return setting;
      }
    }
    return null;
  }

  /** As HBase's configuration has it. */
  public String key() {
    return key;
  }

  /** Whether it stands in hbase-site.xml only. */
  boolean isOfServer() {
    return words.isEmpty() && !isNumber() && form == null;
  }

  private boolean isNumber() {
    return !Double.isNaN(most);
  }

  /** The value in small letters, whatever it is; empty if there is none. */
  String valueIn(Configuration conf) {
    return conf.getTrimmed(key, "").toLowerCase(Locale.ROOT);
  }

  /**
   * The value.
   *
   * @throws WrongSettingException if it is none of those allowed
   */
  String in(Configuration conf) throws WrongSettingException {
    String word = valueIn(conf);
    return word.isEmpty() ? words.get(0) : checked(word, conf);
  }

  /**
   * A value that was read here.
   *
   * @throws WrongSettingException if it is none of those allowed
   */
  String checked(String word, Configuration conf) throws WrongSettingException {
    if (!words.contains(word)) {
      throw wrongIn(conf, allowed());
    }
    return word;
  }

  /**
   * The number, or this one if there is none.
   *
   * @throws WrongSettingException if it is none, or out of its range
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
    if (!(value >= least && value <= most)) {
      throw wrongIn(conf, allowed());
    }
    return value;
  }

  /**
   * The text, as it was written; empty if there is none.
   *
   * @throws WrongSettingException if it is none of those allowed
   */
  String textIn(Configuration conf) throws WrongSettingException {
    String text = conf.getTrimmed(key, "");
    if (!text.isEmpty() && !form.test(text)) {
      throw wrongIn(conf, allowed());
    }
    return text;
  }

  /**
   * Looks at the value by itself.
   *
   * @throws WrongSettingException if it may not have it
   */
  void check(Configuration conf) throws WrongSettingException {
    if (isNumber()) {
      numberIn(conf, most);
    } else if (form != null) {
      textIn(conf);
    } else {
      in(conf);
    }
  }

  private String allowed() {
    if (form != null) {
      return formInWords;
    }
    if (isNumber()) {
      return "a number from " + least + " to " + most;
    }
    String last = words.get(words.size() - 1);
    return words.size() == 2
        ? words.get(0) + " or " + last
        : "one of " + String.join(", ", words.subList(0, words.size() - 1)) + " and " + last;
  }

  WrongSettingException wrongIn(Configuration conf, String allowed) {
    return new WrongSettingException(key, conf.get(key), allowed);
  }
}
