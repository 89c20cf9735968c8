package io.winnow.quotient;

import static io.winnow.quotient.TableReader.OCCUPIEDS;
import static io.winnow.quotient.ThreeBitReader.CONTINUATIONS;
import static io.winnow.quotient.ThreeBitReader.SHIFTEDS;

/** The scheme of three bits per slot, changing: see {@link ThreeBitReader}. */
final class ThreeBitTable extends QuotientTable {
  ThreeBitTable(TableReader reader, byte[] bytes) {
    super(reader, bytes);
  }

  @Override
  int firstFree(int quotient, int slot) {
    long mask = -1L << slot;
    for (int block = slot >>> 6; block < reader.blocks; block++) {
      long filled = word(block, OCCUPIEDS) | word(block, CONTINUATIONS) | word(block, SHIFTEDS);
      long free = ~filled & mask;
      if (free != 0) {
        return (block << 6) + Long.numberOfTrailingZeros(free);
      }
      mask = -1;
    }
    return reader.end();
  }

  @Override
  int lastShifted(int quotient, int runEnd) {
    int next = runEnd + 1;
    long mask = -1L << next;
    for (int block = next >>> 6; block < reader.blocks; block++) {
      long anchors = ~word(block, SHIFTEDS) & mask;
      if (anchors != 0) {
        return (block << 6) + Long.numberOfTrailingZeros(anchors) - 1;
      }
      mask = -1;
    }
    return reader.end() - 1;
  }

  @Override
  void inserted(int quotient, int start, int slot, int end, int free) {
    if (end < start) {
      insertBit(CONTINUATIONS, slot, free, false);
    } else { // where it starts the run, the one that did so continues it now
      insertBit(CONTINUATIONS, Math.max(slot, start + 1), free, true);
    }
    for (int from = slot == quotient ? slot + 1 : slot; from <= free; from = (from | 63) + 1) {
      long upTo = (from | 63) <= free ? -1 : -1L >>> ~free;
      int at = at(from >>> 6) + SHIFTEDS;
      BitRuns.putLong(bytes, at, BitRuns.getLong(bytes, at) | -1L << from & upTo);
    }
  }

  @Override
  void deleted(int quotient, int start, int slot, int end, int last) {
    removeBit(CONTINUATIONS, start == end ? slot : Math.max(slot, start + 1), last);
    clearBit(last, SHIFTEDS);
    // The runs after this one came down by a slot: those in their canonical slot now are anchors.
    int next = quotient;
    for (int run = end; run < last; run++) {
      if (!bit(run, CONTINUATIONS)) {
        next = nextOccupied(next + 1);
        if (next == run) {
          clearBit(run, SHIFTEDS);
        }
      }
    }
  }

  private int nextOccupied(int from) {
    int block = from >>> 6;
    long set = word(block, OCCUPIEDS) & -1L << from;
    while (set == 0) {
      block++;
      set = word(block, OCCUPIEDS);
    }
    return (block << 6) + Long.numberOfTrailingZeros(set);
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
