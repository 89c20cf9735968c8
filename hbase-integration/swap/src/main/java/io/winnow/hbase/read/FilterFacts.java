package io.winnow.hbase.read;

import io.winnow.FilterFormatException;
import io.winnow.hbase.format.ChunkIndex;
import io.winnow.hbase.format.FilePrefixes;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.StockBloom;
import java.io.DataInput;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Hash;

/**
 * Facts that the meta block of a store file's filter records, of Winnow's filters and of HBase's
 * own, for tools. Reads no chunk, and needs no agent in the JVM. Immutable.
 */
public final class FilterFacts {
  private static final int STOCK_VERSION = 3;

  /**
   * The name of the kind of filter: {@code bloom}, or the label of a {@link io.winnow.FilterType}.
   */
  public final String filter;

  /**
   * The name for the kind of key that the filter has, such as {@code ROW} or {@code delete family}.
   */
  public final String keyKind;

  /** The bytes of the images of all chunks of a store file's filter. */
  public final long bytes;

  /** The number of keys in all chunks of a store file's filter. */
  public final long keys;

  /** The number of keys for which the chunks of a store file's filter have room. */
  public final long keyLimit;

  /**
   * The false-positive rate of a probe for which the filter was sized; NaN for HBase's own, which
   * does not record it.
   */
  public final double configuredRate;

  /**
   * The false-positive rate of a probe of the filter, estimated from the chunks that were built.
   */
  public final double estimatedRate;

  /** The name of the hash function that the filter applies to keys. */
  public final String hash;

  /**
   * The reason for the filter's false-positive rate, in words; empty if the file does not have it.
   */
  public final String whyThisRate;

  /** The chunks of a store file's filter in the order of their keys. */
  public final List<Chunk> chunks;

  /** Row prefixes that the filter holds as keys beside the rows; null if it has none. */
  private final FilePrefixes prefixes;

  private FilterFacts(
      String filter,
      String keyKind,
      long bytes,
      long keys,
      long keyLimit,
      double configuredRate,
      double estimatedRate,
      String hash,
      String whyThisRate,
      List<Chunk> chunks,
      FilePrefixes prefixes) {
    this.filter = filter;
    this.keyKind = keyKind;
    this.bytes = bytes;
    this.keys = keys;
    this.keyLimit = keyLimit;
    this.configuredRate = configuredRate;
    this.estimatedRate = estimatedRate;
    this.hash = hash;
    this.whyThisRate = whyThisRate;
    this.chunks = chunks;
    this.prefixes = prefixes;
  }

  /**
   * Returns the rule for the row prefixes in the filter, as {@code winnow.scan.prefix} has it; null
   * if the filter has none.
   */
  public String prefixRule() {
    return prefixes == null ? null : prefixes.rule.toString();
  }

  /** Returns the number of row prefixes that the filter has beside its other keys. */
  public long prefixes() {
    return prefixes == null ? 0 : prefixes.sum();
  }

  /**
   * Returns the number of chunks that leave their row prefixes out because these would be too many.
   */
  public int chunksWithoutPrefixes() {
    return prefixes == null ? 0 : prefixes.chunksWithout();
  }

  /** Chunk of a store file's filter, with its place, its size and its first key. */
  public static final class Chunk {

    /** The offset in the store file of a chunk's block. */
    public final long offset;

    /** The size in bytes of the image of a chunk. */
    public final long bytes;

    public final long keys;

    /**
     * The chunk's first key in HBase's form of an index key, which has the length of the row before
     * a qualifier.
     */
    public final byte[] firstKey;

    public Chunk(long offset, long bytes, long keys, byte[] firstKey) {
      this.offset = offset;
      this.bytes = bytes;
      this.keys = keys;
      this.firstKey = firstKey;
    }

    public double bitsPerKey() {
      return 8.0 * bytes / keys;
    }
  }

  /**
   * Reads the facts about the store file's filter that Gets query.
   *
   * @return the facts; null if the file has no such filter
   * @throws FilterFormatException if the meta block is damaged, or of an unknown kind
   */
  public static FilterFacts general(HFile.Reader reader) throws IOException {
    byte[] type = reader.getHFileInfo().get(HStoreFile.BLOOM_FILTER_TYPE_KEY);
    return read(
        reader.getGeneralBloomFilterMetadata(),
        reader,
        type == null ? "ROW" : Bytes.toString(type));
  }

  /**
   * Reads the facts about the store file's filter of rows with delete-family markers.
   *
   * @return the facts; null if the file has no such filter
   * @throws FilterFormatException if the meta block is damaged, or of an unknown kind
   */
  public static FilterFacts deleteFamily(HFile.Reader reader) throws IOException {
    return read(reader.getDeleteBloomFilterMetadata(), reader, KeyKind.DELETE_FAMILY.label);
  }

  /**
   * Reads the facts about a filter from its meta block.
   *
   * @throws FilterFormatException if the block is damaged, or of an unknown kind
   */
  private static FilterFacts read(DataInput meta, HFile.Reader reader, String keyKind)
      throws IOException {
    if (meta == null) {
      return null;
    }
    int version = meta.readInt();
    if (version == FilterMeta.META_VERSION) {
      if (meta instanceof InputStream && ((InputStream) meta).available() == 0) {
        return null; // the writer gave the filter up at the last moment
      }
      return ofWinnow(
          FilterMeta.readAfterVersion(meta, reader.getTrailer().getLoadOnOpenDataOffset()));
    }
    if (version != STOCK_VERSION) {
      throw new FilterFormatException("a filter of version " + version + " is not known");
    }
    try {
      return ofStock(meta, keyKind);
    } catch (EOFException e) {
      throw new FilterFormatException("filter meta ends early", e);
    }
  }

  private static FilterFacts ofWinnow(FilterMeta meta) {
    ChunkIndex index = meta.index;
    List<Chunk> chunks = new ArrayList<>();
    for (int i = 0; i < index.size(); i++) {
      chunks.add(
          new Chunk(
              index.offset(i), index.imageSizeInBytes(i), index.keyCount(i), index.firstKeyOf(i)));
    }
    return new FilterFacts(
        meta.type.label(),
        meta.kind.label,
        meta.imageBytes,
        meta.keyCount,
        meta.keyLimit,
        meta.configuredRate,
        meta.estimatedRate,
        meta.hash.label(),
        meta.whyThisRate(),
        chunks,
        meta.prefixes);
  }

  /**
   * Reads the facts about a stock filter from its meta block, as HBase's CompoundBloomFilter does.
   */
  private static FilterFacts ofStock(DataInput meta, String keyKind) throws IOException {
    long bytes = meta.readLong();
    int functions = meta.readInt();
    int hash = meta.readInt();
    long keys = meta.readLong();
    long keyLimit = meta.readLong();
    int count = meta.readInt();
    Bytes.readByteArray(meta); // the name of the comparator's class
    List<Long> offsets =
        new ArrayList<>(); // which grow with the bytes that are there, not with the count
    List<Integer> onDisk = new ArrayList<>();
    List<byte[]> firstKeys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      offsets.add(meta.readLong());
      onDisk.add(meta.readInt());
      firstKeys.add(Bytes.readByteArray(meta));
    }
    StockChunks sizes = StockChunks.of(bytes, keys, keyLimit, onDisk);
    List<Chunk> chunks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean isLast = i == count - 1;
      chunks.add(
          new Chunk(
              offsets.get(i),
              isLast ? sizes.lastBytes : sizes.fullBytes,
              isLast ? sizes.lastKeys : sizes.fullKeys,
              firstKeys.get(i)));
    }
    double expected = 0;
    for (Chunk chunk : chunks) {
      expected += chunk.keys * StockBloom.rate(functions, chunk.keys, chunk.bytes);
    }
    return new FilterFacts(
        FilterChoice.BLOOM.label,
        keyKind,
        bytes,
        keys,
        keyLimit,
        Double.NaN,
        keys == 0 ? 0 : expected / keys,
        hashLabel(hash),
        "",
        chunks,
        null);
  }

  private static String hashLabel(int id) {
    switch (id) {
      case Hash.JENKINS_HASH:
        return "jenkins";
      case Hash.MURMUR_HASH:
        return "murmur";
      case Hash.MURMUR_HASH3:
        return "murmur3";
      default:
        return "hash " + id;
    }
  }

  /**
   * Sizes of the chunks of a stock filter, computed from their sums, which are all that HBase
   * records. All chunks but the last are full and have one size. The last was halved some times,
   * and has room for as many times fewer keys.
   */
  private static final class StockChunks {
    private static final int MAX_FOLDS = 30;

    final long fullBytes;
    final long fullKeys;
    final long lastBytes;
    final long lastKeys;

    StockChunks(long fullBytes, long fullKeys, long lastBytes, long lastKeys) {
      this.fullBytes = fullBytes;
      this.fullKeys = fullKeys;
      this.lastBytes = lastBytes;
      this.lastKeys = lastKeys;
    }

    static StockChunks of(long bytes, long keys, long keyLimit, List<Integer> onDisk) {
      int full = onDisk.size() - 1;
      StockChunks best = new StockChunks(0, 0, bytes, keys);
      // Blocks have a header and checksums too, so their sizes give the difference only roughly.
      long difference = full <= 0 ? 0 : onDisk.get(0) - onDisk.get(full);
      long bestError = Long.MAX_VALUE;
      for (int folds = 0; folds <= MAX_FOLDS && full > 0; folds++) {
        long inLast = ((long) full << folds) + 1; // all bytes, in sizes of the last chunk
        long last = bytes / inLast;
        long error = Math.abs((last << folds) - last - difference);
        if (last * inLast == bytes && error < bestError) {
          bestError = error;
          double parts = full + Math.pow(0.5, folds);
          long fullKeys = (long) Math.ceil(keyLimit / parts - 1e-9); // a half key is left out
          best = new StockChunks(last << folds, fullKeys, last, keys - full * fullKeys);
        }
      }
      return best;
    }
  }
}
