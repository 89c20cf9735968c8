package io.winnow.hbase.tools;

import static io.winnow.hbase.tools.ToolsTable.FAMILY;
import static io.winnow.hbase.tools.ToolsTable.onlyFile;
import static io.winnow.hbase.tools.ToolsTable.put;
import static io.winnow.hbase.tools.ToolsTable.run;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.winnow.hbase.metrics.TestRegion;
import io.winnow.hbase.tools.ToolsTable.Ran;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.HFileLink;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tools on what a table has beside plain store files, and on families of all kinds. */
class OddFilesTest {
  private static final String REGION = "0123456789abcdef0123456789abcdef";
  private static final String OTHER_REGION = "fedcba9876543210fedcba9876543210";

  @TempDir Path root;
  @TempDir Path elsewhere;

  private JsonNode json(Configuration conf, int code, String... args) throws Exception {
    return ToolsTable.json(elsewhere, conf, code, args);
  }

  private TestRegion region(Map<String, String> settings) throws IOException {
    return ToolsTable.region(root, ToolsTable.family(BloomType.ROW, settings));
  }

  private Path table(String name) {
    return root.resolve("data/default").resolve(name);
  }

  private static org.apache.hadoop.fs.Path path(Path path) {
    return new org.apache.hadoop.fs.Path(path.toUri());
  }

  /** With values, tags and sequence ids. */
  private static List<String> cells(Configuration conf, Path file) throws IOException {
    List<String> cells = new ArrayList<>();
    try (HFile.Reader reader =
        HFile.createReader(
            path(file).getFileSystem(conf), path(file), CacheConfig.DISABLED, true, conf)) {
      HFileScanner scanner = reader.getScanner(conf, false, false, false);
      for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
        ExtendedCell cell = (ExtendedCell) scanner.getCell();
        cells.add(
            Bytes.toStringBinary(KeyValueUtil.copyToNewByteArray(cell))
                + " "
                + cell.getSequenceId());
      }
    }
    return cells;
  }

  /** The daughters of a split have halves of the parent's file, which counts no more itself. */
  @Test
  void halvesAreReadAsHalves() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 4000);
      JsonNode whole = json(conf, Tool.DONE, "advise", "t");
      Path file = onlyFile(region);
      String parent = file.getParent().getParent().getFileName().toString();
      byte[] middle = Bytes.toBytes("80000000");
      String name = file.getFileName() + "." + parent;
      Path bottom = table("t").resolve(REGION + "/f/" + name);
      Path top = table("t").resolve(OTHER_REGION + "/f/" + name);
      Reference.createBottomReference(middle).write(path(bottom).getFileSystem(conf), path(bottom));
      Reference.createTopReference(middle).write(path(top).getFileSystem(conf), path(top));

      JsonNode halves = json(conf, Tool.DONE, "advise", "t");
      assertEquals(2, halves.get("files").asInt());
      assertEquals(2, halves.get("stores").asInt());
      assertEquals(4000, halves.get("keys").asInt());
      assertEquals(4000, halves.get("keysAfterCompaction").asInt());
      assertEquals(
          whole.get("now").get("bytes").asDouble(), halves.get("now").get("bytes").asDouble(), 2);
      assertEquals(2000, StoreFile.of(conf, path(top)).half() == null ? 0 : keys(conf, top));
      assertEquals(2, json(conf, Tool.DONE, "audit", "t").get("files").asInt());
      JsonNode seen = json(conf, Tool.DONE, "inspect", top.toString(), "--verify").get(0);
      assertEquals(8000, seen.get("cells").asInt(), "it is shown whole");
      assertTrue(seen.get("standsFor").asText().startsWith("the rows from 80000000 of"));
      Ran ran = run(conf, "convert", top.toString(), elsewhere + "/half", "--filter", "none");
      assertEquals(Tool.FAILED, ran.code());
      assertTrue(ran.err().contains("compact it"), ran.err());
    }
  }

  private static int keys(Configuration conf, Path file) throws IOException {
    int[] keys = {0};
    try (OpenFile open = OpenFile.open(conf, StoreFile.of(conf, path(file)))) {
      StoreKeys.forEach(
          conf, List.of(open), BloomType.ROW, 0, cells -> {}, (key, files) -> keys[0]++);
    }
    return keys[0];
  }

  /** A clone of a snapshot has names that stand for another table's files. */
  @Test
  void linksAreFollowed() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 1000);
      Path file = onlyFile(region);
      String encoded = file.getParent().getParent().getFileName().toString();
      String link =
          HFileLink.createHFileLinkName(
              TableName.valueOf("t"), encoded, file.getFileName().toString());
      Path store = Files.createDirectories(table("clone").resolve(REGION + "/f"));
      Files.createFile(store.resolve(link));
      ToolsTable.describe(
          root,
          conf,
          TableDescriptorBuilder.newBuilder(TableName.valueOf("clone"))
              .setColumnFamily(ToolsTable.family(BloomType.ROW, Map.of()))
              .build());
      assertEquals(1000, json(conf, Tool.DONE, "advise", "clone").get("keys").asInt());
      assertEquals(1, json(conf, Tool.DONE, "audit", "clone").get("files").asInt());
      Files.move(file, elsewhere.resolve("gone"));
      Ran ran = run(conf, "audit", "clone");
      assertEquals(Tool.FAILED, ran.code());
      assertTrue(ran.err().contains(link + " stands for "), ran.err());
    }
  }

  /** A compaction moves files to the archive while they are read. */
  @Test
  void archivedFileIsFoundThere() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 100);
      Path file = onlyFile(region);
      StoreFile listed = StoreFile.of(conf, path(file));
      Path archived = root.resolve("archive").resolve(root.relativize(file));
      Files.createDirectories(archived.getParent());
      Files.move(file, archived);
      try (OpenFile open = OpenFile.open(conf, listed)) {
        assertEquals(200, open.cells());
      }
      Files.delete(archived);
      IOException gone = assertThrows(IOException.class, () -> OpenFile.open(conf, listed));
      assertEquals("there is no file " + path(file), gone.getMessage());
    }
  }

  /** Where HBase keeps a list of a store's files, others lie beside them that do not count. */
  @Test
  void filesThatAreNotInTheListDoNotCount() throws Exception {
    Map<String, String> tracker = Map.of("hbase.store.file-tracker.impl", "FILE");
    try (TestRegion region =
        ToolsTable.region(root, "t", ToolsTable.family(BloomType.ROW, Map.of()), tracker)) {
      Configuration conf = region.configuration();
      assertEquals(0, json(conf, Tool.DONE, "audit", "t").get("files").asInt());
      put(region, 0, 100);
      put(region, 100, 200);
      Path store = ToolsTable.local(region.files().iterator().next().getPath()).getParent();
      assertTrue(Files.exists(store.resolve(".filelist")), store.toString());
      Files.write(store.resolve("00000000000000000000000000000bad"), new byte[100]);
      assertEquals(2, json(conf, Tool.DONE, "audit", "t").get("files").asInt());
      Configuration untracked = new Configuration(conf);
      untracked.set("hbase.store.file-tracker.impl", "DEFAULT");
      assertEquals(Tool.FAILED, run(untracked, "audit", "t").code(), "then it counts");
    }
  }

  @Test
  void encryptedFileNeedsItsKey() throws Exception {
    Path keys = elsewhere.resolve("keys");
    char[] password = "password".toCharArray();
    KeyStore store = KeyStore.getInstance("JCEKS");
    store.load(null, password);
    store.setEntry(
        "hbase",
        new KeyStore.SecretKeyEntry(new SecretKeySpec(new byte[16], "AES")),
        new KeyStore.PasswordProtection(password));
    try (OutputStream out = Files.newOutputStream(keys)) {
      store.store(out, password);
    }
    Map<String, String> site =
        Map.of(
            "hbase.crypto.keyprovider",
            "org.apache.hadoop.hbase.io.crypto.KeyStoreKeyProvider",
            "hbase.crypto.keyprovider.parameters",
            "jceks://" + keys + "?password=password",
            "hbase.crypto.master.key.name",
            "hbase");
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setBloomFilterType(BloomType.ROW)
            .setEncryptionType("AES")
            .build();
    try (TestRegion region = ToolsTable.region(root, "t", family, site)) {
      Configuration conf = region.configuration();
      put(region, 0, 1000);
      assertEquals(1000, json(conf, Tool.DONE, "advise", "t").get("keys").asInt());
      Path file = onlyFile(region);
      Path converted = elsewhere.resolve("converted");
      Ran ran = run(conf, "convert", file.toString(), converted.toString(), "--filter", "none");
      assertEquals(Tool.DONE, ran.code(), ran.toString());
      assertEquals(cells(conf, file), cells(conf, converted));
      Configuration without = new Configuration(conf);
      site.keySet().forEach(without::unset);
      for (Path each : List.of(file, converted)) {
        Ran blind = run(without, "inspect", each.toString());
        assertEquals(Tool.FAILED, blind.code());
        assertTrue(blind.err().contains(each + " is encrypted, and its key"), blind.err());
        assertEquals(1, blind.err().lines().count(), blind.err());
      }
    }
  }

  /** Tags and repeats, under each encoding of blocks, compressed. */
  @ParameterizedTest
  @EnumSource(DataBlockEncoding.class)
  void convertedFileIsTheStockFileUnderEachEncoding(DataBlockEncoding encoding) throws Exception {
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setBloomFilterType(BloomType.ROWCOL)
            .setDataBlockEncoding(encoding)
            .setCompressionType(Compression.Algorithm.GZ)
            .setMaxVersions(3)
            .build();
    try (TestRegion region = ToolsTable.region(root, family)) {
      Configuration conf = region.configuration();
      for (int i = 0; i < 3000; i++) {
        Put put = new Put(ToolsTable.row(i));
        for (int version = 1; version <= 2; version++) {
          put.add(
              new KeyValue(
                  ToolsTable.row(i),
                  FAMILY,
                  Bytes.toBytes("q"),
                  version,
                  Bytes.toBytes("value " + i),
                  new Tag[] {new ArrayBackedTag((byte) 70, Bytes.toBytes("tag " + i % 7))}));
        }
        region.region().put(put);
      }
      region.region().flush(true);
      Path stock = onlyFile(region);
      JsonNode seen = json(conf, Tool.DONE, "inspect", stock.toString(), "--verify").get(0);
      assertEquals(encoding.name(), seen.get("encoding").asText());
      assertEquals(6000, seen.get("verified").get("cells").asInt());
      assertEquals(3000, seen.get("verified").get("keys").asInt());
      assertEquals(3000, json(conf, Tool.DONE, "advise", "t").get("keys").asInt());
      Path none = elsewhere.resolve("none");
      Path again = elsewhere.resolve("again");
      json(conf, Tool.DONE, "convert", stock.toString(), none.toString(), "--filter", "none");
      assertEquals(cells(conf, stock), cells(conf, none));
      Path store = Files.createDirectories(elsewhere.resolve("f"));
      Files.move(none, store.resolve("none")); // so that its family is known
      JsonNode done =
          json(
                  conf,
                  Tool.DONE,
                  "convert",
                  store.resolve("none").toString(),
                  again.toString(),
                  "--filter",
                  "bloom",
                  "--table",
                  "t")
              .get(0);
      assertEquals("none", done.get("filterBefore").asText());
      assertEquals("bloom", done.get("filter").asText());
      assertEquals(Files.size(again), done.get("bytes").asLong());
      assertArrayEquals(Files.readAllBytes(stock), Files.readAllBytes(again));
    }
  }

  /** A chunk that is damaged denies nothing, but is of no use: that is told. */
  @Test
  void damagedChunkIsTold() throws Exception {
    try (TestRegion region = region(Map.of("winnow.filter", "ribbon"))) {
      Configuration conf = region.configuration();
      put(region, 0, 5000);
      Path file = onlyFile(region);
      JsonNode chunk =
          json(conf, Tool.DONE, "inspect", file.toString())
              .get(0)
              .get("general")
              .get("chunks")
              .get(0);
      byte[] bytes = Files.readAllBytes(file);
      bytes[(int) (chunk.get("offset").asLong() + chunk.get("bytes").asLong() / 2)] ^= 1;
      Path damaged = Files.write(elsewhere.resolve("damaged"), bytes);
      Ran ran = run(conf, "inspect", damaged.toString(), "--verify");
      assertEquals(Tool.FOUND, ran.code(), ran.toString());
      assertTrue(ran.out().contains("1 chunks are damaged"), ran.out());
      assertTrue(ran.out().contains(" 0 denied"), ran.out());
    }
  }

  @Test
  void damagedCellsAreNamedAndTheRestIsTold() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 5000);
      Path file = onlyFile(region);
      Path other = table("t").resolve(REGION + "/f");
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length / 4] ^= 1;
      Files.createDirectories(other);
      Path damaged = Files.write(other.resolve(file.getFileName()), bytes);
      String checksums = "." + file.getFileName() + ".crc"; // of a local file system
      Files.copy(file.resolveSibling(checksums), damaged.resolveSibling(checksums));
      Ran advised = run(conf, "advise", "t");
      assertEquals(Tool.FAILED, advised.code(), advised.toString());
      assertTrue(advised.out().contains("2 files in 2 stores, "), advised.out());
      for (Ran ran :
          List.of(
              advised,
              run(conf, "inspect", "--verify", damaged.toString()),
              run(conf, "convert", damaged.toString(), elsewhere + "/to", "--filter", "none"))) {
        assertEquals(Tool.FAILED, ran.code(), ran.toString());
        assertTrue(ran.err().contains(damaged + " is damaged: "), ran.err());
        assertEquals(1, ran.err().lines().count(), ran.err());
      }
      assertFalse(Files.exists(elsewhere.resolve("to")));
      assertFalse(Files.exists(elsewhere.resolve(".to.unfinished")));
      assertEquals(Tool.DONE, run(conf, "audit", "t").code(), "its end is whole");
    }
  }

  /** Rows of several cells, in files without a filter: cells are not keys. */
  @Test
  void filesWithoutAFilterAreCountedByTheirRows() throws Exception {
    try (TestRegion region = ToolsTable.region(root, ToolsTable.family(BloomType.NONE, Map.of()))) {
      Configuration conf = region.configuration();
      put(region, 0, 1000);
      Ran none = run(conf, "advise", "t");
      assertEquals(Tool.FAILED, none.code());
      assertTrue(none.err().contains("t, f has BLOOMFILTER => 'NONE'"), none.err());
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

  /** Files of prefixes say how long these are, wherever they lie. */
  @Test
  void fileOfPrefixesNeedsNoTable() throws Exception {
    try (TestRegion region =
        ToolsTable.region(root, ToolsTable.family(BloomType.ROWPREFIX_FIXED_LENGTH, Map.of()))) {
      Configuration conf = region.configuration();
      put(region, 0, 1000);
      JsonNode ofTable = json(conf, Tool.DONE, "advise", "t");
      Path alone = Files.createDirectories(elsewhere.resolve("a/b/c")).resolve("file");
      Files.copy(onlyFile(region), alone, StandardCopyOption.REPLACE_EXISTING);
      JsonNode ofFile = json(conf, Tool.DONE, "advise", alone.toString());
      assertEquals(ofTable.get("keys"), ofFile.get("keys"));
      assertEquals(
          ofTable.get("filters").get(2).get("bytes"), ofFile.get("filters").get(2).get("bytes"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"space:t", "t"})
  void tableHasItsNamespace(String name) throws Exception {
    try (TestRegion region =
        ToolsTable.region(root, name, ToolsTable.family(BloomType.ROW, Map.of()), Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 100);
      for (String tool : List.of("advise", "audit")) {
        assertEquals(1, json(conf, Tool.DONE, tool, name).get("files").asInt());
      }
      JsonNode plan = json(conf, Tool.DONE, "plan", "roll-out", name);
      assertEquals(name, plan.get("table").asText());
      assertTrue(
          plan.get("steps").get(2).get("command").asText().startsWith("alter '" + name + "', "),
          plan.toString());
    }
  }

  /** Large values lie elsewhere, in files without filters; the keys stay. */
  @Test
  void familyWithLargeValuesIsLikeAnyOther() throws Exception {
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setBloomFilterType(BloomType.ROW)
            .setMobEnabled(true)
            .setMobThreshold(3)
            .build();
    try (TestRegion region = ToolsTable.region(root, family)) {
      Configuration conf = region.configuration();
      put(region, 0, 1000);
      assertEquals(1000, json(conf, Tool.DONE, "advise", "t").get("keys").asInt());
      assertEquals(1, json(conf, Tool.DONE, "audit", "--all").get("files").asInt());
      assertTrue(Files.isDirectory(root.resolve("mobdir")), "there are large values");
      Path none = elsewhere.resolve("none");
      Path file = onlyFile(region);
      json(conf, Tool.DONE, "convert", file.toString(), none.toString(), "--filter", "none");
      assertEquals(cells(conf, file), cells(conf, none));
    }
  }

  @Test
  void settingMayStandAnywhere() throws Exception {
    try (TestRegion region = region(Map.of())) {
      put(region, 0, 10);
      Configuration bare = new Configuration(false);
      String setting = "hbase.rootdir=" + root.toUri();
      for (String[] args :
          new String[][] {
            {"audit", "-D", setting, "t"},
            {"audit", "t", "-D", setting},
            {"audit", "t", "-D" + setting}
          }) {
        Ran ran = run(bare, args);
        assertEquals(Tool.DONE, ran.code(), ran.toString());
        assertTrue(ran.out().startsWith("filters\n"), ran.out());
      }
    }
  }

  @Test
  void emptyTableIsNoFailureOfAudit() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      assertTrue(json(conf, Tool.DONE, "audit", "t").get("nothingLeft").asBoolean());
      assertEquals(Tool.DONE, run(conf, "plan", "roll-out", "t").code());
      Ran ran = run(conf, "advise", "t");
      assertEquals(Tool.FAILED, ran.code());
      assertTrue(ran.err().contains("t, f has no store file with rows"), ran.err());
    }
  }

  /** The keys changed, and so the old files' filters are not what is asked for. */
  @Test
  void filterOfOtherKeysIsNotAsAsked() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 100);
      ToolsTable.alter(root, region, ToolsTable.family(BloomType.ROWCOL, Map.of()));
      JsonNode audit = json(conf, Tool.FOUND, "audit", "t");
      assertEquals("bloom of ROW", audit.get("groups").get(0).get("filter").asText());
      assertEquals("bloom of ROWCOL", audit.get("groups").get(0).get("asked").asText());
      region.region().compact(true);
      region.store().closeAndArchiveCompactedFiles();
      assertEquals(
          "bloom", json(conf, Tool.DONE, "audit", "t").get("groups").get(0).get("filter").asText());
    }
  }

  /** More files than are tried at once: each counts as it would alone. */
  @Test
  void storeOfManyFilesIsTheSumOfThem() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      for (int i = 0; i < 10; i++) {
        put(region, 100 * i, 100 * i + 150 + 10 * i);
      }
      assertEquals(10, region.files().size());
      List<String> alone = new ArrayList<>();
      for (HStoreFile file : region.files()) {
        Path store = Files.createDirectories(elsewhere.resolve("t/" + alone.size() + "/f"));
        Files.copy(ToolsTable.local(file.getPath()), store.resolve(file.getPath().getName()));
        alone.add(store.toString());
      }
      JsonNode together = json(conf, Tool.DONE, "advise", "t");
      alone.add(0, "advise");
      JsonNode apart = json(conf, Tool.DONE, alone.toArray(String[]::new));
      assertEquals(10, apart.get("stores").asInt());
      assertEquals(apart.get("keys"), together.get("keys"));
      for (Choice choice : List.of(Choice.BLOOM, Choice.BUMPED_RIBBON_BY_FILE, Choice.QUOTIENT)) {
        JsonNode lying = together.get("filtersAsFilesLie").get(choice.ordinal());
        JsonNode sum = apart.get("filters").get(choice.ordinal());
        assertEquals(sum.get("bytes"), lying.get("bytes"), choice.toString());
      }
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

  @Test
  void wishThatNoRateMeetsIsSaid() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 5000);
      Ran ran = run(conf, "advise", "t", "--memory", "0.02");
      assertEquals(Tool.DONE, ran.code());
      assertTrue(ran.out().contains("No rate up to 0.5 makes the filters as small"), ran.out());
      JsonNode met = json(conf, Tool.DONE, "advise", "t", "--false-reads", "0.02");
      JsonNode wish = met.get("families").get(0).get("wish");
      assertEquals(0.02, wish.get("storeErrorRate").asDouble());
      assertTrue(wish.get("shareOfStock").asDouble() < 1, wish.toString());
      JsonNode cache = json(conf, Tool.DONE, "advise", "t", "--block-cache", "1m");
      double freed = cache.get("filters").get(2).get("blockCacheFreed").asDouble();
      double bytes =
          cache.get("now").get("bytes").asDouble()
              - cache.get("filters").get(2).get("bytes").asDouble();
      assertEquals(bytes / (1 << 20), freed, 1e-6);
    }
  }

  /** Nothing is read for options that cannot be met. */
  @Test
  void wrongOptionsAreFoundFirst() throws Exception {
    Configuration conf = new Configuration(false);
    for (String[] args :
        new String[][] {
          {"advise", "t", "--sample", "0"},
          {"advise", "t", "--block-cache", "much"},
          {"advise", "t", "--block-cache", "0"},
          {"advise", "t", "--memory", "0"},
          {"advise", "t", "--false-reads", "0.9"},
          {"advise", "t", "--memory", "0.5", "--false-reads", "0.1"},
          {"audit", "t", "--all"},
          {"convert", "a", "b", "--filter", "none", "--block-size", "0"},
          {"plan", "roll-over", "t"},
        }) {
      Ran ran = run(conf, args);
      assertEquals(Tool.WRONG_USAGE, ran.code(), ran.toString());
      assertEquals(2, ran.err().lines().count(), ran.err());
    }
    for (String tool : List.of("advise", "audit", "inspect")) {
      Ran ran = run(conf, tool, "t", "--json", elsewhere + "/nosuch/file");
      assertEquals(Tool.FAILED, ran.code());
      assertTrue(ran.err().contains("there is no such directory"), ran.err());
    }
  }
}
