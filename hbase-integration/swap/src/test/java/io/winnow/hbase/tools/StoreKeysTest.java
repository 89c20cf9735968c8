package io.winnow.hbase.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.hbase.format.CellOrder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.MetaCellComparator;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The keys of several files in one order, against a plain model: where rows are compared by their
 * first bytes that differ, and where only hbase:meta's comparator knows their order.
 */
class StoreKeysTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int FILES = 5;

  @TempDir Path dir;

  private Configuration conf;

  /** What a line of HBase writes and reads where nobody chose an order: a class of its own. */
  private static HFileContextBuilder byDefault() {
    return new HFileContextBuilder().withBlockSize(512).withColumnFamily(FAMILY);
  }

  private static HFileContextBuilder ofMeta() {
    return byDefault().withCellComparator(MetaCellComparator.META_COMPARATOR);
  }

  private Configuration conf() {
    if (conf == null) {
      conf = new Configuration();
      conf.set("fs.defaultFS", "file:///");
      conf.set("hbase.rootdir", dir.toUri().toString());
    }
    return conf;
  }

  private StoreFile write(int name, HFileContext context, TreeSet<byte[]> rows, String... columns)
      throws IOException {
    org.apache.hadoop.fs.Path path =
        ToolsTable.path(dir.resolve("f").resolve("%032x".formatted(name)));
    FileSystem fs = FileSystem.getLocal(conf()).getRaw();
    fs.delete(path, false);
    StoreFileWriter writer =
        new StoreFileWriter.Builder(conf(), new CacheConfig(conf()), fs)
            .withFilePath(path)
            .withBloomType(BloomType.NONE)
            .withFileContext(context)
            .build();
    for (byte[] row : rows) {
      for (String column : columns) {
        writer.append(new KeyValue(row, FAMILY, Bytes.toBytes(column), 1L, row));
      }
    }
    writer.close();
    return StoreFile.of(conf(), path);
  }

  /** What is visited, as text: the key, and the files that have it. */
  private List<String> keys(List<StoreFile> files, boolean byBytes, BloomType type)
      throws IOException {
    List<OpenFile> open = new ArrayList<>();
    List<String> keys = new ArrayList<>();
    try {
      for (StoreFile file : files) {
        open.add(OpenFile.open(conf(), file));
        assertEquals(
            byBytes, CellOrder.isByBytes(open.get(open.size() - 1).reader.getComparator()));
      }
      StoreKeys.forEach(
          conf(),
          open,
          type,
          4,
          cells -> {},
          (key, having, count) -> {
            TreeSet<Integer> places = new TreeSet<>();
            for (int i = 0; i < count; i++) {
              places.add(having[i]);
            }
            String row = Bytes.toStringBinary(CellUtil.cloneRow(key));
            String column =
                type == BloomType.ROWCOL
                    ? "/" + Bytes.toStringBinary(CellUtil.cloneQualifier(key))
                    : "";
            keys.add(row + column + " " + places);
          });
    } finally {
      for (OpenFile file : open) {
        file.close();
      }
    }
    return keys;
  }

  /** The same from a map of all rows. */
  private static List<String> expected(
      List<TreeSet<byte[]>> files, Comparator<byte[]> order, BloomType type, String... columns) {
    TreeMap<byte[], TreeSet<Integer>> all = new TreeMap<>(order);
    for (int i = 0; i < files.size(); i++) {
      for (byte[] row : files.get(i)) {
        byte[] key =
            type == BloomType.ROWPREFIX_FIXED_LENGTH
                ? Arrays.copyOf(row, Math.min(4, row.length))
                : row;
        all.computeIfAbsent(key, none -> new TreeSet<>()).add(i);
      }
    }
    List<String> keys = new ArrayList<>();
    all.forEach(
        (key, having) -> {
          for (String column : type == BloomType.ROWCOL ? columns : new String[] {""}) {
            keys.add(
                Bytes.toStringBinary(key)
                    + (type == BloomType.ROWCOL ? "/" + column : "")
                    + " "
                    + having);
          }
        });
    return keys;
  }

  /** Short rows and long ones, with zeros and high bytes, of few values, so that many are equal. */
  private static List<TreeSet<byte[]>> rows(String prefix, long seed, Comparator<byte[]> order) {
    Random random = new Random(seed);
    byte[] values = {0, 1, 'a', (byte) 0x80, (byte) 0xFF};
    List<TreeSet<byte[]>> files = new ArrayList<>();
    for (int file = 0; file < FILES; file++) {
      TreeSet<byte[]> rows = new TreeSet<>(order);
      for (int i = 0; i < 200; i++) {
        byte[] end = new byte[1 + random.nextInt(11)];
        for (int j = 0; j < end.length; j++) {
          end[j] = values[random.nextInt(j < 7 ? 2 : values.length)];
        }
        rows.add(Bytes.add(prefix.getBytes(StandardCharsets.US_ASCII), end));
      }
      files.add(rows);
    }
    return files;
  }

  private List<StoreFile> written(
      HFileContextBuilder context, List<TreeSet<byte[]>> rows, String... columns)
      throws IOException {
    List<StoreFile> files = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      files.add(write(i + 1, context.build(), rows.get(i), columns));
    }
    return files;
  }

  /** In rows without commas hbase:meta's order is that of bytes: all ways give the same keys. */
  @Test
  void keysAreTheSameInEachOrderOfBytes() throws IOException {
    CellComparator plain = CellComparatorImpl.COMPARATOR;
    HFileContextBuilder meta = ofMeta();
    for (String prefix : List.of("", "u", "userrrrrrrrrr")) {
      List<TreeSet<byte[]>> rows = rows(prefix, prefix.length(), Arrays::compareUnsigned);
      for (HFileContextBuilder context :
          List.of(byDefault(), byDefault().withCellComparator(plain), meta)) {
        List<StoreFile> files = written(context, rows, "p", "q");
        for (BloomType type :
            List.of(BloomType.ROW, BloomType.ROWCOL, BloomType.ROWPREFIX_FIXED_LENGTH)) {
          List<String> expected = expected(rows, Arrays::compareUnsigned, type, "p", "q");
          assertEquals(expected, keys(files, context != meta, type));
        }
      }
    }
  }

  /** There a row's parts count, and not its bytes. */
  @Test
  void keysOfMetaAreInItsOrder() throws IOException {
    Comparator<byte[]> order =
        (one, other) ->
            MetaCellComparator.META_COMPARATOR.compareRows(
                new KeyValue(one, FAMILY, null), other, 0, other.length);
    List<TreeSet<byte[]>> rows = new ArrayList<>();
    for (int file = 0; file < FILES; file++) {
      TreeSet<byte[]> some = new TreeSet<>(order);
      for (int i = file; i < 40; i += 1 + file) {
        some.add(Bytes.toBytes("t" + "!".repeat(i % 3) + "," + i / 3 + ",1"));
      }
      rows.add(some);
    }
    assertEquals(
        expected(rows, order, BloomType.ROW),
        keys(written(ofMeta(), rows, "p"), false, BloomType.ROW));
  }

  /** One row in all files, files of one row, and a file of none. */
  @Test
  void fewRowsAreFound() throws IOException {
    for (int[] counts : new int[][] {{1, 1, 1, 1, 1}, {1, 0, 2, 0, 1}, {0, 0, 0, 0, 0}}) {
      List<TreeSet<byte[]>> rows = new ArrayList<>();
      for (int count : counts) {
        TreeSet<byte[]> some = new TreeSet<>(Arrays::compareUnsigned);
        for (int i = 0; i < count; i++) {
          some.add(Bytes.toBytes("row" + "x".repeat(i)));
        }
        rows.add(some);
      }
      assertEquals(
          expected(rows, Arrays::compareUnsigned, BloomType.ROW),
          keys(written(byDefault(), rows, "p"), true, BloomType.ROW));
    }
  }
}
