package io.winnow.quotient;

import static io.winnow.quotient.TableReader.OCCUPIEDS;

import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;
import java.util.Arrays;

/**
 * The slots of a quotient filter that changes, in the very bytes that its image will have: room for
 * the header, then blocks of 64 slots.
 *
 * <p>Slots are numbered from 0; those from {@code shape.slots()} on are nobody's canonical slot and
 * take what runs over the end. More blocks are added there when that is full, which is rare. A free
 * slot's remainder is 0, so that equal contents are equal bytes.
 *
 * <p>Inserting and deleting is the same in both schemes: find the run, find the slot in it, move
 * what follows by one slot. What the metadata say then is the scheme's.
 */
abstract class QuotientTable {
  static final int PAYLOAD = FilterHeader.SIZE_IN_BYTES;

  private static final int SPARE_BLOCKS = 2;

  final QuotientShape shape;
  final int remainderBits;
  final int blockBytes;
  private final int metadataBytes;
  byte[] bytes;
  TableReader reader;
  private int count;
  private int distinct;

  QuotientTable(TableReader reader, byte[] bytes) {
    this.shape = reader.shape;
    this.remainderBits = reader.remainderBits;
    this.metadataBytes = shape.scheme().metadataBytes();
    this.blockBytes = reader.blockBytes;
    this.reader = reader;
    this.bytes = bytes;
  }

  /** An empty table. */
  static QuotientTable of(QuotientShape shape) {
    int blocks = shape.baseBlocks() + SPARE_BLOCKS;
    return of(TableReader.of(shape, blocks), new byte[imageBytes(blocks, shape.blockBytes())]);
  }

  private static QuotientTable of(TableReader reader, byte[] bytes) {
    return switch (reader.shape.scheme()) {
      case RANK_SELECT -> new RankSelectTable(reader, bytes);
      case THREE_BIT -> new ThreeBitTable(reader, bytes);
    };
  }

  final QuotientTable copy() {
    QuotientTable copy = of(reader, bytes.clone());
    copy.count = count;
    copy.distinct = distinct;
    return copy;
  }

  /** The first free slot from {@code slot} on, which is the one after a quotient's run. */
  abstract int firstFree(int quotient, int slot);

  /**
   * The end of the runs that follow a quotient's run without a gap and are all shifted, or of that
   * run itself: they move down when it loses a remainder.
   */
  abstract int lastShifted(int quotient, int runEnd);

  /**
   * Brings the metadata up to date, but for the occupieds, after an insert at {@code slot}.
   *
   * @param start where the quotient's run started before
   * @param end where it ended before; {@code start - 1} if there was none
   * @param free the slot that was free before and is not now
   */
  abstract void inserted(int quotient, int start, int slot, int end, int free);

  /**
   * Brings the metadata up to date, but for the occupieds, after a delete at {@code slot}.
   *
   * @param start where the quotient's run started before
   * @param end where it ended before
   * @param last the slot that is free now: see {@link #lastShifted}
   */
  abstract void deleted(int quotient, int start, int slot, int end, int last);

  /** Sets the metadata of a slot that the writer appends, see {@link TableWriter}. */
  abstract void append(int quotient, int slot, int previousQuotient, int end);

  /** Completes the metadata after the last append. */
  abstract void finish(int lastQuotient, int end);

  /** Whether there is a remainder at this place. */
  final boolean contains(long place) {
    return reader.contains(ByteAccess.ARRAY, bytes, PAYLOAD, place);
  }

  /** Adds a remainder; does nothing and says so if there is one and one is enough. */
  final boolean insert(long place, boolean once) {
    int quotient = (int) (place >>> remainderBits);
    long remainder = place & reader.remainderMask;
    int start = reader.runStart(ByteAccess.ARRAY, bytes, PAYLOAD, quotient);
    int end =
        bit(quotient, OCCUPIEDS)
            ? reader.runEnd(ByteAccess.ARRAY, bytes, PAYLOAD, start)
            : start - 1;
    int found = search(start, end, remainder);
    if (found >= 0 && once) {
      return false;
    }
    int slot = found < 0 ? ~found : found;
    int free = firstFree(quotient, end + 1);
    reach(free);
    shiftRemaindersUp(slot, free);
    setRemainder(slot, remainder);
    inserted(quotient, start, slot, end, free);
    setBit(quotient, OCCUPIEDS);
    count++;
    distinct += found < 0 ? 1 : 0;
    return true;
  }

  /** Takes away one remainder, if there is one. */
  final boolean delete(long place) {
    int quotient = (int) (place >>> remainderBits);
    long remainder = place & reader.remainderMask;
    if (!bit(quotient, OCCUPIEDS)) {
      return false;
    }
    int start = reader.runStart(ByteAccess.ARRAY, bytes, PAYLOAD, quotient);
    int end = reader.runEnd(ByteAccess.ARRAY, bytes, PAYLOAD, start);
    int slot = search(start, end, remainder);
    if (slot < 0) {
      return false;
    }
    boolean isHeldTwice = slot < end & remainder(Math.min(slot + 1, end)) == remainder;
    int last = lastShifted(quotient, end);
    shiftRemaindersDown(slot, last);
    setRemainder(last, 0);
    if (start == end) {
      clearBit(quotient, OCCUPIEDS);
    }
    deleted(quotient, start, slot, end, last);
    count--;
    distinct -= isHeldTwice ? 0 : 1;
    return true;
  }

  /** The first slot of a run with this remainder; if none, {@code ~slot} of where it belongs. */
  private int search(int start, int end, long remainder) {
    for (int slot = start; slot <= end; slot++) {
      long other = remainder(slot);
      if (other >= remainder) {
        return other == remainder ? slot : ~slot;
      }
    }
    return ~(end + 1);
  }

  private static int imageBytes(int blocks, int blockBytes) {
    long size = (long) PAYLOAD + (long) blocks * blockBytes + QuotientShape.PADDING_BYTES;
    if (size > Integer.MAX_VALUE - 8 || blocks > QuotientLayout.MAX_BLOCKS) {
      throw new IllegalArgumentException(
          "a table of " + blocks + " blocks and " + size + " bytes, must be below 2 GiB");
    }
    return (int) size;
  }

  /** The bytes of an image: no table if it is empty, no unused blocks after the slots. */
  byte[] image() {
    int used = reader.blocks;
    while (used > shape.baseBlocks() && isUnused(used - 1)) {
      used--;
    }
    return Arrays.copyOf(bytes, count == 0 ? PAYLOAD : imageBytes(used, blockBytes));
  }

  private boolean isUnused(int block) {
    for (int i = 0; i < metadataBytes; i++) {
      if (bytes[at(block) + i] != 0) {
        return false;
      }
    }
    return true;
  }

  int count() {
    return count;
  }

  /** The share of all places that are held, each counted once: the false-positive rate. */
  double rate() {
    return distinct / (double) shape.universe();
  }

  /** Counts what a {@link TableWriter} appended. */
  void appended(int more, int moreDistinct) {
    count += more;
    distinct += moreDistinct;
  }

  void clear() {
    Arrays.fill(bytes, (byte) 0);
    count = 0;
    distinct = 0;
  }

  /** Sees to it that a slot exists. */
  void reach(int slot) {
    int blocks = reader.blocks;
    if (slot >>> 6 >= blocks) {
      int more = Math.max((slot >>> 6) + 1 - blocks, SPARE_BLOCKS + (blocks - shape.baseBlocks()));
      bytes = Arrays.copyOf(bytes, imageBytes(blocks + more, blockBytes));
      reader = TableReader.of(shape, blocks + more);
    }
  }

  /** Where a block begins. */
  final int at(int block) {
    return PAYLOAD + block * blockBytes;
  }

  /** The 64 bits of one kind of metadata of a block. */
  final long word(int block, int field) {
    return BitRuns.getLong(bytes, at(block) + field);
  }

  final void setBit(int slot, int field) {
    BitRuns.putLong(bytes, at(slot >>> 6) + field, word(slot >>> 6, field) | 1L << slot);
  }

  final void clearBit(int slot, int field) {
    BitRuns.putLong(bytes, at(slot >>> 6) + field, word(slot >>> 6, field) & ~(1L << slot));
  }

  final boolean bit(int slot, int field) {
    return (word(slot >>> 6, field) >>> slot & 1) != 0;
  }

  /** Inserts a bit at {@code from}, moving the bits of {@code [from, to)} up by one. */
  final void insertBit(int field, int from, int to, boolean isSet) {
    BitRuns.moveUp(bytes, PAYLOAD + field, blockBytes, from, to + 1, 1, isSet ? 1 : 0);
  }

  /** Removes the bit at {@code from}, moving those of {@code (from, to]} down by one. */
  final void removeBit(int field, int from, int to) {
    BitRuns.moveDown(bytes, PAYLOAD + field, blockBytes, from, to + 1, 1);
    clearBit(to, field);
  }

  final long remainder(int slot) {
    return BitRuns.getLong(bytes, remainderAt(slot)) >>> remainderShift(slot)
        & reader.remainderMask;
  }

  final void setRemainder(int slot, long remainder) {
    int at = remainderAt(slot);
    int shift = remainderShift(slot);
    long others = BitRuns.getLong(bytes, at) & ~(reader.remainderMask << shift);
    BitRuns.putLong(bytes, at, others | remainder << shift);
  }

  /** The byte in which a slot's remainder begins. */
  private int remainderAt(int slot) {
    return remaindersAt(slot >>> 6) + ((slot & 63) * remainderBits >>> 3);
  }

  /** The bit of that byte, 0 to 7: with 56 bits at most it ends in the 64 from there. */
  private int remainderShift(int slot) {
    return slot * remainderBits & 7; // a block has whole bytes of them
  }

  private int remaindersAt(int block) {
    return at(block) + metadataBytes;
  }

  /**
   * Something of the metadata and of the slot that a place has to do with, to have them in cache.
   */
  final int peek(long place) {
    int quotient = (int) (place >>> remainderBits);
    return bytes[at(quotient >>> 6)] + bytes[remainderAt(quotient)];
  }

  /** Moves the remainders of {@code [from, to)} up by one slot; what {@code to} had is lost. */
  private void shiftRemaindersUp(int from, int to) {
    int last = to;
    for (int first = to & ~63; first > from; last = first - 1, first -= 64) {
      shiftUpInBlock(first, last);
      setRemainder(first, remainder(first - 1));
    }
    shiftUpInBlock(from, last);
  }

  private void shiftUpInBlock(int from, int to) {
    if (from < to) {
      int first = (from & 63) * remainderBits;
      int end = ((to & 63) + 1) * remainderBits;
      BitRuns.moveUp(bytes, remaindersAt(from >>> 6), Long.BYTES, first, end, remainderBits, 0);
    }
  }

  /** Moves the remainders of {@code (from, to]} down by one slot; what {@code from} had is lost. */
  private void shiftRemaindersDown(int from, int to) {
    int first = from;
    for (int last = from | 63; last < to; first = last + 1, last += 64) {
      shiftDownInBlock(first, last);
      setRemainder(last, remainder(last + 1));
    }
    shiftDownInBlock(first, to);
  }

  private void shiftDownInBlock(int from, int to) {
    if (from < to) {
      int first = (from & 63) * remainderBits;
      int end = ((to & 63) + 1) * remainderBits;
      BitRuns.moveDown(bytes, remaindersAt(from >>> 6), Long.BYTES, first, end, remainderBits);
    }
  }
}
