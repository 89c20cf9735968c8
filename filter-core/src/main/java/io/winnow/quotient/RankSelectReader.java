package io.winnow.quotient;

import io.winnow.ByteAccess;

/**
 * Reads tables of quotient filters with the rank-and-select scheme. A block's metadata: occupieds,
 * runends, offset.
 *
 * <p>The i-th run of the table ends at the i-th 1 among the runends, which are its marks: rank and
 * select match runs and quotients. The offset avoids counting from the table's beginning: it is the
 * number of slots, from the block's first one on, that belong to runs of quotients before the
 * block. It has one byte: 255 means 255 or more, and such an offset is computed from the nearest
 * smaller one before it.
 */
final class RankSelectReader extends TableReader {
  static final int RUNENDS = 8;
  static final int OFFSET = 16;

  /** Value of a block's offset byte that stands for an offset of this many slots or more. */
  static final int FAR = 255;

  private static final int REMAINDERS = QuotientScheme.RANK_SELECT.metadataBytes;

  /**
   * Number of bits that a read of 64 bits certainly has from a given bit on, if it begins with the
   * byte of this bit.
   */
  private static final int MAX_BITS = 57;

  /** Mask of the lowest bit of each remainder that is complete in a 64-bit word. */
  private final long fieldOnes;

  /** Mask of the highest bit of each remainder that is complete in a 64-bit word. */
  private final long fieldTops;

  RankSelectReader(QuotientShape shape, int blocks) {
    super(shape, blocks);
    long ones = 0;
    for (int bit = 0; bit + remainderBits <= 64; bit += remainderBits) {
      ones |= 1L << bit;
    }
    fieldOnes = ones;
    fieldTops = ones << remainderBits - 1;
  }

  @Override
  <T> boolean contains(ByteAccess<T> access, T image, int payload, long place) {
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
        long wanted = place & remainderMask;
        long endsBefore = runends & -1L << from & (1L << slot) - 1;
        int start = Math.max(from, 64 - Long.numberOfLeadingZeros(endsBefore));
        int bits = (slot + 1 - start) * remainderBits;
        if (bits <= MAX_BITS) { // compares the whole run at once: a zero field is a match
          long fields = remainderBitsAt(access, image, at + REMAINDERS, start);
          long others = fields ^ wanted * fieldOnes | -1L << bits; // bits <= 57
          return (others - fieldOnes & ~others & fieldTops) != 0;
        }
        while (slot >= start) { // from the run's end down to its start
          long remainder = remainderIn(access, image, at + REMAINDERS, slot);
          if (remainder <= wanted) {
            return remainder == wanted;
          }
          slot--;
        }
        return false;
      }
    }
    return containsFar(access, image, payload, place);
  }

  @Override
  <T> int runStart(ByteAccess<T> access, T image, int payload, int quotient) {
    int block = quotient >>> 6;
    int from = runsBefore(access, image, payload, block);
    long lower = (1L << quotient) - 1; // of the block's slots those below the quotient
    int runs = Long.bitCount(word(access, image, payload, block, OCCUPIEDS) & lower);
    if (from < quotient) { // ignore runs that ended before the canonical slot
      long ends = word(access, image, payload, block, RUNENDS) & lower & -1L << from;
      runs -= Long.bitCount(ends);
      from = quotient;
    }
    if (runs <= 0) {
      return runs == 0 ? from : end();
    }
    return Math.min(end(), mark(access, image, payload, from, runs) + 1);
  }

  @Override
  <T> int runEnd(ByteAccess<T> access, T image, int payload, int start) {
    int block = start >>> 6;
    if (block >= blocks) {
      return end();
    }
    int at = payload + block * blockBytes + RUNENDS;
    long ends = access.getLong(image, at) & -1L << start;
    if (ends != 0) {
      return (block << 6) + Long.numberOfTrailingZeros(ends);
    }
    // A long run: four blocks at a time, as long as none of them has an end.
    while (block + 4 < blocks
        && (access.getLong(image, at + blockBytes)
                | access.getLong(image, at + 2 * blockBytes)
                | access.getLong(image, at + 3 * blockBytes)
                | access.getLong(image, at + 4 * blockBytes))
            == 0) {
      block += 4;
      at += 4 * blockBytes;
    }
    return block + 1 == blocks ? end() : mark(access, image, payload, block + 1 << 6, 1);
  }

  /**
   * Returns the slot after the last run whose quotient is before a block of slots, or the block's
   * first slot if that is later. This is the slot to which the block's offset leads.
   */
  <T> int runsBefore(ByteAccess<T> access, T image, int payload, int block) {
    int near = block;
    int runs = 0; // of quotients from the near block up to the block, which end after its offset
    int offset = offsetByte(access, image, payload, near);
    while (offset == FAR) {
      near--;
      if (near < 0) {
        return end();
      }
      runs += Long.bitCount(word(access, image, payload, near, OCCUPIEDS));
      offset = offsetByte(access, image, payload, near);
    }
    int slot = (near << 6) + offset;
    if (runs > 0) {
      slot = mark(access, image, payload, slot, runs) + 1;
    }
    return Math.max(block << 6, Math.min(end(), slot));
  }

  /** Returns the slot after the last run whose quotient is in a block of slots or before it. */
  <T> int runsThrough(ByteAccess<T> access, T image, int payload, int block, int runsBefore) {
    int runs = Long.bitCount(word(access, image, payload, block, OCCUPIEDS));
    int slot = runs == 0 ? runsBefore : mark(access, image, payload, runsBefore, runs) + 1;
    return Math.max(block + 1 << 6, Math.min(end(), slot));
  }

  /**
   * Returns the offset byte of a block of slots, computed from the end of the runs of the quotients
   * before the block.
   */
  static byte offsetByte(int block, int runsBefore) {
    return (byte) Math.min(FAR, Math.max(0, runsBefore - (block << 6)));
  }

  /** Reads the offset byte of a block of slots as an unsigned number. */
  private <T> int offsetByte(ByteAccess<T> access, T image, int payload, int block) {
    return Byte.toUnsignedInt(access.getByte(image, payload + block * blockBytes + OFFSET));
  }

  @Override
  <T> long marks(ByteAccess<T> access, T image, int payload, int block) {
    return word(access, image, payload, block, RUNENDS);
  }

  @Override
  <T> boolean isReached(ByteAccess<T> access, T image, int payload, int block, int runsBefore) {
    byte offset = access.getByte(image, payload + block * blockBytes + OFFSET);
    return offset == offsetByte(block, runsBefore);
  }

  @Override
  <T> boolean isSound(ByteAccess<T> access, T image, int payload, BlockSeen seen) {
    return (word(access, image, payload, seen.block, RUNENDS) & ~seen.filled) == 0;
  }
}
