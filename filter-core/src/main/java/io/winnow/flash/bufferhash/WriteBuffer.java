package io.winnow.flash.bufferhash;

import io.winnow.hash.HashMix;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The part of a super table that is in memory: a hash table of records, which lie one after the
 * other in an array, and are found by open addressing.
 *
 * <p>An update with a value as long as the old one takes its place, another one leaves the old
 * record behind. Not thread-safe.
 *
 * <p>Cost: an operation touches two cache lines, or three.
 */
final class WriteBuffer {
  private static final double MAX_LOAD = 0.75;

  private final Geometry geometry;
  private final ByteBuffer records;
  private final int[] table; // where a record begins, plus one; 0 is free
  private final int mostEntries;
  private int end;
  private int largest;
  private int entries;

  WriteBuffer(Geometry geometry, int mostEntries) {
    this.geometry = geometry;
    this.mostEntries = mostEntries;
    this.records = ByteBuffer.allocate(recordBytes(geometry)).order(ByteOrder.LITTLE_ENDIAN);
    this.table = new int[tableSize(mostEntries)];
  }

  private static int recordBytes(Geometry geometry) {
    return geometry.dataPages() * geometry.payloadBytes();
  }

  private static int tableSize(int mostEntries) {
    return (int) (mostEntries / MAX_LOAD) + 2;
  }

  static long memoryBytes(Geometry geometry, int mostEntries) {
    return recordBytes(geometry) + (long) Integer.BYTES * tableSize(mostEntries);
  }

  /** The slot that a key is in, or the free one that it would be in. */
  private int slot(long hash, byte[] key) {
    // the first bits chose the super table; the product of low ones and the size spreads the rest
    int slot = (int) ((HashMix.mix(hash) & 0xFFFF_FFFFL) * table.length >>> 32);
    while (table[slot] != 0 && !Records.isOf(records, table[slot] - 1, hash, key)) {
      slot = slot + 1 == table.length ? 0 : slot + 1;
    }
    return slot;
  }

  /** The value of a key, {@link Records#DELETED} or {@link Records#NOT_HERE}. */
  byte[] find(long hash, byte[] key) {
    int slot = slot(hash, key);
    return table[slot] == 0 ? Records.NOT_HERE : Records.value(records, table[slot] - 1);
  }

  boolean has(long hash, byte[] key) {
    return table[slot(hash, key)] != 0;
  }

  /** Whether there is room for a record of so many bytes. */
  boolean hasRoom(int bytes) {
    return entries < mostEntries && end + bytes <= geometry.capacity(Math.max(largest, bytes));
  }

  /** Whether there is, and half of the buffer stays free. */
  boolean hasRoomInHalf(int bytes) {
    return hasRoom(bytes) && isInHalf(entries + 1, end + bytes);
  }

  /** Whether so many entries, of so many bytes, are at most half of what there is room for. */
  boolean isInHalf(int someEntries, int bytes) {
    return someEntries <= mostEntries / 2 && bytes <= geometry.capacity(largest) / 2;
  }

  /** Puts an entry, or the mark of a delete if the value is null. There is room for it. */
  void put(long hash, byte[] key, byte[] value) {
    int slot = slot(hash, key);
    if (table[slot] != 0
        && value != null
        && Records.hasValueOf(records, table[slot] - 1, value.length)) {
      Records.overwriteValue(records, table[slot] - 1, value);
      return;
    }
    int bytes = Records.bytes(key, value);
    Records.put(records, end, hash, key, value);
    entries += table[slot] == 0 ? 1 : 0;
    table[slot] = end + 1;
    end += bytes;
    largest = Math.max(largest, bytes);
  }

  /** Keys with an entry or the mark of a delete. */
  int entries() {
    return entries;
  }

  boolean isEmpty() {
    return entries == 0;
  }

  /** What the records are in. */
  ByteBuffer records() {
    return records;
  }

  /** Writes where the records begin that count, in any order. */
  void offsets(int[] into) {
    int n = 0;
    for (int entry : table) {
      if (entry != 0) {
        into[n++] = entry - 1;
      }
    }
  }

  void clear() {
    Arrays.fill(table, 0);
    end = 0;
    largest = 0;
    entries = 0;
  }
}
