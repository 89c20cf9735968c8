package io.winnow.hbase.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.Thrown;
import io.winnow.hbase.hooks.ScanHooks;
import io.winnow.hbase.metrics.TestRegion;
import io.winnow.hbase.read.FilterFacts;
import io.winnow.hbase.read.WinnowFilterReader;
import io.winnow.hbase.write.WinnowMetricsDoor;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Prefixes beside rows in the filter of one file: none is denied, and none answers for a row. */
class FilePrefixesTest {
  @TempDir private Path directory;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static Configuration conf(String prefix, String... more) {
    Map<String, String> family = new HashMap<>();
    family.put("winnow.filter", "bumped-ribbon");
    family.put("winnow.scan.prefix", prefix);
    family.put("winnow.error.rate.scope", "file");
    family.put("io.storefile.bloom.error.rate", "0.0001");
    family.put("io.storefile.bloom.block.size", "256");
    for (int i = 0; i < more.length; i += 2) {
      family.put(more[i], more[i + 1]);
    }
    return StoreFiles.conf(family);
  }

  private interface Rows {
    byte[] of(int i);
  }

  private HStoreFile file(Configuration conf, int count, Rows rows) throws IOException {
    var path =
        StoreFiles.write(
            directory,
            conf,
            BloomType.ROW,
            writer -> {
              for (int i = 0; i < count; i++) {
                writer.append(StoreFiles.put(rows.of(i), "q"));
              }
            });
    return StoreFiles.open(conf, path, BloomType.ROW, null);
  }

  private static WinnowFilterReader filter(HStoreFile file) {
    return (WinnowFilterReader) StoreFileDoor.generalFilter(file.getReader());
  }

  private static boolean passes(HStoreFile file, String prefix) {
    Scan scan = new Scan().setStartStopRowForPrefixScan(bytes(prefix));
    return StoreFileDoor.passes(file.getReader(), scan);
  }

  private static FilterFacts facts(HStoreFile file) throws IOException {
    return FilterFacts.general(file.getReader().getHFileReader());
  }

  /** Five rows for each even prefix of 4 digits. */
  private static byte[] event(int i) {
    return bytes(String.format(Locale.ROOT, "%04d-%d", i / 5 * 2, i % 5));
  }

  @ParameterizedTest
  @CsvSource({"4, xxh3-seeded", "4, xxh3", "4, murmur3", "delimiter:-, xxh3-seeded"})
  void filterHasEachPrefixAndCountsRowsAlone(String prefix, String hash) throws IOException {
    HStoreFile file = file(conf(prefix, "winnow.hash", hash), 5000, FilePrefixesTest::event);
    FilterFacts facts = facts(file);
    assertTrue(facts.chunks.size() > 10, "prefixes meet the edges of chunks");
    assertEquals(5000, facts.keys);
    assertEquals(5000, file.getReader().getFilterEntries());
    assertEquals(1000, facts.prefixes());
    assertEquals(0, facts.chunksWithoutPrefixes());
    int maybe = 0;
    for (int i = 0; i < 2000; i++) {
      String asked = String.format(Locale.ROOT, "%04d", i) + (prefix.equals("4") ? "" : "-");
      boolean passes = passes(file, asked);
      assertTrue(passes || i % 2 == 1, asked);
      maybe += passes ? 1 : 0;
    }
    assertTrue(maybe < 1005, maybe + " of 1000 prefixes and 1000 others");
    assertTrue(passes(file, "00"), "no prefix ends there");
    for (int i = 0; i < 5000; i++) {
      assertTrue(StoreFileDoor.passes(file.getReader(), event(i), null));
    }
    file.closeStoreFile(true);
  }

  @Test
  void prefixAnswersForNoRow() throws IOException {
    HStoreFile file = file(conf("4"), 5000, FilePrefixesTest::event);
    int maybe = 0;
    for (int i = 0; i < 2000; i += 2) {
      byte[] row = bytes(String.format(Locale.ROOT, "%04d", i));
      maybe += StoreFileDoor.passes(file.getReader(), row, null) ? 1 : 0;
    }
    assertTrue(maybe < 5, maybe + " of 1000 rows that are prefixes");
    file.closeStoreFile(true);
  }

  /** HBase answers "no" to every greater row, before it asks a filter. */
  @Test
  void lastKeyInTheFileInfoIsTheLastRow() throws IOException {
    HStoreFile file = file(conf("4"), 5000, FilePrefixesTest::event);
    byte[] last = file.getReader().getHFileReader().getHFileInfo().get(lastBloomKey());
    assertEquals(new String(event(4999), StandardCharsets.ISO_8859_1), text(last));
    file.closeStoreFile(true);
  }

  private static byte[] lastBloomKey() {
    return bytes("LAST_BLOOM_KEY");
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /**
   * Each row below 1000 has a prefix of its own, and a chunk begins somewhere among them with a
   * prefix that is before its row. It is looked for there, and not in the chunk before.
   */
  @Test
  void chunkOfTooManyPrefixesHasNoneAndAnswersMaybe() throws IOException {
    Rows rows =
        i ->
            i < 1000
                ? bytes(String.format(Locale.ROOT, "%04d-x", i))
                : bytes(String.format(Locale.ROOT, "%04d-%04d", 1000 + (i - 1000) / 50, i));
    HStoreFile file = file(conf("4"), 6000, rows);
    FilterFacts facts = facts(file);
    assertTrue(facts.chunksWithoutPrefixes() > 1, file.getReader().toString());
    assertTrue(facts.chunksWithoutPrefixes() < facts.chunks.size() - 5);
    for (int i = 0; i < 1100; i++) {
      assertTrue(passes(file, String.format(Locale.ROOT, "%04d", i)), "prefix " + i);
    }
    assertTrue(passes(file, "0500"), "left out");
    assertFalse(passes(file, "1099x") && passes(file, "109:") && passes(file, "1098:"));
    file.closeStoreFile(true);
  }

  /** The rows of a prefix fill several chunks; the prefix is in the first of them. */
  @Test
  void scanOfRowsWithinAPrefixAsksTheChunkOfThePrefix() throws IOException {
    Rows rows = i -> bytes(String.format(Locale.ROOT, "%04d-%04d", i / 500, i % 500));
    HStoreFile file = file(conf("4"), 5000, rows);
    assertTrue(facts(file).chunks.size() > 20, facts(file).chunks.size() + " chunks");
    assertEquals(10, facts(file).prefixes());
    for (int i = 0; i < 5000; i++) {
      Scan scan = new Scan().withStartRow(rows.of(i)).withStopRow(rows.of(i), true);
      assertTrue(StoreFileDoor.passes(file.getReader(), scan), "row " + i);
      byte[] next = bytes(String.format(Locale.ROOT, "%04d", i / 500 + 1));
      scan = new Scan().withStartRow(rows.of(i)).withStopRow(next);
      assertTrue(StoreFileDoor.passes(file.getReader(), scan), "from row " + i + " on");
    }
    file.closeStoreFile(true);
  }

  /** Rows that are their own prefix, so that prefix and row are the same bytes. */
  @Test
  void prefixAndItsFirstRowAreInOneChunk() throws IOException {
    Rows rows =
        i -> {
          String prefix = String.format(Locale.ROOT, "%04d", i / 3);
          return bytes(i % 3 == 0 ? prefix : prefix + (char) ('a' + i % 3));
        };
    for (String bytes : new String[] {"160", "200", "256", "320", "512"}) {
      Configuration conf =
          conf(
              "4", "io.storefile.bloom.block.size", bytes, "io.storefile.bloom.error.rate", "0.01");
      HStoreFile file = file(conf, 3000, rows);
      assertTrue(facts(file).prefixes() > 900, facts(file).prefixes() + " prefixes");
      for (int i = 0; i < 1000; i++) {
        assertTrue(passes(file, String.format(Locale.ROOT, "%04d", i)), "prefix " + i);
      }
      file.closeStoreFile(true);
    }
  }

  @Test
  void rowsShorterThanThePrefixHaveNone() throws IOException {
    HStoreFile file =
        file(
            conf("4"),
            300,
            i -> bytes(String.format(Locale.ROOT, i % 3 == 0 ? "%03d" : "%03d-x%d", i / 3, i % 3)));
    assertEquals(300, facts(file).keys);
    for (int i = 0; i < 100; i++) {
      assertTrue(passes(file, String.format(Locale.ROOT, "%03d-", i)));
      assertTrue(passes(file, String.format(Locale.ROOT, "%03d", i)));
      assertTrue(
          StoreFileDoor.passes(file.getReader(), bytes(String.format("%03d", i)), null),
          "row " + i);
    }
    file.closeStoreFile(true);
  }

  /** A chunk whose bytes were overwritten answers for no prefix that lies in it, and for no row. */
  @Test
  void damagedChunkAnswersMaybe() throws IOException {
    Configuration conf = conf("4", "io.storefile.bloom.block.size", "1024");
    HStoreFile file = file(conf, 5000, FilePrefixesTest::event);
    FilterFacts.Chunk damaged = facts(file).chunks.get(3);
    try (RandomAccessFile bytes = new RandomAccessFile(file.getPath().toUri().getPath(), "rw")) {
      bytes.seek(damaged.offset + HConstants.HFILEBLOCK_HEADER_SIZE + 40);
      bytes.write(new byte[64]);
    }
    file.closeStoreFile(true);
    HStoreFile again = StoreFiles.open(conf, file.getPath(), BloomType.ROW, null);
    int maybe = 0;
    for (int i = 0; i < 2000; i++) {
      boolean passes = passes(again, String.format(Locale.ROOT, "%04d", i));
      assertTrue(passes || i % 2 == 1, "prefix " + i);
      maybe += passes ? 1 : 0;
    }
    long inChunk = damaged.keys / 5;
    assertTrue(inChunk > 20 && maybe >= 1000 + inChunk - 2, maybe + ", and " + inChunk);
    assertTrue(maybe < 1000 + inChunk + 5, maybe + " of 1000 prefixes and 1000 others");
    again.closeStoreFile(true);
  }

  @Test
  void faultsAndFilesWithoutAFilterAnswerMaybe() throws IOException {
    HStoreFile file = file(conf("4"), 500, FilePrefixesTest::event);
    WinnowFilterReader filter = filter(file);
    assertTrue(filter.mayHaveRowsWith(new byte[2], 4), "bytes that are not there");
    Scan absent = new Scan().setStartStopRowForPrefixScan(bytes("0001"));
    assertFalse(passes(file, "0001") && passes(file, "0003"));
    assertTrue(ScanHooks.mayHaveRows(null, filter, null, absent), "no reader to ask");
    assertTrue(ScanHooks.mayHaveRows(file.getReader(), null, null, absent), "no filter");
    file.closeStoreFile(true);
  }

  @Test
  void faultOfAScanAnswersMaybeAndIsCounted() throws IOException {
    HStoreFile file = file(conf("4"), 500, FilePrefixesTest::event);
    for (Supplier<Throwable> kind : Thrown.KINDS) {
      for (boolean hasBounds : new boolean[] {true, false}) {
        Throwable fault = kind.get();
        Scan scan =
            new Scan() {
              @Override
              public boolean isGetScan() {
                return Thrown.sneakily(fault);
              }
            };
        if (hasBounds) {
          scan.withStartRow(bytes("0001"));
        }
        long failures = WinnowMetricsDoor.probeFailures.get();
        assertTrue(
            ScanHooks.mayHaveRows(file.getReader(), filter(file), null, scan), fault.toString());
        // A scan without bounds does no I/O: an interrupt would end a compaction.
        boolean isInterrupt = hasBounds && fault instanceof InterruptedIOException;
        assertEquals(isInterrupt, Thread.interrupted(), fault.toString());
        long counted = WinnowMetricsDoor.probeFailures.get() - failures;
        assertEquals(isInterrupt ? 0 : 1, counted, fault.toString());
      }
    }
    file.closeStoreFile(true);
  }

  /** HBase uses the memory of cells again after it has shipped them. */
  @Test
  void prefixIsCopiedBeforeTheMemoryOfItsRowIsUsedAgain() throws IOException {
    Configuration conf = conf("4");
    var path =
        StoreFiles.write(
            directory,
            conf,
            BloomType.ROW,
            writer -> {
              for (int i = 0; i < 5000; i++) {
                KeyValue cell = StoreFiles.put(event(i), "q");
                byte[] row = event(i);
                KeyValue reused = new KeyValue(cell.getBuffer().clone());
                writer.append(reused);
                writer.beforeShipped();
                int from = reused.getRowOffset();
                Arrays.fill(reused.getBuffer(), from, from + reused.getRowLength(), (byte) 'z');
              }
            });
    HStoreFile file = StoreFiles.open(conf, path, BloomType.ROW, null);
    assertEquals(1000, facts(file).prefixes());
    for (int i = 0; i < 2000; i += 2) {
      assertTrue(passes(file, String.format(Locale.ROOT, "%04d", i)));
    }
    file.closeStoreFile(true);
  }

  /** The rule is in the filter itself, which a reader of a stream takes from the file's reader. */
  @Test
  void readersOfStreamsHaveTheRule() throws IOException {
    HStoreFile file = file(conf("4"), 5000, FilePrefixesTest::event);
    StoreFileReader stream = StoreFileDoor.copyOf(file.getReader());
    Scan absent = new Scan().setStartStopRowForPrefixScan(bytes("0001"));
    Scan other = new Scan().setStartStopRowForPrefixScan(bytes("0003"));
    assertFalse(StoreFileDoor.passes(stream, absent) && StoreFileDoor.passes(stream, other));
    file.closeStoreFile(true);
  }

  @Test
  void ruleOfTheFileCountsAndNotThatOfTheFamily() throws IOException {
    HStoreFile file = file(conf("4"), 5000, FilePrefixesTest::event);
    HStoreFile again = StoreFiles.open(conf("2"), file.getPath(), BloomType.ROW, null);
    assertTrue(passes(again, "00"), "all rows have it, and no prefix of 4 bytes ends there");
    assertTrue(passes(again, "0002"));
    assertFalse(passes(again, "0001") && passes(again, "0003"));
    again.closeStoreFile(true);
    file.closeStoreFile(true);
  }

  @Test
  void fileWithoutPrefixesAnswersMaybe() throws IOException {
    for (String prefix : new String[] {"none", "", "NONE"}) {
      HStoreFile file = file(conf(prefix), 500, FilePrefixesTest::event);
      assertNull(facts(file).prefixRule());
      assertTrue(passes(file, "0001"));
      file.closeStoreFile(true);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "-1", "32768", "x", "4 5", "delimiter:", "delimiter:ab", "delimiter:|,0"})
  void wrongRuleCostsNoFlush(String prefix) throws IOException {
    assertFalse(PrefixRule.isRule(prefix));
    HStoreFile file = file(conf(prefix), 500, FilePrefixesTest::event);
    assertEquals("bloom", facts(file).filter, "HBase's own");
    file.closeStoreFile(true);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "32767, 32767",
    "NONE,",
    "delimiter:0x00, delimiter:0x00",
    "Delimiter:0XfF, delimiter:0xFF",
    "delimiter:|, delimiter:0x7C",
    "'delimiter:|,2', 'delimiter:0x7C,2'",
    "'delimiter:,', delimiter:0x2C",
    "'delimiter:,,3', 'delimiter:0x2C,3'",
    "delimiter:0, delimiter:0x30",
    "delimiter:a, delimiter:0x61",
    "delimiter:A, delimiter:0x41"
  })
  void rulesAreReadAndToldAgain(String text, String told) {
    assertTrue(PrefixRule.isRule(text));
    PrefixRule rule = PrefixRule.parse(text);
    assertEquals(told, rule == null ? null : rule.toString());
  }

  @Test
  void prefixEndsAtTheDelimiterThatIsAskedFor() {
    byte[] row = bytes("ab|c||d");
    assertEquals(3, PrefixRule.parse("delimiter:|").lengthIn(row, 0, row.length));
    assertEquals(5, PrefixRule.parse("delimiter:|,2").lengthIn(row, 0, row.length));
    assertEquals(6, PrefixRule.parse("delimiter:|,3").lengthIn(row, 0, row.length));
    assertEquals(PrefixRule.NONE, PrefixRule.parse("delimiter:|,4").lengthIn(row, 0, row.length));
    assertEquals(PrefixRule.NONE, PrefixRule.parse("delimiter:|").lengthIn(row, 0, 2));
    assertEquals(2, PrefixRule.parse("2").lengthIn(row, 0, 2));
    assertEquals(PrefixRule.NONE, PrefixRule.parse("3").lengthIn(row, 0, 2));
  }

  // ---- The meta block ----

  private byte[] meta() throws IOException {
    HStoreFile file = file(conf("delimiter:-"), 500, FilePrefixesTest::event);
    var in = file.getReader().getHFileReader().getGeneralBloomFilterMetadata();
    in.readInt();
    FilterMeta meta = FilterMeta.readAfterVersion(in, Long.MAX_VALUE);
    assertNotNull(meta.prefixes);
    file.closeStoreFile(true);
    return meta.toByteArray();
  }

  private static FilterMeta read(byte[] block) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(block));
    in.readInt();
    return FilterMeta.readAfterVersion(in, Long.MAX_VALUE);
  }

  private static byte[] changed(byte[] block, int offset, int value) {
    byte[] copy = block.clone();
    copy[offset] = (byte) value;
    CRC32C crc = new CRC32C();
    crc.update(copy, 0, copy.length - 4);
    for (int i = 0; i < 4; i++) {
      copy[copy.length - 4 + i] = (byte) (crc.getValue() >>> 8 * i);
    }
    return copy;
  }

  @Test
  void metaBlockIsReadAsItWasWritten() throws IOException {
    byte[] block = meta();
    FilterMeta meta = read(block);
    assertEquals("delimiter:0x2D", meta.prefixes.rule.toString());
    assertEquals(100, meta.prefixes.sum());
    assertEquals(0, Arrays.compare(block, meta.toByteArray()));
  }

  @Test
  void damageIsRefusedEvenWithAMatchingChecksum() throws IOException {
    byte[] block = meta();
    int shape = (block[60] & 0xFF) | (block[61] & 0xFF) << 8;
    int section = 72 + shape;
    int[][] wrong = {
      {8, 1}, // format 1 has no prefixes
      {11, 4}, // delete-family markers have none
      {62, 3}, // a rule that nobody knows
      {62, 1}, // a length with a delimiter
      {section, 0}, // no delimiter ends the prefix
      {section + 3, 0x7F}, // one of too many
      {section + 4, 0xFE}, // more prefixes than half of the rows
      {section + 7, 0x80},
      {12, 200}, // chunks for which there is no room
    };
    for (int[] change : wrong) {
      byte[] damaged = changed(block, change[0], change[1]);
      assertThrows(FilterFormatException.class, () -> read(damaged), "offset " + change[0]);
    }
    for (int offset = 12; offset < block.length - 4; offset++) {
      for (int value : new int[] {0, 0x7F, 0x80, 0xFF}) {
        byte[] damaged = changed(block, offset, value);
        try {
          read(damaged); // read, or refused, and nothing else
        } catch (FilterFormatException e) {
          assertNotNull(e.getMessage());
        }
      }
    }
  }

  @Test
  void chunkHasAtMostHalfAsManyPrefixesAsRows() throws IOException {
    for (int rows = 1; rows < 8; rows++) {
      assertFalse(FilePrefixes.areTooMany(rows / 2, rows), rows + " rows");
      assertTrue(FilePrefixes.areTooMany(rows / 2 + 1, rows), rows + " rows");
    }
    byte[] block = meta();
    int first = 72 + ((block[60] & 0xFF) | (block[61] & 0xFF) << 8) + 4;
    int half = read(block).index.keyCount(0) / 2;
    assertEquals(half, read(changed(block, first, half)).prefixes.in(0));
    byte[] oneMore = changed(block, first, half + 1);
    assertThrows(FilterFormatException.class, () -> read(oneMore));
  }

  // ---- A store ----

  /** Without the tag, a Get of a row that equals a prefix reads each file with the prefix. */
  @Test
  void getsOfRowsThatArePrefixesReadNoFileUnnecessarily() throws IOException {
    var family =
        ColumnFamilyDescriptorBuilder.newBuilder(bytes("f"))
            .setConfiguration("winnow.filter", "bumped-ribbon")
            .setConfiguration("winnow.scan.prefix", "4")
            .setConfiguration("io.storefile.bloom.error.rate", "0.001")
            .setBloomFilterType(BloomType.ROW)
            .build();
    try (TestRegion region = new TestRegion(directory, "gets", family)) {
      for (int i = 0; i < 2000; i++) {
        region.region().put(new Put(event(i)).addColumn(bytes("f"), bytes("q"), event(i)));
      }
      region.region().flush(true);
      long before = region.falsePositives();
      for (int i = 0; i < 800; i += 2) {
        byte[] row = bytes(String.format(Locale.ROOT, "%04d", i));
        assertTrue(region.region().get(new Get(row)).isEmpty());
      }
      assertTrue(region.falsePositives() - before < 5);
    }
  }
}
