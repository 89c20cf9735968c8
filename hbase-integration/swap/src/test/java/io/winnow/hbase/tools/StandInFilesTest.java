package io.winnow.hbase.tools;

import static io.winnow.hbase.tools.ToolsDoor.run;
import static io.winnow.hbase.tools.ToolsTable.FAMILY;
import static io.winnow.hbase.tools.ToolsTable.onlyFile;
import static io.winnow.hbase.tools.ToolsTable.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.winnow.hbase.metrics.TestRegion;
import io.winnow.hbase.tools.ToolsDoor.Ran;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.HFileLink;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** Names that stand for other files, or parts of them; and files beside those that count. */
class StandInFilesTest extends ToolsCase {
  private static final String OTHER_REGION = "fedcba9876543210fedcba9876543210";

  private static int keys(Configuration conf, Path file) throws IOException {
    int[] keys = {0};
    try (OpenFile open = OpenFile.open(conf, StoreFile.of(conf, ToolsTable.path(file)))) {
      StoreKeys.forEach(
          conf, List.of(open), BloomType.ROW, 0, cells -> {}, (key, files, count) -> keys[0]++);
    }
    return keys[0];
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
      Reference.createBottomReference(middle)
          .write(ToolsTable.path(bottom).getFileSystem(conf), ToolsTable.path(bottom));
      Reference.createTopReference(middle)
          .write(ToolsTable.path(top).getFileSystem(conf), ToolsTable.path(top));

      JsonNode halves = json(conf, Tool.DONE, "advise", "t");
      assertEquals(2, halves.get("files").asInt());
      assertEquals(2, halves.get("stores").asInt());
      assertEquals(4000, halves.get("keys").asInt());
      assertEquals(4000, halves.get("keysAfterCompaction").asInt());
      assertEquals(
          whole.get("now").get("bytes").asDouble(), halves.get("now").get("bytes").asDouble(), 2);
      assertEquals(
          2000, StoreFile.of(conf, ToolsTable.path(top)).half == null ? 0 : keys(conf, top));
      assertEquals(2, json(conf, Tool.DONE, "audit", "t").get("files").asInt());
      JsonNode seen = json(conf, Tool.DONE, "inspect", top.toString(), "--verify").get(0);
      assertEquals(8000, seen.get("cells").asInt(), "it is shown whole");
      assertTrue(seen.get("standsFor").asText().startsWith("the rows from 80000000 of"));
      Ran ran = run(conf, "convert", top.toString(), elsewhere + "/half", "--filter", "none");
      assertEquals(Tool.FAILED, ran.code());
      assertTrue(ran.err().contains("compact it"), ran.err());
    }
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
      StoreFile listed = StoreFile.of(conf, ToolsTable.path(file));
      Path archived = root.resolve("archive").resolve(root.relativize(file));
      Files.createDirectories(archived.getParent());
      Files.move(file, archived);
      try (OpenFile open = OpenFile.open(conf, listed)) {
        assertEquals(200, open.cells());
      }
      Files.delete(archived);
      IOException gone = assertThrows(IOException.class, () -> OpenFile.open(conf, listed));
      assertEquals("there is no file " + ToolsTable.path(file), gone.getMessage());
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
      assertEquals(ToolsTable.cells(conf, file), ToolsTable.cells(conf, none));
    }
  }
}
