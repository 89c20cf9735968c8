package io.winnow.hbase.format;

import io.winnow.FilterFormatException;
import io.winnow.FilterType;
import io.winnow.KeyHash;
import java.io.DataInput;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The meta block of a store file's filter: all that a probe needs before it reads a chunk.
 *
 * <pre>
 *  0            4       8       9    10   11   12          16        24        32
 * +------------+-------+-------+----+----+----+-----------+---------+---------+
 * |meta version|length |format |type|hash|key |chunk count|key count|key limit|
 * |u32 BE WIN1 |u32    |u8     |u8  |u8  |u8  |u32        |u64      |u64      |
 * +------------+-------+-------+----+----+----+-----------+---------+---------+
 *  32           40              48             56          60          62       64
 * +------------+---------------+--------------+-----------+-----------+--------+
 * |image bytes |configured rate|estimated rate|chunk bytes|shape size |prefix  |
 * |u64         |f64            |f64           |u32        |u16        |2 u8    |
 * +------------+---------------+--------------+-----------+-----------+--------+
 *  64                    64, or 72 in format 2
 * +------------------+-----------+-------------------+---------------+----------------+
 * |hash's seed, u64, |shape text | if it has prefixes| index entries | CRC32C of all  |
 * |in format 2 alone |           | number, u32, and  |               | before it, u32 |
 * |                  |           | count per chunk   |               |                |
 * +------------------+-----------+-------------------+---------------+----------------+
 * </pre>
 *
 * <p>All numbers are little-endian except the meta version, which HBase itself reads. Format 2 is
 * for a hash with a seed and for rows with prefixes, format 1 for all other filters. Everything
 * here is schema-critical; the normative text is {@code docs/format/hfile-meta-v2.md}. A reader
 * trusts only the length before it has compared the checksum, and reads the bytes in steps, so that
 * a wrong length allocates little more than the bytes that are there. Immutable and thread-safe.
 */
public final class FilterMeta {
  /**
   * Version number "WIN1" of a filter's meta block, by which HBase's factory finds the class that
   * reads the filter.
   */
  public static final int META_VERSION = 0x57494E31;

  /**
   * Separator between the two parts of the meta block's text for people: the shape of the filter
   * and the reason for its rate.
   */
  public static final String LINE = "\n";

  private static final int LENGTH_OFFSET = 4;
  private static final int FORMAT_OFFSET = 8;
  private static final int TYPE_OFFSET = 9;
  private static final int HASH_OFFSET = 10;
  private static final int KIND_OFFSET = 11;
  private static final int CHUNK_COUNT_OFFSET = 12;
  private static final int KEY_COUNT_OFFSET = 16;
  private static final int KEY_LIMIT_OFFSET = 24;
  private static final int IMAGE_BYTES_OFFSET = 32;
  private static final int CONFIGURED_RATE_OFFSET = 40;
  private static final int ESTIMATED_RATE_OFFSET = 48;
  private static final int CHUNK_BYTES_OFFSET = 56;
  private static final int SHAPE_SIZE_OFFSET = 60;
  private static final int PREFIX_RULE_OFFSET = 62;
  private static final int DELIMITER_OFFSET = 63;
  private static final int SEED_OFFSET = 64;
  private static final int HEADER_SIZE_IN_BYTES = 64;

  private static final int FORMAT_WITHOUT_SEED = 1;
  private static final int FORMAT_WITH_SEED = 2;
  private static final int NO_PREFIXES = 0;
  private static final int MAX_LENGTH = 1 << 30;
  private static final int MAX_SHAPE_SIZE = 0xFFFF;

  /**
   * Size in bytes of the first part of a meta block that is read, which bounds the memory that a
   * wrong length can allocate.
   */
  private static final int FIRST_STEP = 1 << 14;

  public final FilterType type;
  public final KeyHash hash;
  public final KeyKind kind;
  public final long keyCount;
  public final long keyLimit;
  public final long imageBytes;
  public final double configuredRate;
  public final double estimatedRate;

  /** The size in bytes for which a full chunk of the filter was sized. */
  public final int chunkBytes;

  private final String shape;
  public final ChunkIndex index;

  /** Row prefixes that the filter holds as keys beside the rows; null if it has none. */
  public final FilePrefixes prefixes;

  private FilterMeta(Builder parts, ChunkIndex index, FilePrefixes prefixes) {
    this.type = parts.type;
    this.hash = parts.hash;
    this.kind = parts.kind;
    this.keyCount = parts.keyCount;
    this.keyLimit = parts.keyLimit;
    this.imageBytes = parts.imageBytes;
    this.configuredRate = parts.configuredRate;
    this.estimatedRate = parts.estimatedRate;
    this.chunkBytes = parts.chunkBytes;
    this.shape = parts.shape;
    this.index = index;
    this.prefixes = prefixes;
  }

  /** Builder of the meta block of a filter. Not thread-safe. */
  public static final class Builder {
    private final FilterType type;
    private final KeyHash hash;
    private final KeyKind kind;
    private long keyCount;
    private long keyLimit;
    private long imageBytes;
    private int chunkBytes;
    private double configuredRate;
    private double estimatedRate;
    private String shape = "";

    /**
     * Creates a builder of the meta block of a filter with the given type, kind of key and hash
     * function.
     */
    public Builder(FilterType type, KeyHash hash, KeyKind kind) {
      this.type = type;
      this.hash = hash;
      this.kind = kind;
    }

    /**
     * Sets the number of keys that the chunks of the filter have, and the number of keys for which
     * the chunks were sized.
     *
     * @param count the keys in all chunks
     * @param limit the keys that the chunks were made for
     */
    public Builder keys(long count, long limit) {
      keyCount = count;
      keyLimit = limit;
      return this;
    }

    /**
     * Sets the sizes in bytes of the images of the filter's chunks.
     *
     * @param bytes the bytes of the images of all chunks
     * @param bytesOfFullChunk the bytes that a full chunk was made for
     */
    public Builder images(long bytes, int bytesOfFullChunk) {
      imageBytes = bytes;
      chunkBytes = bytesOfFullChunk;
      return this;
    }

    /**
     * Sets the false-positive rates of one probe: the one for which the filter was sized, and the
     * estimated one.
     *
     * @param configured the rate that the filter was made for
     * @param estimated the rate that the chunks have
     */
    public Builder rates(double configured, double estimated) {
      configuredRate = configured;
      estimatedRate = estimated;
      return this;
    }

    /**
     * Sets the text for people in the meta block: the shape of the filter, the separator {@link
     * #LINE}, and the reason for its rate.
     */
    public Builder shape(String text) {
      shape = text;
      return this;
    }

    /**
     * Builds the meta block of the filter.
     *
     * @param prefixes the prefixes beside the rows; null if there are none
     */
    public FilterMeta build(ChunkIndex index, FilePrefixes prefixes) {
      return new FilterMeta(this, index, prefixes);
    }
  }

  /** Returns a few words for people about the shape of a full chunk of the filter. */
  public String shape() {
    int line = shape.indexOf(LINE);
    return line < 0 ? shape : shape.substring(0, line);
  }

  /**
   * Returns a few words for people about the reason for the filter's false-positive rate; empty if
   * the file has none.
   */
  public String whyThisRate() {
    int line = shape.indexOf(LINE);
    return line < 0 ? "" : shape.substring(line + LINE.length());
  }

  /**
   * Returns the bytes of the whole meta block, its version included.
   *
   * @throws FilterFormatException if the block is longer than a meta block may be
   */
  public byte[] toByteArray() {
    byte[] text = shape.getBytes(StandardCharsets.UTF_8);
    int format = hash.isSeeded() || prefixes != null ? FORMAT_WITH_SEED : FORMAT_WITHOUT_SEED;
    long length = (long) headerSize(format) + text.length + index.sizeInBytes() + Integer.BYTES;
    length += prefixes == null ? 0 : Integer.BYTES + prefixes.sizeInBytes();
    if (length > MAX_LENGTH || text.length > MAX_SHAPE_SIZE) {
      throw new FilterFormatException(
          "filter meta of " + length + " bytes, " + text.length + " of them shape text");
    }
    ByteBuffer block = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
    block.putInt(Integer.reverseBytes(META_VERSION)).putInt((int) length);
    block.put((byte) format).put((byte) type.id()).put((byte) hash.id()).put((byte) kind.id);
    block.putInt(index.size()).putLong(keyCount).putLong(keyLimit).putLong(imageBytes);
    block.putDouble(configuredRate).putDouble(estimatedRate).putInt(chunkBytes);
    block.putShort((short) text.length);
    block.put((byte) (prefixes == null ? NO_PREFIXES : prefixes.rule.id));
    block.put(prefixes == null ? 0 : prefixes.rule.delimiter);
    if (format == FORMAT_WITH_SEED) {
      block.putLong(hash.seed());
    }
    block.put(text);
    if (prefixes != null) {
      block.putInt(prefixes.rule.number);
      prefixes.writeTo(block);
    }
    index.writeTo(block);
    block.putInt(crc(block.array(), block.position()));
    return block.array();
  }

  /**
   * Reads the part of a filter's meta block that follows the version.
   *
   * @param endOfChunks the file offset at which the last chunk must have ended
   * @throws FilterFormatException if the bytes end early, do not match their checksum, contradict
   *     themselves, or are of a kind that this version does not know
   * @throws IOException if reading fails
   */
  public static FilterMeta readAfterVersion(DataInput in, long endOfChunks) throws IOException {
    byte[] bytes;
    try {
      bytes = readBlock(in);
    } catch (EOFException e) {
      throw new FilterFormatException("filter meta ends early", e);
    }
    ByteBuffer block = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int format = bytes[FORMAT_OFFSET];
    if (format != FORMAT_WITHOUT_SEED && format != FORMAT_WITH_SEED) {
      throw new FilterFormatException(
          ("filter meta of format " + format + ", known are " + FORMAT_WITHOUT_SEED)
              + (" to " + FORMAT_WITH_SEED));
    }
    int headerSize = headerSize(format);
    int endOfIndex = bytes.length - Integer.BYTES;
    int storedCrc = block.getInt(endOfIndex);
    int actualCrc = crc(bytes, endOfIndex);
    if (storedCrc != actualCrc) {
      throw new FilterFormatException(
          String.format("filter meta's checksum is 0x%08X, must be 0x%08X", storedCrc, actualCrc));
    }
    int ruleId = Byte.toUnsignedInt(bytes[PREFIX_RULE_OFFSET]);
    boolean hasPrefixes = ruleId != NO_PREFIXES;
    if (hasPrefixes ? format == FORMAT_WITHOUT_SEED : bytes[DELIMITER_OFFSET] != 0) {
      throw new FilterFormatException("reserved bytes of the filter meta are not 0");
    }
    int shapeSize = Short.toUnsignedInt(block.getShort(SHAPE_SIZE_OFFSET));
    if (shapeSize > endOfIndex - headerSize) {
      throw new FilterFormatException("shape text of " + shapeSize + " bytes does not fit");
    }
    KeyKind kind = KeyKind.ofId(Byte.toUnsignedInt(bytes[KIND_OFFSET]));
    int chunks = block.getInt(CHUNK_COUNT_OFFSET);
    int endOfShape = headerSize + shapeSize;
    long prefixBytes = hasPrefixes ? Integer.BYTES * (1L + chunks) : 0;
    if (prefixBytes < 0 || prefixBytes > endOfIndex - endOfShape) {
      throw new FilterFormatException("prefixes of " + chunks + " chunks do not fit");
    }
    ChunkIndex index =
        ChunkIndex.read(
            kind, bytes, endOfShape + (int) prefixBytes, endOfIndex, chunks, endOfChunks);
    FilePrefixes prefixes = null;
    if (hasPrefixes) {
      if (kind != KeyKind.ROW) {
        throw new FilterFormatException("prefixes beside " + kind + " keys");
      }
      PrefixRule rule = PrefixRule.of(ruleId, block.getInt(endOfShape), bytes[DELIMITER_OFFSET]);
      prefixes = FilePrefixes.read(rule, bytes, endOfShape + Integer.BYTES, index);
    }
    FilterMeta meta =
        new Builder(
                FilterType.ofId(Byte.toUnsignedInt(bytes[TYPE_OFFSET])),
                hash(block, format, hasPrefixes),
                kind)
            .keys(block.getLong(KEY_COUNT_OFFSET), block.getLong(KEY_LIMIT_OFFSET))
            .images(block.getLong(IMAGE_BYTES_OFFSET), block.getInt(CHUNK_BYTES_OFFSET))
            .rates(block.getDouble(CONFIGURED_RATE_OFFSET), block.getDouble(ESTIMATED_RATE_OFFSET))
            .shape(new String(bytes, headerSize, shapeSize, StandardCharsets.UTF_8))
            .build(index, prefixes);
    meta.checkSums();
    return meta;
  }

  /**
   * Returns the hash function that a meta block names. Format 2 has one without a seed only beside
   * prefixes, with 0 in the place of the seed.
   */
  private static KeyHash hash(ByteBuffer block, int format, boolean hasPrefixes) {
    int id = Byte.toUnsignedInt(block.get(HASH_OFFSET));
    if (format == FORMAT_WITHOUT_SEED) {
      return KeyHash.ofId(id);
    }
    long seed = block.getLong(SEED_OFFSET);
    boolean hasNoSeed =
        hasPrefixes && seed == 0 && (id == KeyHash.XXH3.id() || id == KeyHash.MURMUR3.id());
    return hasNoSeed ? KeyHash.ofId(id) : KeyHash.ofId(id, seed);
  }

  /** Returns the number of bytes in a meta block before the text about the filter's shape. */
  private static int headerSize(int format) {
    return HEADER_SIZE_IN_BYTES + (format == FORMAT_WITH_SEED ? Long.BYTES : 0);
  }

  /**
   * Compares the totals in a meta block with the sums over the chunks that it lists.
   *
   * @throws FilterFormatException if they differ, or a rate is none
   */
  private void checkSums() {
    long keys = 0;
    long bytes = 0;
    for (int chunk = 0; chunk < index.size(); chunk++) { // up to 2^31 terms of up to 2^31
      keys += index.keyCount(chunk);
      bytes += index.imageSizeInBytes(chunk);
    }
    if (keys != keyCount || bytes != imageBytes || keyLimit < keyCount) {
      throw new FilterFormatException(
          ("filter meta says " + keyCount + " keys of at most " + keyLimit + " in " + imageBytes)
              + (" bytes, its chunks say " + keys + " keys in " + bytes + " bytes"));
    }
    if (!isRate(configuredRate) || !isRate(estimatedRate)) {
      throw new FilterFormatException(
          "false-positive rates " + configuredRate + " and " + estimatedRate);
    }
  }

  private static boolean isRate(double rate) {
    return rate >= 0 && rate <= 1; // false for NaN
  }

  /** Reads the rest of a meta block, and returns the whole block with its version in front. */
  private static byte[] readBlock(DataInput in) throws IOException {
    int length = Integer.reverseBytes(in.readInt());
    int minLength = HEADER_SIZE_IN_BYTES + ChunkIndex.ENTRY_SIZE_IN_BYTES + Integer.BYTES;
    if (length < minLength || length > MAX_LENGTH) {
      throw new FilterFormatException(
          "filter meta of " + length + " bytes, must have " + minLength + " to " + MAX_LENGTH);
    }
    byte[] bytes = new byte[Math.min(length, FIRST_STEP)];
    int filled = LENGTH_OFFSET + Integer.BYTES;
    ByteBuffer.wrap(bytes).putInt(META_VERSION).putInt(Integer.reverseBytes(length));
    in.readFully(bytes, filled, bytes.length - filled);
    while (bytes.length < length) {
      filled = bytes.length;
      bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * filled));
      in.readFully(bytes, filled, bytes.length - filled);
    }
    return bytes;
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
