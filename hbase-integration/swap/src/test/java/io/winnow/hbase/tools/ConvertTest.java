package io.winnow.hbase.tools;

import static io.winnow.hbase.tools.ToolsTable.FAMILY;
import static io.winnow.hbase.tools.ToolsTable.onlyFile;
import static io.winnow.hbase.tools.ToolsTable.put;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.winnow.hbase.metrics.TestRegion;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store file again: what HBase itself writes. */
class ConvertTest extends ToolsCase {
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
      assertEquals(ToolsTable.cells(conf, stock), ToolsTable.cells(conf, none));
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
}
