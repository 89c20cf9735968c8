package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.format.KeySegment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store file with key segments and HBase's own filter, of rows of an id and a time. It is only
 * ever added: {@code -Dwinnow.golden.write=true} writes it if it does not exist.
 */
class GoldenSegmentTest {
  private static final Path GOLDEN =
      Path.of("src/test/resources/golden/key-segment-v1/segments.hfile");

  private static final String PAGE = "../../docs/format/key-segment-v1.md";

  @TempDir private Path temporary;

  private static byte[] row(int id, int time) {
    String entity = "entity-" + id;
    return ByteBuffer.allocate(12)
        .put(entity.getBytes(StandardCharsets.US_ASCII))
        .putInt(time)
        .array();
  }

  private byte[] golden() throws IOException {
    if (Boolean.getBoolean("winnow.golden.write") && Files.notExists(GOLDEN)) {
      Files.createDirectories(GOLDEN.getParent());
      Configuration conf = StoreFiles.conf(Map.of("winnow.scan.segment", "8,4"));
      var written =
          StoreFiles.write(
              temporary,
              conf,
              BloomType.ROW,
              writer -> {
                writer.append(StoreFiles.put("entity".getBytes(StandardCharsets.US_ASCII), "q"));
                for (int id = 0; id < 9; id++) {
                  for (int time = 0; time < 200; time++) {
                    writer.append(StoreFiles.put(row(id, 1000 * id + time), "q"));
                  }
                }
              });
      Files.copy(Path.of(written.toUri()), GOLDEN);
    }
    return Files.readAllBytes(GOLDEN);
  }

  /** HBase takes a store file for one by its path and its name. */
  private HStoreFile open() throws IOException {
    Path family = Files.createDirectories(temporary.resolve("open").resolve("f"));
    Path file = Files.write(family.resolve("0123456789abcdef0123456789abcdef"), golden());
    return StoreFiles.open(
        StoreFiles.conf(Map.of()),
        new org.apache.hadoop.fs.Path(file.toUri()),
        BloomType.ROW,
        new BloomFilterMetrics());
  }

  @Test
  void segmentsOfTheGoldenFileAreFound() throws IOException {
    HStoreFile file = open();
    KeySegment segment = KeySegment.in(file.getReader().getHFileReader().getHFileInfo());
    assertEquals("8,4", segment.rule.toString());
    assertEquals(64, segment.intervals());
    for (int id = 0; id < 9; id++) {
      for (int time = 0; time < 8200; time += 7) {
        byte[] from = row(id, time);
        byte[] to = row(id, time + 7);
        boolean isThere = time % 1000 < 200 || time % 1000 > 993;
        Scan scan = new Scan().withStartRow(from).withStopRow(to);
        boolean passes = StoreFileDoor.passes(file.getReader(), scan);
        assertEquals(isThere, passes, id + " " + time);
      }
    }
    file.closeStoreFile(true);
  }

  @Test
  void thePageShowsAnEntry() throws IOException {
    String page = Files.readString(Path.of(PAGE));
    String example = page.substring(page.indexOf("```\n") + 4, page.lastIndexOf("```"));
    StringBuilder hex = new StringBuilder();
    example.lines().forEach(line -> hex.append(line.substring(6)).append(' '));
    byte[] entry = HexFormat.ofDelimiter(" ").parseHex(hex.toString().trim());
    KeySegment segment = KeySegment.read(entry);
    assertArrayEquals(entry, segment.toBytes());
    assertTrue(segment.mayHaveRow(row(1, 5)) && segment.mayHaveRow(row(1, 9)));
    assertTrue(!segment.mayHaveRow(row(1, 6)));
  }

  /** The reader in Python prints the segments, if the machine has a Python to run it. */
  @Test
  void theExampleInPythonKnowsSegments() throws Exception {
    HStoreFile file = open();
    KeySegment segment = KeySegment.in(file.getReader().getHFileReader().getHFileInfo());
    StringBuilder expected = new StringBuilder("8 bytes before 4\n");
    for (int i = 0; i < segment.intervals(); i++) {
      HexFormat hex = HexFormat.of();
      expected.append(hex.formatHex(segment.smallest(i))).append(' ');
      expected.append(hex.formatHex(segment.largest(i))).append('\n');
    }
    file.closeStoreFile(true);
    GoldenHFileTest.assumePython();
    String script = Path.of("../../docs/format/read_hfile.py").toString();
    assertEquals(expected.toString(), GoldenHFileTest.python(script, GOLDEN.toString()));
  }
}
