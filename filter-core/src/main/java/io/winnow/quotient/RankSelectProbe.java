package io.winnow.quotient;

import static io.winnow.quotient.RankSelectTable.FAR;
import static io.winnow.quotient.RankSelectTable.OFFSET;
import static io.winnow.quotient.RankSelectTable.RUNENDS;

import io.winnow.bits.ByteAccess;

/**
 * Looks a place up in a table of the rank-and-select scheme, wherever its bytes lie.
 *
 * <p>In most cases it reads a block's metadata and one or two remainders: one or two adjacent cache
 * lines. Whatever the bytes are, it ends, and reads inside of them; where they contradict
 * themselves it answers {@code true}.
 */
final class RankSelectProbe {
  private static final int REMAINDERS = QuotientScheme.RANK_SELECT.metadataBytes();

  private RankSelectProbe() {}

  /** The position of the {@code number}-th 1, counted from 1; 64 if there are fewer. */
  static int select(long word, int number) {
    long left = word;
    for (int i = 1; i < number; i++) {
      left &= left - 1;
    }
    return Long.numberOfTrailingZeros(left);
  }

  static <T> boolean contains(
      ByteAccess<T> access,
      T image,
      int payload,
      int blocks,
      int blockBytes,
      int remainderBits,
      long place) {
    int quotient = (int) (place >>> remainderBits);
    int at = payload + (quotient >>> 6) * blockBytes;
    long occupieds = access.getLong(image, at);
    if ((occupieds >>> quotient & 1) == 0) {
      return false;
    }
    int bit = quotient & 63;
    int offset = Byte.toUnsignedInt(access.getByte(image, at + OFFSET));
    int from = Math.max(bit, offset);
    if (from < 64) {
      long runends = access.getLong(image, at + RUNENDS);
      // The block's runs up to ours, less those that ended before our canonical slot.
      int number =
          Long.bitCount(occupieds << ~bit)
              - Long.bitCount(runends & (1L << from) - 1 & -1L << offset);
      int slot = select(runends & -1L << from, number);
      if (number > 0 && slot < 64) {
        long mask = (1L << remainderBits) - 1;
        long wanted = place & mask;
        long starts = runends << 1 | 1L << from;
        while (true) { // from the run's end down to its start
          int remainderAt = slot * remainderBits;
          long remainder =
              access.getLong(image, at + REMAINDERS + (remainderAt >>> 3)) >>> (remainderAt & 7)
                  & mask;
          if (remainder <= wanted) {
            return remainder == wanted;
          }
          if ((starts >>> slot & 1) != 0) {
            return false;
          }
          slot--;
        }
      }
    }
    return containsFar(access, image, payload, blocks, blockBytes, remainderBits, place);
  }

  /** A run that ends in another block than that of its quotient, or a large offset. */
  private static <T> boolean containsFar(
      ByteAccess<T> access,
      T image,
      int payload,
      int blocks,
      int blockBytes,
      int remainderBits,
      long place) {
    int quotient = (int) (place >>> remainderBits);
    int block = quotient >>> 6;
    int at = payload + block * blockBytes;
    int bit = quotient & 63;
    int offset = offset(access, image, payload, blocks, blockBytes, block);
    if (offset < 0) {
      return true;
    }
    int number = Long.bitCount(access.getLong(image, at) << ~bit);
    if (offset < bit) {
      long runends = access.getLong(image, at + RUNENDS);
      number -= Long.bitCount(runends & (1L << bit) - 1 & -1L << offset);
    }
    int first = (block << 6) + Math.max(bit, offset);
    int slot = runEnd(access, image, payload, blocks, blockBytes, first, number);
    if (slot < 0) {
      return true;
    }
    long mask = (1L << remainderBits) - 1;
    long wanted = place & mask;
    while (true) {
      int slotBlock = payload + (slot >>> 6) * blockBytes;
      int remainderAt = (slot & 63) * remainderBits;
      long remainder =
          access.getLong(image, slotBlock + REMAINDERS + (remainderAt >>> 3)) >>> (remainderAt & 7)
              & mask;
      if (remainder <= wanted) {
        return remainder == wanted;
      }
      if (slot == first) {
        return false;
      }
      slot--;
      int before = payload + (slot >>> 6) * blockBytes + RUNENDS;
      if ((access.getLong(image, before) >>> slot & 1) != 0) {
        return false;
      }
    }
  }

  /** The offset of a block; -1 if the bytes contradict themselves. */
  private static <T> int offset(
      ByteAccess<T> access, T image, int payload, int blocks, int blockBytes, int block) {
    int near = block;
    int offset = FAR;
    while (near >= 0) {
      offset = Byte.toUnsignedInt(access.getByte(image, payload + near * blockBytes + OFFSET));
      if (offset < FAR) {
        break;
      }
      near--;
    }
    if (near < 0) {
      return -1;
    }
    for (; near < block; near++) {
      int runs = Long.bitCount(access.getLong(image, payload + near * blockBytes));
      if (runs > 0) {
        int first = (near << 6) + offset;
        int end = runEnd(access, image, payload, blocks, blockBytes, first, runs);
        if (end < 0) {
          return -1;
        }
        offset = end + 1 - (near << 6);
      }
      offset = Math.max(0, offset - 64);
    }
    return offset;
  }

  /** The {@code number}-th end of a run from a slot on; -1 if the table has no such. */
  private static <T> int runEnd(
      ByteAccess<T> access,
      T image,
      int payload,
      int blocks,
      int blockBytes,
      int slot,
      int number) {
    int left = number;
    long mask = -1L << slot;
    for (int block = slot >>> 6; block < blocks && left > 0; block++) {
      long runends = access.getLong(image, payload + block * blockBytes + RUNENDS) & mask;
      int here = Long.bitCount(runends);
      if (left <= here) {
        return (block << 6) + select(runends, left);
      }
      left -= here;
      mask = -1;
    }
    return -1;
  }
}
