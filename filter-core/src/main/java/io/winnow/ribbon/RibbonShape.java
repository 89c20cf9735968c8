package io.winnow.ribbon;

import io.winnow.ByteAccess;
import io.winnow.FilterFormatException;

/**
 * The shape of a homogeneous Ribbon filter's solution, which determines the place of each key's
 * window in it.
 *
 * <p>16 bytes, schema-critical: {@code u32 blocks, u32 lowerBlocks, u32 seed, u8 width, u8 columns,
 * u16 zero}. A block is {@code width} slots. A shape without blocks is the empty set. Blocks
 * without columns are the set of all keys, the builder's last resort. Immutable and thread-safe.
 */
final class RibbonShape {
  /** Size in bytes of a serialized shape of a homogeneous Ribbon filter. */
  static final int SIZE_IN_BYTES = 16;

  /** Maximum of columns in the solution of a Ribbon filter. */
  static final int MAX_COLUMNS = 56;

  /** Number of blocks of slots in the Ribbon filter's solution. */
  final int blocks;

  /**
   * Number of blocks at the beginning of the Ribbon filter's solution that have one column fewer.
   */
  final int lowerBlocks;

  private final int seed;

  /**
   * Number of coefficients in a key's row of the Ribbon filter, which is the number of slots in a
   * block.
   */
  final int width;

  /** Number of columns of the Ribbon filter's solution. */
  final int columns;

  /**
   * Number of starts before they are clamped to the slots of the filter, as in {@link
   * RibbonHasher#rawStarts}.
   */
  final long rawStarts;

  /** Mask that is xored into hashes of keys for the filter's seed. */
  final long seedMask;

  RibbonShape(int blocks, int lowerBlocks, int seed, int width, int columns) {
    this.blocks = blocks;
    this.lowerBlocks = lowerBlocks;
    this.seed = seed;
    this.width = width;
    this.columns = columns;
    this.rawStarts = RibbonHasher.rawStarts((long) blocks * width, width);
    this.seedMask = RibbonHasher.seedMask(seed);
  }

  /**
   * Reads and checks the two 64-bit words that describe a Ribbon filter's blocks, columns and seed,
   * for a solution of this length in bytes.
   *
   * @throws FilterFormatException if the words contradict themselves or the solution's length
   */
  static RibbonShape of(long word0, long word1, long solutionLength) {
    long blocks = word0 & 0xFFFF_FFFFL;
    long lowerBlocks = word0 >>> 32;
    int seed = (int) word1;
    int width = (int) (word1 >>> 32) & 0xFF;
    int columns = (int) (word1 >>> 40) & 0xFF;
    if (word1 >>> 48 != 0) {
      throw new FilterFormatException("reserved bytes of the shape are not zero");
    }
    if (width != 64 && width != 128) {
      throw new FilterFormatException("ribbon width " + width + ", must be 64 or 128");
    }
    if (blocks * width > Integer.MAX_VALUE || lowerBlocks > blocks) {
      throw new FilterFormatException(
          "ribbon of " + blocks + " blocks, " + lowerBlocks + " of them lower");
    }
    if (columns > MAX_COLUMNS || (columns == 0 && lowerBlocks != 0)) {
      throw new FilterFormatException("ribbon of " + columns + " columns");
    }
    if ((blocks * columns - lowerBlocks) * (width / 8) != solutionLength) {
      throw new FilterFormatException(
          String.format(
              "ribbon of %d blocks of width %d, %d of them lower, and %d columns in %d bytes",
              blocks, width, lowerBlocks, columns, solutionLength));
    }
    return new RibbonShape((int) blocks, (int) lowerBlocks, seed, width, columns);
  }

  /** Returns the first 8 of the 16 bytes that describe a homogeneous Ribbon filter in an image. */
  long word0() {
    return blocks | ((long) lowerBlocks << 32);
  }

  /** Returns the last 8 of the 16 bytes that describe a homogeneous Ribbon filter in an image. */
  long word1() {
    return Integer.toUnsignedLong(seed) | ((long) width << 32) | ((long) columns << 40);
  }

  /** Returns the number of slots of the Ribbon filter's solution. */
  long slots() {
    return (long) blocks * width;
  }

  /** Returns whether a key may be in the set whose Ribbon solution starts at {@code payload}. */
  <T> boolean probe(ByteAccess<T> access, T image, int payload, long keyHash) {
    if (blocks == 0) {
      return false;
    }
    return probeMixed(access, image, payload, RibbonHasher.mix(keyHash, seedMask));
  }

  /**
   * Probes the Ribbon filter with a key's hash that was already mixed for the filter's seed; there
   * must be blocks.
   */
  <T> boolean probeMixed(ByteAccess<T> access, T image, int payload, long mixed) {
    long row = RibbonHasher.row(mixed);
    if (width == 64) {
      int start = RibbonHasher.start(mixed, rawStarts, 64);
      return RibbonProbe.miss64(access, image, payload, columns, blocks, lowerBlocks, start, row, 0)
          == 0;
    }
    int start = RibbonHasher.start(mixed, rawStarts, 128);
    return RibbonProbe.probe128(
        access, image, payload, columns, lowerBlocks, start, row, RibbonHasher.highRow(mixed));
  }

  /**
   * Returns for each of several hashes whether its key may be in the set: bit i is the answer for
   * {@code keyHashes[from + i]}.
   */
  <T> long probe(
      ByteAccess<T> access, T image, int payload, long[] keyHashes, int from, int count) {
    long answers = 0;
    if (width == 64 && blocks != 0) {
      for (int i = 0; i < count; i++) {
        long mixed = RibbonHasher.mix(keyHashes[from + i], seedMask);
        int start = RibbonHasher.start(mixed, rawStarts, 64);
        long row = RibbonHasher.row(mixed);
        long miss =
            RibbonProbe.miss64(access, image, payload, columns, blocks, lowerBlocks, start, row, 0);
        answers |= (miss ^ 1) << i;
      }
      return answers;
    }
    for (int i = 0; i < count; i++) {
      if (probe(access, image, payload, keyHashes[from + i])) {
        answers |= 1L << i;
      }
    }
    return answers;
  }

  /** Describes the shape of the Ribbon filter's solution in a few words, for people. */
  String describe() {
    return String.format(
        "width %d, %d slots, %d columns, one fewer in %.0f %%",
        width, slots(), columns, blocks == 0 ? 0 : 100.0 * lowerBlocks / blocks);
  }
}
