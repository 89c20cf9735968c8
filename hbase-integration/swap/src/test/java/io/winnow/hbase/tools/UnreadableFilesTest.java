package io.winnow.hbase.tools;

import static io.winnow.hbase.tools.ToolsDoor.run;
import static io.winnow.hbase.tools.ToolsTable.FAMILY;
import static io.winnow.hbase.tools.ToolsTable.onlyFile;
import static io.winnow.hbase.tools.ToolsTable.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.winnow.hbase.cli.StoreFileTrouble;
import io.winnow.hbase.metrics.TestRegion;
import io.winnow.hbase.tools.ToolsDoor.Ran;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** What tools say of files that are damaged, or locked up. */
class UnreadableFilesTest extends ToolsCase {
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
      assertEquals(ToolsTable.cells(conf, file), ToolsTable.cells(conf, converted));
      Configuration without = new Configuration(conf);
      site.keySet().forEach(without::unset);
      for (Path each : List.of(file, converted)) {
        Ran blind = run(without, "inspect", each.toString());
        assertEquals(Tool.FAILED, blind.code());
        assertTrue(blind.err().contains(each + " is encrypted, and its key"), blind.err());
        assertEquals(1, blind.complaints().size(), blind.err());
      }
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
      assertTrue(ran.out().contains("damaged, or cannot be loaded: 1 chunk. "), ran.out());
      assertTrue(ran.out().contains(" 0 ruled out"), ran.out());
    }
  }

  /** HBase shows all bytes of a cell that makes no sense. */
  @Test
  void bytesOfADamagedCellAreNotInTheSentence() {
    String bytes = Bytes.toStringBinary(new byte[200]) + "row-17";
    for (String words : List.of(", KeyValueBytesHex=row-17", ", header=", ": ")) {
      IllegalArgumentException met =
          new IllegalArgumentException("Invalid type in KeyValue, type=7" + words + bytes);
      assertEquals(
          "FILE is damaged: Invalid type in KeyValue, type=7",
          StoreFileTrouble.sentence("FILE", met));
      assertTrue(StoreFileTrouble.dump(met).endsWith(bytes));
    }
  }

  /**
   * A copy has no checksums of its file system: then a filter is not to blame for a changed row.
   */
  @Test
  void rowsThatAreOutOfOrderAreDamage() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 5000);
      byte[] bytes = Files.readAllBytes(onlyFile(region));
      String text = new String(bytes, StandardCharsets.ISO_8859_1);
      String row = Bytes.toString(ToolsTable.row(2500));
      bytes[text.indexOf(row)] = 0;
      Path damaged = Files.write(elsewhere.resolve("damaged"), bytes);
      Ran ran = run(conf, "inspect", "--verify", damaged.toString());
      assertEquals(Tool.FAILED, ran.code(), ran.toString());
      assertTrue(ran.err().contains(damaged + " is damaged: row \\x00"), ran.toString());
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
        assertEquals(
            1, ran.err().lines().filter(line -> !line.startsWith("  ")).count(), ran.err());
      }
      Ran verbose = run(conf, "inspect", "--verify", "--verbose", damaged.toString());
      assertTrue(
          verbose.err().lines().anyMatch(l -> l.startsWith("  Checksum error: ")), verbose.err());
      assertFalse(Files.exists(elsewhere.resolve("to")));
      assertFalse(Files.exists(elsewhere.resolve(".to.unfinished")));
      assertEquals(Tool.DONE, run(conf, "audit", "t").code(), "its end is whole");
    }
  }
}
