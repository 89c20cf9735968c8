package io.winnow.quotient;

import io.winnow.bits.ByteAccess;

/**
 * The scheme of three bits per slot, changing. A block's metadata: is_occupied of its 64 slots,
 * is_continuation, is_shifted.
 *
 * <p>A slot whose three bits are 0 is free. A remainder that is not shifted sits in its canonical
 * slot and starts a cluster; within it, runs follow each other as the occupied quotients do.
 */
final class ThreeBitTable extends QuotientTable {
  static final int CONTINUATIONS = 8;
  static final int SHIFTEDS = 16;

  ThreeBitTable(QuotientShape shape) {
    super(shape);
  }

  private ThreeBitTable(ThreeBitTable other) {
    super(other);
  }

  @Override
  QuotientTable copy() {
    return new ThreeBitTable(this);
  }

  @Override
  boolean contains(long place) {
    return ThreeBitProbe.contains(
        ByteAccess.ARRAY, bytes, PAYLOAD, blocks, blockBytes, remainderBits, place);
  }

  @Override
  boolean insert(long place, boolean once) {
    int quotient = (int) (place >>> remainderBits);
    long remainder = place & (1L << remainderBits) - 1;
    int start = runStart(quotient);
    int slot = start;
    boolean isNewRun = !bit(quotient, OCCUPIEDS);
    if (!isNewRun) {
      int end = nextClear(CONTINUATIONS, start + 1) - 1;
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
    }
    int free = firstFree(slot);
    reach(free);
    shiftRemaindersUp(slot, free);
    setRemainder(slot, remainder);
    if (isNewRun) {
      insertBit(CONTINUATIONS, slot, free, false);
      setBit(quotient, OCCUPIEDS);
    } else { // where it starts the run, the one that did so continues it now
      insertBit(CONTINUATIONS, Math.max(slot, start + 1), free, true);
    }
    setBits(SHIFTEDS, slot == quotient ? slot + 1 : slot, free + 1);
    countChange(1);
    return true;
  }

  @Override
  boolean delete(long place) {
    int quotient = (int) (place >>> remainderBits);
    long remainder = place & (1L << remainderBits) - 1;
    if (!bit(quotient, OCCUPIEDS)) {
      return false;
    }
    int start = runStart(quotient);
    int end = nextClear(CONTINUATIONS, start + 1) - 1;
    int slot = start;
    while (slot <= end && remainder(slot) < remainder) {
      slot++;
    }
    if (slot > end || remainder(slot) != remainder) {
      return false;
    }
    int last = nextClear(SHIFTEDS, slot + 1) - 1;
    shiftRemaindersDown(slot, last);
    if (start == end) {
      clearBit(quotient, OCCUPIEDS);
      removeBit(CONTINUATIONS, slot, last);
    } else {
      removeBit(CONTINUATIONS, Math.max(slot, start + 1), last);
    }
    clearBit(last, SHIFTEDS);
    anchorRuns(quotient, end, last);
    countChange(-1);
    return true;
  }

  /** Of the runs from a slot on, which came down by one: those now in place are not shifted. */
  private void anchorRuns(int quotientBefore, int firstRun, int end) {
    int quotient = quotientBefore;
    for (int run = firstRun; run < end; run = nextClear(CONTINUATIONS, run + 1)) {
      quotient = nextSet(OCCUPIEDS, quotient + 1);
      if (quotient == run) {
        clearBit(run, SHIFTEDS);
      }
    }
  }

  /** Where the run of a quotient starts, or would start. */
  private int runStart(int quotient) {
    int block = quotient >>> 6;
    long anchors = ~word(block, SHIFTEDS) & -1L >>> ~quotient;
    while (anchors == 0) {
      block--;
      anchors = ~word(block, SHIFTEDS);
    }
    int cluster = (block << 6) + 63 - Long.numberOfLeadingZeros(anchors);
    int runs = countBits(OCCUPIEDS, cluster, quotient);
    int headBlock = cluster >>> 6;
    long heads = ~word(headBlock, CONTINUATIONS) & -1L << cluster;
    int left = runs + 1;
    for (int here = Long.bitCount(heads); here < left; here = Long.bitCount(heads)) {
      left -= here;
      headBlock++;
      if (headBlock == blocks) {
        return headBlock << 6;
      }
      heads = ~word(headBlock, CONTINUATIONS);
    }
    return (headBlock << 6) + RankSelectProbe.select(heads, left);
  }

  /** The first slot from one on that is free. */
  private int firstFree(int slot) {
    long mask = -1L << slot;
    for (int block = slot >>> 6; block < blocks; block++) {
      int at = at(block);
      long free = ~(getLong(at) | getLong(at + CONTINUATIONS) | getLong(at + SHIFTEDS)) & mask;
      if (free != 0) {
        return (block << 6) + Long.numberOfTrailingZeros(free);
      }
      mask = -1;
    }
    return blocks << 6;
  }

  private int nextClear(int field, int from) {
    long mask = -1L << from;
    for (int block = from >>> 6; block < blocks; block++) {
      long clear = ~word(block, field) & mask;
      if (clear != 0) {
        return (block << 6) + Long.numberOfTrailingZeros(clear);
      }
      mask = -1;
    }
    return blocks << 6;
  }

  private int nextSet(int field, int from) {
    int block = from >>> 6;
    long set = word(block, field) & -1L << from;
    while (set == 0) {
      block++;
      set = word(block, field);
    }
    return (block << 6) + Long.numberOfTrailingZeros(set);
  }

  /** Sets the metadata bits of {@code [from, to)}. */
  private void setBits(int field, int from, int to) {
    for (int slot = from; slot < to; ) {
      int end = Math.min(to, (slot | 63) + 1);
      int at = at(slot >>> 6) + field;
      putLong(at, getLong(at) | -1L << slot & -1L >>> -end);
      slot = end;
    }
  }

  @Override
  void append(int quotient, int slot, int previousQuotient, int end) {
    if (quotient == previousQuotient) {
      setBit(slot, CONTINUATIONS);
    } else {
      setBit(quotient, OCCUPIEDS);
    }
    if (slot != quotient) {
      setBit(slot, SHIFTEDS);
    }
  }

  @Override
  void finish(int lastQuotient, int end) {
    // A run ends where no continuation follows.
  }
}
