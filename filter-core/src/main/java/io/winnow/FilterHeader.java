package io.winnow;

import io.winnow.base.FieldText;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The header of every filter image: its first 64 bytes. Only this class knows their offsets.
 *
 * <pre>
 *  offset  0     4     5        6       7      8         16              24             32
 *         +-----+-----+--------+-------+------+---------+---------------+--------------+
 *         |magic|type |version |hash id|flags |key count|configured rate|estimated rate|
 *         |u32  |u8   |u8      |u8     |u8 = 0|u64      |f64            |f64           |
 *         +-----+-----+--------+-------+------+---------+---------------+--------------+
 *  offset 32              40                56            60             64
 *         +---------------+-----------------+-------------+--------------+---------
 *         |payload length |16 bytes that the|CRC32C of    |CRC32C of     | payload
 *         |u64            |type defines     |the payload  |bytes 0 to 59 |  ...
 *         +---------------+-----------------+-------------+--------------+---------
 * </pre>
 *
 * <p>All numbers are little-endian. Version 1 has only this. Version 2 is for hashes of a {@link
 * KeyHash#seeded} function: the seed (u64) follows the payload, the payload's length does not
 * include it, and the header's checksum does. Everything in this class is schema-critical; the
 * normative text is {@code docs/format/ribbon-v1.md}. Reading checks magic, version range, lengths
 * and the header's checksum, and allocates no memory whose size depends on the bytes.
 */
public final class FilterHeader {
  /** Size in bytes of the header with which a filter image begins. */
  public static final int SIZE_IN_BYTES = 64;

  /** Magic number with which every filter image begins: the bytes "WNWF" in file order. */
  public static final int MAGIC = 0x46574E57;

  private static final int TYPE_OFFSET = 4;
  private static final int VERSION_OFFSET = 5;
  private static final int HASH_ID_OFFSET = 6;
  private static final int FLAGS_OFFSET = 7;
  private static final int KEY_COUNT_OFFSET = 8;
  private static final int CONFIGURED_RATE_OFFSET = 16;
  private static final int ESTIMATED_RATE_OFFSET = 24;
  private static final int PAYLOAD_LENGTH_OFFSET = 32;
  private static final int SHAPE_OFFSET = 40;
  private static final int PAYLOAD_CRC_OFFSET = 56;
  private static final int HEADER_CRC_OFFSET = 60;

  private static final int VERSION_WITHOUT_SEED = 1;
  private static final int VERSION_WITH_SEED = 2;

  /**
   * Size in bytes of the hash function's seed at the end of an image, in version 2 of the format.
   */
  private static final int SEED_SIZE_IN_BYTES = Long.BYTES;

  private final FilterType type;
  private final KeyHash keyHash;
  private final long keyCount;
  private final double configuredRate;
  private final double estimatedRate;
  private final long payloadLength;
  private final long shape0;
  private final long shape1;
  private final int payloadCrc;

  /** Reads and checks the header of a filter image. */
  private <T> FilterHeader(ByteAccess<T> access, T bytes, int offset, int length) {
    if (length < SIZE_IN_BYTES) {
      throw new FilterFormatException(
          "image of " + length + " bytes, must have at least a header of " + SIZE_IN_BYTES);
    }
    int version = checkVersion(access, bytes, offset);
    int end = version == VERSION_WITH_SEED ? length - SEED_SIZE_IN_BYTES : length;
    if (end < SIZE_IN_BYTES) {
      throw new FilterFormatException(
          String.format(
              "image of %d bytes, must have at least header and seed: %d",
              length, SIZE_IN_BYTES + SEED_SIZE_IN_BYTES));
    }
    int storedCrc = access.getInt(bytes, offset + HEADER_CRC_OFFSET);
    int actualCrc = headerCrc(access, bytes, offset, end, length);
    if (storedCrc != actualCrc) {
      throw new FilterFormatException(
          String.format("header checksum is 0x%08X, must be 0x%08X", storedCrc, actualCrc));
    }
    int flags = access.getByte(bytes, offset + FLAGS_OFFSET);
    if (flags != 0) {
      throw new FilterFormatException("flags are " + flags + ", must be 0 in version " + version);
    }
    this.payloadLength = access.getLong(bytes, offset + PAYLOAD_LENGTH_OFFSET);
    if (payloadLength != end - SIZE_IN_BYTES) {
      throw new FilterFormatException(
          "payload length " + payloadLength + " in an image of " + length + " bytes");
    }
    this.keyCount = access.getLong(bytes, offset + KEY_COUNT_OFFSET);
    if (keyCount < 0) {
      throw new FilterFormatException("key count is " + keyCount + ", must not be negative");
    }
    this.configuredRate = rate(access, bytes, offset + CONFIGURED_RATE_OFFSET);
    this.estimatedRate = rate(access, bytes, offset + ESTIMATED_RATE_OFFSET);
    int hashId = Byte.toUnsignedInt(access.getByte(bytes, offset + HASH_ID_OFFSET));
    if (version == VERSION_WITH_SEED) {
      this.keyHash = KeyHash.ofId(hashId, access.getLong(bytes, offset + end));
    } else {
      this.keyHash = hashId == 0 ? null : KeyHash.ofId(hashId);
    }
    this.type = FilterType.ofId(access.getByte(bytes, offset + TYPE_OFFSET));
    this.shape0 = access.getLong(bytes, offset + SHAPE_OFFSET);
    this.shape1 = access.getLong(bytes, offset + SHAPE_OFFSET + 8);
    this.payloadCrc = access.getInt(bytes, offset + PAYLOAD_CRC_OFFSET);
  }

  /** Returns the type of the filter. */
  public FilterType type() {
    return type;
  }

  /**
   * Returns the function that made the hashes of the filter's keys, or null if it was not recorded.
   */
  public KeyHash keyHash() {
    return keyHash;
  }

  /** Returns the number of keys in the filter. */
  public long keyCount() {
    return keyCount;
  }

  /** Returns the false-positive rate that the filter was built for. */
  public double configuredRate() {
    return configuredRate;
  }

  /** Returns the false-positive rate of the finished filter, as its builder determined it. */
  public double estimatedRate() {
    return estimatedRate;
  }

  /** Returns the size in bytes of the image's payload, which follows the header. */
  public long payloadLength() {
    return payloadLength;
  }

  /**
   * Returns the first 8 of the 16 bytes in the header that each type of filter defines for itself.
   */
  public long shape0() {
    return shape0;
  }

  /**
   * Returns the last 8 of the 16 bytes in the header that each type of filter defines for itself.
   */
  public long shape1() {
    return shape1;
  }

  /**
   * Reads and checks the header of the image that has exactly {@code length} bytes and begins at
   * {@code offset}.
   *
   * @throws FilterFormatException if this version cannot read it
   */
  public static <T> FilterHeader read(ByteAccess<T> access, T bytes, int offset, int length) {
    return new FilterHeader(access, bytes, offset, length);
  }

  /**
   * Returns the size in bytes of the whole image that begins with a header, as the header says,
   * before its checksum can be compared.
   *
   * @throws FilterFormatException if the bytes are no header that this version can read, or if the
   *     size is none of an image
   */
  public static int announcedLength(byte[] header) {
    if (header.length < SIZE_IN_BYTES) {
      throw new FilterFormatException(
          "image of " + header.length + " bytes, must have at least a header of " + SIZE_IN_BYTES);
    }
    int version = checkVersion(ByteAccess.ARRAY, header, 0);
    long payload = ByteAccess.ARRAY.getLong(header, PAYLOAD_LENGTH_OFFSET);
    long seed = version == VERSION_WITH_SEED ? SEED_SIZE_IN_BYTES : 0;
    if (payload < 0 || payload > Integer.MAX_VALUE - SIZE_IN_BYTES - seed) {
      throw new FilterFormatException("payload length " + payload + ", must be below 2 GiB");
    }
    return (int) (SIZE_IN_BYTES + payload + seed);
  }

  /** Checks that an image begins with the magic number, and returns the version of its format. */
  private static <T> int checkVersion(ByteAccess<T> access, T bytes, int offset) {
    int magic = access.getInt(bytes, offset);
    if (magic != MAGIC) {
      throw new FilterFormatException(
          String.format("magic is 0x%08X, must be 0x%08X", magic, MAGIC));
    }
    int version = access.getByte(bytes, offset + VERSION_OFFSET);
    if (version != VERSION_WITHOUT_SEED && version != VERSION_WITH_SEED) {
      throw new FilterFormatException(
          ("format version " + version + ", known are " + VERSION_WITHOUT_SEED)
              + (" to " + VERSION_WITH_SEED));
    }
    return version;
  }

  /** Returns the header of a filter image that was just written. */
  public static FilterHeader of(byte[] image) {
    return read(ByteAccess.ARRAY, image, 0, image.length);
  }

  /** Returns the CRC32C of a whole filter image, without reading its payload again. */
  public int imageCrc(byte[] image) {
    int end = (int) (SIZE_IN_BYTES + payloadLength);
    int crc = ByteAccess.ARRAY.crc32c(image, 0, SIZE_IN_BYTES);
    crc = JoinedCrc32c.of(crc, payloadCrc, payloadLength);
    return JoinedCrc32c.of(
        crc, ByteAccess.ARRAY.crc32c(image, end, image.length - end), image.length - end);
  }

  /** Returns the size of the whole filter image in bytes. */
  public long imageLength() {
    boolean hasSeed = keyHash != null && keyHash.isSeeded();
    return SIZE_IN_BYTES + payloadLength + (hasSeed ? SEED_SIZE_IN_BYTES : 0);
  }

  /**
   * Writes the header, with checksums, in front of a payload that {@code bytes} already contains.
   *
   * @param keyHash the function that made the hashes, or null if it is unknown
   * @return the image: these bytes or, if a seed follows the payload, a copy
   */
  public static byte[] write(
      byte[] bytes,
      FilterType type,
      KeyHash keyHash,
      long keyCount,
      double configuredRate,
      double estimatedRate,
      long shape0,
      long shape1) {
    boolean hasSeed = keyHash != null && keyHash.isSeeded();
    int end = bytes.length;
    byte[] image = hasSeed ? Arrays.copyOf(bytes, end + SEED_SIZE_IN_BYTES) : bytes;
    ByteBuffer out = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(0, MAGIC);
    out.put(TYPE_OFFSET, (byte) type.id());
    out.put(VERSION_OFFSET, (byte) (hasSeed ? VERSION_WITH_SEED : VERSION_WITHOUT_SEED));
    out.put(HASH_ID_OFFSET, (byte) (keyHash == null ? 0 : keyHash.id()));
    out.put(FLAGS_OFFSET, (byte) 0);
    out.putLong(KEY_COUNT_OFFSET, keyCount);
    out.putDouble(CONFIGURED_RATE_OFFSET, configuredRate);
    out.putDouble(ESTIMATED_RATE_OFFSET, estimatedRate);
    int payloadLength = end - SIZE_IN_BYTES;
    out.putLong(PAYLOAD_LENGTH_OFFSET, payloadLength);
    out.putLong(SHAPE_OFFSET, shape0);
    out.putLong(SHAPE_OFFSET + 8, shape1);
    out.putInt(PAYLOAD_CRC_OFFSET, ByteAccess.ARRAY.crc32c(image, SIZE_IN_BYTES, payloadLength));
    if (hasSeed) {
      out.putLong(end, keyHash.seed());
    }
    out.putInt(HEADER_CRC_OFFSET, headerCrc(ByteAccess.ARRAY, image, 0, end, image.length));
    return image;
  }

  /**
   * Returns the checksum of the header's bytes in front of it, and of the seed behind the payload,
   * if there is one. It copies word by word: reading byte by byte here would dominate the JIT's
   * profile of {@link ByteAccess#getByte}, which probes would then call without inlining.
   */
  private static <T> int headerCrc(ByteAccess<T> access, T bytes, int offset, int end, int length) {
    ByteBuffer covered = ByteBuffer.allocate(HEADER_CRC_OFFSET + length - end);
    covered.order(ByteOrder.LITTLE_ENDIAN);
    while (covered.position() < PAYLOAD_CRC_OFFSET) {
      covered.putLong(access.getLong(bytes, offset + covered.position()));
    }
    covered.putInt(access.getInt(bytes, offset + PAYLOAD_CRC_OFFSET));
    if (end < length) {
      covered.putLong(access.getLong(bytes, offset + end));
    }
    return ByteAccess.ARRAY.crc32c(covered.array(), 0, covered.capacity());
  }

  /**
   * Compares the image's payload with its checksum, for which it reads the whole payload.
   *
   * @throws FilterFormatException if it does not match
   */
  public <T> void verifyPayload(ByteAccess<T> access, T bytes, int offset) {
    int actual = access.crc32c(bytes, offset + SIZE_IN_BYTES, Math.toIntExact(payloadLength));
    if (actual != payloadCrc) {
      throw new FilterFormatException(
          String.format("payload checksum is 0x%08X, must be 0x%08X", actual, payloadCrc));
    }
  }

  private static <T> double rate(ByteAccess<T> access, T bytes, int at) {
    double rate = Double.longBitsToDouble(access.getLong(bytes, at));
    if (!(rate >= 0 && rate <= 1)) {
      throw new FilterFormatException("false-positive rate is " + rate + ", must be 0 to 1");
    }
    return rate;
  }

  @Override
  public String toString() {
    return FieldText.of(this);
  }
}
