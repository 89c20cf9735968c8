package io.winnow.flash.bufferhash;

import io.winnow.base.HashMix;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The buffer of a super table in memory: a hash table of records, which are stored one after the
 * other in an array and found by open addressing. Its slots are in the order of fences, so that the
 * records are nearly sorted when they become an incarnation.
 *
 * <p>An update with a value of the same length overwrites the old one; any other update leaves the
 * old record unused. Not thread-safe.
 *
 * <p>Cost: an operation touches two or three cache lines.
 */
final class WriteBuffer {
  private static final double MAX_LOAD = 0.75;

  private final Geometry geometry;

  /** Memory with the records of the buffer, one after the other. */
  final ByteBuffer records;

  /**
   * Slots of the hash table: the place of each record plus one, in the low bits, and as many bits
   * of the key's hash as fit above them, so that few records of other keys are compared. 0 is a
   * free slot.
   */
  private final int[] table;

  private final int placeBits;
  private final int placeMask;
  private final int maxEntries;
  private int end;

  /** Number of keys of which the buffer has an entry or a delete. */
  int entries;

  /** Size in bytes of the largest record in the buffer. */
  private int largest;

  /**
   * Number of bytes of records that certainly fit on the data pages if the largest record has its
   * present size.
   */
  private int capacity;

  /** Maximum of bytes of records in the buffer until it is cleared. */
  private int maxBytes = Integer.MAX_VALUE;

  /** Allocates an empty buffer of a super table. */
  WriteBuffer(Geometry geometry, int maxEntries) {
    this.geometry = geometry;
    this.maxEntries = maxEntries;
    this.records = ByteBuffer.allocate(geometry.bufferBytes()).order(ByteOrder.LITTLE_ENDIAN);
    this.table = new int[tableSize(maxEntries)];
    this.placeBits =
        Integer.SIZE - Integer.numberOfLeadingZeros(geometry.bufferBytes()); // 15 to 29
    this.placeMask = (1 << placeBits) - 1;
    this.capacity = geometry.capacity(0);
  }

  /** Returns the number of slots of a buffer's hash table for this many entries. */
  private static int tableSize(int maxEntries) {
    return (int) (maxEntries / MAX_LOAD) + 2;
  }

  /** Returns the bytes of memory that a buffer of a super table takes. */
  static long memoryBytes(Geometry geometry, int maxEntries) {
    return geometry.bufferBytes() + (long) Integer.BYTES * tableSize(maxEntries);
  }

  /** Returns the slot of the hash table that has a key, or the free one where it belongs. */
  private int slot(long hash, byte[] key) {
    long mixed = HashMix.mix(hash);
    int tag = tag(mixed);
    int slot = (int) ((geometry.fence(mixed) & 0xFFFF_FFFFL) * table.length >>> 32);
    while (table[slot] != 0 && !isOf(table[slot], tag, hash, key)) {
      slot = slot + 1 == table.length ? 0 : slot + 1;
    }
    return slot;
  }

  /**
   * Returns the last bits of a mixed hash, shifted to their place in a slot of the hash table. The
   * first bits have chosen the super table and the slot.
   */
  private int tag(long mixed) {
    return (int) mixed << placeBits;
  }

  /** Returns whether the record that a slot of the hash table refers to has a key. */
  private boolean isOf(int entry, int tag, long hash, byte[] key) {
    return (entry & ~placeMask) == tag && Records.isOf(records, place(entry), hash, key);
  }

  /** Returns the place of the record that a slot of the hash table refers to. */
  private int place(int entry) {
    return (entry & placeMask) - 1;
  }

  /**
   * Returns the value of a key in the buffer, {@link Records#DELETED} or {@link Records#NOT_HERE}.
   */
  byte[] find(long hash, byte[] key) {
    int entry = table[slot(hash, key)];
    return entry == 0 ? Records.NOT_HERE : Records.value(records, place(entry));
  }

  /** Returns whether the buffer has an entry or a delete of a key. */
  boolean has(long hash, byte[] key) {
    return table[slot(hash, key)] != 0;
  }

  /**
   * Reduces the room of the super table's buffer until it is cleared, to this fraction of its
   * bytes, but at least one record.
   */
  void fillUpTo(double share) {
    maxBytes = Math.max(geometry.maxRecordBytes(), (int) (share * geometry.bufferBytes()));
  }

  /** Returns whether the buffer has room for a record of a given size in bytes. */
  boolean hasRoom(int bytes) {
    return entries < maxEntries
        && end + bytes
            <= Math.min(maxBytes, bytes <= largest ? capacity : geometry.capacity(bytes));
  }

  /** Returns whether the buffer has room for a record while half of it stays free. */
  boolean hasRoomInHalf(int bytes) {
    return hasRoom(bytes) && isInHalf(entries + 1, end + bytes);
  }

  /** Returns whether a number of entries and bytes is at most half of the buffer's room. */
  boolean isInHalf(int someEntries, int bytes) {
    return someEntries <= maxEntries / 2 && bytes <= capacity / 2;
  }

  /** Returns whether three quarters of the super table's buffer are filled. */
  boolean isNearlyFull() {
    return entries >= maxEntries / 4 * 3 || end >= Math.min(maxBytes, capacity) / 4 * 3;
  }

  /** Stores an entry in the buffer, or a delete if the value is null. There must be room for it. */
  void put(long hash, byte[] key, byte[] value) {
    int slot = slot(hash, key);
    int entry = table[slot];
    if (entry != 0 && Records.overwriteValue(records, place(entry), value)) {
      return;
    }
    int bytes = Records.bytes(key, value);
    Records.put(records, end, hash, key, value);
    entries += entry == 0 ? 1 : 0;
    table[slot] = tag(HashMix.mix(hash)) | end + 1;
    end += bytes;
    if (bytes > largest) {
      largest = bytes;
      capacity = geometry.capacity(bytes);
    }
  }

  /**
   * Writes the places of all valid records of the buffer to an array, nearly in the order of their
   * fences (bits of the key's hash).
   */
  void offsets(int[] into) {
    int n = 0;
    for (int entry : table) {
      if (entry != 0) {
        into[n++] = place(entry);
      }
    }
  }

  /** Removes all records from the buffer. */
  void clear() {
    Arrays.fill(table, 0);
    end = 0;
    largest = 0;
    capacity = geometry.capacity(0);
    entries = 0;
    maxBytes = Integer.MAX_VALUE;
  }
}
