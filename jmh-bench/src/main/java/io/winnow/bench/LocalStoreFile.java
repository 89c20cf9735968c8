package io.winnow.bench;

import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A real store file in a directory of its own on the local disk, written by HBase's writer and read
 * through HBase's reader and block cache. Closing deletes it.
 */
final class LocalStoreFile implements Closeable {
  static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] NOTHING = {};

  private final java.nio.file.Path directory;
  private final Configuration conf;
  private final BloomType type;
  private final Path path;
  private HStoreFile open;

  /** A function that writes a store file's content, cell by cell in order. */
  @FunctionalInterface
  interface Content {
    void writeTo(StoreFileWriter writer) throws IOException;
  }

  private LocalStoreFile(Configuration conf, BloomType type) throws IOException {
    this.conf = conf;
    this.type = type;
    directory = Files.createTempDirectory("winnow-bench-");
    path = new Path(directory.resolve("f").resolve("0123456789abcdef0123456789abcdef").toUri());
  }

  /** Writes a store file with the given filter. */
  static LocalStoreFile write(HBaseFilter filter, double rate, Content content) throws IOException {
    return write(filter, rate, Compression.Algorithm.NONE, DataBlockEncoding.NONE, content);
  }

  /** Writes a store file with the given filter and with compressed or encoded data blocks. */
  static LocalStoreFile write(
      HBaseFilter filter,
      double rate,
      Compression.Algorithm compression,
      DataBlockEncoding encoding,
      Content content)
      throws IOException {
    LocalStoreFile file = new LocalStoreFile(filter.configuration(rate), filter.type());
    StoreFileWriter writer =
        new StoreFileWriter.Builder(
                file.conf, new CacheConfig(file.conf), FileSystem.getLocal(file.conf).getRaw())
            .withFilePath(file.path)
            .withBloomType(filter.type())
            .withFileContext(
                new HFileContextBuilder()
                    .withBlockSize(64 << 10)
                    .withCompression(compression)
                    .withDataBlockEncoding(encoding)
                    .withCreateTime(1)
                    .withColumnFamily(FAMILY)
                    .withCellComparator(CellComparator.getInstance())
                    .build())
            .build();
    try {
      content.writeTo(writer);
    } finally {
      writer.close();
    }
    return file;
  }

  /**
   * Returns the content of a store file whose rows have keys of the given numbers and one cell
   * without a value each.
   */
  static Content rows(long[] numbersInOrder, int keyLength) {
    return writer -> {
      for (long number : numbersInOrder) {
        writer.append(cell(Keys.key(number, keyLength), NOTHING));
      }
    };
  }

  /** Returns one cell without a value for each row of {@link #rows}. */
  static List<Cell> cells(long[] numbersInOrder, int keyLength) {
    List<Cell> cells = new ArrayList<>(numbersInOrder.length);
    for (long number : numbersInOrder) {
      cells.add(cell(Keys.key(number, keyLength), NOTHING));
    }
    return cells;
  }

  private static KeyValue cell(byte[] row, byte[] value) {
    return new KeyValue(row, FAMILY, Bytes.toBytes("q"), 1L, value);
  }

  /** Returns the cell of a row's column, numbered from 0. */
  static KeyValue cell(byte[] row, int column, byte[] value) {
    return new KeyValue(row, FAMILY, Bytes.toBytes("q" + column), 1L, value);
  }

  /** Returns the path of the store file on the local disk. */
  java.nio.file.Path file() {
    return java.nio.file.Path.of(path.toUri().getPath());
  }

  long sizeInBytes() throws IOException {
    return Files.size(file());
  }

  /** Opens the store file with a block cache of its own on the heap, if it is not open yet. */
  HStoreFile open() throws IOException {
    if (open == null) {
      CacheConfig cache = new CacheConfig(conf, BlockCacheFactory.createBlockCache(conf));
      open = open(conf, path, type, cache);
    }
    return open;
  }

  static HStoreFile open(Configuration conf, Path path, BloomType type, CacheConfig cache)
      throws IOException {
    FileSystem files = FileSystem.getLocal(conf).getRaw();
    StoreFileInfo info = StoreFileInfo.createStoreFileInfoForHFile(conf, files, path, true);
    HStoreFile opened = new HStoreFile(info, type, cache, new BloomFilterMetrics());
    opened.initReader();
    return opened;
  }

  /** Returns the store file's row filter as HBase opens it for Gets. */
  BloomFilter filter() throws IOException {
    return open().getReader().getGeneralBloomFilter();
  }

  @Override
  public void close() throws IOException {
    if (open != null) {
      open.closeStoreFile(true);
    }
    ScratchDirectory.delete(directory);
  }
}
