package io.winnow.ribbon;

import io.winnow.FilterFormatException;
import io.winnow.FilterLayout;
import io.winnow.FilterType;
import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;
import java.nio.ByteBuffer;

/**
 * The shape of a homogeneous Ribbon filter, from a checked header: where each key's window lies in
 * the payload. Immutable and thread-safe.
 *
 * <p>The type's 16 bytes in the header, schema-critical: {@code u32 blocks, u32 lowerBlocks, u32
 * seed, u8 width, u8 columns, u16 zero}. A block is {@code width} slots. No blocks is the empty
 * set; blocks without columns are the set of everything, the builder's last resort.
 */
public final class HomogeneousRibbonLayout implements FilterLayout {
  private final FilterHeader header;
  private final int blocks;
  private final int lowerBlocks;
  private final int seed;
  private final int width;
  private final int columns;

  private final long rawStarts;
  private final long seedMask;

  private HomogeneousRibbonLayout(
      FilterHeader header, int blocks, int lowerBlocks, int seed, int width, int columns) {
    this.header = header;
    this.blocks = blocks;
    this.lowerBlocks = lowerBlocks;
    this.seed = seed;
    this.width = width;
    this.columns = columns;
    this.rawStarts = RibbonHasher.rawStarts((long) blocks * width, width);
    this.seedMask = RibbonHasher.seedMask(seed);
  }

  /**
   * Checks the shape that a header states.
   *
   * @throws FilterFormatException if it contradicts itself or the payload's length
   */
  public static HomogeneousRibbonLayout of(FilterHeader header) {
    long blocks = header.shape0() & 0xFFFF_FFFFL;
    long lowerBlocks = header.shape0() >>> 32;
    int seed = (int) header.shape1();
    int width = (int) (header.shape1() >>> 32) & 0xFF;
    int columns = (int) (header.shape1() >>> 40) & 0xFF;
    if (header.shape1() >>> 48 != 0) {
      throw new FilterFormatException("reserved bytes of the shape are not zero");
    }
    if (width != 64 && width != 128) {
      throw new FilterFormatException("ribbon width " + width + ", must be 64 or 128");
    }
    if (blocks * width > Integer.MAX_VALUE || lowerBlocks > blocks) {
      throw new FilterFormatException(
          "ribbon of " + blocks + " blocks, " + lowerBlocks + " of them lower");
    }
    if (columns > RibbonSizing.MAX_COLUMNS || (columns == 0 && lowerBlocks != 0)) {
      throw new FilterFormatException("ribbon of " + columns + " columns");
    }
    if (blocks == 0 && header.keyCount() != 0) {
      throw new FilterFormatException("ribbon of no blocks for " + header.keyCount() + " keys");
    }
    if ((blocks * columns - lowerBlocks) * (width / 8) != header.payloadLength()) {
      throw new FilterFormatException(
          String.format(
              "ribbon of %d blocks of width %d, %d of them lower, and %d columns in %d bytes",
              blocks, width, lowerBlocks, columns, header.payloadLength()));
    }
    checkRate(header.configuredRate());
    checkRate(header.estimatedRate());
    return new HomogeneousRibbonLayout(
        header, (int) blocks, (int) lowerBlocks, seed, width, columns);
  }

  private static void checkRate(double rate) {
    if (!(rate >= 0 && rate <= 1)) {
      throw new FilterFormatException("false-positive rate " + rate);
    }
  }

  /** The first 8 bytes of the shape. */
  static long shape0(int blocks, int lowerBlocks) {
    return blocks | ((long) lowerBlocks << 32);
  }

  /** The last 8 bytes of the shape. */
  static long shape1(int seed, int width, int columns) {
    return Integer.toUnsignedLong(seed) | ((long) width << 32) | ((long) columns << 40);
  }

  @Override
  public <T> boolean mightContain(ByteAccess<T> access, T image, int imageOffset, long keyHash) {
    int payload = imageOffset + FilterHeader.SIZE_IN_BYTES;
    // Through the constants the JIT sees which bytes are read; a parameter it has to ask.
    if (access == ByteAccess.ARRAY) {
      return probe(ByteAccess.ARRAY, (byte[]) image, payload, keyHash);
    }
    if (access == ByteAccess.BUFFER) {
      return probe(ByteAccess.BUFFER, (ByteBuffer) image, payload, keyHash);
    }
    return probe(access, image, payload, keyHash);
  }

  <T> boolean probe(ByteAccess<T> access, T image, int payload, long keyHash) {
    if (blocks == 0) {
      return false;
    }
    return probeMixed(access, image, payload, RibbonHasher.mix(keyHash, seedMask));
  }

  /** {@link #probe} with a hash that was mixed for this seed already; there must be blocks. */
  <T> boolean probeMixed(ByteAccess<T> access, T image, int payload, long mixed) {
    long row = RibbonHasher.row(mixed);
    if (width == 64) {
      int start = RibbonHasher.start(mixed, rawStarts, 64);
      return RibbonProbe.probe64(access, image, payload, columns, lowerBlocks, start, row);
    }
    int start = RibbonHasher.start(mixed, rawStarts, 128);
    return RibbonProbe.probe128(
        access, image, payload, columns, lowerBlocks, start, row, RibbonHasher.highRow(mixed));
  }

  @Override
  public FilterType type() {
    return header.type();
  }

  @Override
  public int hashId() {
    return header.hashId();
  }

  @Override
  public long keyCount() {
    return header.keyCount();
  }

  @Override
  public long sizeInBytes() {
    return FilterHeader.SIZE_IN_BYTES + header.payloadLength();
  }

  @Override
  public double configuredRate() {
    return header.configuredRate();
  }

  @Override
  public double estimatedRate() {
    return header.estimatedRate();
  }

  @Override
  public String describe() {
    return String.format(
        "width %d, %d slots, %d columns, one fewer in %.0f %%, seed %d",
        width,
        (long) blocks * width,
        columns,
        blocks == 0 ? 0 : 100.0 * lowerBlocks / blocks,
        Integer.toUnsignedLong(seed));
  }
}
