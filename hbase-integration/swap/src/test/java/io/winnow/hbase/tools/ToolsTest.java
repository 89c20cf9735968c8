package io.winnow.hbase.tools;

import static io.winnow.hbase.tools.ToolsDoor.run;
import static io.winnow.hbase.tools.ToolsTable.FAMILY;
import static io.winnow.hbase.tools.ToolsTable.onlyFile;
import static io.winnow.hbase.tools.ToolsTable.put;
import static io.winnow.hbase.tools.ToolsTable.row;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.winnow.hbase.FaultLoader;
import io.winnow.hbase.format.KeySegment;
import io.winnow.hbase.format.SegmentRule;
import io.winnow.hbase.metrics.TestRegion;
import io.winnow.hbase.settings.RateReason;
import io.winnow.hbase.tools.ToolsDoor.Ran;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilterFactory;
import org.apache.hadoop.hbase.util.BloomFilterWriter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The operator's tools, on the files of a region of HBase's own classes. */
class ToolsTest extends ToolsCase {
  private TestRegion region(BloomType type, Map<String, String> conf) throws IOException {
    return ToolsTable.region(root, ToolsTable.family(type, conf));
  }

  private void alter(TestRegion region, BloomType type, Map<String, String> conf)
      throws IOException {
    ToolsTable.alter(root, region, ToolsTable.family(type, conf));
  }

  @Test
  void auditFollowsATableThereAndBack() throws Exception {
    try (TestRegion region = region(BloomType.ROW, Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 500);
      put(region, 500, 900);
      JsonNode stock = json(conf, Tool.DONE, "audit", "t");
      assertEquals(2, stock.get("files").asInt());
      assertTrue(stock.get("nothingLeft").asBoolean());
      assertEquals(0, stock.get("filesThatNeedTheAgent").asInt());
      assertEquals(900, stock.get("groups").get(0).get("keys").asInt());

      alter(region, BloomType.ROW, Map.of("winnow.filter", "bumped-ribbon"));
      assertEquals(2, json(conf, Tool.FOUND, "audit", "t").get("filesNotAsAsked").asInt());
      put(region, 900, 1000); // what a flush writes is what the family asks of a flush
      JsonNode mixed = json(conf, Tool.FOUND, "audit", "t");
      assertEquals(3, mixed.get("files").asInt());
      assertEquals(2, mixed.get("filesNotAsAsked").asInt());
      assertEquals(1, mixed.get("filesThatNeedTheAgent").asInt());
      String list = run(conf, "audit", "t", "--list").out();
      assertEquals(0, mixed.get("groups").get(0).get("whyTheirRates").size(), "HBase's own");
      JsonNode why = mixed.get("groups").get(1).get("whyTheirRates");
      assertEquals("{\"" + RateReason.STOCK.inWords + "\":1}", why.toString());
      assertTrue(list.contains(RateReason.STOCK.inWords + " 1"), list);
      assertEquals(
          2,
          list.lines().filter(line -> line.startsWith("bloom (t, f asks for bumped-")).count(),
          list);

      region.region().compact(true);
      region.store().closeAndArchiveCompactedFiles();
      assertTrue(json(conf, Tool.DONE, "audit", "--all").get("nothingLeft").asBoolean());
      JsonNode before = json(conf, Tool.FOUND, "audit", "t", "--before-removal");
      assertEquals(1, before.get("filesThatNeedTheAgent").asInt());
      assertEquals(1, before.get("familiesThatAskForWinnow").asInt());

      alter(region, BloomType.ROW, Map.of("winnow.filter", "bloom"));
      assertEquals(Tool.FOUND, run(conf, "audit", "t").code());
      region.region().compact(true);
      region.store().closeAndArchiveCompactedFiles();
      assertEquals(Tool.DONE, run(conf, "audit", "t", "--before-removal").code());
    }
  }

  /** HBase leaves them there for minutes: all that counts is that the new file names them. */
  @Test
  void replacedFilesDoNotCountBeforeHBaseRemovesThem() throws Exception {
    try (TestRegion region = region(BloomType.ROW, Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 500);
      put(region, 500, 900);
      alter(region, BloomType.ROW, Map.of("winnow.filter", "bumped-ribbon"));
      String before = run(conf, "audit", "t").out();
      assertTrue(
          before.startsWith(
              "2 of 2 files have another filter than asked for. In the HBase shell:\n"
                  + "  major_compact 't'\n"),
          before);
      String advised = run(conf, "advise", "t").out();
      assertTrue(advised.contains("\n  the family asks for it already; audit says"), advised);
      assertFalse(advised.contains("alter"), advised);
      region.region().compact(true);

      JsonNode audit = json(conf, Tool.DONE, "audit", "t");
      assertEquals(1, audit.get("files").asInt());
      assertEquals(2, audit.get("filesReplaced").asInt());
      String words = run(conf, "audit", "t").out();
      assertTrue(
          words.contains("2 more files were compacted already: HBase removes them soon."), words);
      JsonNode advice = json(conf, Tool.DONE, "advise", "t");
      assertEquals(1, advice.get("files").asInt());
      assertEquals(900, advice.get("keys").asInt());
      String left = run(conf, "advise", "t").err();
      assertTrue(left.contains("2 files left out: a compaction replaced them"), left);

      region.store().closeAndArchiveCompactedFiles();
      JsonNode then = json(conf, Tool.DONE, "audit", "t");
      assertEquals(0, then.get("filesReplaced").asInt());
      assertEquals(audit.get("groups"), then.get("groups"));
    }
  }

  @Test
  void auditWaitsUntilHBaseIsDone() throws Exception {
    try (TestRegion region = region(BloomType.ROW, Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 500);
      put(region, 500, 900);
      alter(region, BloomType.ROW, Map.of("winnow.filter", "bumped-ribbon"));
      ByteArrayOutputStream said = new ByteArrayOutputStream();
      CompletableFuture<Ran> waiting =
          CompletableFuture.supplyAsync(() -> ToolsDoor.runTo(said, conf, "audit", "t", "--wait"));
      awaitSaid(waiting, said, "waiting for HBase: 2 files to compact, 0 files to remove");
      region.region().compact(true);
      awaitSaid(waiting, said, "waiting for HBase: 0 files to compact, 2 files to remove");
      assertFalse(waiting.isDone(), "files are left to remove");
      region.store().closeAndArchiveCompactedFiles();
      Ran ran = waiting.get(5, TimeUnit.MINUTES);
      assertEquals(Tool.DONE, ran.code(), ran.toString());
      assertTrue(ran.out().startsWith("Nothing is left to do: each file has "), ran.out());
    }
  }

  /** Until the tool has said the line, or is done without it. */
  private static void awaitSaid(
      CompletableFuture<Ran> tool, ByteArrayOutputStream said, String line)
      throws InterruptedException {
    while (!tool.isDone() && !said.toString(StandardCharsets.UTF_8).contains(line)) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
    assertTrue(said.toString(StandardCharsets.UTF_8).contains(line), said.toString());
  }

  /** Prefixes of rows: each tool knows them. */
  @Test
  void toolsFollowPrefixesThereAndBack() throws Exception {
    io.winnow.hbase.agent.WovenFactory.install();
    Map<String, String> without = Map.of("winnow.filter", "bumped-ribbon");
    Map<String, String> with = Map.of("winnow.filter", "bumped-ribbon", "winnow.scan.prefix", "3");
    try (TestRegion region = region(BloomType.ROW, without)) {
      Configuration conf = region.configuration();
      put(region, 0, 9000);
      assertEquals(Tool.DONE, run(conf, "audit", "t").code());
      alter(region, BloomType.ROW, with);
      JsonNode audit = json(conf, Tool.FOUND, "audit", "t");
      assertEquals(1, audit.get("filesNotAsAsked").asInt());
      JsonNode group = audit.get("groups").get(0);
      assertEquals("ribbon without prefixes", group.get("filter").asText());
      assertEquals("bumped-ribbon, flushes ribbon with prefixes 3", group.get("asked").asText());
      region.region().compact(true);
      region.store().closeAndArchiveCompactedFiles();
      assertEquals(Tool.DONE, run(conf, "audit", "t").code());

      Path file = onlyFile(region);
      JsonNode seen = json(conf, Tool.DONE, "inspect", "--verify", file.toString()).get(0);
      assertEquals("3", seen.get("general").get("prefixRule").asText());
      long prefixes = seen.get("general").get("prefixes").asLong();
      assertTrue(prefixes > 100 && prefixes < 4097, prefixes + " prefixes of three hex digits");
      assertEquals(0, seen.get("verified").get("denied").asInt());

      Path stock = elsewhere.resolve("stock");
      run(conf, "convert", file.toString(), stock.toString(), "--filter", "bloom");
      JsonNode gone = json(conf, Tool.DONE, "inspect", "--verify", stock.toString()).get(0);
      assertFalse(gone.get("general").has("prefixRule"), gone.toString());

      alter(region, BloomType.ROW, without);
      JsonNode left = json(conf, Tool.FOUND, "audit", "t");
      assertEquals(
          "bumped-ribbon with prefixes 3", left.get("groups").get(0).get("filter").asText());
    }
  }

  /** Segments of rows: each tool knows them, whatever the filter. */
  @Test
  void toolsFollowKeySegmentsThereAndBack() throws Exception {
    io.winnow.hbase.agent.WovenFactory.install();
    Map<String, String> with = Map.of("winnow.scan.segment", "1,2");
    try (TestRegion region = region(BloomType.NONE, Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 9000);
      assertEquals(Tool.DONE, run(conf, "audit", "t").code());
      alter(region, BloomType.NONE, with);
      JsonNode group = json(conf, Tool.FOUND, "audit", "t").get("groups").get(0);
      assertEquals("none without key segments", group.get("filter").asText());
      assertEquals("none with key segments 1,2", group.get("asked").asText());
      region.region().compact(true);
      region.store().closeAndArchiveCompactedFiles();
      assertEquals(Tool.DONE, run(conf, "audit", "t").code());

      Path file = onlyFile(region);
      JsonNode seen = json(conf, Tool.DONE, "inspect", "--verify", file.toString()).get(0);
      assertEquals("1,2", seen.get("segment").get("rule").asText());
      assertTrue(seen.get("segment").get("intervals").size() > 1);
      assertEquals(0, seen.get("verified").get("denied").asInt());

      Path stock = elsewhere.resolve("stock");
      run(conf, "convert", file.toString(), stock.toString(), "--filter", "bloom");
      JsonNode kept = json(conf, Tool.DONE, "inspect", "--verify", stock.toString()).get(0);
      assertEquals(seen.get("segment"), kept.get("segment"));

      Path wrong = elsewhere.resolve("wrong");
      var info = new KeySegment(SegmentRule.parse("0,4"), new byte[0][], new byte[0][]);
      copyWith(conf, file, wrong, info.toBytes());
      Ran ran = run(conf, "inspect", "--verify", wrong.toString());
      assertEquals(Tool.FOUND, ran.code());
      assertTrue(ran.out().contains("the key segment rules out "), ran.out());
      copyWith(conf, file, wrong, new byte[] {'W', 'S', 'G', '1'});
      ran = run(conf, "inspect", "--verify", wrong.toString());
      assertEquals(Tool.FOUND, ran.code());
      assertTrue(ran.out().contains("key segment: its size cannot be right"), ran.out());

      alter(region, BloomType.NONE, Map.of());
      JsonNode left = json(conf, Tool.FOUND, "audit", "t");
      assertEquals("none with key segments 1,2", left.get("groups").get(0).get("filter").asText());
    }
  }

  /** Copies the cells of a file into one with other segments. */
  private static void copyWith(Configuration conf, Path from, Path to, byte[] segment)
      throws IOException {
    Configuration plain = new Configuration(conf);
    plain.unset("winnow.scan.segment");
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(to.toUri());
    FileSystem fs = file.getFileSystem(plain);
    fs.delete(file, false);
    org.apache.hadoop.fs.Path source = new org.apache.hadoop.fs.Path(from.toUri());
    try (HFile.Reader reader = HFile.createReader(fs, source, CacheConfig.DISABLED, true, plain);
        HFile.Writer writer =
            HFile.getWriterFactory(plain, CacheConfig.DISABLED)
                .withPath(fs, file)
                .withFileContext(new HFileContextBuilder().build())
                .create()) {
      HFileScanner scanner = reader.getScanner(plain, false, true, false);
      for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
        writer.append(scanner.getCell());
      }
      writer.appendFileInfo(KeySegment.key(), segment);
    }
  }

  @Test
  void auditNamesASettingThatMeansNothing() throws Exception {
    try (TestRegion region = region(BloomType.ROW, Map.of("winnow.filter", "ribon"))) {
      put(region, 0, 10);
      Ran ran = run(region.configuration(), "audit", "t");
      assertEquals(Tool.DONE, ran.code(), "the file has HBase's own, as a server would write");
      assertTrue(
          ran.out()
              .contains("wrong setting: t, f: winnow.filter is 'ribon' in CONFIGURATION, must be "),
          ran.out());
      assertTrue(
          ran.out()
              .contains(": alter 't', {NAME => 'f', CONFIGURATION => {'winnow.filter' => ''}}\n"),
          ran.out());
    }
  }

  /** The family asks in its METADATA, which hides the way back in its CONFIGURATION. */
  @Test
  void toolsSayThatMetadataHoldsASettingAndChangeItThere() throws Exception {
    ColumnFamilyDescriptor hidden =
        ColumnFamilyDescriptorBuilder.newBuilder(
                ToolsTable.family(
                    BloomType.ROW, Map.of("winnow.filter", "bloom", "winnow.scan.prefix", "3")))
            .setValue("winnow.filter", "quotient")
            .setValue("winnow.scan.prefix", "none")
            .setValue("winnow.hash", "xxh3")
            .build();
    try (TestRegion region = ToolsTable.region(root, hidden)) {
      Configuration conf = region.configuration();
      put(region, 0, 100);
      JsonNode audit = json(conf, Tool.DONE, "audit", "t");
      assertEquals("METADATA", audit.get("groups").get(0).get("setIn").asText());
      String words = run(conf, "audit", "t").out();
      for (String out : List.of(words, run(conf, "plan", "roll-out", "t").out())) {
        for (String line :
            List.of(
                "t, f: winnow.filter = 'quotient' in METADATA hides 'bloom' in CONFIGURATION; to"
                    + " remove it: alter 't', {NAME => 'f', METADATA => {'winnow.filter' => ''}}\n",
                "t, f: winnow.scan.prefix = 'none' in METADATA hides '3' in CONFIGURATION; to"
                    + " remove it: alter",
                "t, f: winnow.hash = 'xxh3' is in METADATA, which CONFIGURATION does not change; to"
                    + " remove it: alter")) {
          assertTrue(out.contains(line), out);
        }
      }
      Ran back = run(conf, "plan", "roll-back", "t");
      assertTrue(back.out().contains("family f asks for quotient, set in METADATA\n"), back.out());
      assertTrue(
          back.out()
              .contains("alter 't', {NAME => 'f', METADATA => {'winnow.filter' => 'bloom'}}\n"),
          back.out());
      String advised = run(conf, "advise", "t").out();
      assertTrue(
          advised.contains(
              "alter 't', {NAME => 'f', METADATA => {'winnow.filter' => 'bumped-ribbon'}}\n"),
          advised);
    }
  }

  @Test
  void toolsSayWhyAFamilyThatAsksHasNoFilter() throws Exception {
    String why = "no filter is written because BLOOMFILTER is NONE; set ROW";
    try (TestRegion region = region(BloomType.NONE, Map.of("winnow.filter", "ribbon"))) {
      Configuration conf = region.configuration();
      put(region, 0, 100);
      JsonNode audit = json(conf, Tool.FOUND, "audit", "t", "--wait");
      assertFalse(audit.get("nothingLeft").asBoolean());
      assertEquals(0, audit.get("filesNotAsAsked").asInt());
      String words = run(conf, "audit", "t").out();
      assertTrue(
          words.startsWith(
              "t, f: " + why + ": alter 't', {NAME => 'f', BLOOMFILTER => 'ROW'}\nfilters"),
          words);
      String plan = run(conf, "plan", "roll-out", "t").out();
      assertTrue(plan.contains("family f asks for none, set in CONFIGURATION: " + why), plan);
      assertTrue(plan.contains("family f: 1 file, "), plan);
      assertFalse(plan.contains("none filters"), plan);
      assertTrue(
          plan.contains(
              "alter 't', {NAME => 'f', BLOOMFILTER => 'ROW', CONFIGURATION => {'winnow.filter' =>"
                  + " 'bumped-ribbon'}}\n"),
          plan);
      Ran advise = run(conf, "advise", "t");
      assertEquals(Tool.FAILED, advise.code(), advise.toString());
      assertTrue(advise.err().contains("t, f is left out: " + why + "\n"), advise.err());
      String removal = run(conf, "audit", "t", "--before-removal").out();
      assertTrue(
          removal.startsWith("1 family still asks for a Winnow filter. In the HBase shell:\n"),
          removal);

      alter(region, BloomType.NONE, Map.of());
      assertEquals(Tool.DONE, run(conf, "audit", "t").code());
      assertEquals(Tool.DONE, run(conf, "audit", "t", "--before-removal").code());
      plan = run(conf, "plan", "roll-out", "t").out();
      assertTrue(plan.contains("has BLOOMFILTER => 'NONE': it has no filters, and keeps"), plan);
    }
  }

  /** Before that, a compaction would write Winnow's filters again. */
  @Test
  void auditBeforeRemovalBeginsWithFamiliesThatStillAsk() throws Exception {
    try (TestRegion region = region(BloomType.ROW, Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 100);
      alter(region, BloomType.ROW, Map.of("winnow.filter", "ribbon"));
      String alterLine = "alter 't', {NAME => 'f', CONFIGURATION => {'winnow.filter' => 'bloom'}}";
      String asks = "1 family still asks for a Winnow filter. In the HBase shell:\n  " + alterLine;
      JsonNode before = json(conf, Tool.FOUND, "audit", "t", "--before-removal");
      assertEquals(1, before.get("filesNotAsAsked").asInt());
      assertEquals(alterLine, before.get("alters").get(0).asText());
      String words = run(conf, "audit", "t", "--before-removal").out();
      assertTrue(words.startsWith(asks + "\nfilters"), words);
      assertFalse(words.contains("major_compact"), "the file has HBase's own filter");

      put(region, 100, 200);
      words = run(conf, "audit", "t", "--before-removal").out();
      assertTrue(
          words.startsWith(
              asks + "\n1 of 2 files has a Winnow filter. Then:\n  major_compact 't'\n"),
          words);
      Path damaged =
          Path.of(region.files().iterator().next().getPath().toUri().getPath())
              .resolveSibling("0123456789abcdef0123456789abcdef");
      Files.writeString(damaged, "no store file");
      Ran unreadable = run(conf, "audit", "t", "--before-removal");
      assertEquals(Tool.FAILED, unreadable.code(), unreadable.toString());
      assertTrue(
          unreadable.out().startsWith(asks + "\n1 file could not be read: "), unreadable.out());
      Files.delete(damaged);

      Configuration bySite = new Configuration(conf);
      bySite.set("winnow.filter", "ribbon");
      alter(region, BloomType.ROW, Map.of());
      words = run(bySite, "audit", "t", "--before-removal").out();
      assertTrue(
          words.startsWith(
              asks + "\nAlso remove winnow.filter from hbase-site.xml.\n1 of 2 files has a "),
          words);
      words = run(conf, "audit", "t", "--before-removal").out();
      assertTrue(
          words.startsWith(
              "1 of 2 files has a Winnow filter. In the HBase shell:\n  major_compact 't'\n"),
          words);
    }
  }

  /** After a compaction, and of what convert writes. */
  @Test
  void adviceIsWhatThenIsThere() throws Exception {
    int filters = 3 * (Choice.values().length + Choice.ofWinnow().size());
    filters += 3 + Choice.values().length; // of a store of many files, and of one file alone
    assertEquals("" + filters, FaultLoader.withSteadySeeds(AdviceDrive.class, root));
  }

  private String tableDirectory() {
    return root.resolve("data/default/t").toString();
  }

  @Test
  void wishIsMetAfterACompaction() throws Exception {
    try (TestRegion region = region(BloomType.ROW, Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 5000);
      put(region, 5000, 9000);
      JsonNode advice = json(conf, Tool.DONE, "advise", "t", "--memory", "0.5");
      String alter = advice.get("families").get(0).get("alter").asText();
      assertTrue(alter.contains("'winnow.store.memory' => '0.5'"), alter);
      alter(
          region,
          BloomType.ROW,
          Map.of("winnow.filter", "bumped-ribbon", "winnow.store.memory", "0.5"));
      region.region().compact(true);
      JsonNode then = json(conf, Tool.DONE, "inspect", onlyFile(region).toString()).get(0);
      double stock = advice.get("filters").get(0).get("bytes").asDouble();
      double bytes = then.get("general").get("bytes").asDouble();
      JsonNode wish = advice.get("families").get(0).get("wish");
      assertEquals(wish.get("bytes").asDouble(), bytes, 0.02 * bytes);
      assertTrue(bytes <= 0.5 * stock, bytes + " of " + stock);
      double asked = then.get("general").get("askedRate").asDouble();
      assertEquals(wish.get("falseReadsPerAbsentGet").asDouble(), asked, 0.05 * asked);
    }
  }

  @Test
  void partOfTheStoresIsSaidToBeAPart() throws Exception {
    try (TestRegion region = region(BloomType.ROW, Map.of())) {
      put(region, 0, 1000);
      Path store = onlyFile(region).getParent();
      for (int i = 1; i < 4; i++) {
        Path other = Files.createDirectories(root.resolve("data/default/t/other" + i + "/f"));
        Files.copy(onlyFile(region), other.resolve(onlyFile(region).getFileName()));
      }
      JsonNode all = json(region.configuration(), Tool.DONE, "advise", tableDirectory());
      JsonNode part =
          json(region.configuration(), Tool.DONE, "advise", tableDirectory(), "--sample", "2");
      assertEquals(4, all.get("storesRead").asInt(), store.toString());
      assertEquals(2, part.get("storesRead").asInt());
      assertEquals(4, part.get("files").asInt());
      assertEquals(4000, part.get("keys").asInt());
      assertEquals(all.get("filters").get(2).get("bytes"), part.get("filters").get(2).get("bytes"));
    }
  }

  /** Every filter, with and without delete markers, and back to HBase's own, byte by byte. */
  @ParameterizedTest
  @EnumSource(
      value = BloomType.class,
      names = {"ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"})
  void convertedThereAndBackIsTheStockFile(BloomType type) throws Exception {
    io.winnow.hbase.agent.WovenFactory.install();
    try (TestRegion region = region(type, Map.of())) {
      Configuration conf = region.configuration();
      for (int i = 0; i < 300; i++) {
        region.region().delete(new Delete(row(7 * i)).addFamily(FAMILY));
      }
      put(region, 0, 3000);
      Path stock = onlyFile(region);
      Path none = elsewhere.resolve("none");
      Path again = elsewhere.resolve("again");
      Ran ran = run(conf, "convert", stock.toString(), none.toString(), "--filter", "none");
      assertEquals(Tool.DONE, ran.code(), ran.toString());
      ran = run(conf, "convert", none.toString(), again.toString(), "--filter", "bloom");
      if (type == BloomType.ROW) { // a file without a filter does not say of which keys it was
        assertEquals(Tool.DONE, ran.code(), ran.toString());
        assertArrayEquals(Files.readAllBytes(stock), Files.readAllBytes(again));
      }
      Path same = elsewhere.resolve("same");
      ran = run(conf, "convert", stock.toString(), same.toString(), "--filter", "bloom");
      assertEquals(Tool.DONE, ran.code(), ran.toString());
      assertArrayEquals(Files.readAllBytes(stock), Files.readAllBytes(same));
      Ran twice = run(conf, "convert", stock.toString(), same.toString(), "--filter", "bloom");
      assertEquals(Tool.FAILED, twice.code());
      assertTrue(twice.err().contains("is there already"), twice.err());
      byte[] before = Files.readAllBytes(same);
      Ran onItself =
          run(conf, "convert", same.toString(), same.toString(), "--filter", "none", "--overwrite");
      assertEquals(Tool.FAILED, onItself.code());
      assertTrue(onItself.err().contains("name another"), onItself.err());
      assertArrayEquals(before, Files.readAllBytes(same));
    }
  }

  @Test
  void filterOfWinnowIsWrittenWithTheAgentOnly() throws Exception {
    try (TestRegion region = region(BloomType.ROW, Map.of())) {
      put(region, 0, 10);
      String to = elsewhere.resolve("to").toString();
      Ran ran =
          run(
              region.configuration(),
              "convert",
              onlyFile(region).toString(),
              to,
              "--filter",
              "ribbon");
      assertEquals(Tool.FAILED, ran.code());
      assertTrue(ran.err().contains("-javaagent:winnow-hbase.jar"), ran.err());
      assertFalse(Files.exists(Path.of(to)));
    }
  }

  /** A file whose filter was not given every second row. */
  @Test
  void filterThatDeniesAKeyIsFound() throws Exception {
    try (TestRegion region = region(BloomType.ROW, Map.of())) {
      Configuration conf = region.configuration();
      org.apache.hadoop.fs.Path file =
          new org.apache.hadoop.fs.Path(elsewhere.resolve("file").toUri());
      HFile.Writer writer =
          HFile.getWriterFactory(conf, CacheConfig.DISABLED)
              .withPath(file.getFileSystem(conf), file)
              .withFileContext(new HFileContextBuilder().build())
              .create();
      BloomFilterWriter filter =
          BloomFilterFactory.createGeneralBloomAtWrite(
              conf, CacheConfig.DISABLED, BloomType.ROW, 100, writer);
      for (int i = 100; i < 200; i++) {
        KeyValue cell = new KeyValue(Bytes.toBytes("row" + i), FAMILY, FAMILY, FAMILY);
        writer.append(cell);
        if (i % 2 == 0) {
          filter.append(cell);
        }
      }
      filter.compactBloom();
      writer.addGeneralBloomFilter(filter);
      writer.appendFileInfo(Bytes.toBytes("BLOOM_FILTER_TYPE"), Bytes.toBytes("ROW"));
      writer.close();
      Ran ran = run(conf, "inspect", file.toString(), "--verify");
      assertEquals(Tool.FOUND, ran.code(), ran.toString());
      assertTrue(ran.out().contains("THIS MUST NOT BE"), ran.out());
    }
  }

  /** A region server of this host may have it open. */
  @Test
  void verifyingLeavesABucketCacheOnFileAlone() throws Exception {
    try (TestRegion region = region(BloomType.ROW, Map.of())) {
      put(region, 0, 100);
      Path cache = Files.writeString(elsewhere.resolve("cache"), "blocks of a server");
      Configuration conf = new Configuration(region.configuration());
      conf.set(HConstants.BUCKET_CACHE_IOENGINE_KEY, "file:" + cache);
      conf.set(HConstants.BUCKET_CACHE_SIZE_KEY, "64");
      json(conf, Tool.DONE, "inspect", onlyFile(region).toString(), "--verify");
      assertEquals("blocks of a server", Files.readString(cache));
    }
  }

  @Test
  void planSaysWhatIsTrueOfTheTable() throws Exception {
    try (TestRegion region = region(BloomType.ROW, Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 100);
      Ran out = run(conf, "plan", "roll-out", "t");
      assertTrue(
          out.out()
              .contains(
                  "alter 't', {NAME => 'f', CONFIGURATION => {'winnow.filter' =>"
                      + " 'bumped-ribbon'}}"),
          out.out());
      assertTrue(out.out().contains("major_compact 't'"), out.out());
      assertTrue(run(conf, "plan", "roll-back", "t").out().contains("No family asks"));
      alter(region, BloomType.ROW, Map.of("winnow.filter", "bumped-ribbon"));
      put(region, 100, 200);
      Ran back = run(conf, "plan", "roll-back", "t");
      assertTrue(back.out().contains("'winnow.filter' => 'bloom'"), back.out());
      assertTrue(back.out().contains("major_compact 't'"), back.out());
    }
  }

  /** What is wrong is one sentence that names the file. */
  @ParameterizedTest
  @ValueSource(strings = {"audit", "advise", "inspect", "convert", "plan"})
  void eachToolTellsHowItIsCalled(String tool) throws Exception {
    Configuration conf = new Configuration(false);
    Ran help = run(conf, tool, "--help");
    assertEquals(Tool.DONE, help.code());
    assertTrue(help.out().startsWith("usage: winnow " + tool + " "), help.out());
    assertTrue(help.out().contains("Exit codes: 0 "), help.out());
    Ran wrong = run(conf, tool, "--nosuch");
    assertEquals(Tool.WRONG_USAGE, wrong.code(), wrong.toString());
    assertTrue(wrong.err().contains("--nosuch"), wrong.err());
    Ran nothing = run(conf, tool);
    assertEquals(Tool.WRONG_USAGE, nothing.code(), nothing.toString());
    assertEquals(2, nothing.err().lines().count(), nothing.err());
  }

  @Test
  void whatIsNoStoreFileIsNamed() throws Exception {
    try (TestRegion region = region(BloomType.ROW, Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 1000);
      byte[] whole = Files.readAllBytes(onlyFile(region));
      Path garbage = Files.write(elsewhere.resolve("garbage"), new byte[5000]);
      Path cut = Files.write(elsewhere.resolve("cut"), Arrays.copyOf(whole, whole.length / 2));
      Path empty = Files.write(elsewhere.resolve("empty"), new byte[0]);
      Path directory = Files.createDirectory(elsewhere.resolve("directory"));
      Path missing = elsewhere.resolve("missing");
      for (Path path : List.of(garbage, cut, empty, directory, missing)) {
        Ran ran = run(conf, "inspect", path.toString());
        assertEquals(Tool.FAILED, ran.code(), ran.toString());
        assertEquals(1, ran.complaints().size(), ran.err());
        assertTrue(ran.complaints().get(0).startsWith("winnow inspect: "), ran.err());
        assertTrue(ran.err().contains(path.toString()), ran.err());
      }
      assertEquals(Tool.FAILED, run(conf, "audit", "nosuch").code());
      assertTrue(run(conf, "audit", "nosuch").err().contains("no table nosuch under"));
      Configuration other = new Configuration(conf);
      other.set("hbase.rootdir", directory.toUri().toString());
      assertTrue(run(other, "audit", "nosuch").err().contains("set HBASE_CONF_DIR to"));
      for (String path : List.of(missing.toString(), "hdfs:///hbase/data/default/t")) {
        Ran ran = run(other, "inspect", path);
        assertEquals(1, ran.complaints().size(), ran.err());
        assertTrue(ran.err().contains("set HBASE_CONF_DIR to"), ran.err());
      }
      assertFalse(run(conf, "inspect", missing.toString()).err().contains("HBASE_CONF_DIR"));
    }
  }
}
