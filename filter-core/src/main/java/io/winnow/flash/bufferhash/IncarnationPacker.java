package io.winnow.flash.bufferhash;

import io.winnow.base.HashMix;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Builds the pages of an incarnation from a buffer: the records sorted by fence (bits of the key's
 * hash), page after page, and the index before them. Not thread-safe.
 */
final class IncarnationPacker implements Closeable {
  /**
   * Maximum of moves per number on average in a sort by insertion; with more, another sort is
   * faster.
   */
  private static final int MOVES = 32;

  private final Geometry geometry;

  /**
   * Pages of the incarnation (a written buffer) that was packed last, from the slot's first page
   * on.
   */
  final PageFrame frame;

  private final long[] order;
  private final long[] hashes;
  private final int[] offsets;

  /** Number of pages of the incarnation (a written buffer) that was packed last. */
  int pages;

  /** Allocates the memory to pack buffers of at most a given number of entries. */
  IncarnationPacker(Geometry geometry, int maxEntries) {
    this.geometry = geometry;
    this.order = new long[maxEntries];
    this.hashes = new long[maxEntries];
    this.offsets = new int[maxEntries];
    this.frame = PageFrames.allocate(geometry.slotPages(), geometry.pageBytes);
  }

  /** Packs the frozen buffer of a super table into pages, and builds its filter. */
  Index pack(SuperTable superTable, long sequence) {
    WriteBuffer buffer = superTable.frozen;
    int slot = superTable.nextSlot();
    long lastOperation = superTable.frozenOperation;
    int count = buffer.entries;
    sort(buffer, count);
    int[] fences = new int[geometry.dataPages()];
    boolean crossing = false;
    int dataPages = 0;
    int records = 0;
    int at = 0;
    int end = 0;
    int before = 0;
    for (int i = 0; i < count; i++) {
      int from = (int) order[i];
      int bytes = Records.bytes(buffer.records, from);
      int fence = (int) (order[i] >> 32);
      if (bytes > end - at) {
        finishPage(dataPages, sequence, lastOperation, records, at);
        int page = geometry.indexPages + dataPages;
        at = TablePage.payload(frame, page);
        end = (page + 1) * frame.pageBytes;
        crossing |= i > 0 && fence == before;
        fences[dataPages++] = fence;
        records = 0;
      }
      Records.copy(buffer.records, from, frame.bytes, at, bytes);
      hashes[i] = Records.hash(buffer.records, from);
      at += bytes;
      records++;
      before = fence;
    }
    finishPage(dataPages, sequence, lastOperation, records, at);
    StoredFilter filter = superTable.filters.build(slot, hashes, count);
    Index index =
        new Index(
            superTable.number,
            slot,
            lastOperation,
            count,
            crossing,
            Arrays.copyOf(fences, dataPages),
            filter);
    index.write(frame, sequence, geometry);
    pages = geometry.indexPages + dataPages;
    return index;
  }

  /**
   * Sorts a buffer's records by fence (bits of the key's hash), as a signed integer with its top
   * bit flipped, and by place in the buffer.
   */
  private void sort(WriteBuffer buffer, int count) {
    buffer.offsets(offsets);
    ByteBuffer records = buffer.records;
    for (int i = 0; i < count; i++) {
      int fence = geometry.fence(HashMix.mix(Records.hash(records, offsets[i])));
      order[i] = (long) (fence ^ Integer.MIN_VALUE) << 32 | offsets[i];
    }
    sortNearlySorted(order, count);
  }

  /**
   * Sorts numbers that are nearly sorted, as the records of a buffer are: a few moves per number
   * are enough.
   */
  static void sortNearlySorted(long[] numbers, int count) {
    long movesLeft = MOVES * (long) count;
    for (int i = 1; i < count && movesLeft >= 0; i++) {
      long number = numbers[i];
      int at = i;
      for (; at > 0 && numbers[at - 1] > number; at--) {
        numbers[at] = numbers[at - 1];
      }
      numbers[at] = number;
      movesLeft -= i - at;
    }
    if (movesLeft < 0) {
      Arrays.sort(numbers, 0, count);
    }
  }

  /** Completes a data page of an incarnation: writes its header, and zeros after its records. */
  private void finishPage(int dataPages, long sequence, long lastOperation, int records, int at) {
    if (dataPages > 0) {
      int page = geometry.indexPages + dataPages - 1;
      TablePage.writeHead(frame, page, sequence, TablePage.DATA, records, lastOperation);
      frame.fill(page, at - page * frame.pageBytes, 0);
    }
  }

  @Override
  public void close() {
    frame.close();
  }
}
