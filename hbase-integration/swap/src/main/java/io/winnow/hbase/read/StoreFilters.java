package io.winnow.hbase.read;

import io.winnow.hbase.format.FilterMeta;
import java.io.DataInput;
import java.io.IOException;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.BloomFilterFactory;

/**
 * Opener of the filters of a store file, Winnow's or HBase's own, as a server with the agent opens
 * them. For tools, whether or not the agent is in their JVM.
 */
public final class StoreFilters {
  private StoreFilters() {}

  /** Returns the store file's filter that Gets query; null if the file has none. */
  public static BloomFilter general(HFile.Reader reader) throws IOException {
    BloomFilter ours = ofWinnow(reader.getGeneralBloomFilterMetadata(), reader);
    DataInput again = ours == null ? reader.getGeneralBloomFilterMetadata() : null;
    return again == null ? ours : BloomFilterFactory.createFromMeta(again, reader, null);
  }

  /**
   * Returns the store file's filter of rows with delete-family markers; null if the file has none.
   */
  public static BloomFilter deleteFamily(HFile.Reader reader) throws IOException {
    BloomFilter ours = ofWinnow(reader.getDeleteBloomFilterMetadata(), reader);
    DataInput again = ours == null ? reader.getDeleteBloomFilterMetadata() : null;
    return again == null ? ours : BloomFilterFactory.createFromMeta(again, reader, null);
  }

  /**
   * Returns the number of a filter's chunks that were probed and answer <i>maybe</i> to every
   * probe, because they are damaged or cannot be loaded; 0 for a filter of HBase's own, whose
   * probes throw then.
   */
  public static int unusableChunks(BloomFilter filter) {
    return filter instanceof WinnowFilterReader
        ? ((WinnowFilterReader) filter).unusableChunks()
        : 0;
  }

  /**
   * Returns true if a scan of all rows that share a given row's prefix would read the file, by the
   * filter's answer. It would if the filter has no prefixes, or the row has none.
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
