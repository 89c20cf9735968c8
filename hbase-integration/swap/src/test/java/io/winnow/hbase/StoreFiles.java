package io.winnow.hbase;

import io.winnow.hbase.agent.WovenFactory;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.Bytes;

/** Real store files on the local file system, written and opened by HBase's own classes. */
public final class StoreFiles {
  public static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] FIRST_ROW = Bytes.toBytes("row-0000000000");

  static {
    if (StoreFiles.class.getClassLoader() == ClassLoader.getSystemClassLoader()) {
      WovenFactory.install(); // and not in StockHBase
    }
  }

  private StoreFiles() {}

  /** The site's configuration with a family's on top, as a store makes it. */
  public static Configuration conf(Map<String, String> family) {
    Configuration site = new Configuration();
    site.set("fs.defaultFS", "file:///");
    return new CompoundConfiguration().add(site).addStringMap(family);
  }

  public static HFileContextBuilder context() {
    return new HFileContextBuilder()
        .withBlockSize(2048)
        .withCreateTime(1) // file bytes that depend on nothing but what is written
        .withColumnFamily(FAMILY)
        .withCellComparator(CellComparator.getInstance());
  }

  /** What to write: cells, in order. */
  @FunctionalInterface
  public interface Content {
    void writeTo(StoreFileWriter writer) throws IOException;
  }

  public static Path write(
      java.nio.file.Path dir, Configuration conf, BloomType type, Content content)
      throws IOException {
    return write(dir, conf, type, context().build(), content);
  }

  public static Path write(
      java.nio.file.Path dir,
      Configuration conf,
      BloomType type,
      HFileContext context,
      Content content)
      throws IOException {
    Path path = new Path(dir.resolve("f").resolve("0123456789abcdef0123456789abcdef").toUri());
    FileSystem fs = FileSystem.getLocal(conf).getRaw();
    fs.delete(path, false);
    StoreFileWriter writer =
        new StoreFileWriter.Builder(conf, new CacheConfig(conf), fs)
            .withFilePath(path)
            .withBloomType(type)
            .withFileContext(context)
            .build();
    try {
      content.writeTo(writer);
    } finally {
      writer.close();
    }
    return path;
  }

  /** The store file, its reader and filters loaded. */
  public static HStoreFile open(
      Configuration conf, Path path, BloomType type, BloomFilterMetrics metrics)
      throws IOException {
    return open(conf, new CacheConfig(conf), path, type, metrics);
  }

  public static HStoreFile open(
      Configuration conf,
      CacheConfig cacheConf,
      Path path,
      BloomType type,
      BloomFilterMetrics metrics)
      throws IOException {
    FileSystem fs = FileSystem.getLocal(conf).getRaw();
    HStoreFile file =
        new HStoreFile(HBaseLine.storeFileInfo(conf, fs, path), type, cacheConf, metrics);
    file.initReader();
    return file;
  }

  /**
   * Rows whose even numbers are written and whose odd ones are not: {@code row-}, and ten digits.
   */
  public static byte[] row(int i) {
    byte[] row = FIRST_ROW.clone(); // a test makes millions of them
    int rest = i;
    for (int at = row.length - 1; rest > 0; at--) {
      row[at] += (byte) (rest % 10);
      rest /= 10;
    }
    return row;
  }

  public static KeyValue put(byte[] row, String qualifier) {
    return new KeyValue(row, FAMILY, Bytes.toBytes(qualifier), 1L, row);
  }

  public static KeyValue deleteFamily(byte[] row) {
    return new KeyValue(row, FAMILY, null, 1L, KeyValue.Type.DeleteFamily);
  }

  /** Rows with several cells, and delete-family markers in every seventh. */
  public static Content mixedRows(int rows) {
    return writer -> {
      for (int i = 0; i < rows; i++) {
        if (i % 7 == 0) {
          writer.append(deleteFamily(row(2 * i)));
        }
        writer.append(put(row(2 * i), "a"));
        writer.append(put(row(2 * i), "b"));
      }
    };
  }

  /** The even rows below {@code 2 * rows}, one cell each. */
  public static Content evenRows(int rows) {
    return writer -> {
      for (int i = 0; i < rows; i++) {
        writer.append(put(row(2 * i), "q"));
      }
    };
  }
}
