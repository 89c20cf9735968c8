package io.winnow.ribbon;

import io.winnow.ByteAccess;

/**
 * A layer of a bumped Ribbon filter's image: the places of its thresholds and its solution, and the
 * keys that it holds.
 *
 * <p>Starts are grouped into buckets of {@value #BUCKET}. Each bucket has three parts, which begin
 * at 0, {@value #LOW_POSITION} and {@value #HIGH_POSITION}, and a 2-bit threshold: the number of
 * parts that the layer holds, counted from the last one. The keys of the other parts were bumped to
 * the next layer. Schema-critical. Immutable and thread-safe.
 */
final class BumpedLayer {
  private static final int BUCKET_BITS = 7;

  /** Number of starts (first slots of keys' windows) in a bucket of a bumped Ribbon filter. */
  static final int BUCKET = 1 << BUCKET_BITS;

  /**
   * Start in a bumped Ribbon filter's bucket at which the second of the bucket's three parts
   * begins.
   */
  static final int LOW_POSITION = 17;

  /**
   * Start in a bumped Ribbon filter's bucket at which the third of the bucket's three parts begins.
   */
  static final int HIGH_POSITION = 36;

  /**
   * Number of parts of a bumped Ribbon filter's bucket that are bumped separately. A part is held
   * or bumped as a whole; parts are called thirds, though they are not equal.
   */
  static final int THIRDS = 3;

  /**
   * Positions in a bucket below which keys were bumped to the next layer, for each threshold, in 16
   * bits each.
   */
  private static final long LIMITS =
      BUCKET | (long) HIGH_POSITION << 16 | (long) LOW_POSITION << 32;

  /** Number of a bumped Ribbon filter's buckets whose thresholds are in one 64-bit word. */
  private static final int PER_WORD = 32;

  final int blocks;
  final int lowerBlocks;
  final int columns;
  final long starts;

  /**
   * Byte offset of the thresholds of this bumped Ribbon filter's layer from the end of the image's
   * header.
   */
  final int thresholds;

  /**
   * Byte offset of the solution of this bumped Ribbon filter's layer from the end of the image's
   * header.
   */
  final int solution;

  /**
   * Creates a bumped Ribbon filter's layer whose thresholds begin at a byte offset from the end of
   * the image's header.
   */
  BumpedLayer(int blocks, int lowerBlocks, int columns, int thresholds) {
    this.blocks = blocks;
    this.lowerBlocks = lowerBlocks;
    this.columns = columns;
    this.starts = starts(blocks * 64L);
    this.thresholds = thresholds;
    this.solution = thresholds + 8 * thresholdWords(blocks * 64L);
  }

  /**
   * Returns the number of starts (first slots of keys' windows) in a bumped Ribbon filter's layer
   * with this many slots.
   */
  static long starts(long slots) {
    return slots - 63L;
  }

  /** Returns the number of buckets in a bumped Ribbon filter's layer with this many slots. */
  static int buckets(long slots) {
    return (int) ((starts(slots) + BUCKET - 1) / BUCKET);
  }

  /**
   * Returns the number of 64-bit words that hold the thresholds of a bumped Ribbon filter's layer
   * with this many slots.
   */
  static int thresholdWords(long slots) {
    return (buckets(slots) + PER_WORD - 1) / PER_WORD;
  }

  /**
   * Returns the size in bytes of the thresholds and the solution of a bumped Ribbon filter's layer
   * together.
   */
  static long sizeInBytes(long blocks, long lowerBlocks, int columns) {
    return 8L * thresholdWords(blocks * 64) + 8 * (blocks * columns - lowerBlocks);
  }

  /**
   * Returns the position in a bucket below which keys were bumped to the next layer, for the
   * bucket's threshold of 0 to 3.
   */
  static int limit(int threshold) {
    return (int) (LIMITS >>> (16 * threshold)) & 0xFFFF; // threshold in 0..3
  }

  /** Returns the third of its bucket that a start belongs to: 0 is bumped first, 2 last. */
  static int third(int start) {
    int position = start & (BUCKET - 1);
    // 1 from LOW_POSITION on, and 2 from HIGH_POSITION on, computed without a branch
    return (position + BUCKET - LOW_POSITION) / BUCKET
        + (position + BUCKET - HIGH_POSITION) / BUCKET;
  }

  /** Returns the third of a bucket that a start belongs to, numbered over all buckets. */
  static int thirdOfAll(int start) {
    return THIRDS * (start >>> BUCKET_BITS) + third(start);
  }

  /**
   * Sets the threshold of a bumped Ribbon filter's bucket, which says which thirds of it are bumped
   * to the next layer.
   */
  static void setThreshold(long[] words, int bucket, int threshold) {
    words[bucket / PER_WORD] |= (long) threshold << (2 * (bucket % PER_WORD));
  }

  /**
   * Returns the number of starts in a block of slots whose keys are not bumped to the next layer.
   */
  static int keptStarts(long[] thresholds, int slots, int block) {
    int bucket = block * 64 / BUCKET;
    int threshold = (int) (thresholds[bucket / PER_WORD] >>> (2 * (bucket % PER_WORD))) & 3;
    int position = block * 64 % BUCKET;
    int all = (int) Math.min(64, starts(slots) - block * 64L); // one in the last block
    return Math.max(0, Math.min(all, position + all - limit(threshold)));
  }

  /** Returns whether keys with this start were bumped to the next layer of the Ribbon filter. */
  <T> boolean isBumped(ByteAccess<T> access, T image, int payload, int start) {
    int bucket = start >>> BUCKET_BITS;
    int bits = access.getByte(image, payload + thresholds + (bucket >>> 2)) >>> (2 * (bucket & 3));
    return (start & (BUCKET - 1)) < limit(bits & 3);
  }

  /** Returns 0 for a key that may be in this layer of the bumped Ribbon filter, otherwise 1. */
  <T> long miss(ByteAccess<T> access, T image, int payload, int start, long mixed) {
    return RibbonProbe.miss64(
        access,
        image,
        payload + solution,
        columns,
        blocks,
        lowerBlocks,
        start,
        RibbonHasher.row(mixed),
        RibbonHasher.fingerprint(mixed));
  }
}
