package io.winnow.hbase.storefile;

import io.winnow.hbase.read.FilterFacts;
import io.winnow.hbase.read.StoreFilters;
import java.io.Closeable;
import java.io.DataInput;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.FixedFileTrailer;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.BloomFilterFactory;

/** The ROW filter of one store file, of any kind of filter, opened by HBase's own classes. */
public final class StoreFileFilter implements Closeable {

  private final HFile.Reader reader;
  private final BloomFilter filter;

  /**
   * The block cache that all opened store files share, because a block cache has threads of its
   * own.
   */
  private static BlockCache cache;

  private StoreFileFilter(HFile.Reader reader, BloomFilter filter) {
    this.reader = reader;
    this.filter = filter;
  }

  /**
   * Opens the filter of a store file.
   *
   * @throws IOException if the file has no filter, or cannot be read
   */
  public static StoreFileFilter open(Configuration configuration, Path path) throws IOException {
    FileSystem fileSystem = path.getFileSystem(configuration);
    HFile.Reader reader =
        HFile.createReader(
            fileSystem,
            path,
            new CacheConfig(configuration, cache(configuration)),
            true,
            configuration);
    try {
      DataInput meta = reader.getGeneralBloomFilterMetadata();
      if (meta == null) {
        throw new IOException(path + " has no filter");
      }
      return new StoreFileFilter(reader, BloomFilterFactory.createFromMeta(meta, reader, null));
    } catch (IOException | IllegalArgumentException e) {
      reader.close();
      throw e;
    }
  }

  private static synchronized BlockCache cache(Configuration configuration) {
    if (cache == null) {
      cache = BlockCacheFactory.createBlockCache(configuration);
    }
    return cache;
  }

  public long sizeInBytes() {
    return filter.getByteSize();
  }

  public long keys() {
    return filter.getKeyCount();
  }

  /** Returns the number of keys that the store file's filter was sized for. */
  public long maxKeys() {
    return filter.getMaxKeys();
  }

  /** Returns the number of chunks of the store file's filter, as its meta block says. */
  public long chunks() throws IOException {
    return FilterFacts.general(reader).chunks.size();
  }

  /**
   * Returns the bytes of those index blocks of a store file that are beside its root index; 0 if
   * the index is small enough to have one level.
   */
  public long leafIndexBytes() {
    FixedFileTrailer trailer = reader.getTrailer();
    return trailer.getNumDataIndexLevels() > 1 ? trailer.getUncompressedDataIndexSize() : 0;
  }

  /** Returns whether a scan of the rows with a prefix has to read the store file. */
  public boolean mayHavePrefix(byte[] prefix) {
    return StoreFilters.mayHavePrefixOf(filter, prefix);
  }

  public boolean mightContain(byte[] row) {
    return filter.contains(row, 0, row.length, null);
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
