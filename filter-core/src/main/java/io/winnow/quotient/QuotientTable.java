package io.winnow.quotient;

import io.winnow.format.FilterHeader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The slots of a quotient filter that changes, in the very bytes that its image will have: room for
 * the header, then blocks of 64 slots.
 *
 * <p>Slots are numbered from 0; those from {@code shape.slots()} on are nobody's canonical slot and
 * take what runs over the end. More blocks are added there when that is full, which is rare. A free
 * slot's remainder is 0, so that equal contents are equal bytes.
 */
abstract class QuotientTable {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  static final int PAYLOAD = FilterHeader.SIZE_IN_BYTES;

  /** Offset in a block of the occupieds: bit i is 1 if slot i is the quotient of some run. */
  static final int OCCUPIEDS = 0;

  private static final int SPARE_BLOCKS = 2;

  final QuotientShape shape;
  final int remainderBits;
  final int blockBytes;
  private final int metadataBytes;
  private final long remainderMask;
  byte[] bytes;
  int blocks;
  private int count;
  private int changes;

  QuotientTable(QuotientShape shape) {
    this.shape = shape;
    this.remainderBits = shape.remainderBits();
    this.metadataBytes = shape.scheme().metadataBytes();
    this.blockBytes = shape.blockBytes();
    this.remainderMask = (1L << remainderBits) - 1;
    this.blocks = shape.baseBlocks() + SPARE_BLOCKS;
    this.bytes = new byte[imageBytes(blocks)];
  }

  QuotientTable(QuotientTable other) {
    this.shape = other.shape;
    this.remainderBits = other.remainderBits;
    this.metadataBytes = other.metadataBytes;
    this.blockBytes = other.blockBytes;
    this.remainderMask = other.remainderMask;
    this.blocks = other.blocks;
    this.bytes = other.bytes.clone();
    this.count = other.count;
  }

  static QuotientTable of(QuotientShape shape) {
    return switch (shape.scheme()) {
      case RANK_SELECT -> new RankSelectTable(shape);
      case THREE_BIT -> new ThreeBitTable(shape);
    };
  }

  abstract QuotientTable copy();

  /** Whether there is a remainder at this place. */
  abstract boolean contains(long place);

  /** Adds a remainder; does nothing and says so if there is one and one is enough. */
  abstract boolean insert(long place, boolean once);

  /** Takes away one remainder, if there is one. */
  abstract boolean delete(long place);

  /** Sets the metadata of a slot that the writer appends, see {@link TableWriter}. */
  abstract void append(int quotient, int slot, int previousQuotient, int end);

  /** Completes the metadata after the last append. */
  abstract void finish(int lastQuotient, int end);

  int imageBytes(int blockCount) {
    long size = (long) PAYLOAD + (long) blockCount * blockBytes + QuotientShape.PADDING_BYTES;
    if (size > Integer.MAX_VALUE - 8 || blockCount > QuotientLayout.MAX_BLOCKS) {
      throw new IllegalArgumentException(
          "a table of " + blockCount + " blocks and " + size + " bytes, must be below 2 GiB");
    }
    return (int) size;
  }

  /** The size of an image: without table if it is empty, without unused blocks after the slots. */
  int usedImageBytes() {
    if (count == 0) {
      return PAYLOAD;
    }
    int used = blocks;
    while (used > shape.baseBlocks() && isUnused(used - 1)) {
      used--;
    }
    return imageBytes(used);
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

  /** Changes so far, so that who reads on can tell. */
  int changes() {
    return changes;
  }

  void countChange(int difference) {
    count += difference;
    changes++;
  }

  void clear() {
    Arrays.fill(bytes, (byte) 0);
    count = 0;
    changes++;
  }

  /** Sees to it that a slot exists. */
  void reach(int slot) {
    if (slot >>> 6 >= blocks) {
      int more = Math.max((slot >>> 6) + 1 - blocks, SPARE_BLOCKS + (blocks - shape.baseBlocks()));
      bytes = Arrays.copyOf(bytes, imageBytes(blocks + more));
      blocks += more;
    }
  }

  /** Where a block begins. */
  int at(int block) {
    return PAYLOAD + block * blockBytes;
  }

  final long getLong(int offset) {
    return (long) LONG.get(bytes, offset);
  }

  final void putLong(int offset, long value) {
    LONG.set(bytes, offset, value);
  }

  /** The 64 bits of one kind of metadata of a block. */
  final long word(int block, int field) {
    return getLong(PAYLOAD + block * blockBytes + field);
  }

  final void setBit(int slot, int field) {
    int at = at(slot >>> 6) + field;
    putLong(at, getLong(at) | 1L << slot);
  }

  final void clearBit(int slot, int field) {
    int at = at(slot >>> 6) + field;
    putLong(at, getLong(at) & ~(1L << slot));
  }

  final boolean bit(int slot, int field) {
    return (word(slot >>> 6, field) >>> slot & 1) != 0;
  }

  final long remainder(int slot) {
    int bit = (slot & 63) * remainderBits;
    return getLong(at(slot >>> 6) + metadataBytes + (bit >>> 3)) >>> (bit & 7) & remainderMask;
  }

  /**
   * Something of the metadata and of the slot that a place has to do with, to have them in cache.
   */
  final int peek(long place) {
    int quotient = (int) (place >>> remainderBits);
    int at = at(quotient >>> 6);
    return bytes[at] + bytes[at + metadataBytes + ((quotient & 63) * remainderBits >>> 3)];
  }

  final void setRemainder(int slot, long remainder) {
    int bit = (slot & 63) * remainderBits;
    int at = at(slot >>> 6) + metadataBytes + (bit >>> 3);
    long kept = getLong(at) & ~(remainderMask << (bit & 7));
    putLong(at, kept | remainder << (bit & 7));
  }

  /** How many bits of a kind of metadata are 1 in {@code [from, to)}. */
  final int countBits(int field, int from, int to) {
    int block = from >>> 6;
    int last = to >>> 6;
    long word = word(block, field) & -1L << from;
    int sum = 0;
    while (block < last) {
      sum += Long.bitCount(word);
      block++;
      word = word(block, field);
    }
    return sum + Long.bitCount(word & (1L << to) - 1);
  }

  /** Moves the remainders of {@code [from, to)} up by one slot; what {@code to} had is lost. */
  final void shiftRemaindersUp(int from, int to) {
    int block = to >>> 6;
    int last = to & 63;
    for (; block > from >>> 6; block--) {
      shiftUp(at(block) + metadataBytes, 0, last);
      setRemainder(block << 6, remainder((block << 6) - 1));
      last = 63;
    }
    shiftUp(at(block) + metadataBytes, from & 63, last);
  }

  /** Within a block: by words, which a remainder may straddle, from the last to the first. */
  private void shiftUp(int base, int from, int to) {
    if (from == to) {
      return;
    }
    int first = from * remainderBits;
    int end = (to + 1) * remainderBits;
    int at = base + (end - 1 >>> 6) * 8;
    int firstAt = base + (first >>> 6) * 8;
    long above = -1L << (end - 1) << 1; // bits of the last word that are not ours
    long word = getLong(at);
    while (at > firstAt) {
      long below = getLong(at - 8);
      putLong(at, word & above | (word << remainderBits | below >>> -remainderBits) & ~above);
      above = 0;
      word = below;
      at -= 8;
    }
    long kept = above | (1L << first) - 1;
    putLong(at, word & kept | word << remainderBits & ~kept);
  }

  /** Moves the remainders of {@code (from, to]} down by one slot, and frees {@code to}. */
  final void shiftRemaindersDown(int from, int to) {
    int block = from >>> 6;
    int first = from & 63;
    for (; block < to >>> 6; block++) {
      shiftDown(at(block) + metadataBytes, first, 63);
      setRemainder((block << 6) + 63, remainder((block << 6) + 64));
      first = 0;
    }
    shiftDown(at(block) + metadataBytes, first, to & 63);
    setRemainder(to, 0);
  }

  private void shiftDown(int base, int from, int to) {
    if (from == to) {
      return;
    }
    int first = from * remainderBits;
    int end = (to + 1) * remainderBits;
    int at = base + (first >>> 6) * 8;
    int lastAt = base + (end - 1 >>> 6) * 8;
    long below = (1L << first) - 1; // bits of the first word that are not ours
    long word = getLong(at);
    while (at < lastAt) {
      long above = getLong(at + 8);
      putLong(at, word & below | (word >>> remainderBits | above << -remainderBits) & ~below);
      below = 0;
      word = above;
      at += 8;
    }
    long kept = below | -1L << (end - 1) << 1;
    putLong(at, word & kept | word >>> remainderBits & ~kept);
  }

  /** Inserts a metadata bit at {@code from}, moving those of {@code [from, to)} up by one. */
  final void insertBit(int field, int from, int to, boolean bit) {
    int block = to >>> 6;
    long above = -1L << to << 1;
    for (; block > from >>> 6; block--) {
      int at = at(block) + field;
      long word = getLong(at);
      long carry = word(block - 1, field) >>> 63;
      putLong(at, word & above | (word << 1 | carry) & ~above);
      above = 0;
    }
    int at = at(block) + field;
    long word = getLong(at);
    long kept = above | (1L << from) - 1;
    long inserted = bit ? 1L << from : 0;
    putLong(at, word & kept | word << 1 & ~kept & ~(1L << from) | inserted);
  }

  /** Removes the metadata bit at {@code from}, moving those of {@code (from, to]} down by one. */
  final void removeBit(int field, int from, int to) {
    int block = from >>> 6;
    long below = (1L << from) - 1;
    for (; block < to >>> 6; block++) {
      int at = at(block) + field;
      long word = getLong(at);
      long carry = word(block + 1, field) << 63;
      putLong(at, word & below | (word >>> 1 | carry) & ~below);
      below = 0;
    }
    int at = at(block) + field;
    long word = getLong(at);
    long above = -1L << to << 1;
    long kept = below | above;
    // The bit above `to` must not come down into it.
    putLong(at, word & kept | (word & ~above) >>> 1 & ~kept);
  }
}
