package io.winnow.hbase.tools;

import static io.winnow.hbase.tools.ToolsDoor.run;
import static io.winnow.hbase.tools.ToolsTable.onlyFile;
import static io.winnow.hbase.tools.ToolsTable.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.format.SegmentRule;
import io.winnow.hbase.hooks.OpenedFiles;
import io.winnow.hbase.metrics.TestRegion;
import io.winnow.hbase.settings.StoreView.OtherFile;
import io.winnow.hbase.tools.ToolsDoor.Ran;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** What {@code advise} counts, for stores of all kinds, and what it says of it. */
class AdviseTest extends ToolsCase {
  /** What a program may rely on comes first, in this order; more may follow. */
  @Test
  void documentBeginsAsItIsPromised() throws Exception {
    try (TestRegion region = region(Map.of())) {
      put(region, 0, 1000);
      put(region, 1000, 1500);
      JsonNode advice = json(region.configuration(), Tool.DONE, "advise", "t");
      assertEquals(List.of("files", "keys", "filters"), names(advice).subList(0, 3));
      assertEquals(2, advice.get("files").asInt());
      assertEquals(1500, advice.get("keys").asInt());
      List<String> filters = new ArrayList<>();
      for (JsonNode filter : advice.get("filters")) {
        assertEquals(
            List.of("filter", "bytes", "bitsPerKey", "falseReadsPerAbsentGet"),
            names(filter).subList(0, 4));
        filters.add(filter.get("filter").textValue());
        assertTrue(filter.get("bytes").isIntegralNumber(), filter.toString());
        double bits = 8.0 * filter.get("bytes").asLong() / 1500;
        assertEquals(bits, filter.get("bitsPerKey").doubleValue(), 0.01);
        double falseReads = filter.get("falseReadsPerAbsentGet").doubleValue();
        assertTrue(falseReads > 0 && falseReads <= 0.0101, filter.toString());
      }
      assertTrue(
          filters.containsAll(List.of("bloom", "ribbon", "bumped-ribbon", "quotient")),
          filters.toString());
    }
  }

  private static List<String> names(JsonNode node) {
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }

  /** Rows of several cells, in files without a filter: cells are not keys. */
  @Test
  void filesWithoutAFilterAreCountedByTheirRows() throws Exception {
    try (TestRegion region = ToolsTable.region(root, ToolsTable.family(BloomType.NONE, Map.of()))) {
      Configuration conf = region.configuration();
      put(region, 0, 1000);
      Ran none = run(conf, "advise", "t");
      assertEquals(Tool.FAILED, none.code());
      assertTrue(
          none.err()
              .contains(
                  "t, f is left out: no filter is written because BLOOMFILTER is NONE; set ROW\n"),
          none.err());
      ToolsTable.alter(root, region, ToolsTable.family(BloomType.ROW, Map.of()));
      JsonNode advice = json(conf, Tool.DONE, "advise", "t");
      assertEquals(1000, advice.get("keys").asInt());
      assertEquals(1, advice.get("now").get("falseReadsPerAbsentGet").asDouble());
      region.region().compact(true);
      region.store().closeAndArchiveCompactedFiles();
      JsonNode then = json(conf, Tool.DONE, "inspect", onlyFile(region).toString()).get(0);
      assertEquals(
          then.get("general").get("bytes").asLong(),
          advice.get("filters").get(0).get("bytes").asLong());
    }
  }

  /** What a sample says of all, and how far off that may be. */
  @Test
  void sampleSaysHowFarOffItMayBe() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      Path store = null;
      for (int i = 0; i < 8; i++) { // stores of other sizes
        put(region, 1000 * i, 1000 * i + 300 + 90 * i);
        Path file = onlyFile(region);
        store = file.getParent();
        Path other =
            Files.createDirectories(table("t").resolve(REGION.substring(1) + i).resolve("f"));
        Files.copy(file, other.resolve(file.getFileName()));
        region.region().close();
        Files.delete(file);
        Files.deleteIfExists(store.resolve("." + file.getFileName() + ".crc"));
        region.open();
      }
      JsonNode all = json(conf, Tool.DONE, "advise", "t");
      JsonNode some = json(conf, Tool.DONE, "advise", "t", "--sample", "4");
      JsonNode one = json(conf, Tool.DONE, "advise", "t", "--sample", "1");
      assertEquals(8, all.get("storesRead").asInt());
      assertEquals(4, some.get("storesRead").asInt());
      assertFalse(all.get("filters").get(0).has("bytesError"));
      assertFalse(one.get("filters").get(0).has("bytesError"), "one store tells no spread");
      for (int i = 0; i < Choice.values().length; i++) {
        double truth = all.get("filters").get(i).get("bytes").asDouble();
        double said = some.get("filters").get(i).get("bytes").asDouble();
        double error = some.get("filters").get(i).get("bytesError").asDouble();
        assertTrue(error > 0 && error < 0.5, some.toString());
        assertEquals(truth, said, 1.5 * error * said, Choice.values()[i].toString());
      }
    }
  }

  @Test
  void whatStandsInTheWayIsAlteredToo() throws Exception {
    try (TestRegion region =
        region(Map.of("winnow.filter.compaction", "quotient", "winnow.filter", "ribbon"))) {
      Configuration conf = region.configuration();
      put(region, 0, 100);
      String alter =
          json(conf, Tool.DONE, "advise", "t").get("families").get(0).get("alter").asText();
      assertTrue(alter.contains("'winnow.filter' => 'bumped-ribbon'"), alter);
      assertTrue(alter.contains("'winnow.filter.compaction' => ''"), alter);
      assertFalse(alter.contains("winnow.filter.flush"), alter);
    }
  }

  /** A coprocessor's reader may show other rows than a file has, so no scan skips the file. */
  @Test
  void noPrefixIsProposedWhereACoprocessorOpensFiles() throws Exception {
    Map<String, String> prefixes =
        Map.of("winnow.filter", "bumped-ribbon", "winnow.scan.prefix", "2");
    try (TestRegion region = region(prefixes)) {
      Configuration conf = region.configuration();
      for (int i = 0; i < 4; i++) { // each prefix is in one file
        for (int row = 0; row < 1000; row++) {
          byte[] key = Bytes.toBytes((char) ('a' + i) + "" + (char) ('a' + row % 16) + row);
          region.region().put(new Put(key).addColumn(ToolsTable.FAMILY, key, key));
        }
        region.region().flush(true);
      }
      String proposed = "winnow.scan.prefix = 1 would leave 1.0 of 4.0 files";
      assertTrue(run(conf, "advise", "t").out().contains(proposed));
      assertFalse(run(conf, "audit", "t").out().contains("may gain nothing"));
      String observer = OpenedFiles.Observer.class.getName();
      TableDescriptor opened =
          TableDescriptorBuilder.newBuilder(region.descriptor()).setCoprocessor(observer).build();
      ToolsTable.describe(root, conf, opened);
      Ran advise = run(conf, "advise", "t", "--all-choices");
      assertFalse(advise.out().contains(proposed), advise.out());
      assertTrue(
          advise
              .out()
              .contains("no prefix and no key segment is proposed: the coprocessor " + observer),
          advise.out());
      Ran audit = run(conf, "audit", "t");
      assertTrue(
          audit.out().contains("winnow.scan.prefix = 2 may gain nothing: the coprocessor "),
          audit.out());
      assertTrue(
          audit
              .out()
              .contains(
                  " skip none of these: alter 't', {NAME => 'f', CONFIGURATION =>"
                      + " {'winnow.scan.prefix' => 'none'}}\n"),
          audit.out());
    }
  }

  /**
   * Rows are those of sensors: an entity and a time. Each flush has an hour, and some late rows.
   */
  @Test
  void segmentOfATimeIsFound() throws Exception {
    Random random = new Random(12);
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      for (int hour = 0; hour < 6; hour++) {
        for (int i = 0; i < 1500; i++) {
          long time = 1_790_000_000_000L + 3_600_000L * hour + random.nextInt(3_600_000);
          long late = i % 300 == 299 ? 3_600_000L * random.nextInt(48) : 0;
          byte[] key =
              Bytes.add(
                  Bytes.toBytes(i % 20 * 0x9E3779B9), Bytes.toBytes(time - late), new byte[] {7});
          region.region().put(new Put(key).addColumn(ToolsTable.FAMILY, key, key));
        }
        region.region().flush(true);
      }
      Ran ran = run(conf, "advise", "t");
      assertTrue(ran.out().contains("winnow.scan.segment = 4 would leave 1."), ran.out());
      assertTrue(ran.out().contains("sets a time range"), ran.out());
      JsonNode found = json(conf, Tool.DONE, "advise", "t").get("families").get(0).get("segment");
      assertTrue(found.get("pays").asBoolean());
      assertTrue(found.get("filesPerRow").asDouble() < 1.3, found.toString());
      assertTrue(found.get("filesByRange").asDouble() > 5.5, found.toString());
    }
  }

  /**
   * The large file and the flushes of twelve hours: rows in order, with the file of each.
   *
   * @param end of the rows of one file
   */
  private static SegmentCount count(Function<Random, byte[]> entity, byte[] delimiter, byte[] end) {
    Random random = new Random(14);
    List<byte[]> entities = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      entities.add(entity.apply(random));
    }
    Map<byte[], Integer> files = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    for (int file = 0; file < 13; file++) {
      for (int i = 0; i < (file == 0 ? 12_000 : 2000); i++) {
        long day = 86_400_000L;
        long time = 1_790_000_000_000L;
        time -= file == 0 ? (long) (29 * day * random.nextDouble()) : -3_600_000L * file;
        time += random.nextInt(3_600_000);
        byte[] row = Bytes.add(entities.get(i % 40), delimiter, Bytes.toBytes(time));
        byte[] id = Bytes.toBytes(random.nextLong());
        files.put(Bytes.add(row, id, file == 3 ? end : new byte[0]), file);
      }
    }
    SegmentCount count = new SegmentCount(13);
    files.forEach(
        (row, file) -> count.add(KeyValueUtil.createFirstOnRow(row), new int[] {file}, 1));
    count.finish();
    return count;
  }

  private static SegmentRule rule(String setting) {
    return SegmentCount.RULES.stream()
        .filter(rule -> rule.toString().equals(setting))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void rowIsInOneFileAtTheRightOffsetAndInMostFilesElsewhere() {
    SegmentCount fixed =
        count(random -> Bytes.toBytes(random.nextLong()), new byte[0], new byte[0]);
    assertEquals("8", fixed.best(rule -> true).toString());
    assertEquals(1.0, fixed.files(fixed.best(rule -> true)), 0.01);
    for (String offset : List.of("0", "4", "7", "15", "16")) {
      double files = fixed.files(rule(offset));
      assertTrue(files > 11.5, offset + ": " + files);
    }
    assertTrue(fixed.filesByRange() > 12, fixed.filesByRange() + " files");

    SegmentCount named =
        count(
            random ->
                Bytes.toBytes(Long.toString(random.nextLong(), 36).substring(random.nextInt(6))),
            new byte[1],
            new byte[12]); // an offset that only these rows have is not the right one
    assertEquals("delimiter:0x00,1", named.best(rule -> true).toString());
    assertEquals(1.0, named.files(named.best(rule -> true)), 0.01);

    // Of two stores, as of two regions: the mean of both.
    SegmentRule eight = rule("8");
    double mean = (fixed.files(eight) + named.files(eight)) / 2;
    fixed.add(named);
    assertEquals(mean, fixed.files(eight), 0.5);
    assertTrue(mean > 2, mean + " files");
  }

  /**
   * Rows of whole hours: with bytes of the id behind them, rows at the ends of a file's range are
   * left out, so a later segment seems to be in fewer files than all of the hour.
   */
  @Test
  void segmentOfEqualTimesBeginsWithTheTime() {
    Random random = new Random(15);
    Map<byte[], Integer> files = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    for (int i = 0; i < 6000; i++) {
      byte[] entity = Bytes.toBytes(i % 20 * 0x9E3779B97F4A7C15L);
      byte[] hour = Bytes.toBytes(3_600_000L * (497_000 + i / 1000));
      files.put(Bytes.add(entity, hour, Bytes.toBytes(random.nextLong())), i / 1000);
    }
    SegmentCount count = new SegmentCount(6);
    files.forEach(
        (row, file) -> count.add(KeyValueUtil.createFirstOnRow(row), new int[] {file}, 1));
    count.finish();
    assertEquals("8", count.best(rule -> true).toString());
  }

  /** Rows with a column are keys there, and prefixes are not. */
  @Test
  void segmentIsFoundWithRowColToo() throws Exception {
    try (TestRegion region =
        ToolsTable.region(root, ToolsTable.family(BloomType.ROWCOL, Map.of()))) {
      for (int hour = 0; hour < 4; hour++) {
        for (int i = 0; i < 500; i++) {
          byte[] key = Bytes.add(Bytes.toBytes(i % 20), Bytes.toBytes(1000L * hour + i));
          Put put = new Put(key).addColumn(ToolsTable.FAMILY, key, key);
          region.region().put(put.addColumn(ToolsTable.FAMILY, ToolsTable.FAMILY, key));
        }
        region.region().flush(true);
      }
      Ran ran = run(region.configuration(), "advise", "t", "--all-choices");
      assertTrue(
          ran.out().contains("winnow.scan.segment = 4 would leave 1.0 of 3.9 files"), ran.out());
      assertFalse(ran.out().contains("winnow.scan.prefix"), ran.out());
    }
  }

  @Test
  void noSegmentIsFoundInRandomRows() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      Random random = new Random(13);
      for (int i = 0; i < 3000; i++) {
        byte[] key = new byte[20];
        random.nextBytes(key);
        region.region().put(new Put(key).addColumn(ToolsTable.FAMILY, key, key));
        if (i % 1000 == 999) {
          region.region().flush(true);
        }
      }
      Ran ran = run(conf, "advise", "t");
      assertFalse(ran.out().contains("winnow.scan.segment"), ran.out());
      assertTrue(ran.out().contains("neither prefixes nor key segments"), ran.out());
    }
  }

  @Test
  void memoryAndReadsAreTranslated() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 5000);
      Ran ran = run(conf, "advise", "t", "--false-reads", "0.000001");
      assertEquals(Tool.DONE, ran.code());
      assertTrue(ran.out().contains("no more memory is of use"), ran.out());
      JsonNode met = json(conf, Tool.DONE, "advise", "t", "--false-reads", "0.02");
      JsonNode wish = met.get("families").get(0).get("wish");
      double memory = wish.get("storeMemory").asDouble();
      assertEquals(0.02, wish.get("falseReadsPerAbsentGet").asDouble(), 0.001);
      assertTrue(wish.get("shareOfStock").asDouble() < memory, wish.toString());
      JsonNode back =
          json(conf, Tool.DONE, "advise", "t", "--memory", String.valueOf(memory))
              .get("families")
              .get(0);
      assertEquals(wish, back.get("wish"));
      String setting = "'winnow.store.memory' => '" + memory + "'";
      assertTrue(back.get("alter").asText().contains(setting), back.toString());
      JsonNode cache = json(conf, Tool.DONE, "advise", "t", "--block-cache", "1m");
      double freed = cache.get("filters").get(2).get("blockCacheFreed").asDouble();
      double bytes =
          cache.get("now").get("bytes").asDouble()
              - cache.get("filters").get(2).get("bytes").asDouble();
      assertEquals(bytes / (1 << 20), freed, 1e-6);
    }
  }

  /** The answer comes first, in one sentence; tables only if they are asked for. */
  @Test
  void answerIsOneSentence() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 20_000);
      put(region, 20_000, 30_000);
      Path file = elsewhere.resolve("one.json"); // of the same run: each draws other seeds
      Ran ran = run(conf, "advise", "t", "--block-cache", "2g", "--json", file.toString());
      assertEquals(Tool.DONE, ran.code(), ran.toString());
      String first = ran.out().lines().findFirst().orElseThrow();
      JsonNode filters = new ObjectMapper().readTree(file.toFile()).get("filters");
      double stock = filters.get(0).get("bytes").asDouble();
      double ours = filters.get(2).get("bytes").asDouble();
      assertEquals("bumped-ribbon", filters.get(2).get("filter").asText());
      assertEquals(
          "t, f: bumped-ribbon would take %s, HBase's own %s after the same compaction (%+.0f %%),"
              .formatted(Table.size(ours), Table.size(stock), 100 * (ours / stock - 1)),
          first.substring(0, first.indexOf(" with ")));
      double times =
          filters.get(2).get("falseReadsPerAbsentGet").asDouble()
              / filters.get(0).get("falseReadsPerAbsentGet").asDouble();
      assertTrue(
          first.contains(
              " with %s times the unnecessary file reads; the difference is 0.0"
                  .formatted(Table.number(times, 2))),
          first);
      assertFalse(first.contains(" 0.0 %"), first);
      assertTrue(ran.out().contains("the filters would be 0.00 of the block cache: they fit"));
      String small = String.valueOf(Math.round(1.9 * ours));
      assertTrue(
          run(conf, "advise", "t", "--block-cache", small)
              .out()
              .contains(" of the block cache: if all rows are read alike, they do not fit"));
      assertFalse(ran.out().contains("bits per key"), ran.out());
      assertTrue(ran.out().contains("  alter 't', {NAME => 'f'"), ran.out());
      assertTrue(
          run(conf, "advise", "t", "--all-choices").out().contains("bits per key"), ran.out());
    }
  }

  @Test
  void allTablesHaveALineEach() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 3000);
      ToolsTable.describe(
          root,
          conf,
          TableDescriptorBuilder.newBuilder(TableName.valueOf("u"))
              .setColumnFamily(ToolsTable.family(BloomType.ROW, Map.of()))
              .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("g")).build())
              .build());
      Path file = onlyFile(region);
      for (String family : List.of("f", "g")) {
        Path store = Files.createDirectories(table("u").resolve(REGION).resolve(family));
        Files.copy(file, store.resolve(file.getFileName()));
      }
      Path meta = root.resolve("data/hbase/meta").resolve(REGION).resolve("f");
      Files.createDirectories(meta);
      Files.copy(file, meta.resolve(file.getFileName()));
      ToolsTable.describe(
          root,
          conf,
          TableDescriptorBuilder.newBuilder(TableName.META_TABLE_NAME)
              .setColumnFamily(ToolsTable.family(BloomType.ROW, Map.of()))
              .build());
      List<String> lines = run(conf, "advise", "--all").out().lines().toList();
      assertEquals(
          List.of("t", "u", "in all"),
          lines.stream()
              .filter(line -> line.contains(": bumped-ribbon would take "))
              .map(line -> line.substring(0, line.indexOf(':')))
              .toList(),
          lines.toString());
      assertEquals(4, lines.size(), lines.toString());
    }
  }

  private static boolean isLike(Choice one, Choice other, double keys, OtherFile... others) {
    FamilySettings family = FamilySettings.of(new Configuration(false), BloomType.ROW, 0);
    return family
        .trial(one, keys, List.of(others))
        .isLike(family.trial(other, keys, List.of(others)));
  }

  /** Such choices are built once for both. */
  @Test
  void choicesOfOneKindAndOneRateAreAlike() {
    double many = 50e6;
    Choice byStore = Choice.BUMPED_RIBBON;
    Choice byFile = Choice.BUMPED_RIBBON_BY_FILE;
    OtherFile beside = new OtherFile(many, many, null, null);
    assertTrue(isLike(byStore, byStore, many));
    assertTrue(isLike(byFile, byFile, many));
    assertFalse(isLike(byStore, byFile, many), "by store an only file has a lower rate");
    assertFalse(isLike(byStore, byFile, 9000), "no file lets through more than HBase's filter");
    assertFalse(isLike(byStore, byFile, many, beside), "a share of the store's rate");
    assertFalse(isLike(byStore, byStore, many, beside), "a rate for each chunk");
    for (Choice other : List.of(Choice.RIBBON, Choice.QUOTIENT)) {
      assertFalse(isLike(byStore, other, many), other.toString());
      assertFalse(isLike(other, byFile, many), other.toString());
    }
  }
}
