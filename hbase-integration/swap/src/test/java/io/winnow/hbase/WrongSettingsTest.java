package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.hooks.WinnowHooks;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.read.WinnowFilterReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.MetaCellComparator;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CompoundBloomFilter;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nonsense in a family's configuration: one line says so, and the file is written. */
class WrongSettingsTest {
  private static final int ROWS = 500;
  private static final byte[] QUALIFIER = {'a'};

  private static final AtomicInteger TABLES = new AtomicInteger();

  @TempDir Path dir;

  @ParameterizedTest
  @CsvSource({
    "winnow.filter, ribon",
    "winnow.filter, 1",
    "winnow.hash, md5",
    "winnow.ribbon.sizing, tight",
    "winnow.ribbon.width, 32",
    "winnow.ribbon.width, wide",
    "winnow.verify, maybe",
    "io.storefile.bloom.error.rate, 0",
    "io.storefile.bloom.error.rate, -0.01",
    "io.storefile.bloom.error.rate, 1",
    "io.storefile.bloom.error.rate, 0.7",
    "io.storefile.bloom.error.rate, NaN",
    "io.storefile.bloom.error.rate, Infinity",
    "io.storefile.bloom.error.rate, one percent",
    "io.storefile.bloom.block.size, 0",
    "io.storefile.bloom.block.size, -131072",
    "io.storefile.bloom.block.size, 12",
    "io.storefile.bloom.block.size, 128k",
    "io.storefile.bloom.block.size, 2147483647",
    "io.storefile.bloom.block.size, 99999999999",
  })
  void wrongValueIsNamedOnceAndTheStockFilterWritten(String key, String value) throws IOException {
    for (BloomType type : new BloomType[] {BloomType.ROW, BloomType.ROWCOL}) {
      Map<String, String> family = new HashMap<>(Map.of("winnow.filter", "ribbon"));
      family.put(key, value);
      List<String> errors = writeAndRead(family, type);
      assertEquals(1, errors.size(), String.valueOf(errors));
      String line = errors.get(0);
      for (String part : new String[] {"'f'", key, "'" + value + "'", "stock"}) {
        assertTrue(line.contains(part), line);
      }
    }
  }

  @Test
  void lindormsSizingHasOneWidth() throws IOException {
    Map<String, String> family = new HashMap<>();
    family.put("winnow.filter", "ribbon");
    family.put("winnow.ribbon.sizing", "lindorm");
    family.put("winnow.ribbon.width", "128");
    List<String> errors = writeAndRead(family, BloomType.ROW);
    assertEquals(1, errors.size());
    assertTrue(errors.get(0).contains("winnow.ribbon.width is '128', must be 64"), errors.get(0));
  }

  @Test
  void lindormsSizingHasALeastChunk() throws IOException {
    Map<String, String> family = new HashMap<>();
    family.put("winnow.filter", "ribbon");
    family.put("winnow.ribbon.sizing", "lindorm");
    family.put("io.storefile.bloom.block.size", "1023");
    List<String> errors = writeAndRead(family, BloomType.ROW);
    assertEquals(1, errors.size());
    assertTrue(
        errors.get(0).contains("io.storefile.bloom.block.size is '1023', must be at least 1024"),
        errors.get(0));
  }

  @Test
  void fileWithADeleteFamilyFilterOnlyIsReportedToo() throws IOException {
    Configuration conf = StoreFiles.conf(Map.of("winnow.filter", "ribon"));
    try (LogLines log = new LogLines(WinnowHooks.class)) {
      StoreFiles.write(dir, conf, BloomType.NONE, ofNewTable(), StoreFiles.mixedRows(ROWS));
      assertEquals(1, log.errors().size());
    }
  }

  @Test
  void severalWrongValuesAtOnceStillGiveAFile() throws IOException {
    Map<String, String> family = new HashMap<>();
    family.put("winnow.filter", "quotient?");
    family.put("io.storefile.bloom.error.rate", "abc");
    family.put("io.storefile.bloom.block.size", "-1");
    family.put("io.storefile.bloom.max.fold", "many");
    family.put("hbase.hash.type", "no such");
    assertEquals(1, writeAndRead(family, BloomType.ROW).size());
  }

  @Test
  void rateTooSmallForStockCodeIsFineForUsAndHarmlessForTheFallback() throws IOException {
    Map<String, String> family = new HashMap<>();
    family.put("winnow.filter", "ribbon");
    family.put("io.storefile.bloom.error.rate", "1e-9");
    Configuration conf = StoreFiles.conf(family);
    try (LogLines log = new LogLines(WinnowHooks.class)) {
      var path = StoreFiles.write(dir, conf, BloomType.ROWCOL, StoreFiles.evenRows(ROWS));
      HStoreFile file = StoreFiles.open(conf, path, BloomType.ROWCOL, new BloomFilterMetrics());
      assertInstanceOf(WinnowFilterReader.class, StoreFileDoor.generalFilter(file.getReader()));
      file.closeStoreFile(true);
      assertEquals(List.of(), log.errors());
    }
    family.put("winnow.hash", "?");
    assertEquals(1, writeAndRead(family, BloomType.ROWCOL).size());
  }

  @ParameterizedTest
  @ValueSource(strings = {" Ribbon ", "RIBBON", "ribbon"})
  void blanksAndCaseDoNotMatter(String value) throws IOException {
    Configuration conf =
        StoreFiles.conf(
            Map.of("winnow.filter", value, "winnow.hash", "", "winnow.verify", " FALSE "));
    try (LogLines log = new LogLines(WinnowHooks.class)) {
      var path = StoreFiles.write(dir, conf, BloomType.ROW, StoreFiles.evenRows(ROWS));
      HStoreFile file = StoreFiles.open(conf, path, BloomType.ROW, new BloomFilterMetrics());
      assertInstanceOf(WinnowFilterReader.class, StoreFileDoor.generalFilter(file.getReader()));
      file.closeStoreFile(true);
      assertEquals(List.of(), log.all());
    }
  }

  @Test
  void filesInTheOrderOfHbaseMetaKeepTheStockFilter() throws IOException {
    Configuration conf = StoreFiles.conf(Map.of("winnow.filter", "ribbon"));
    var context =
        StoreFiles.context().withCellComparator(MetaCellComparator.META_COMPARATOR).build();
    var path = StoreFiles.write(dir, conf, BloomType.ROW, context, StoreFiles.evenRows(10));
    HStoreFile file = StoreFiles.open(conf, path, BloomType.ROW, new BloomFilterMetrics());
    assertInstanceOf(CompoundBloomFilter.class, StoreFileDoor.generalFilter(file.getReader()));
    file.closeStoreFile(true);
  }

  @Test
  void wrongSettingIsCountedForEachFileAndSaidOnce() throws IOException {
    Configuration conf = StoreFiles.conf(Map.of("winnow.filter", "ribon"));
    Configuration other = StoreFiles.conf(Map.of("winnow.filter", "rib-on"));
    HFileContext one = ofNewTable();
    long before = ServerMetric.FALLBACKS_WRONG_SETTING.value();
    try (LogLines log = new LogLines(WinnowHooks.class)) {
      for (int files = 1; files <= 5; files++) {
        StoreFiles.write(dir, conf, BloomType.ROW, one, StoreFiles.mixedRows(ROWS));
        assertEquals(1, log.errors().size());
        assertEquals(before + files, ServerMetric.FALLBACKS_WRONG_SETTING.value());
      }
      StoreFiles.write(dir, other, BloomType.ROW, one, StoreFiles.mixedRows(ROWS));
      assertEquals(2, log.errors().size(), "another value");
      StoreFiles.write(dir, conf, BloomType.ROW, ofNewTable(), StoreFiles.mixedRows(ROWS));
      assertEquals(3, log.errors().size(), "another table");
    }
  }

  /**
   * A tool may say of which table its file is in words that are no table's name. With this value
   * HBase can make no filter either, unless ours has taken it away.
   */
  @Test
  void nameThatIsNoTablesFailsNoFileThatIsCountedForItsFamily() throws IOException {
    HFileContext noTable = StoreFiles.context().withTableName(Bytes.toBytes("a b")).build();
    List<String> errors =
        writeAndRead(
            Map.of("winnow.filter", "ribbon", "io.storefile.bloom.error.rate", "one percent"),
            BloomType.ROW,
            noTable);
    assertEquals(1, errors.size(), errors.toString());
    assertTrue(errors.get(0).contains("'one percent'"), errors.get(0));
  }

  /** A table about which nothing was logged yet. */
  private static HFileContext ofNewTable() {
    byte[] table = Bytes.toBytes("table-" + TABLES.incrementAndGet());
    return StoreFiles.context().withTableName(table).build();
  }

  /** The ERROR lines of writing; the file read back must have a stock filter and every row. */
  private List<String> writeAndRead(Map<String, String> family, BloomType type) throws IOException {
    return writeAndRead(family, type, ofNewTable());
  }

  private List<String> writeAndRead(
      Map<String, String> family, BloomType type, HFileContext context) throws IOException {
    Configuration conf = StoreFiles.conf(family);
    try (LogLines log = new LogLines(WinnowHooks.class)) {
      var path = StoreFiles.write(dir, conf, type, context, StoreFiles.mixedRows(ROWS));
      HStoreFile file =
          StoreFiles.open(StoreFiles.conf(Map.of()), path, type, new BloomFilterMetrics());
      assertInstanceOf(CompoundBloomFilter.class, StoreFileDoor.generalFilter(file.getReader()));
      for (int i = 0; i < ROWS; i++) {
        assertTrue(StoreFileDoor.passes(file.getReader(), StoreFiles.row(2 * i), QUALIFIER));
      }
      file.closeStoreFile(true);
      return log.errors();
    }
  }
}
