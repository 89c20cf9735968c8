package io.winnow.quotient;

import io.winnow.ByteAccess;

/**
 * Finds runs and remainders in the blocks of a quotient filter's table, in any kind of memory: the
 * common part of probes, changes and reading in order. Most probes read a block's metadata and one
 * or two remainders: one or two adjacent cache lines.
 *
 * <p>With any bytes, every method ends and reads only inside of the table. Slots are numbered from
 * 0; {@link #end()} stands for "no such slot". A probe that gets there was misled by bytes that
 * contradict themselves, and returns {@code true}. The arguments {@code access, image, payload}
 * locate the first block. Immutable and thread-safe.
 *
 * <p>Java takes the count of a shift modulo 64: {@code 1L << slot} is a slot's bit in the words of
 * its block, {@code -1L << slot} has that bit and those above, {@code (1L << slot) - 1} those
 * below.
 */
abstract class TableReader {
  /**
   * Offset in bytes of the occupieds in a block of slots: bit i is 1 if slot i is the quotient of
   * some run.
   */
  static final int OCCUPIEDS = 0;

  private static final long EACH_BYTE = 0x0101_0101_0101_0101L;
  private static final long TOP_OF_EACH = 0x8080_8080_8080_8080L;

  /** Maximum of slots of a quotient's run that are searched one by one. */
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
    this.metadataBytes = shape.scheme().metadataBytes;
  }

  /** Returns the reader of a quotient filter's table. */
  static TableReader of(QuotientShape shape, int blocks) {
    return shape.scheme() == QuotientScheme.RANK_SELECT
        ? new RankSelectReader(shape, blocks)
        : new ThreeBitReader(shape, blocks);
  }

  /**
   * Returns whether a quotient filter's table has a remainder at a place (quotient and remainder).
   */
  abstract <T> boolean contains(ByteAccess<T> access, T image, int payload, long place);

  /** Returns the slot at which the run of a quotient starts, or would start. */
  abstract <T> int runStart(ByteAccess<T> access, T image, int payload, int quotient);

  /** Returns the last slot of the quotient's run that starts in slot {@code start}. */
  abstract <T> int runEnd(ByteAccess<T> access, T image, int payload, int start);

  /**
   * Returns those bits of a block of slots by which the scheme counts runs, one for each run of a
   * quotient.
   */
  abstract <T> long marks(ByteAccess<T> access, T image, int payload, int block);

  /** Returns the slots of a block in which a quotient's run ends, as one bit per slot. */
  <T> long ends(ByteAccess<T> access, T image, int payload, int block) {
    return marks(access, image, payload, block);
  }

  /**
   * Returns whether the offset of a block of slots, if the scheme has one, matches the end of the
   * runs before the block.
   */
  <T> boolean isReached(ByteAccess<T> access, T image, int payload, int block, int runsBefore) {
    return true;
  }

  /** Returns whether the metadata of a block of slots match the slots that were read. */
  abstract <T> boolean isSound(ByteAccess<T> access, T image, int payload, BlockSeen seen);

  /**
   * Masks of those slots in one block of a quotient filter that were read so far: which of them are
   * filled, and which begin a run.
   */
  static final class BlockSeen {
    int block = -1;

    /** Mask with a bit for each slot of the block that has a remainder. */
    long filled;

    /** Mask with a bit for each slot of the block that starts a quotient's run. */
    long heads;

    /**
     * Mask with a bit for each slot of the block that starts the run of the quotient with the
     * slot's own number.
     */
    long anchors;

    /** Advances to the next block of slots, of which nothing is read yet. */
    void goToNext() {
      block++;
      filled = 0;
      heads = 0;
      anchors = 0;
    }
  }

  /** Returns the number after that of a quotient filter's last slot, which stands for no slot. */
  final int end() {
    return blocks << 6;
  }

  /** Returns 64 bits of one kind of metadata of a block of a quotient filter's slots. */
  final <T> long word(ByteAccess<T> access, T image, int payload, int block, int field) {
    return access.getLong(image, payload + block * blockBytes + field);
  }

  /** Returns the remainder in a slot of a quotient filter. */
  final <T> long remainder(ByteAccess<T> access, T image, int payload, int slot) {
    int at = payload + (slot >>> 6) * blockBytes + metadataBytes;
    return remainderIn(access, image, at, slot & 63);
  }

  /**
   * Returns the remainder in one of the 64 slots of a quotient filter's block, from the offset of
   * the block's remainders.
   */
  final <T> long remainderIn(ByteAccess<T> access, T image, int at, int slot) {
    return remainderBitsAt(access, image, at, slot) & remainderMask;
  }

  /** Returns a slot's remainder, and above it those of the following slots: at least 57 bits. */
  final <T> long remainderBitsAt(ByteAccess<T> access, T image, int at, int slot) {
    int bit = slot * remainderBits;
    return access.getLong(image, at + (bit >>> 3)) >>> (bit & 7);
  }

  /**
   * Returns the offset, in bytes from the quotient filter's first block on, at which a slot's
   * remainder begins.
   */
  final int remainderAt(int slot) {
    return (slot >>> 6) * blockBytes + metadataBytes + ((slot & 63) * remainderBits >>> 3);
  }

  /**
   * Returns the bit, 0 to 7, at which a slot's remainder begins in its first byte. With at most 56
   * bits the remainder ends within the 64 bits from that byte.
   */
  final int remainderShift(int slot) {
    return slot * remainderBits & 7; // the remainders of a block fill whole bytes
  }

  /**
   * Returns the first slot of a quotient's run that has a given remainder, or the complement
   * ({@code ~}) of the slot where it belongs. A run is sorted, so a long one is searched by halving
   * it.
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

  /**
   * Counts the runs of a quotient filter from a slot on, by the bit that the scheme sets for each
   * run, and returns the slot of the run with a given number, from 1; {@link #end()} if there are
   * fewer.
   */
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

  /**
   * Returns whether the run of a quotient, which exists and may extend over several blocks, has a
   * remainder.
   */
  final <T> boolean containsFar(ByteAccess<T> access, T image, int payload, long place) {
    int start = runStart(access, image, payload, (int) (place >>> remainderBits));
    int last = start < end() ? runEnd(access, image, payload, start) : end();
    return last == end() || search(access, image, payload, start, last, place & remainderMask) >= 0;
  }

  /**
   * Returns the position of a 1 bit in a word by its number among the 1 bits, counted from 1, or 64
   * if there are fewer. It finds the byte and then the bit, each by sums of all bytes at once,
   * without an unpredictable branch: Vigna, "Broadword Implementation of Rank/Select Queries"
   * (2008), section 3.
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

  /**
   * Returns the number of those of eight ascending bytes, at most 64 each, that are not above a
   * given number, at most 63.
   */
  private static int bytesUpTo(long number, long bytes) {
    return Long.bitCount((number * EACH_BYTE | TOP_OF_EACH) - bytes & TOP_OF_EACH);
  }
}
