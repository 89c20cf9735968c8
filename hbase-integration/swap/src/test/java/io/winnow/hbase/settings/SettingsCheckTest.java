package io.winnow.hbase.settings;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.LogLines;
import io.winnow.hbase.agent.WovenFactory;
import io.winnow.hbase.hooks.OpenedFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.IndexHalfStoreFileReaderGenerator;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.FSTableDescriptors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a master says to the settings of a table. */
class SettingsCheckTest {
  private static final String RATE = "io.storefile.bloom.error.rate";
  private static final String SIZE = "io.storefile.bloom.block.size";

  static {
    WovenFactory.install(); // the check looks at a coprocessor, which names readers
  }

  private final Configuration site = new Configuration(false);

  @TempDir Path root;

  private static TableDescriptorBuilder table() {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf("space", "orders"));
  }

  private static ColumnFamilyDescriptorBuilder family(String name, Map<String, String> settings) {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(name));
    settings.forEach(family::setConfiguration);
    return family;
  }

  private static TableDescriptor table(Map<String, String> settings) {
    return table()
        .setColumnFamily(family("first", Map.of()).build())
        .setColumnFamily(family("f", settings).build())
        .build();
  }

  private String refusal(TableDescriptor table) {
    return assertThrows(DoNotRetryIOException.class, () -> SettingsCheck.check(site, table))
        .getMessage();
  }

  private void assertPasses(TableDescriptor table) {
    try (LogLines log = new LogLines(SettingsCheck.class)) {
      assertDoesNotThrow(() -> SettingsCheck.check(site, table));
      assertEquals(List.of(), log.all());
    }
  }

  /**
   * What docs/compatibility.md promises to keep: who changes a key or a default changes the page.
   */
  @Test
  void thePageHasEachKeyItsValuesAndItsDefault() throws Exception {
    Map<String, List<String>> page = new TreeMap<>();
    for (String line : Files.readAllLines(Path.of("..", "..", "docs", "settings.md"))) {
      String[] cells = line.split(" *(?<!\\\\)\\| *");
      if (cells.length > 2 && cells[1].startsWith("`winnow.")) {
        String values = cells[2].replaceFirst("as `winnow.filter`.*", "").replace("\\|", "|");
        page.put(
            cells[1].replace("`", ""),
            Pattern.compile("`([^`]+)`").matcher(values).results().map(m -> m.group(1)).toList());
      }
    }
    assertEquals(
        Arrays.stream(Setting.values()).map(setting -> setting.key).collect(Collectors.toSet()),
        page.keySet());
    Configuration nothing = new Configuration(false);
    for (Setting setting : Setting.values()) {
      List<String> values = page.get(setting.key);
      Configuration conf = new Configuration(false);
      conf.set(setting.key, "nonsense");
      if (!setting.isOfServer()) {
        String refused =
            assertThrows(WrongSettingException.class, () -> setting.check(conf)).getMessage();
        for (String value : values) {
          conf.set(setting.key, value);
          assertDoesNotThrow(() -> setting.check(conf), value);
        }
        if (setting == Setting.STORE_MEMORY) {
          assertEquals(WinnowSettings.DEFAULT_STORE_MEMORY, Double.parseDouble(values.get(0)));
        } else if (values.size() > 1
            && setting != Setting.SCAN_PREFIX
            && setting != Setting.SCAN_SEGMENT) {
          assertEquals(setting.in(nothing), values.get(0));
          assertEquals(values.size(), refused.split(", | and | or ").length, refused);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "winnow.filter, bumped-ribon, 'one of bloom, ribbon, bumped-ribbon and quotient'",
    "winnow.hash, md5, 'one of xxh3-seeded, xxh3 and murmur3'",
    "winnow.ribbon.sizing, tight, 'rate or lindorm'",
    "winnow.ribbon.width, 32, '64 or 128'",
    "winnow.verify, maybe, 'true or false'",
    "winnow.read.shortcut, yes, 'true or false'",
    "winnow.read.reloads, never, 'earned or always'",
    "io.storefile.bloom.error.rate, 7, 'a number above 0 and at most 0.5'",
    "io.storefile.bloom.error.rate, a little, 'a number above 0 and at most 0.5'",
    "io.storefile.bloom.block.size, -1, 'a number of bytes from 128 to 67108864'",
  })
  void wrongValueIsRefusedOnEveryLevelWithASentence(String key, String value, String allowed) {
    String filter = key.equals("winnow.filter") ? "winnow.verify" : "winnow.filter";
    String sane = key.equals("winnow.filter") ? "true" : "ribbon";
    String is = key + " is '" + value + "'";
    String problem = ", must be " + allowed + " (checked by Winnow ";
    String inFamily = "Table 'space:orders', column family 'f': " + is;
    String sentence = refusal(table(Map.of(filter, sane, key, value)));
    assertTrue(sentence.startsWith(inFamily + " in CONFIGURATION" + problem), sentence);
    assertTrue(sentence.endsWith("; hbase.table.sanity.checks = false lets it pass)"), sentence);
    assertFalse(sentence.contains("\n"));

    sentence =
        refusal(
            table()
                .setColumnFamily(family("f", Map.of(filter, sane)).setValue(key, value).build())
                .build());
    assertTrue(sentence.startsWith(inFamily + " in METADATA" + problem), sentence);

    sentence =
        refusal(
            table()
                .setValue(key, value)
                .setColumnFamily(family("f", Map.of(filter, sane)).build())
                .build());
    String inTable = "Table 'space:orders': " + is;
    assertTrue(
        sentence.startsWith((key.startsWith("winnow.") ? inTable : inFamily) + problem), sentence);
  }

  /** HBase lets METADATA win, so the store would meet the right one. */
  @ParameterizedTest
  @CsvSource({
    "winnow.filter, ribon, ribbon",
    "winnow.filter.flush, ribon, ribbon",
    "winnow.hash, md5, xxh3",
    "winnow.scan.prefix, -3, 3",
    "winnow.ribbon.width, 32, 64",
    "winnow.store.memory, 7, 0.5",
    "io.storefile.bloom.error.rate, 7, 0.01",
    "io.storefile.bloom.block.size, -1, 65536",
  })
  void wrongValueThatMetadataHidesIsRefused(String key, String wrong, String right) {
    Map<String, String> settings = new TreeMap<>(Map.of("winnow.filter", "ribbon"));
    settings.put(key, wrong);
    String sentence = refusal(hidden(settings, key, right));
    assertTrue(
        sentence.startsWith(
            String.format(
                "Table 'space:orders', column family 'f': %s is '%s' in CONFIGURATION, must be ",
                key, wrong)),
        sentence);
    settings.put(key, right);
    assertEquals(1, warnings(hidden(settings, key, right)).size());
    sentence = refusal(hidden(settings, key, wrong));
    assertTrue(sentence.contains(key + " is '" + wrong + "' in METADATA, must be "), sentence);
  }

  private static TableDescriptor hidden(Map<String, String> settings, String key, String value) {
    return table().setColumnFamily(family("f", settings).setValue(key, value).build()).build();
  }

  @ParameterizedTest
  @CsvSource({
    "winnow.filter, bloom, ribbon",
    "winnow.filter, ribbon, bloom",
    "winnow.scan.prefix, 3, none",
    "winnow.ribbon.sizing, lindorm, rate",
    "io.storefile.bloom.error.rate, 0.01, 0.001",
  })
  void settingThatMetadataHidesIsLogged(String key, String configuration, String metadata) {
    Map<String, String> settings =
        new TreeMap<>(Map.of("winnow.filter", "ribbon", "winnow.ribbon.width", "128"));
    settings.put(key, configuration);
    List<String> lines = warnings(hidden(settings, key, metadata));
    assertEquals(1, lines.size(), lines.toString());
    assertTrue(
        lines
            .get(0)
            .endsWith(
                String.format(
                    "Table 'space:orders', column family 'f': %s = '%s' in METADATA hides '%s' in"
                        + " CONFIGURATION: change METADATA, or remove it there",
                    key, metadata, configuration)),
        lines.get(0));
    if (!key.startsWith("winnow.")) {
      assertPasses(hidden(Map.of(key, configuration), key, metadata));
    }
  }

  /** Lines of the log about a table that passes: no errors. */
  private List<String> warnings(TableDescriptor table) {
    try (LogLines log = new LogLines(SettingsCheck.class)) {
      assertDoesNotThrow(() -> SettingsCheck.check(site, table));
      assertEquals(List.of(), log.errors());
      return log.all();
    }
  }

  @Test
  void familyThatAsksForAFilterAndForNoneIsLogged() {
    String line =
        "Table 'space:orders', column family 'f': no filter is written because BLOOMFILTER is NONE;"
            + " set ROW";
    ColumnFamilyDescriptorBuilder none =
        family("f", Map.of("winnow.filter", "ribbon")).setBloomFilterType(BloomType.NONE);
    List<String> lines = warnings(table().setColumnFamily(none.build()).build());
    assertEquals(1, lines.size(), lines.toString());
    assertTrue(lines.get(0).endsWith(line), lines.get(0));
    none.setConfiguration("winnow.filter", "bloom");
    assertPasses(table().setColumnFamily(none.build()).build());
    none.setConfiguration("winnow.filter", "");
    site.set("winnow.filter", "ribbon");
    assertPasses(table().setColumnFamily(none.build()).build());
    lines =
        warnings(table().setValue("winnow.filter", "ribbon").setColumnFamily(none.build()).build());
    assertEquals(1, lines.size(), lines.toString());
    assertTrue(lines.get(0).endsWith(line), lines.get(0));
  }

  /** The table is there with these settings, as a master keeps it. */
  private void keep(TableDescriptor table) throws IOException {
    org.apache.hadoop.fs.Path directory = new org.apache.hadoop.fs.Path(root.toUri());
    site.set(HConstants.HBASE_DIR, directory.toString());
    FSTableDescriptors.createTableDescriptorForTableDirectory(
        directory.getFileSystem(site),
        CommonFSUtils.getTableDir(directory, table.getTableName()),
        table,
        true);
  }

  @Test
  void alterOfAnotherKeyPassesWithWhatTheTableHas() throws Exception {
    Map<String, String> settings =
        Map.of("winnow.filter", "ribon", "winnow.fliter", "ribbon", "winnow.hash", "xxh3");
    TableDescriptor old = hidden(settings, "winnow.scan.prefix", "three");
    keep(old);
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(old.getColumnFamilies()[0]).setMaxVersions(7);
    List<String> lines = warnings(table().setColumnFamily(family.build()).build());
    assertEquals(3, lines.size(), lines.toString());
    for (String line : lines) {
      assertTrue(line.endsWith(" (the table has it already: it is not refused)"), line);
    }

    family.setConfiguration("winnow.hash", "md5");
    String sentence = refusal(table().setColumnFamily(family.build()).build());
    assertTrue(sentence.contains("winnow.hash is 'md5' in CONFIGURATION"), sentence);
    family.setConfiguration("winnow.hash", "").setConfiguration("winnow.filter", "ribonn");
    sentence = refusal(table().setColumnFamily(family.build()).build());
    assertTrue(sentence.contains("winnow.filter is 'ribonn' in CONFIGURATION"), sentence);
    family.setConfiguration("winnow.filter", "ribon").setValue("winnow.filter", "ribon");
    sentence = refusal(table().setColumnFamily(family.build()).build());
    assertTrue(sentence.contains("winnow.filter is 'ribon' in METADATA"), sentence);
    sentence = refusal(table(Map.of("winnow.fliter", "ribbon", "winnow.filter", "ribbonn")));
    assertTrue(sentence.contains("winnow.filter is 'ribbonn' in CONFIGURATION"), sentence);
    sentence =
        refusal(
            TableDescriptorBuilder.newBuilder(old)
                .setColumnFamily(family("g", Map.of("winnow.filter", "ribon")).build())
                .build());
    assertTrue(sentence.contains("column family 'g': winnow.filter is 'ribon'"), sentence);
    sentence = refusal(TableDescriptorBuilder.copy(TableName.valueOf("t"), old));
    assertTrue(sentence.startsWith("Table 't', column family 'f': "), sentence);
  }

  @Test
  void valuesOfHBaseCountAsBroughtWithTheFilterThatNeedsThem() throws Exception {
    keep(table(Map.of(RATE, "7", SIZE, "-1")));
    String sentence = refusal(table(Map.of("winnow.filter", "ribbon", RATE, "7", SIZE, "-1")));
    assertTrue(sentence.contains(RATE + " is '7' in CONFIGURATION, must be "), sentence);
    keep(table(Map.of("winnow.filter", "ribbon", RATE, "7")));
    assertEquals(1, warnings(table(Map.of("winnow.filter", "quotient", RATE, "7"))).size());
    sentence = refusal(table(Map.of("winnow.filter", "ribbon", RATE, "7", SIZE, "-1")));
    assertTrue(sentence.contains(SIZE + " is '-1' in CONFIGURATION, must be "), sentence);
  }

  @Test
  void tableThatCannotBeReadHasNothing() throws Exception {
    TableDescriptor wrong = table(Map.of("winnow.filter", "ribon"));
    keep(wrong);
    assertEquals(1, warnings(wrong).size());
    site.set(HConstants.HBASE_DIR, "nosuch://host/hbase");
    refusal(wrong);
    site.unset(HConstants.HBASE_DIR);
    refusal(wrong);
  }

  @ParameterizedTest
  @CsvSource({
    "winnow.fliter, winnow.filter",
    "Winnow.Filter, winnow.filter",
    "winnow.filters, winnow.filter",
    "winnow.ribbon.with, winnow.ribbon.width",
    "winnow.ribbonsizing, winnow.ribbon.sizing",
    "' winnow.verify', winnow.verify",
  })
  void unknownKeyIsRefusedWithTheNearestKnownOne(String key, String nearest) {
    String is = key + " = 'ribbon'";
    String problem = " is no setting of Winnow's, did you mean " + nearest + "? (checked by";
    String inFamily = "Table 'space:orders', column family 'f': " + is;
    String sentence = refusal(table(Map.of(key, "ribbon")));
    assertTrue(sentence.startsWith(inFamily + " in CONFIGURATION" + problem), sentence);
    sentence =
        refusal(
            table().setColumnFamily(family("f", Map.of()).setValue(key, "ribbon").build()).build());
    assertTrue(sentence.startsWith(inFamily + " in METADATA" + problem), sentence);
    sentence =
        refusal(
            table().setValue(key, "ribbon").setColumnFamily(family("f", Map.of()).build()).build());
    assertTrue(sentence.startsWith("Table 'space:orders': " + is + problem), sentence);
  }

  @Test
  void unknownKeyThatIsNearNoneIsAnotherVersionsAndLogged() throws Exception {
    try (LogLines log = new LogLines(SettingsCheck.class)) {
      SettingsCheck.check(site, table(Map.of("winnow.of.tomorrow", "1")));
      assertEquals(1, log.all().size(), log.all().toString());
      String line = log.all().get(0);
      assertTrue(
          line.contains(
              "Table 'space:orders', column family 'f': winnow.of.tomorrow = '1' in CONFIGURATION"
                  + " is no setting of Winnow's in version "),
          line);
    }
    String sentence = refusal(table(Map.of("winnow.of.tomorrow", "1", "winnow.hash", "md5")));
    assertTrue(sentence.contains("winnow.hash is 'md5'"), sentence);
  }

  @Test
  void settingOfAServerIsRefusedInATableAndInAFamily() {
    String key = "winnow.build.memory.limit";
    String is = key + " = '1g'";
    String problem = " is a whole server's and stands in hbase-site.xml only (";
    String sentence = refusal(table(Map.of(key, "1g")));
    assertTrue(
        sentence.contains("column family 'f': " + is + " in CONFIGURATION" + problem), sentence);
    sentence =
        refusal(table().setValue(key, "1g").setColumnFamily(family("f", Map.of()).build()).build());
    assertTrue(sentence.contains("Table 'space:orders': " + is + problem), sentence);
  }

  @Test
  void goodSettingsPass() {
    assertPasses(table(Map.of()));
    for (String filter : List.of("bloom", "ribbon", "bumped-ribbon", "quotient", " Ribbon ", "")) {
      assertPasses(table(Map.of("winnow.filter", filter)));
      assertPasses(
          table(
              Map.of(
                  "winnow.filter",
                  filter,
                  "winnow.hash",
                  "murmur3",
                  RATE,
                  "0.001",
                  SIZE,
                  "65536")));
    }
    for (String rate : List.of("0.5", "1e-30", "1e-300", "4.9e-324")) {
      assertPasses(table(Map.of("winnow.filter", "ribbon", RATE, rate)));
      assertPasses(table(Map.of("winnow.filter", "bumped-ribbon", RATE, rate)));
      assertPasses(table(Map.of("winnow.filter", "quotient", RATE, rate)));
    }
    assertPasses(table(Map.of("winnow.filter", "ribbon", "winnow.ribbon.width", "128")));
    assertPasses(table(Map.of("winnow.read.shortcut", "false", "winnow.verify", "FALSE")));
    assertPasses(table(Map.of("winnow.read.reloads", " Always ")));
    for (BloomType type : new BloomType[] {BloomType.ROW, BloomType.ROWCOL}) {
      assertPasses(
          table()
              .setValue("winnow.filter", "ribbon")
              .setColumnFamily(family("f", Map.of(RATE, "1e-6")).setBloomFilterType(type).build())
              .build());
    }
  }

  @Test
  void valuesAreSeenAsTheStoreLaysThemOverEachOther() {
    site.set("winnow.ribbon.sizing", "lindorm");
    TableDescriptorBuilder table = table().setValue("winnow.filter", "ribbon");
    ColumnFamilyDescriptorBuilder wide = family("f", Map.of("winnow.ribbon.width", "128"));
    String sentence = refusal(table.setColumnFamily(wide.build()).build());
    assertTrue(
        sentence.contains(
            "winnow.ribbon.width is '128' in CONFIGURATION, must be 64 with winnow.ribbon.sizing ="
                + " lindorm"),
        sentence);
    wide.setConfiguration("winnow.ribbon.sizing", "rate");
    assertPasses(table.modifyColumnFamily(wide.build()).build());
    wide.setConfiguration("winnow.filter", "bloom").setConfiguration("winnow.ribbon.sizing", "");
    assertPasses(table.modifyColumnFamily(wide.build()).build());
  }

  @Test
  void siteThatDoesNotGoWithTheTableIsNamed() {
    site.set(SIZE, "512");
    String sentence =
        refusal(table(Map.of("winnow.filter", "ribbon", "winnow.ribbon.sizing", "lindorm")));
    assertTrue(sentence.contains(SIZE + " is '512' in hbase-site.xml, must be at least"), sentence);
  }

  @Test
  void faultOfTheSiteAloneRefusesNoTable() {
    site.set("winnow.filter", "ribon");
    site.set("winnow.fliter", "ribbon");
    assertPasses(table(Map.of()));
    try (LogLines log = new LogLines(SettingsCheck.class)) {
      assertDoesNotThrow(() -> SettingsCheck.check(site, table(Map.of("winnow.verify", "true"))));
      assertEquals(1, log.all().size());
      assertTrue(log.all().get(0).startsWith("winnow.filter is 'ribon' in hbase-site.xml"));
    }
    assertPasses(table(Map.of("winnow.filter", "ribbon")));
  }

  @Test
  void stocksOwnKeysAreLeftAloneWhereNobodyAskedForAFilterOfOurs() {
    assertPasses(table(Map.of(RATE, "7", SIZE, "-1")));
    assertPasses(table(Map.of("winnow.filter", "bloom", RATE, "7", SIZE, "-1")));
    site.set("winnow.filter", "ribbon");
    assertPasses(table(Map.of(RATE, "7")));
  }

  @Test
  void checksThatAreSwitchedOffLeaveALineInTheLog() {
    Map<String, String> wrong = Map.of("winnow.filter", "ribon");
    TableDescriptor off =
        TableDescriptorBuilder.newBuilder(table(wrong))
            .setValue("hbase.table.sanity.checks", "false")
            .build();
    assertWarns(off);
    site.set("hbase.table.sanity.checks", "false");
    assertWarns(table(wrong));
    TableDescriptor onAgain =
        TableDescriptorBuilder.newBuilder(table(wrong))
            .setValue("hbase.table.sanity.checks", "true")
            .build();
    refusal(onAgain);
  }

  private void assertWarns(TableDescriptor table) {
    try (LogLines log = new LogLines(SettingsCheck.class)) {
      assertDoesNotThrow(() -> SettingsCheck.check(site, table));
      assertEquals(1, log.all().size());
      assertTrue(log.all().get(0).contains("winnow.filter is 'ribon'"), log.all().get(0));
      assertEquals(List.of(), log.errors());
    }
  }

  /** A reader of another class may show other rows: no scan skips a file that it reads. */
  @Test
  void prefixesOfFilesThatACoprocessorOpensAreLogged() throws Exception {
    Map<String, String> prefixes = Map.of("winnow.filter", "ribbon", "winnow.scan.prefix", "8");
    String observer = OpenedFiles.Observer.class.getName();
    TableDescriptor localIndex = table().setColumnFamily(family("L#0", prefixes).build()).build();
    TableDescriptor opened =
        TableDescriptorBuilder.newBuilder(table(prefixes)).setCoprocessor(observer).build();
    String nothing = ": winnow.scan.prefix = 8 may gain nothing: ";
    assertLogs(localIndex, "'L#0'" + nothing + "it has a local index of Apache Phoenix");
    assertLogs(opened, "'f'" + nothing + "the coprocessor " + observer + " may open files");
    site.set("hbase.coprocessor.user.region.classes", " " + observer + "|5 ");
    assertLogs(table(prefixes), "'f'" + nothing + "the coprocessor " + observer);
    assertPasses(table(Map.of("winnow.filter", "ribbon")));
    assertPasses(table(Map.of("winnow.scan.prefix", "8")));
    site.set("hbase.coprocessor.user.region.classes", "no.such.Observer");
    assertPasses(table(prefixes));
    assertPasses(
        TableDescriptorBuilder.newBuilder(table(prefixes))
            .setCoprocessor(MultiRowMutationEndpoint.class.getName())
            .build());
  }

  /** Values of a table of Phoenix reach its families of local indexes, and the indexes of views. */
  @Test
  void tableValuesThatReachPhoenixsIndexesAreLogged() throws Exception {
    TableDescriptor indexed =
        table()
            .setColumnFamily(family("0", Map.of()).build())
            .setColumnFamily(family("L#0", Map.of()).build())
            .setValue("winnow.filter", "bumped-ribbon")
            .setValue("winnow.scan.prefix", "8")
            .setValue("winnow.scan.segment", "8")
            .setCoprocessor(IndexHalfStoreFileReaderGenerator.class.getName())
            .build();
    assertLogs(
        indexed,
        "'L#0': winnow.scan.prefix = 8 and winnow.scan.segment = 8 may gain nothing: ",
        ". Set winnow.scan.prefix and winnow.scan.segment to none in this family");
    Map<String, String> none = Map.of("winnow.scan.prefix", "none", "winnow.scan.segment", "none");
    assertPasses(
        TableDescriptorBuilder.newBuilder(indexed)
            .modifyColumnFamily(family("L#0", none).build())
            .build());

    TableDescriptor ofViews =
        TableDescriptorBuilder.newBuilder(TableName.valueOf("space", "_IDX_EVENTS"))
            .setColumnFamily(family("0", Map.of()).build())
            .setValue("winnow.filter", "bumped-ribbon")
            .setValue("winnow.scan.prefix", "8")
            .build();
    assertLogs(
        ofViews,
        "'0': winnow.scan.prefix = 8 may gain nothing: it has indexes of views",
        ". Set winnow.scan.prefix to none in this family");
    assertPasses( // made for the index
        TableDescriptorBuilder.newBuilder(ofViews)
            .modifyColumnFamily(family("0", Map.of("winnow.scan.prefix", "9")).build())
            .build());
  }

  private void assertLogs(TableDescriptor table, String... parts) {
    try (LogLines log = new LogLines(SettingsCheck.class)) {
      assertDoesNotThrow(() -> SettingsCheck.check(site, table));
      assertEquals(1, log.all().size(), log.all().toString());
      String line = log.withLevels().get(0);
      assertTrue(line.startsWith("WARN Table '" + table.getTableName() + "', "), line);
      for (String part : parts) {
        assertTrue(line.contains(part), line);
      }
    }
  }

  @Test
  void whatFailsInTheCheckItselfRefusesNothing() {
    for (Throwable fault :
        List.of(
            new IllegalStateException("?"), new NoSuchMethodError("?"), new StackOverflowError())) {
      Configuration broken =
          new Configuration(false) {
            @Override
            public String get(String key) {
              throw SettingsCheckTest.<RuntimeException>unchecked(fault);
            }

            @Override
            public String getRaw(String key) {
              throw SettingsCheckTest.<RuntimeException>unchecked(fault);
            }
          };
      try (LogLines log = new LogLines(SettingsCheck.class)) {
        TableDescriptor table = table(Map.of("winnow.filter", "ribon"));
        assertDoesNotThrow(() -> SettingsCheck.check(broken, table));
        assertEquals(1, log.errors().size());
      }
    }
    try (LogLines log = new LogLines(SettingsCheck.class)) {
      assertDoesNotThrow(() -> SettingsCheck.check(site, null));
      assertEquals(1, log.errors().size());
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> T unchecked(Throwable fault) throws T {
    throw (T) fault;
  }
}
