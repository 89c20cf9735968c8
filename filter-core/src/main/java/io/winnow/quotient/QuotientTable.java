package io.winnow.quotient;

import static io.winnow.quotient.TableReader.OCCUPIEDS;

import io.winnow.ByteAccess;
import io.winnow.FilterHeader;
import java.util.Arrays;

/**
 * The slots of a changeable quotient filter, in the same bytes as its image: room for the header,
 * then blocks of 64 slots.
 *
 * <p>Slots are numbered from 0. Those from {@code shape.slots()} on are the canonical slot of no
 * fingerprint; they take runs that extend over the end. When they are full, which is rare, blocks
 * are added. A free slot's remainder is 0, so that equal contents have equal bytes.
 *
 * <p>Both schemes insert and delete in the same way: find the run, find the slot in it, move the
 * following remainders by one slot. The metadata depend on the scheme.
 */
abstract class QuotientTable {
  /** Offset of the first block of slots in a quotient filter's image, in bytes. */
  static final int PAYLOAD = FilterHeader.SIZE_IN_BYTES;

  /**
   * Number of blocks that are added to a quotient filter at a time for runs that extend beyond the
   * last slot.
   */
  private static final int SPARE_BLOCKS = 2;

  final QuotientShape shape;
  byte[] bytes;
  TableReader reader;

  /** Number of remainders in the quotient filter's table, including repeats. */
  int count;

  private int distinct;

  QuotientTable(TableReader reader, byte[] bytes) {
    this.shape = reader.shape;
    this.reader = reader;
    this.bytes = bytes;
  }

  /** Returns an empty table of a quotient filter. */
  static QuotientTable of(QuotientShape shape) {
    int blocks = shape.baseBlocks() + SPARE_BLOCKS;
    return of(TableReader.of(shape, blocks), new byte[imageBytes(blocks, shape)]);
  }

  private static QuotientTable of(TableReader reader, byte[] bytes) {
    return reader.shape.scheme() == QuotientScheme.RANK_SELECT
        ? new RankSelectTable(reader, bytes)
        : new ThreeBitTable(reader, bytes);
  }

  final QuotientTable copy() {
    QuotientTable copy = of(reader, bytes.clone());
    copy.count = count;
    copy.distinct = distinct;
    return copy;
  }

  /**
   * Returns the first free slot of a quotient filter from {@code slot} on, which is the slot after
   * a quotient's run.
   */
  abstract int firstFree(int quotient, int slot);

  /**
   * Returns the last slot of the shifted runs that follow a quotient's run without a gap, or of
   * that run itself if none follows. They move down when the run loses a remainder.
   */
  abstract int lastShifted(int quotient, int runEnd);

  /**
   * Updates the metadata of a quotient filter after an insert of a remainder at {@code slot},
   * except the bits that say which quotients have a run.
   *
   * @param start start of the quotient's run before the insert
   * @param end its end before the insert; {@code start - 1} if there was no run
   * @param free the slot that was free before and is filled now
   */
  abstract void inserted(int quotient, int start, int slot, int end, int free);

  /**
   * Updates the metadata of a quotient filter after a delete of the remainder at {@code slot},
   * except the bits that say which quotients have a run.
   *
   * @param start start of the quotient's run before the delete
   * @param end its end before the delete
   * @param last the slot that is free now: see {@link #lastShifted}
   */
  abstract void deleted(int quotient, int start, int slot, int end, int last);

  /**
   * Sets the metadata of a slot that a {@link TableWriter} appends to a quotient filter's table.
   */
  abstract void append(int quotient, int slot, int previousQuotient, int end);

  /** Completes the metadata of a quotient filter's table after its last remainder was appended. */
  abstract void finish(int lastQuotient, int end);

  /** Returns whether the quotient filter has a remainder at this place (quotient and remainder). */
  final boolean contains(long place) {
    return reader.contains(ByteAccess.ARRAY, bytes, PAYLOAD, place);
  }

  /**
   * Inserts a remainder into the quotient filter, in the run of its quotient.
   *
   * @param once whether an existing equal remainder is enough
   * @return whether it was inserted
   */
  final boolean insert(long place, boolean once) {
    int quotient = (int) (place >>> reader.remainderBits);
    long remainder = place & reader.remainderMask;
    int start = reader.runStart(ByteAccess.ARRAY, bytes, PAYLOAD, quotient);
    int end = bit(quotient, OCCUPIEDS) ? runEnd(start) : start - 1;
    int found = reader.search(ByteAccess.ARRAY, bytes, PAYLOAD, start, end, remainder);
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
    added(found < 0);
    return true;
  }

  /**
   * Deletes one remainder from the quotient filter, in the run of its quotient.
   *
   * @return false if there is none
   */
  final boolean delete(long place) {
    int quotient = (int) (place >>> reader.remainderBits);
    long remainder = place & reader.remainderMask;
    if (!bit(quotient, OCCUPIEDS)) {
      return false;
    }
    int start = reader.runStart(ByteAccess.ARRAY, bytes, PAYLOAD, quotient);
    int end = runEnd(start);
    int slot = reader.search(ByteAccess.ARRAY, bytes, PAYLOAD, start, end, remainder);
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

  private int runEnd(int start) {
    return reader.runEnd(ByteAccess.ARRAY, bytes, PAYLOAD, start);
  }

  /**
   * Returns the size in bytes of a quotient filter's image with this number of blocks.
   *
   * @throws IllegalArgumentException if it is not below 2 GiB
   */
  private static int imageBytes(int blocks, QuotientShape shape) {
    long size = (long) PAYLOAD + (long) blocks * shape.blockBytes() + QuotientShape.PADDING_BYTES;
    if (size > Integer.MAX_VALUE - 8 || blocks > QuotientLayout.MAX_BLOCKS) {
      throw new IllegalArgumentException(
          "a table of " + blocks + " blocks and " + size + " bytes, must be below 2 GiB");
    }
    return (int) size;
  }

  /**
   * Returns a copy of the quotient filter's image: no table if it is empty, no unused blocks after
   * the slots.
   */
  byte[] image() {
    int used = reader.blocks;
    while (used > shape.baseBlocks() && isUnused(used - 1)) {
      used--;
    }
    return Arrays.copyOf(bytes, count == 0 ? PAYLOAD : imageBytes(used, shape));
  }

  /** Returns whether all metadata of a block of the quotient filter's slots are 0. */
  private boolean isUnused(int block) {
    int from = at(block);
    int to = from + shape.scheme().metadataBytes;
    return Arrays.equals(bytes, from, to, new byte[to - from], 0, to - from);
  }

  /**
   * Returns the false-positive rate of the table: its distinct fingerprints divided by the number
   * of possible ones.
   */
  double rate() {
    return distinct / (double) shape.universe();
  }

  /** Counts a remainder that was added to the quotient filter's table. */
  final void added(boolean isNew) {
    count++;
    distinct += isNew ? 1 : 0;
  }

  /** Removes all remainders of the quotient filter's table. */
  void clear() {
    Arrays.fill(bytes, (byte) 0);
    count = 0;
    distinct = 0;
  }

  /** Adds blocks to the quotient filter's table, if necessary, so that a slot exists. */
  void reach(int slot) {
    int blocks = reader.blocks;
    if (slot >>> 6 >= blocks) {
      int more = Math.max((slot >>> 6) + 1 - blocks, SPARE_BLOCKS + (blocks - shape.baseBlocks()));
      bytes = Arrays.copyOf(bytes, imageBytes(blocks + more, shape));
      reader = TableReader.of(shape, blocks + more);
    }
  }

  /** Returns the offset in bytes of a block of slots in the quotient filter's image. */
  final int at(int block) {
    return PAYLOAD + block * reader.blockBytes;
  }

  /** Returns 64 bits of one kind of metadata of a block of the quotient filter's slots. */
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

  /** Inserts a metadata bit at a slot: moves the bits of {@code [from, to)} up by one. */
  final void insertBit(int field, int from, int to, boolean isSet) {
    BitRuns.moveUp(bytes, PAYLOAD + field, reader.blockBytes, from, to + 1, 1, isSet ? 1 : 0);
  }

  /** Removes the metadata bit of a slot: moves those of {@code (from, to]} down by one. */
  final void removeBit(int field, int from, int to) {
    BitRuns.moveDown(bytes, PAYLOAD + field, reader.blockBytes, from, to + 1, 1);
    clearBit(to, field);
  }

  final long remainder(int slot) {
    return reader.remainder(ByteAccess.ARRAY, bytes, PAYLOAD, slot);
  }

  final void setRemainder(int slot, long remainder) {
    int at = PAYLOAD + reader.remainderAt(slot);
    int shift = reader.remainderShift(slot);
    long others = BitRuns.getLong(bytes, at) & ~(reader.remainderMask << shift);
    BitRuns.putLong(bytes, at, others | remainder << shift);
  }

  /**
   * Reads the metadata and the slot of a fingerprint, so that the processor has them in its cache.
   */
  final int peek(long place) {
    int quotient = (int) (place >>> reader.remainderBits);
    return bytes[at(quotient >>> 6)] + bytes[PAYLOAD + reader.remainderAt(quotient)];
  }

  /**
   * Moves the remainders of the slots {@code [from, to)} up by one slot, which overwrites that of
   * the next slot.
   */
  private void shiftRemaindersUp(int from, int to) {
    int last = to;
    for (int first = to & ~63; first > from; last = first - 1, first -= 64) {
      shiftInBlock(first, last, true);
      setRemainder(first, remainder(first - 1));
    }
    shiftInBlock(from, last, true);
  }

  /**
   * Moves the remainders of the slots {@code (from, to]} down by one slot, which overwrites that of
   * the slot before.
   */
  private void shiftRemaindersDown(int from, int to) {
    int first = from;
    for (int last = from | 63; last < to; first = last + 1, last += 64) {
      shiftInBlock(first, last, false);
      setRemainder(last, remainder(last + 1));
    }
    shiftInBlock(first, to, false);
  }

  /** Moves remainders of a quotient filter up or down by one slot within a block. */
  private void shiftInBlock(int from, int to, boolean isUp) {
    if (from == to) {
      return;
    }
    int bits = reader.remainderBits;
    int base = PAYLOAD + reader.remainderAt(from & ~63);
    int first = (from & 63) * bits;
    int end = ((to & 63) + 1) * bits;
    if (isUp) {
      BitRuns.moveUp(bytes, base, Long.BYTES, first, end, bits, 0);
    } else {
      BitRuns.moveDown(bytes, base, Long.BYTES, first, end, bits);
    }
  }
}
