package io.winnow.ribbon;

import io.winnow.ByteAccess;

/**
 * Solution of a finished Ribbon image with its columns xored into two <em>folds</em>, to check many
 * keys quickly: a key that is right in every column is right in every fold.
 *
 * <p>A column belongs in turn to the first fold, to the second, or to both; {@code
 * docs/design/ribbon-build.md} says which errors this cannot find.
 *
 * <p>The bytes are read from the image. The memory is kept for the next one. Not thread-safe.
 */
final class FoldedSolution {
  private static final int FOLDS = 2;

  // Bit c is 1 if column c is in the fold. In octal, a digit has three columns.
  private static final long FOLD_0 = 0_5_555_555_555_555_555_555L;
  private static final long FOLD_1 = 0_6_666_666_666_666_666_666L;

  private long[] words = {};
  private int lowerSlots;
  private int wordsPerBlock;
  private long lowerColumns;
  private long allColumns;

  /**
   * Folds (xors) the columns of the Ribbon solution that begins at {@code offset} in an image.
   *
   * <p>A key that starts in the last lower block, which has no last column, does not use the last
   * column of the next block either. So that next block is stored twice: without its last column
   * after the lower blocks, and unchanged before the blocks that follow.
   */
  void fold(byte[] image, int offset, int width, int blocks, int lowerBlocks, int columns) {
    wordsPerBlock = width / 64;
    lowerSlots = lowerBlocks * width;
    allColumns = (1L << columns) - 1; // columns <= 56
    lowerColumns = allColumns >>> 1;
    // One more block for the one that is stored twice, and one that rows may reach into.
    words = Scratch.cleared(words, (blocks + 2) * wordsPerBlock * FOLDS);
    int at = offset;
    for (int block = 0; block < lowerBlocks; block++) {
      at = foldBlock(image, at, block, columns - 1);
    }
    if (lowerBlocks < blocks) {
      foldBlock(image, at, lowerBlocks, columns - 1);
    }
    for (int block = lowerBlocks; block < blocks; block++) {
      at = foldBlock(image, at, block + 1, columns);
    }
  }

  /**
   * Folds (xors) the columns of the block of a Ribbon solution at an offset in the image.
   *
   * @return its end
   */
  private int foldBlock(byte[] image, int offset, int block, int columns) {
    int at = offset;
    for (int column = 0; column < columns; column++) {
      long in0 = -(FOLD_0 >>> column & 1); // all bits set, or none; column < 56
      long in1 = -(FOLD_1 >>> column & 1);
      for (int word = 0; word < wordsPerBlock; word++, at += 8) {
        long bits = ByteAccess.ARRAY.getLong(image, at);
        int out = FOLDS * (block * wordsPerBlock + word);
        words[out] ^= bits & in0;
        words[out + 1] ^= bits & in1;
      }
    }
    return at;
  }

  /**
   * Compares both folds of a Ribbon solution (its columns, xored in two ways) with the expected
   * values of a key's columns.
   *
   * @param sums the expected value of each column, as bits
   * @return a number whose bit 0 is 1 if a fold differs
   */
  long miss(int start, long mixed, long sums) {
    boolean lower = start < lowerSlots;
    long wanted = sums & (lower ? lowerColumns : allColumns);
    int at = FOLDS * ((start >>> 6) + (lower ? 0 : wordsPerBlock));
    int shift = start & 63;
    long low = RibbonHasher.row(mixed);
    long high = wordsPerBlock == 1 ? 0 : RibbonHasher.highRow(mixed);
    long first = low << shift;
    long second =
        (high << shift) | (low >>> 1 >>> (63 - shift)); // two shifts: 64 - shift may be 64
    long fold0 = (words[at] & first) ^ (words[at + 2] & second) ^ (wanted & FOLD_0);
    long fold1 = (words[at + 1] & first) ^ (words[at + 3] & second) ^ (wanted & FOLD_1);
    if (wordsPerBlock == 2) {
      long third = high >>> 1 >>> (63 - shift);
      fold0 ^= words[at + 4] & third;
      fold1 ^= words[at + 5] & third;
    }
    return Long.bitCount(fold0) | Long.bitCount(fold1);
  }
}
