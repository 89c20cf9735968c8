package io.winnow.flash.bufferhash;

import io.winnow.base.Buffers;
import io.winnow.flash.drive.PageFrame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The index of an incarnation, on the first pages of its slot: schema-critical. The payloads of
 * these pages together are:
 *
 * <pre>
 *    0 super table (4) | 4 slot (4) | 8 reserved, 0 (8)
 *   16 data pages (4) | 20 records (4) | 24 flags (4) | 28 kind of the filter (4)
 *   32 bits of a Bloom filter (8) | 40 its hash functions (4) | 44 bytes of the filter (4)
 *   48 fences: of each data page the first record's (4 each) | the filter
 * </pre>
 */
final class Index {
  private static final int HEADER_BYTES = 48;

  private static final int FLAG_CROSSING = 1;

  final int superTable;
  final int slot;

  /** Number of the last logged operation that is in the index's incarnation or an older one. */
  final long lastOperation;

  final int records;

  /** Is true if records with equal fences (bits of the key's hash) are on two pages somewhere. */
  final boolean crossing;

  /**
   * Fence (bits of the key's hash) of the first record on each data page, with the top bit flipped,
   * so that they sort as signed integers.
   */
  final int[] fences;

  final StoredFilter filter;

  Index(
      int superTable,
      int slot,
      long lastOperation,
      int records,
      boolean crossing,
      int[] fences,
      StoredFilter filter) {
    this.superTable = superTable;
    this.slot = slot;
    this.lastOperation = lastOperation;
    this.records = records;
    this.crossing = crossing;
    this.fences = fences;
    this.filter = filter;
  }

  /** Returns the description of the incarnation (a written buffer) that has this index. */
  Incarnation incarnation(Geometry geometry, long sequence) {
    long firstPage = geometry.firstPage(superTable, slot) + geometry.indexPages;
    return new Incarnation(sequence, firstPage, records, crossing, fences);
  }

  /** Returns the size in bytes of an incarnation's index with its filter. */
  static int bytes(int dataPages, int filterBytes) {
    return HEADER_BYTES + Integer.BYTES * dataPages + filterBytes;
  }

  /**
   * Writes an incarnation's index to the first pages of a frame. The filter is left out if it does
   * not fit.
   */
  void write(PageFrame frame, long sequence, Geometry geometry) {
    int payload = geometry.payloadBytes();
    long room = (long) geometry.indexPages * payload;
    StoredFilter kept =
        bytes(fences.length, filter.bytes.length) <= room ? filter : StoredFilter.NONE;
    ByteBuffer out =
        ByteBuffer.allocate(geometry.indexPages * payload).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(superTable).putInt(slot).putLong(0);
    out.putInt(fences.length).putInt(records);
    out.putInt(crossing ? FLAG_CROSSING : 0).putInt(kept.kind);
    out.putLong(kept.bits).putInt(kept.hashFunctions).putInt(kept.bytes.length);
    for (int fence : fences) {
      out.putInt(fence ^ Integer.MIN_VALUE);
    }
    out.put(kept.bytes);
    for (int page = 0; page < geometry.indexPages; page++) {
      TablePage.writeHead(frame, page, sequence, TablePage.INDEX, page, lastOperation);
      Buffers.slice(frame.bytes, TablePage.payload(frame, page), payload)
          .put(Buffers.slice(out, page * payload, payload));
    }
  }

  /**
   * Reads an incarnation's index from the first pages of a frame, whose checksums and heads are
   * checked already.
   *
   * @return null if it does not fit this geometry
   */
  static Index read(PageFrame frame, Geometry geometry) {
    int payload = geometry.payloadBytes();
    ByteBuffer in =
        ByteBuffer.allocate(geometry.indexPages * payload).order(ByteOrder.LITTLE_ENDIAN);
    for (int page = 0; page < geometry.indexPages; page++) {
      Buffers.slice(in, page * payload, payload)
          .put(Buffers.slice(frame.bytes, TablePage.payload(frame, page), payload));
    }
    int pages = in.getInt(16);
    int records = in.getInt(20);
    int flags = in.getInt(24);
    int filterBytes = in.getInt(44);
    if (pages < 1
        || pages > geometry.dataPages()
        || records < 0
        || filterBytes < 0
        || filterBytes > in.capacity()
        || bytes(pages, filterBytes) > in.capacity()
        || (flags & ~FLAG_CROSSING) != 0) {
      return null;
    }
    int[] fences = new int[pages];
    for (int i = 0; i < pages; i++) {
      fences[i] = in.getInt(HEADER_BYTES + Integer.BYTES * i) ^ Integer.MIN_VALUE;
      if (i > 0 && fences[i] < fences[i - 1]) {
        return null;
      }
    }
    byte[] filter = new byte[filterBytes];
    Buffers.get(in, HEADER_BYTES + Integer.BYTES * pages, filter);
    return new Index(
        in.getInt(0),
        in.getInt(4),
        TablePage.operation(frame, 0),
        records,
        flags == FLAG_CROSSING,
        fences,
        new StoredFilter(in.getInt(28), in.getLong(32), in.getInt(40), filter));
  }
}
