package io.winnow.quotient;

import io.winnow.bits.ByteAccess;

/**
 * The rank-and-select scheme, changing. A block's metadata: occupieds, runends, offset.
 *
 * <p>The i-th run of the table ends at the i-th 1 among the runends: run and quotient are matched
 * by rank and select. The offset spares counting from the beginning: it says how many slots of its
 * block, and of those after it, belong to runs of quotients before the block. One byte: 255 stands
 * for that and more, and such an offset is found from the nearest smaller one before it.
 */
final class RankSelectTable extends QuotientTable {
  static final int RUNENDS = 8;
  static final int OFFSET = 16;

  /** An offset that is not known from its byte. */
  static final int FAR = 255;

  RankSelectTable(QuotientShape shape) {
    super(shape);
  }

  private RankSelectTable(RankSelectTable other) {
    super(other);
  }

  @Override
  QuotientTable copy() {
    return new RankSelectTable(this);
  }

  @Override
  boolean contains(long place) {
    return RankSelectProbe.contains(
        ByteAccess.ARRAY, bytes, PAYLOAD, blocks, blockBytes, remainderBits, place);
  }

  @Override
  boolean insert(long place, boolean once) {
    int quotient = (int) (place >>> remainderBits);
    long remainder = place & (1L << remainderBits) - 1;
    int start = runStart(quotient);
    if (!bit(quotient, OCCUPIEDS)) {
      int free = firstFree(quotient, start);
      makeRoom(start, free, remainder);
      insertBit(RUNENDS, start, free, true);
      setBit(quotient, OCCUPIEDS);
      raiseOffsets(quotient, free);
      countChange(1);
      return true;
    }
    int end = runEnd(start, 1);
    int slot = start;
    while (slot <= end) {
      long other = remainder(slot);
      if (other >= remainder) {
        if (other == remainder && once) {
          return false;
        }
        break;
      }
      slot++;
    }
    int free = firstFree(quotient, end + 1);
    makeRoom(slot, free, remainder);
    insertBit(RUNENDS, Math.min(slot, end), free, false); // the 1 of the end moves up with it
    raiseOffsets(quotient, free);
    countChange(1);
    return true;
  }

  private void makeRoom(int slot, int free, long remainder) {
    reach(free);
    shiftRemaindersUp(slot, free);
    setRemainder(slot, remainder);
  }

  @Override
  boolean delete(long place) {
    int quotient = (int) (place >>> remainderBits);
    long remainder = place & (1L << remainderBits) - 1;
    if (!bit(quotient, OCCUPIEDS)) {
      return false;
    }
    int start = runStart(quotient);
    int end = runEnd(start, 1);
    int slot = start;
    while (slot <= end && remainder(slot) < remainder) {
      slot++;
    }
    if (slot > end || remainder(slot) != remainder) {
      return false;
    }
    int last = lastShifted(quotient, end);
    shiftRemaindersDown(slot, last);
    if (start == end) {
      clearBit(quotient, OCCUPIEDS);
      removeBit(RUNENDS, slot, last);
    } else {
      removeBit(RUNENDS, Math.min(slot, end - 1), last);
    }
    lowerOffsets(quotient, last);
    countChange(-1);
    return true;
  }

  /** Where the run of a quotient starts, or would start. */
  private int runStart(int quotient) {
    int block = quotient >>> 6;
    int bit = quotient & 63;
    int offset = offset(block);
    int runs = Long.bitCount(word(block, OCCUPIEDS) & (1L << bit) - 1);
    if (runs == 0) {
      return (block << 6) + Math.max(bit, offset);
    }
    if (offset < bit) { // runs that ended before the canonical slot are none of ours
      runs -= Long.bitCount(word(block, RUNENDS) & (1L << bit) - 1 & -1L << offset);
      return runs == 0 ? quotient : runEnd(quotient, runs) + 1;
    }
    return runEnd((block << 6) + offset, runs) + 1;
  }

  /** Where the {@code number}-th of the runs that end at {@code slot} or after it ends. */
  private int runEnd(int slot, int number) {
    int block = slot >>> 6;
    long ends = word(block, RUNENDS) & -1L << slot;
    int left = number;
    for (int here = Long.bitCount(ends); here < left; here = Long.bitCount(ends)) {
      left -= here;
      block++;
      ends = word(block, RUNENDS);
    }
    return (block << 6) + RankSelectProbe.select(ends, left);
  }

  /** The first free slot from {@code end} on, before which all runs up to a quotient's end. */
  private int firstFree(int quotient, int end) {
    int from = quotient;
    int slot = end;
    while (slot >>> 6 < blocks) {
      int runs = countBits(OCCUPIEDS, from + 1, slot + 1);
      if (runs == 0) {
        break;
      }
      from = slot;
      slot = runEnd(slot, runs) + 1;
    }
    return slot;
  }

  /** The last slot of the runs that are shifted because the run that ends at {@code end} is. */
  private int lastShifted(int quotient, int end) {
    int from = quotient;
    int slot = end;
    while (true) {
      int runs = countBits(OCCUPIEDS, from + 1, slot + 1);
      if (runs == 0) {
        return slot;
      }
      from = slot;
      slot = runEnd(slot + 1, runs);
    }
  }

  private void raiseOffsets(int quotient, int last) {
    for (int block = (quotient >>> 6) + 1; block <= last >>> 6; block++) {
      int at = at(block) + OFFSET;
      if (bytes[at] != (byte) FAR) {
        bytes[at]++;
      }
    }
  }

  private void lowerOffsets(int quotient, int last) {
    int offset = -1;
    for (int block = (quotient >>> 6) + 1; block <= last >>> 6; block++) {
      int at = at(block) + OFFSET;
      if (bytes[at] != (byte) FAR) {
        bytes[at]--;
        offset = Byte.toUnsignedInt(bytes[at]);
      } else {
        offset = nextOffset(block - 1, offset < 0 ? offset(block - 1) : offset);
        bytes[at] = (byte) Math.min(offset, FAR);
      }
    }
  }

  private int offset(int block) {
    int offset = Byte.toUnsignedInt(bytes[at(block) + OFFSET]);
    return offset == FAR ? farOffset(block) : offset;
  }

  private int farOffset(int block) {
    int near = block;
    while (bytes[at(near) + OFFSET] == (byte) FAR) {
      near--;
    }
    int offset = Byte.toUnsignedInt(bytes[at(near) + OFFSET]);
    for (; near < block; near++) {
      offset = nextOffset(near, offset);
    }
    return offset;
  }

  /** The offset of the next block, from a block's. */
  private int nextOffset(int block, int offset) {
    int runs = Long.bitCount(word(block, OCCUPIEDS));
    int end = runs == 0 ? offset : runEnd((block << 6) + offset, runs) + 1 - (block << 6);
    return Math.max(0, end - 64);
  }

  @Override
  void append(int quotient, int slot, int previousQuotient, int end) {
    if (quotient != previousQuotient) {
      closeRun(previousQuotient, end, quotient >>> 6);
      setBit(quotient, OCCUPIEDS);
    }
  }

  @Override
  void finish(int lastQuotient, int end) {
    closeRun(lastQuotient, end, end - 1 >> 6);
  }

  /** Marks the end of a run, and sets the offsets of the blocks after its quotient. */
  private void closeRun(int quotient, int end, int lastBlock) {
    if (end > 0) {
      setBit(end - 1, RUNENDS);
    }
    for (int block = (quotient >> 6) + 1; block <= lastBlock; block++) {
      bytes[at(block) + OFFSET] = (byte) Math.min(FAR, Math.max(0, end - (block << 6)));
    }
  }
}
