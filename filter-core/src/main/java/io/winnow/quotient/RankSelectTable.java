package io.winnow.quotient;

import static io.winnow.quotient.RankSelectReader.FAR;
import static io.winnow.quotient.RankSelectReader.OFFSET;
import static io.winnow.quotient.RankSelectReader.RUNENDS;
import static io.winnow.quotient.TableReader.OCCUPIEDS;

import io.winnow.ByteAccess;

/**
 * A changeable table of a quotient filter with the rank-and-select scheme: see {@link
 * RankSelectReader}.
 */
final class RankSelectTable extends QuotientTable {
  RankSelectTable(TableReader reader, byte[] bytes) {
    super(reader, bytes);
  }

  @Override
  int firstFree(int quotient, int slot) {
    int after = quotient;
    int free = slot;
    while (free < reader.end()) { // do runs of quotients up to this slot fill it?
      int runs = occupieds(after + 1, free + 1);
      if (runs == 0) {
        break;
      }
      after = free;
      free = runEnd(free, runs) + 1;
    }
    return free;
  }

  @Override
  int lastShifted(int quotient, int runEnd) {
    int after = quotient;
    int last = runEnd;
    for (int runs; (runs = occupieds(after + 1, last + 1)) > 0; ) {
      after = last;
      last = runEnd(last + 1, runs);
    }
    return last;
  }

  /**
   * Returns the last slot of the {@code number}-th of a quotient filter's runs that end at slot
   * {@code from} or later.
   */
  private int runEnd(int from, int number) {
    return reader.mark(ByteAccess.ARRAY, bytes, PAYLOAD, from, number);
  }

  /**
   * Returns the number of quotients in {@code [from, to)} that have a run in the quotient filter.
   */
  private int occupieds(int from, int to) {
    int block = from >>> 6;
    int last = to >>> 6; // at the table's end this is the padding, of which no bit counts
    long word = word(block, OCCUPIEDS) & -1L << from;
    int sum = 0;
    while (block < last) {
      sum += Long.bitCount(word);
      block++;
      word = word(block, OCCUPIEDS);
    }
    return sum + Long.bitCount(word & (1L << to) - 1);
  }

  @Override
  void inserted(int quotient, int start, int slot, int end, int free) {
    boolean isNew = end < start;
    insertBit(RUNENDS, isNew ? slot : Math.min(slot, end), free, isNew);
    for (int block = (quotient >>> 6) + 1; block <= free >>> 6; block++) {
      int at = at(block) + OFFSET;
      if (bytes[at] != (byte) FAR) {
        bytes[at]++;
      }
    }
  }

  @Override
  void deleted(int quotient, int start, int slot, int end, int last) {
    removeBit(RUNENDS, start == end ? slot : Math.min(slot, end - 1), last);
    int block = quotient >>> 6;
    int runsBefore = -1; // that of the block, or -1 if unknown
    while (block < last >>> 6) {
      int at = at(block + 1) + OFFSET;
      if (bytes[at] != (byte) FAR) {
        bytes[at]--;
        runsBefore = (block + 1 << 6) + Byte.toUnsignedInt(bytes[at]);
      } else { // the offset may become 255, or stay above
        RankSelectReader ranks = (RankSelectReader) reader;
        if (runsBefore < 0) {
          runsBefore = ranks.runsBefore(ByteAccess.ARRAY, bytes, PAYLOAD, block);
        }
        runsBefore = ranks.runsThrough(ByteAccess.ARRAY, bytes, PAYLOAD, block, runsBefore);
        bytes[at] = RankSelectReader.offsetByte(block + 1, runsBefore);
      }
      block++;
    }
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

  /**
   * Marks the end of a quotient's run, and sets the offsets of the blocks of slots after the
   * quotient.
   */
  private void closeRun(int quotient, int end, int lastBlock) {
    if (end > 0) {
      setBit(end - 1, RUNENDS);
    }
    for (int block = (quotient >> 6) + 1; block <= lastBlock; block++) {
      bytes[at(block) + OFFSET] = RankSelectReader.offsetByte(block, end);
    }
  }
}
