package io.winnow.hbase.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.LogLines;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the limit of the memory for builds may say. */
class MemoryLimitTest {
  private static final long HEAP = 10L << 30;

  @BeforeEach
  @AfterEach
  void forget() {
    MemoryLimit.forget();
  }

  private static Configuration conf(String value) {
    Configuration conf = new Configuration(false);
    conf.set("winnow.build.memory.limit", value);
    return conf;
  }

  @ParameterizedTest
  @CsvSource({
    "64m, 67108864",
    "64M, 67108864",
    "64mb, 67108864",
    "1g, 1073741824",
    "2048k, 2097152",
    "1t, 1099511627776",
    "1048576, 1048576",
    " 3000000 , 3000000",
    "0.05, 536870912",
    ".5, 5368709120",
    "5%, 536870912",
    "2.5%, 268435456",
    "100%, 10737418240",
    "1.0, 10737418240",
  })
  void sizesAndSharesAreUnderstood(String value, long bytes) {
    assertEquals(bytes, MemoryLimit.of(conf(value), HEAP));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "1000",
        "-1",
        "-5%",
        "lots",
        "64q",
        "64 m",
        "101%",
        "1.5",
        "0.0",
        "0%",
        "%",
        "9999999999999t",
        "99999999999999999999",
        "1e9",
        "0x100000",
        "NaN",
        "m"
      })
  void nonsenseMeansTheDefaultAndOneLine(String value) {
    try (LogLines log = new LogLines(MemoryLimit.class)) {
      assertEquals(HEAP / 20, MemoryLimit.of(conf(value), HEAP));
      assertEquals(HEAP / 20, MemoryLimit.of(conf(value), HEAP));
      assertEquals(1, log.errors().size(), log.all().toString());
      assertTrue(log.errors().get(0).contains("winnow.build.memory.limit is '" + value + "'"));
    }
  }

  @Test
  void withoutItThereIsAShareOfTheHeap() {
    assertEquals(HEAP / 20, MemoryLimit.of(new Configuration(false), HEAP));
    assertEquals(HEAP / 20, MemoryLimit.of(conf(" "), HEAP));
    long heap = Runtime.getRuntime().maxMemory();
    assertEquals(0, MemoryLimit.ofThisJvm());
    assertEquals((long) (heap * 0.05), MemoryLimit.ofThisJvm(new Configuration(false)));
    assertEquals((long) (heap * 0.05), MemoryLimit.ofThisJvm());
  }

  @Test
  void familyDoesNotChangeWhatTheServerHas() {
    MemoryLimit.serverStarts(conf("64m"));
    assertEquals(64 << 20, MemoryLimit.ofThisJvm());
    assertEquals(64 << 20, MemoryLimit.ofThisJvm(conf("1g")));
    assertEquals(64 << 20, MemoryLimit.ofThisJvm());
    MemoryLimit.serverStarts(conf("32m"));
    assertEquals(32 << 20, MemoryLimit.ofThisJvm(conf("1g")), "another server, a new site");
  }

  @Test
  void withoutAServerTheFirstFileSaysIt() {
    assertEquals(64 << 20, MemoryLimit.ofThisJvm(conf("64m")));
    assertEquals(64 << 20, MemoryLimit.ofThisJvm(conf("1g")));
    MemoryLimit.serverStarts(conf("32m"));
    assertEquals(32 << 20, MemoryLimit.ofThisJvm(conf("64m")));
  }
}
