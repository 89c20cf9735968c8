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
 * What the meta block of a store file's filter says, of Winnow's filters and of HBase's own, for
 * tools: no chunk is read, and the agent need not be in the JVM. Immutable.
 */
public final class FilterFacts {
  private static final int STOCK_VERSION = 3;

  private final String filter;
  private final String keyKind;
  private final long bytes;
  private final long keys;
  private final long keyLimit;
  private final double asked;
  private final double estimated;
  private final String hash;
  private final String whyThisRate;
  private final List<Chunk> chunks;

  /** Null if the filter has none. */
  private final FilePrefixes prefixes;

  public FilterFacts(
      String filter,
      String keyKind,
      long bytes,
      long keys,
      long keyLimit,
      double asked,
      double estimated,
      String hash,
      String whyThisRate,
      List<Chunk> chunks) {
    this(filter, keyKind, bytes, keys, keyLimit, asked, estimated, hash, whyThisRate, chunks, null);
  }

  private FilterFacts(
      String filter,
      String keyKind,
      long bytes,
      long keys,
      long keyLimit,
      double asked,
      double estimated,
      String hash,
      String whyThisRate,
      List<Chunk> chunks,
      FilePrefixes prefixes) {
    this.filter = filter;
    this.keyKind = keyKind;
    this.bytes = bytes;
    this.keys = keys;
    this.keyLimit = keyLimit;
    this.asked = asked;
    this.estimated = estimated;
    this.hash = hash;
    this.whyThisRate = whyThisRate;
    this.chunks = chunks;
    this.prefixes = prefixes;
  }

  /** {@code bloom}, or the label of a {@link io.winnow.FilterType}. */
  public String filter() {
    return filter;
  }

  /**
   * Which part of a cell is the key, as HBase's {@code BLOOMFILTER} has it, or {@code delete
   * family}.
   */
  public String keyKind() {
    return keyKind;
  }

  /** The bytes of all chunks. */
  public long bytes() {
    return bytes;
  }

  public long keys() {
    return keys;
  }

  /** How many keys the chunks have room for. */
  public long keyLimit() {
    return keyLimit;
  }

  /**
   * The false-positive rate of a probe that the filter was made for; NaN of HBase's own, which does
   * not write it down.
   */
  public double asked() {
    return asked;
  }

  /** The false-positive rate of a probe, from what was built. */
  public double estimated() {
    return estimated;
  }

  /** The name of the function that makes a hash of a key. */
  public String hash() {
    return hash;
  }

  /** In words: what decided on the asked rate; empty if the file does not tell. */
  public String whyThisRate() {
    return whyThisRate;
  }

  /** The chunks in the order of their keys. */
  public List<Chunk> chunks() {
    return chunks;
  }

  /**
   * Which part of a row is a key beside the row, as {@code winnow.scan.prefix} has it; null if none
   * is.
   */
  public String prefixRule() {
    return prefixes == null ? null : prefixes.rule().toString();
  }

  /** Prefixes beside the keys. */
  public long prefixes() {
    return prefixes == null ? 0 : prefixes.sum();
  }

  /** Chunks that have no prefixes since these would be too many. */
  public int chunksWithoutPrefixes() {
    return prefixes == null ? 0 : prefixes.chunksWithout();
  }

  /** A chunk of the filter. */
  public static final class Chunk {
    private final long offset;
    private final long bytes;
    private final long keys;
    private final byte[] firstKey;

    public Chunk(long offset, long bytes, long keys, byte[] firstKey) {
      this.offset = offset;
      this.bytes = bytes;
      this.keys = keys;
      this.firstKey = firstKey;
    }

    /** The offset of its block in the file. */
    public long offset() {
      return offset;
    }

    /** The bytes of its image. */
    public long bytes() {
      return bytes;
    }

    public long keys() {
      return keys;
    }

    /**
     * The first key in HBase's form of an index key, which has a row's length before a qualifier.
     */
    public byte[] firstKey() {
      return firstKey;
    }

    public double bitsPerKey() {
      return 8.0 * bytes / keys;
    }
  }

  /** Of the filter that Gets ask; null if the file has none. */
  public static FilterFacts general(HFile.Reader reader) throws IOException {
    byte[] type = reader.getHFileInfo().get(HStoreFile.BLOOM_FILTER_TYPE_KEY);
    return read(
        reader.getGeneralBloomFilterMetadata(),
        reader,
        type == null ? "ROW" : Bytes.toString(type));
  }

  /** Of the filter of rows that have delete-family markers; null if the file has none. */
  public static FilterFacts deleteFamily(HFile.Reader reader) throws IOException {
    return read(reader.getDeleteBloomFilterMetadata(), reader, KeyKind.DELETE_FAMILY.label());
  }

  /**
   * @throws FilterFormatException if the block is damaged, or of a kind that nobody here knows
   */
  private static FilterFacts read(DataInput meta, HFile.Reader reader, String keyKind)
      throws IOException {
    if (meta == null) {
      return null;
    }
    int version = meta.readInt();
    if (version == FilterMeta.META_VERSION) {
      if (meta instanceof InputStream && ((InputStream) meta).available() == 0) {
        return null; // the writer gave the filter up at the very end
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
    ChunkIndex index = meta.index();
    List<Chunk> chunks = new ArrayList<>();
    for (int i = 0; i < index.size(); i++) {
      chunks.add(
          new Chunk(
              index.offset(i), index.imageSizeInBytes(i), index.keyCount(i), index.firstKeyOf(i)));
    }
    return new FilterFacts(
        meta.type().label(),
        meta.kind().label(),
        meta.imageBytes(),
        meta.keyCount(),
        meta.keyLimit(),
        meta.configuredRate(),
        meta.estimatedRate(),
        meta.hash().label(),
        meta.whyThisRate(),
        chunks,
        meta.prefixes());
  }

  /** As HBase's CompoundBloomFilter reads it. */
  private static FilterFacts ofStock(DataInput meta, String keyKind) throws IOException {
    long bytes = meta.readLong();
    int functions = meta.readInt();
    int hash = meta.readInt();
    long keys = meta.readLong();
    long keyLimit = meta.readLong();
    int count = meta.readInt();
    Bytes.readByteArray(meta); // the name of the comparator's class
    List<Long> offsets = new ArrayList<>(); // which grow with what is there, and not by the count
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
      expected += chunk.keys() * StockBloom.rate(functions, chunk.keys(), chunk.bytes());
    }
    return new FilterFacts(
        FilterChoice.BLOOM.label(),
        keyKind,
        bytes,
        keys,
        keyLimit,
        Double.NaN,
        keys == 0 ? 0 : expected / keys,
        hashLabel(hash),
        "",
        chunks);
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
   * HBase writes down sums only. All chunks but the last are full and of one size; the last is
   * folded in halves some times, and has room for as many times fewer keys.
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
      // Blocks have a header and checksums too, so that their sizes tell the difference only about.
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
