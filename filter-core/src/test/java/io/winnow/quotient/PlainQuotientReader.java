package io.winnow.quotient;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads an image slot by slot and bit by bit, from the text of {@code docs/format/quotient-v1.md}
 * alone, and finds fault with everything that a writer must not do. The oracle of the fast code.
 */
final class PlainQuotientReader {
  private final ByteBuffer image;
  private final long slots;
  private final int remainderBits;
  private final int scheme;
  private final long universe;
  private final int blockBytes;
  private final int blocks;
  private final BigInteger spread;
  private final List<Long> fingerprints = new ArrayList<>();

  PlainQuotientReader(byte[] bytes) {
    image = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    slots = Integer.toUnsignedLong(image.getInt(40));
    remainderBits = image.get(44);
    scheme = image.get(45);
    universe = image.getLong(48);
    blockBytes = metadataBytes() + 8 * remainderBits;
    blocks = bytes.length == 64 ? 0 : (bytes.length - 64 - 8) / blockBytes;
    spread =
        BigInteger.valueOf(slots)
            .shiftLeft(remainderBits)
            .shiftLeft(63)
            .divide(BigInteger.valueOf(universe));
    if (blocks > 0) {
      check(blocks * (long) blockBytes + 72 == bytes.length, "whole blocks");
      check(blocks * 64L >= slots, "slots in blocks");
      check(image.getLong(bytes.length - 8) == 0, "padding");
      read();
    }
  }

  private int metadataBytes() {
    return scheme == 1 ? 17 : 24;
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  private boolean bit(int slot, int field) {
    int at = 64 + slot / 64 * blockBytes + field + slot % 64 / 8;
    return (image.get(at) >> slot % 8 & 1) != 0;
  }

  private long remainder(int slot) {
    long remainder = 0;
    for (int i = 0; i < remainderBits; i++) {
      int bit = slot % 64 * remainderBits + i;
      int at = 64 + slot / 64 * blockBytes + metadataBytes() + bit / 8;
      remainder |= (long) (image.get(at) >> bit % 8 & 1) << i;
    }
    return remainder;
  }

  /** Goes through the occupied quotients; their runs follow each other. */
  private void read() {
    int free = 0;
    int block = 0;
    for (int quotient = 0; quotient < blocks * 64; quotient++) {
      if (quotient % 64 == 0) {
        checkOffset(block++, free);
      }
      if (!bit(quotient, 0)) {
        continue;
      }
      check(quotient < slots, "quotient " + quotient + " of " + slots);
      int start = Math.max(free, quotient);
      checkFree(free, start);
      free = readRun(quotient, start);
    }
    checkFree(free, blocks * 64);
  }

  private int readRun(int quotient, int start) {
    long last = -1;
    for (int slot = start; ; slot++) {
      check(slot < blocks * 64, "run beyond the table");
      long remainder = remainder(slot);
      check(remainder >= last, "remainders of a run ascend");
      last = remainder;
      fingerprints.add(fingerprint((long) quotient << remainderBits | remainder));
      boolean isLast;
      if (scheme == 1) {
        isLast = bit(slot, 8);
      } else {
        check(bit(slot, 8) == slot > start, "continuation of slot " + slot);
        check(bit(slot, 16) == (slot != quotient), "shifted of slot " + slot);
        isLast = slot + 1 == blocks * 64 || !bit(slot + 1, 8);
      }
      if (isLast) {
        return slot + 1;
      }
    }
  }

  private void checkOffset(int block, int free) {
    if (scheme == 1) {
      int offset = Byte.toUnsignedInt(image.get(64 + block * blockBytes + 16));
      check(offset == Math.min(255, Math.max(0, free - block * 64)), "offset of block " + block);
    }
  }

  private void checkFree(int from, int to) {
    for (int slot = from; slot < to; slot++) {
      check(remainder(slot) == 0, "a free slot's remainder is 0");
      check(!bit(slot, 8), "slot " + slot + " is free");
      check(scheme == 1 || !bit(slot, 16), "slot " + slot + " is free and not shifted");
    }
  }

  private long fingerprint(long place) {
    BigInteger[] division = BigInteger.valueOf(place).shiftLeft(63).divideAndRemainder(spread);
    long fingerprint = division[0].longValueExact() + (division[1].equals(BigInteger.ZERO) ? 0 : 1);
    check(
        BigInteger.valueOf(fingerprint).multiply(spread).shiftRight(63).longValueExact() == place
            && fingerprint < universe,
        "place " + place);
    return fingerprint;
  }

  List<Long> fingerprints() {
    return fingerprints;
  }

  long distinctFingerprints() {
    return fingerprints.stream().distinct().count();
  }

  static long mixed(long hash) {
    long x = (hash ^ hash >>> 32) * 0xBF58476D1CE4E5B9L;
    return (x ^ x >>> 29) * 0x94D049BB133111EBL;
  }

  boolean mightContain(long hash) {
    if (blocks == 0) {
      return image.getLong(8) > 0; // without a table: to nothing, or to everything
    }
    BigInteger unsigned = new BigInteger(Long.toUnsignedString(mixed(hash)));
    return fingerprints.contains(
        unsigned.multiply(BigInteger.valueOf(universe)).shiftRight(64).longValueExact());
  }
}
