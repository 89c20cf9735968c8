package io.winnow.quotient;

import static io.winnow.quotient.TableReader.OCCUPIEDS;
import static io.winnow.quotient.ThreeBitReader.CONTINUATIONS;
import static io.winnow.quotient.ThreeBitReader.SHIFTEDS;

/**
 * A changeable table of a quotient filter with three metadata bits per slot: see {@link
 * ThreeBitReader}.
 */
final class ThreeBitTable extends QuotientTable {
  /**
   * A function that returns for a block of a quotient filter's slots those of some kind, as one bit
   * per slot.
   */
  private interface Slots {
    long in(ThreeBitTable table, int block);
  }

  private static final Slots QUOTIENTS = (table, block) -> table.word(block, OCCUPIEDS);
  private static final Slots ANCHORS = (table, block) -> ~table.word(block, SHIFTEDS);
  private static final Slots FREE =
      (table, block) ->
          ANCHORS.in(table, block)
              & ~QUOTIENTS.in(table, block)
              & ~table.word(block, CONTINUATIONS);

  ThreeBitTable(TableReader reader, byte[] bytes) {
    super(reader, bytes);
  }

  @Override
  int firstFree(int quotient, int slot) {
    return first(slot, FREE);
  }

  @Override
  int lastShifted(int quotient, int runEnd) {
    return first(runEnd + 1, ANCHORS) - 1;
  }

  /**
   * Returns the first slot of some kind in a quotient filter from slot {@code from} on, or the end
   * if there is none.
   */
  private int first(int from, Slots slots) {
    long mask = -1L << from;
    for (int block = from >>> 6; block < reader.blocks; block++) {
      long found = slots.in(this, block) & mask;
      if (found != 0) {
        return (block << 6) + Long.numberOfTrailingZeros(found);
      }
      mask = -1;
    }
    return reader.end();
  }

  @Override
  void inserted(int quotient, int start, int slot, int end, int free) {
    if (end < start) {
      insertBit(CONTINUATIONS, slot, free, false);
    } else { // if the new slot starts the run, the former first slot now continues it
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
    // The runs after this one moved down by a slot: those now in their canonical slots are anchors.
    int next = quotient;
    for (int run = end; run < last; run++) {
      if (!bit(run, CONTINUATIONS)) {
        next = first(next + 1, QUOTIENTS);
        if (next == run) {
          clearBit(run, SHIFTEDS);
        }
      }
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
