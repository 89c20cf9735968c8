package io.winnow.quotient;

import io.winnow.bits.ByteAccess;

/**
 * Finds runs and remainders in the blocks of a table, wherever its bytes lie: what probes, changes
 * and reading in order have in common. Most probes read a block's metadata and one or two
 * remainders: one or two adjacent cache lines.
 *
 * <p>Whatever the bytes are, every method ends and reads inside of the table. Slots are numbered
 * from 0; {@link #end()} stands for "no such slot". A probe that gets there was led by bytes that
 * contradict themselves, and answers {@code true}. The arguments {@code access, image, payload} are
 * where the first block is. Immutable and thread-safe.
 *
 * <p>Java takes the count of a shift modulo 64: {@code 1L << slot} is a slot's bit in the words of
 * its block, {@code -1L << slot} has that bit and those above, {@code (1L << slot) - 1} those
 * below.
 */
abstract class TableReader {
  /** Offset in a block of the occupieds: bit i is 1 if slot i is the quotient of some run. */
  static final int OCCUPIEDS = 0;

  private static final long EACH_BYTE = 0x0101_0101_0101_0101L;
  private static final long TOP_OF_EACH = 0x8080_8080_8080_8080L;

  /** A run that is gone through slot by slot. */
  private static final int SHORT_RUN = 16;

  final QuotientShape shape;
  final int blocks;
  final int blockBytes;
  final int remainderBits;
  final long remainderMask;
  private final int metadataBytes;

  TableReader(QuotientShape shape, int blocks) {
    this.shape = shape;
    this.blocks = blocks;
    this.blockBytes = shape.blockBytes();
    this.remainderBits = shape.remainderBits();
    this.remainderMask = (1L << remainderBits) - 1;
    this.metadataBytes = shape.scheme().metadataBytes();
  }

  static TableReader of(QuotientShape shape, int blocks) {
    return shape.scheme() == QuotientScheme.RANK_SELECT
        ? new RankSelectReader(shape, blocks)
        : new ThreeBitReader(shape, blocks);
  }

  /** Whether there is a remainder at this place. */
  abstract <T> boolean contains(ByteAccess<T> access, T image, int payload, long place);

  /** Where the run of a quotient starts, or would start. */
  abstract <T> int runStart(ByteAccess<T> access, T image, int payload, int quotient);

  /** The last slot of the run that starts in this one. */
  abstract <T> int runEnd(ByteAccess<T> access, T image, int payload, int start);

  /** The slots of a block by which the scheme counts runs: each run has one, see the schemes. */
  abstract <T> long marks(ByteAccess<T> access, T image, int payload, int block);

  /** The slots of a block in which a run ends, if there is a run in them. */
  <T> long ends(ByteAccess<T> access, T image, int payload, int block) {
    return marks(access, image, payload, block);
  }

  /** Whether a block says rightly where the runs of quotients before it end, if it says so. */
  <T> boolean isReached(ByteAccess<T> access, T image, int payload, int block, int runsBefore) {
    return true;
  }

  /** Whether a block's metadata says what was read in it, and nothing else. */
  abstract <T> boolean isSound(ByteAccess<T> access, T image, int payload, BlockSeen seen);

  /** What was read in a block, as bits of its slots. */
  static final class BlockSeen {
    int block = -1;

    /** The slots that have a remainder. */
    long filled;

    /** Those of them that start a run. */
    long heads;

    /** Those heads that are in the slot of their quotient. */
    long anchors;

    void goToNext() {
      block++;
      filled = 0;
      heads = 0;
      anchors = 0;
    }
  }

  /** The slot after the last one: no slot. */
  final int end() {
    return blocks << 6;
  }

  /** The 64 bits of one kind of metadata of a block. */
  final <T> long word(ByteAccess<T> access, T image, int payload, int block, int field) {
    return access.getLong(image, payload + block * blockBytes + field);
  }

  final <T> long remainder(ByteAccess<T> access, T image, int payload, int slot) {
    int at = payload + (slot >>> 6) * blockBytes + metadataBytes;
    return remainderIn(access, image, at, slot & 63);
  }

  /** The remainder of one of the 64 slots whose remainders begin at {@code at}. */
  final <T> long remainderIn(ByteAccess<T> access, T image, int at, int slot) {
    return remainderBitsAt(access, image, at, slot) & remainderMask;
  }

  /** As {@link #remainderIn}, and above it those of the slots after: 57 bits at least. */
  final <T> long remainderBitsAt(ByteAccess<T> access, T image, int at, int slot) {
    int bit = slot * remainderBits;
    return access.getLong(image, at + (bit >>> 3)) >>> (bit & 7);
  }

  /** The byte in which a slot's remainder begins, from the first block on. */
  final int remainderAt(int slot) {
    return (slot >>> 6) * blockBytes + metadataBytes + ((slot & 63) * remainderBits >>> 3);
  }

  /** The bit of that byte, 0 to 7: with 56 bits at most it ends in the 64 from there. */
  final int remainderShift(int slot) {
    return slot * remainderBits & 7; // a block has whole bytes of them
  }

  /**
   * The first slot of a run with this remainder; if none, {@code ~slot} of where it belongs. A run
   * is in order, so a long one is halved until little is left of it.
   */
  final <T> int search(
      ByteAccess<T> access, T image, int payload, int start, int last, long remainder) {
    int low = start;
    for (int high = last; high - low > SHORT_RUN; ) {
      int middle = (low + high) >>> 1;
      if (remainder(access, image, payload, middle) < remainder) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    for (int slot = low; slot <= last; slot++) {
      long other = remainder(access, image, payload, slot);
      if (other >= remainder) {
        return other == remainder ? slot : ~slot;
      }
    }
    return ~(last + 1);
  }

  /** The {@code number}-th marked slot, counted from 1, among those from {@code from} on. */
  final <T> int mark(ByteAccess<T> access, T image, int payload, int from, int number) {
    int left = number;
    long mask = -1L << from;
    for (int block = from >>> 6; block < blocks; block++) {
      long marks = marks(access, image, payload, block) & mask;
      int here = Long.bitCount(marks);
      if (left <= here) {
        return (block << 6) + select(marks, left);
      }
      left -= here;
      mask = -1;
    }
    return end();
  }

  /** {@link #contains} for any run of an occupied quotient, in whichever blocks it is. */
  final <T> boolean containsFar(ByteAccess<T> access, T image, int payload, long place) {
    int start = runStart(access, image, payload, (int) (place >>> remainderBits));
    int last = start < end() ? runEnd(access, image, payload, start) : end();
    return last == end() || search(access, image, payload, start, last, place & remainderMask) >= 0;
  }

  /**
   * The position of the {@code number}-th 1, counted from 1; 64 if there are fewer. Finds its byte
   * and then the bit, each by sums of all bytes at once, without a branch that nobody can predict:
   * Vigna, "Broadword Implementation of Rank/Select Queries" (2008), section 3.
   */
  static int select(long word, int number) {
    long sums = word - (word >>> 1 & 0x5555_5555_5555_5555L);
    sums = (sums & 0x3333_3333_3333_3333L) + (sums >>> 2 & 0x3333_3333_3333_3333L);
    sums = (sums + (sums >>> 4) & 0x0F0F_0F0F_0F0F_0F0FL) * EACH_BYTE; // in byte i of bytes 0 to i
    long before = number - 1L; // 1s before the one that is looked for, 0 to 63
    int byteBit = Byte.SIZE * bytesUpTo(before, sums);
    if (byteBit == Long.SIZE) {
      return Long.SIZE;
    }
    before -= sums << Byte.SIZE >>> byteBit & 0xFF;
    long bits = (word >>> byteBit & 0xFF) * EACH_BYTE & 0x8040_2010_0804_0201L; // one in each byte
    long ones = ((bits | TOP_OF_EACH) - EACH_BYTE | bits) & TOP_OF_EACH;
    return byteBit + bytesUpTo(before, (ones >>> 7) * EACH_BYTE);
  }

  /** How many of eight ascending bytes, 64 at most, are no more than this number, 63 at most. */
  private static int bytesUpTo(long number, long bytes) {
    return Long.bitCount((number * EACH_BYTE | TOP_OF_EACH) - bytes & TOP_OF_EACH);
  }
}
