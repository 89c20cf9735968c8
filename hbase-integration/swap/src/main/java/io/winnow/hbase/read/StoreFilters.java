package io.winnow.hbase.read;

import io.winnow.hbase.format.FilterMeta;
import java.io.DataInput;
import java.io.IOException;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.BloomFilterFactory;

/**
 * The filters of a store file, Winnow's or HBase's own, opened for questions as a server with the
 * agent opens them: for tools, whether or not their JVM has the agent.
 */
public final class StoreFilters {
  private StoreFilters() {}

  /** The filter that Gets ask; null if the file has none. */
  public static BloomFilter general(HFile.Reader reader) throws IOException {
    BloomFilter ours = ofWinnow(reader.getGeneralBloomFilterMetadata(), reader);
    DataInput again = ours == null ? reader.getGeneralBloomFilterMetadata() : null;
    return again == null ? ours : BloomFilterFactory.createFromMeta(again, reader, null);
  }

  /** The filter of rows that have delete-family markers; null if the file has none. */
  public static BloomFilter deleteFamily(HFile.Reader reader) throws IOException {
    BloomFilter ours = ofWinnow(reader.getDeleteBloomFilterMetadata(), reader);
    DataInput again = ours == null ? reader.getDeleteBloomFilterMetadata() : null;
    return again == null ? ours : BloomFilterFactory.createFromMeta(again, reader, null);
  }

  /**
   * Chunks of a filter of Winnow's that were asked for, and answer <i>maybe</i> to everything since
   * they are damaged or cannot be loaded; 0 of HBase's own, whose questions fail then.
   */
  public static int unusableChunks(BloomFilter filter) {
    return filter instanceof WinnowFilterReader
        ? ((WinnowFilterReader) filter).unusableChunks()
        : 0;
  }

  /**
   * Whether a scan of all rows with the row's prefix would read the file: true of a filter that has
   * no prefixes, and where the row has none.
   */
  public static boolean mayHavePrefixOf(BloomFilter filter, byte[] row) {
    return !(filter instanceof WinnowFilterReader)
        || ((WinnowFilterReader) filter).mayHaveRowsWith(row, row.length);
  }

  private static BloomFilter ofWinnow(DataInput meta, HFile.Reader reader) throws IOException {
    return meta != null && meta.readInt() == FilterMeta.META_VERSION
        ? WinnowFilterReader.open(meta, reader, null)
        : null;
  }
}
