package io.winnow.flash.bufferhash;

import io.winnow.flash.bloom.BloomPositions;
import io.winnow.flash.bloom.BloomSizing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Bit-sliced Bloom filters of several slots: one filter of {@code m} bits for each of {@code k}
 * slots, with the bits at one position side by side. Row {@code r} of the array has bit {@code r}
 * of all filters.
 *
 * <pre>
 *            slot 0 1 2 3          a key with the positions 1 and 3:
 *   row 0         0 1 0 0
 *   row 1         1 0 1 1  &lt;--       1 0 1 1
 *   row 2         0 0 0 1           AND
 *   row 3         0 1 1 1  &lt;--       0 1 1 1   =   0 0 1 1: slots 2 and 3, maybe
 * </pre>
 *
 * <p>Rows follow each other without gaps. Cost: a lookup reads {@code k} adjacent bits for each
 * hash function, a cache line or two, and stops when no slot is left. Writing a slot's filter means
 * writing {@code m} separate bits, which costs as much as building it.
 *
 * <p>Anand et al., NSDI 2010, bit-slicing. Their window slides over a longer row, so that old bits
 * need not be cleared; here the thread that writes incarnations overwrites a whole column.
 */
final class BloomSlices implements IncarnationFilters {
  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

  private final BloomSizing sizing;
  private final int rows;
  private final int slots;
  private final long[] words;
  private final long[] ofKey;
  private final long[] built;

  /**
   * Allocates empty bit-sliced Bloom filters of one size.
   *
   * @param slots number of filters
   */
  BloomSlices(BloomSizing sizing, int slots) {
    this.sizing = sizing;
    this.rows = Math.toIntExact(sizing.bits());
    this.slots = slots;
    this.words = new long[Math.toIntExact(words(rows, slots))];
    this.ofKey = new long[sizing.hashFunctions()];
    this.built = new long[sizing.hashFunctions()];
  }

  /**
   * Returns the number of 64-bit words of the array of filters, including one more, so that the end
   * of the last row can be read like any other part.
   */
  private static long words(long rows, int slots) {
    return (rows * slots + 63) / 64 + 1;
  }

  /**
   * Returns the bytes of memory for bit-sliced Bloom filters, by their number and their size in
   * bits.
   */
  static long memoryBytes(long rows, int slots) {
    return words(rows, slots) * Long.BYTES;
  }

  @Override
  public void narrow(long keyHash, long[] candidates) {
    BloomPositions.of(sizing, keyHash, ofKey);
    for (long row : ofKey) {
      long any = 0;
      long bit = row * slots;
      for (int i = 0; i < candidates.length; i++, bit += Long.SIZE) {
        if (candidates[i] != 0) { // bits beyond the last slot are 0 in it
          candidates[i] &= bits(bit);
          any |= candidates[i];
        }
      }
      if (any == 0) {
        return;
      }
    }
  }

  /** Returns 64 bits of the array of filters, from a given position on. */
  private long bits(long bit) {
    int word = (int) (bit >>> 6);
    int shift = (int) bit & 63; // 0 to 63
    long low = (long) WORD.getOpaque(words, word) >>> shift;
    return shift == 0 || word + 1 == words.length
        ? low
        : low | (long) WORD.getOpaque(words, word + 1) << (64 - shift);
  }

  @Override
  public StoredFilter build(int slot, long[] keyHashes, int count) {
    byte[] bytes = new byte[storedBytes(rows)];
    for (int i = 0; i < count; i++) {
      BloomPositions.of(sizing, keyHashes[i], built);
      for (long row : built) {
        bytes[(int) (row >>> 3)] |= (byte) (1 << (row & 7));
      }
    }
    writeColumn(slot, bytes);
    return new StoredFilter(IncarnationFilterKind.BIT_SLICED_BLOOM.id, rows, ofKey.length, bytes);
  }

  /** Returns the size in bytes of a Bloom filter as it is stored on flash. */
  static int storedBytes(long rows) {
    return Math.toIntExact((rows + 63) / 64 * Long.BYTES);
  }

  @Override
  public boolean load(int slot, StoredFilter stored) {
    if (stored.kind != IncarnationFilterKind.BIT_SLICED_BLOOM.id
        || stored.bits != rows
        || stored.hashFunctions != ofKey.length
        || stored.bytes.length != storedBytes(rows)) {
      return false;
    }
    writeColumn(slot, stored.bytes);
    return true;
  }

  /**
   * Writes a slot's Bloom filter into its column of the array. Other threads read the words
   * meanwhile for other columns, so each word changes in one write, also if several rows share it.
   */
  private void writeColumn(int slot, byte[] bytes) {
    long bit = slot;
    for (int row = 0; row < rows; ) {
      int word = (int) (bit >>> 6);
      long mask = 0;
      long set = 0;
      for (; row < rows && (int) (bit >>> 6) == word; row++, bit += slots) {
        mask |= 1L << bit;
        set |= (long) (bytes[row >>> 3] >>> (row & 7) & 1) << bit;
      }
      long old = (long) WORD.getOpaque(words, word);
      WORD.setOpaque(words, word, old & ~mask | set);
    }
  }
}
