package io.winnow.flash.bufferhash;

import io.winnow.hash.HashMix;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The part of a super table that is in memory: a hash table of records, which lie one after the
 * other in an array, and are found by open addressing. Slots are in the order of fences, so that
 * the incarnation it becomes is nearly sorted already.
 *
 * <p>An update with a value as long as the old one takes its place, another one leaves the old
 * record behind. Not thread-safe.
 *
 * <p>Cost: an operation touches two cache lines, or three.
 */
final class WriteBuffer {
  private static final double MAX_LOAD = 0.75;

  private final Geometry geometry;

  /** The memory that holds the records. */
  final ByteBuffer records;

  /**
   * Of each record where it begins, plus one, in the low bits; above these as many bits of the
   * key's hash as there is room for, so that few records of other keys are looked at. 0 is free.
   */
  private final int[] table;

  private final int placeBits;
  private final int placeMask;
  private final int mostEntries;
  private int end;

  /** Keys with an entry or the mark of a delete. */
  int entries;

  /** Bytes of the largest record, and what there is room for with it. */
  private int largest;

  private int capacity;

  /** At most so many bytes of records, until it is cleared. */
  private int most = Integer.MAX_VALUE;

  WriteBuffer(Geometry geometry, int mostEntries) {
    this.geometry = geometry;
    this.mostEntries = mostEntries;
    this.records = ByteBuffer.allocate(geometry.bufferBytes()).order(ByteOrder.LITTLE_ENDIAN);
    this.table = new int[tableSize(mostEntries)];
    this.placeBits =
        Integer.SIZE - Integer.numberOfLeadingZeros(geometry.bufferBytes()); // 15 to 29
    this.placeMask = (1 << placeBits) - 1;
    this.capacity = geometry.capacity(0);
  }

  private static int tableSize(int mostEntries) {
    return (int) (mostEntries / MAX_LOAD) + 2;
  }

  static long memoryBytes(Geometry geometry, int mostEntries) {
    return geometry.bufferBytes() + (long) Integer.BYTES * tableSize(mostEntries);
  }

  /** The slot that a key is in, or the free one that it would be in. */
  private int slot(long hash, byte[] key) {
    long mixed = HashMix.mix(hash);
    int tag = tag(mixed);
    int slot = (int) ((geometry.fence(mixed) & 0xFFFF_FFFFL) * table.length >>> 32);
    while (table[slot] != 0 && !isOf(table[slot], tag, hash, key)) {
      slot = slot + 1 == table.length ? 0 : slot + 1;
    }
    return slot;
  }

  /** The last bits: the first ones chose the super table and the slot. */
  private int tag(long mixed) {
    return (int) mixed << placeBits;
  }

  private boolean isOf(int entry, int tag, long hash, byte[] key) {
    return (entry & ~placeMask) == tag && Records.isOf(records, place(entry), hash, key);
  }

  private int place(int entry) {
    return (entry & placeMask) - 1;
  }

  /** The value of a key, {@link Records#DELETED} or {@link Records#NOT_HERE}. */
  byte[] find(long hash, byte[] key) {
    int entry = table[slot(hash, key)];
    return entry == 0 ? Records.NOT_HERE : Records.value(records, place(entry));
  }

  boolean has(long hash, byte[] key) {
    return table[slot(hash, key)] != 0;
  }

  /** Lets it be full early, this one time, with this share of its bytes or one record. */
  void fillUpTo(double share) {
    most = Math.max(geometry.maxRecordBytes(), (int) (share * geometry.bufferBytes()));
  }

  /** Whether there is room for a record of so many bytes. */
  boolean hasRoom(int bytes) {
    return entries < mostEntries
        && end + bytes <= Math.min(most, bytes <= largest ? capacity : geometry.capacity(bytes));
  }

  /** Whether there is, and half of the buffer stays free. */
  boolean hasRoomInHalf(int bytes) {
    return hasRoom(bytes) && isInHalf(entries + 1, end + bytes);
  }

  /** Whether so many entries, of so many bytes, are at most half of what there is room for. */
  boolean isInHalf(int someEntries, int bytes) {
    return someEntries <= mostEntries / 2 && bytes <= capacity / 2;
  }

  /** Whether three quarters of it are filled. */
  boolean isNearlyFull() {
    return entries >= mostEntries / 4 * 3 || end >= Math.min(most, capacity) / 4 * 3;
  }

  /** Puts an entry, or the mark of a delete if the value is null. There is room for it. */
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

  /** Writes where the records begin that count, nearly in the order of their fences. */
  void offsets(int[] into) {
    int n = 0;
    for (int entry : table) {
      if (entry != 0) {
        into[n++] = place(entry);
      }
    }
  }

  void clear() {
    Arrays.fill(table, 0);
    end = 0;
    largest = 0;
    capacity = geometry.capacity(0);
    entries = 0;
    most = Integer.MAX_VALUE;
  }
}
