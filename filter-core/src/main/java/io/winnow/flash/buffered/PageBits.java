package io.winnow.flash.buffered;

import io.winnow.flash.bloom.BitPages;
import io.winnow.flash.bloom.BloomPositions;
import java.nio.ByteBuffer;

/**
 * A page as a Bloom filter of its own: all bits of a key are in it, where {@link BloomPositions}
 * says. Static methods over a page in memory.
 */
final class PageBits {
  private PageBits() {}

  /** Sets a key's bits in the page whose payload, of so many bits, begins at this offset. */
  static void addKey(ByteBuffer bytes, int payload, long bits, int hashFunctions, long key) {
    long fraction = BloomPositions.fraction(key);
    long stride = BloomPositions.stride(fraction);
    BitPages.set(bytes, payload, (int) BloomPositions.position(fraction, bits));
    for (int i = 1; i < hashFunctions; i++) {
      fraction += stride;
      stride += i * BloomPositions.CUBIC;
      BitPages.set(bytes, payload, (int) BloomPositions.position(fraction, bits));
    }
  }

  /** Whether all of a key's bits are set there. */
  static boolean hasKey(ByteBuffer bytes, int payload, long bits, int hashFunctions, long key) {
    long fraction = BloomPositions.fraction(key);
    long stride = BloomPositions.stride(fraction);
    for (int i = 1;
        BitPages.isSet(bytes, payload, (int) BloomPositions.position(fraction, bits));
        i++) {
      if (i == hashFunctions) {
        return true;
      }
      fraction += stride;
      stride += i * BloomPositions.CUBIC;
    }
    return false;
  }
}
