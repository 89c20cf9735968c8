package io.winnow.ribbon;

import io.winnow.bits.ByteAccess;

/**
 * One bumped layer: where its thresholds and its solution lie, and which keys it holds.
 *
 * <p>Starts are grouped in buckets of {@value #BUCKET}. Each bucket has three parts, which begin at
 * 0, {@value #LOW_POSITION} and {@value #HIGH_POSITION}, and a 2-bit threshold: how many of them
 * the layer keeps, the last ones. Keys of the others were bumped to the next layer.
 * Schema-critical. Immutable and thread-safe.
 */
final class BumpedLayer {
  private static final int BUCKET_BITS = 7;
  static final int BUCKET = 1 << BUCKET_BITS;
  static final int LOW_POSITION = 17;
  static final int HIGH_POSITION = 36;

  /** A bucket's parts, which are kept or bumped as a whole: "thirds", though they are not equal. */
  static final int THIRDS = 3;

  /** Position below which keys were bumped, by threshold value, 16 bits each. */
  private static final long LIMITS =
      BUCKET | (long) HIGH_POSITION << 16 | (long) LOW_POSITION << 32;

  /** Buckets in a word of thresholds. */
  private static final int PER_WORD = 32;

  final int blocks;
  final int lowerBlocks;
  final int columns;
  final long starts;

  /** Byte offset of the thresholds from the start of the payload. */
  final int thresholds;

  /** Byte offset of the solution from the start of the payload. */
  final int solution;

  BumpedLayer(int blocks, int lowerBlocks, int columns, int thresholds) {
    this.blocks = blocks;
    this.lowerBlocks = lowerBlocks;
    this.columns = columns;
    this.starts = starts(blocks * 64L);
    this.thresholds = thresholds;
    this.solution = thresholds + 8 * thresholdWords(blocks * 64L);
  }

  static long starts(long slots) {
    return slots - 63L;
  }

  static int buckets(long slots) {
    return (int) ((starts(slots) + BUCKET - 1) / BUCKET);
  }

  static int thresholdWords(long slots) {
    return (buckets(slots) + PER_WORD - 1) / PER_WORD;
  }

  /** Bytes of thresholds and solution together. */
  static long sizeInBytes(long blocks, long lowerBlocks, int columns) {
    return 8L * thresholdWords(blocks * 64) + 8 * (blocks * columns - lowerBlocks);
  }

  /** Where the layer ends, from the start of the payload. */
  long end() {
    return thresholds + sizeInBytes(blocks, lowerBlocks, columns);
  }

  static int limit(int threshold) {
    return (int) (LIMITS >>> (16 * threshold)) & 0xFFFF; // threshold in 0..3
  }

  /** Which third of its bucket a start is in: 0 is bumped first, 2 last. */
  static int third(int start) {
    int position = start & (BUCKET - 1);
    // 1 from LOW_POSITION on and 1 more from HIGH_POSITION on; a comparison might be a branch
    return (position + BUCKET - LOW_POSITION) / BUCKET
        + (position + BUCKET - HIGH_POSITION) / BUCKET;
  }

  /** As {@link #third}, counted over all buckets. */
  static int thirdOfAll(int start) {
    return THIRDS * (start >>> BUCKET_BITS) + third(start);
  }

  static void setThreshold(long[] words, int bucket, int threshold) {
    words[bucket / PER_WORD] |= (long) threshold << (2 * (bucket % PER_WORD));
  }

  /** How many of a block's starts are not bumped. */
  static int keptStarts(long[] thresholds, int slots, int block) {
    int bucket = block * 64 / BUCKET;
    int threshold = (int) (thresholds[bucket / PER_WORD] >>> (2 * (bucket % PER_WORD))) & 3;
    int position = block * 64 % BUCKET;
    int all = (int) Math.min(64, starts(slots) - block * 64L); // a single one in the last block
    return Math.max(0, Math.min(all, position + all - limit(threshold)));
  }

  /** Whether keys with this start were bumped to the next layer. */
  <T> boolean isBumped(ByteAccess<T> access, T image, int payload, int start) {
    int bucket = start >>> BUCKET_BITS;
    int bits = access.getByte(image, payload + thresholds + (bucket >>> 2)) >>> (2 * (bucket & 3));
    return (start & (BUCKET - 1)) < limit(bits & 3);
  }

  /** 0 for a key that may be in the layer, 1 for another. */
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
