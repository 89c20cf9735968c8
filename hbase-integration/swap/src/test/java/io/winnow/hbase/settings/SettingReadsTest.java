package io.winnow.hbase.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.hbase.format.KeyKind;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A writer's settings are resolved once. */
class SettingReadsTest {
  /** Counts what is asked of it. */
  private static final class Counting extends Configuration {
    final Map<String, Integer> reads = new TreeMap<>();

    Counting() {
      super(false);
    }

    @Override
    public String get(String name) {
      reads.merge(name, 1, Integer::sum);
      return super.get(name);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "bumped-ribbon, rate, FLUSH",
    "bumped-ribbon, rate, MINOR_COMPACTION",
    "bumped-ribbon, rate, OTHER",
    "ribbon, rate, OTHER",
    "ribbon, lindorm, FLUSH",
    "ribbon, lindorm, OTHER",
    "quotient, rate, FLUSH",
  })
  void eachKeyIsReadOnceForAWriter(String filter, String sizing, Occasion occasion)
      throws WrongSettingException {
    for (KeyKind kind : KeyKind.values()) {
      Counting conf = new Counting();
      conf.set(Setting.FILTER.key, filter);
      conf.set(Setting.RIBBON_SIZING.key, sizing);
      conf.set(Setting.STORE_MEMORY.key, "0.9");
      conf.reads.clear();
      WinnowSettings.of(conf, kind, occasion);
      assertEquals(1, conf.reads.get(Setting.FILTER.key), conf.reads.toString());
      assertEquals(
          Map.of(),
          conf.reads.entrySet().stream()
              .filter(read -> read.getValue() > 1)
              .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }
  }
}
