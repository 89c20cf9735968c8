package io.winnow.bench;

import io.winnow.flash.bloom.BloomPositions;
import io.winnow.flash.bloom.BloomSizing;

/**
 * A classic Bloom filter in memory, over 64-bit key hashes, with any number of bits and hash
 * functions. It is the measure for the quotient filters in memory and the filters on flash.
 *
 * <p>No false negatives; the rate is {@link BloomSizing#expectedRate} of the keys inserted so far.
 * 9.6 bits per key at 1 %. A lookup of an absent key touches two cache lines on average when the
 * filter is full; a lookup of a present key, or an insert, touches one per hash function.
 *
 * <p>Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors", CACM 1970. Deviation:
 * positions by {@link BloomPositions enhanced double hashing} rather than by independent functions.
 */
public final class PlainBloomFilter {
  private final long bits;
  private final int hashFunctions;
  private final long[] words;

  /**
   * Creates an empty Bloom filter of this size, which must be below 2^37 bits: they are one array.
   */
  public PlainBloomFilter(BloomSizing sizing) {
    bits = sizing.bits();
    hashFunctions = sizing.hashFunctions();
    words = new long[Math.toIntExact((bits + 63) >>> 6)];
  }

  /** Inserts a key, given by its hash, into the Bloom filter. */
  public void insert(long keyHash) {
    long fraction = BloomPositions.fraction(keyHash);
    long stride = BloomPositions.stride(fraction);
    set(BloomPositions.position(fraction, bits));
    for (int i = 1; i < hashFunctions; i++) {
      fraction += stride;
      stride += i * BloomPositions.CUBIC;
      set(BloomPositions.position(fraction, bits));
    }
  }

  /** Returns whether the key with this hash may have been inserted. */
  public boolean mightContain(long keyHash) {
    long fraction = BloomPositions.fraction(keyHash);
    long stride = BloomPositions.stride(fraction);
    for (int i = 1; isSet(BloomPositions.position(fraction, bits)); i++) {
      if (i == hashFunctions) {
        return true;
      }
      fraction += stride;
      stride += i * BloomPositions.CUBIC;
    }
    return false;
  }

  private void set(long position) {
    words[(int) (position >>> 6)] |= 1L << position;
  }

  private boolean isSet(long position) {
    return (words[(int) (position >>> 6)] & 1L << position) != 0;
  }

  /** Returns the bytes of memory that the Bloom filter's bits take. */
  public long sizeInBytes() {
    return 8L * words.length;
  }
}
