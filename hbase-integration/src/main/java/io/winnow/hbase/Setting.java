package io.winnow.hbase;

import io.winnow.FilterType;
import io.winnow.hash.KeyHash;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * The settings that Winnow knows, each with the values it may have: a new one is a line here.
 *
 * <p>Values may have blanks around them and any case; an empty one counts as not set. HBase's own
 * keys, which keep their meaning, are not in this list.
 */
enum Setting {
  /** Which filter a family gets; {@code bloom} is HBase's own. */
  FILTER("winnow.filter", labels(FilterType.values(), FilterType::label, "bloom")),
  /** What makes 64 bits of a key. */
  HASH("winnow.hash", labels(KeyHash.values(), KeyHash::label)),
  /** For {@code ribbon}: as small as the rate allows, or chunks of a fixed size. */
  RIBBON_SIZING("winnow.ribbon.sizing", List.of("rate", "lindorm")),
  /** For {@code ribbon}. */
  RIBBON_WIDTH("winnow.ribbon.width", List.of("64", "128")),
  /** Whether each new chunk is checked against all of its keys. */
  VERIFY("winnow.verify", List.of("true", "false")),
  /** Whether a probe may take a chunk that was remembered. */
  READ_SHORTCUT("winnow.read.shortcut", List.of("true", "false")),
  /** How much filters under construction may take of the heap. */
  BUILD_MEMORY_LIMIT("winnow.build.memory.limit");

  /** What the keys of all settings begin with. */
  static final String PREFIX = "winnow.";

  private final String key;
  private final List<String> words;

  /** One that is a family's; the first word is the default. */
  Setting(String key, List<String> words) {
    this.key = key;
    this.words = words;
  }

  /** One of the whole server, whose value somebody else reads. */
  Setting(String key) {
    this(key, List.of());
  }

  private static <T> List<String> labels(T[] values, Function<T, String> label, String... before) {
    return Stream.concat(Stream.of(before), Arrays.stream(values).map(label)).toList();
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

  String key() {
    return key;
  }

  /** Whether it stands in hbase-site.xml only. */
  boolean isOfServer() {
    return words.isEmpty();
  }

  /** The value in small letters, whatever it is; the default if there is none. */
  String wordIn(Configuration conf) {
    String value = conf.getTrimmed(key, "");
    return value.isEmpty() ? words.get(0) : value.toLowerCase(Locale.ROOT);
  }

  /**
   * The value.
   *
   * @throws WrongSettingException if it is none of those allowed
   */
  String in(Configuration conf) throws WrongSettingException {
    String word = wordIn(conf);
    if (!words.contains(word)) {
      throw wrongIn(conf, allowed());
    }
    return word;
  }

  private String allowed() {
    String last = words.get(words.size() - 1);
    return words.size() == 2
        ? words.get(0) + " or " + last
        : "one of " + String.join(", ", words.subList(0, words.size() - 1)) + " and " + last;
  }

  WrongSettingException wrongIn(Configuration conf, String allowed) {
    return new WrongSettingException(key, conf.get(key), allowed);
  }
}
