package io.winnow.flash.bufferhash;

import io.winnow.base.HashMix;
import io.winnow.flash.drive.FlashCounters;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.store.DamagedPageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Reads incarnations (written buffers) on flash in lookups, one page at a time. One lookup at a
 * time uses it: it has memory for a page, and for the incarnations that the lookup must read.
 */
final class PageReader implements Closeable {
  private final Geometry geometry;
  private final PageStore store;
  private final FlashCounters<BufferHashCount> counters;

  /** Buffer with the page of an incarnation that was read last. */
  final PageFrame frame;

  private final Incarnation[] candidates;
  private final int[] ages;
  private int count;

  /** Number of changes of the super table's incarnations when the lookup began. */
  long changes;

  /** Number of incarnations that are newer than the one in which the lookup found the value. */
  int foundAge;

  PageReader(Geometry geometry, PageStore store, FlashCounters<BufferHashCount> counters) {
    this.geometry = geometry;
    this.store = store;
    this.counters = counters;
    this.frame = PageFrames.allocate(1, geometry.pageBytes);
    this.candidates = new Incarnation[geometry.slots];
    this.ages = new int[geometry.slots];
  }

  /**
   * Begins a lookup, to which no incarnation (a written buffer) is added yet.
   *
   * @param changesNow number of changes of the super table so far
   */
  void begin(long changesNow) {
    count = 0;
    changes = changesNow;
  }

  /** Adds an incarnation that the lookup must read, because its filter says "maybe". */
  void add(Incarnation candidate, int age) {
    candidates[count] = candidate;
    ages[count++] = age;
  }

  /**
   * Returns the newest value that the added incarnations have of a key, {@link Records#DELETED}, or
   * {@link Records#NOT_HERE}; null if one of them was evicted meanwhile, so that the lookup must
   * begin again.
   *
   * @throws DamagedPageException if a page that may have the value is damaged
   */
  byte[] find(long hash, byte[] key) throws IOException {
    int fence = geometry.fence(HashMix.mix(hash));
    for (int i = 0; i < count; i++) {
      byte[] value = find(candidates[i], hash, key, fence);
      if (value != Records.NOT_HERE) {
        foundAge = ages[i];
        return value;
      }
    }
    return Records.NOT_HERE;
  }

  /**
   * Returns the value that one incarnation has of a key, {@link Records#DELETED}, {@link
   * Records#NOT_HERE}, or null if it was evicted meanwhile.
   */
  private byte[] find(Incarnation incarnation, long hash, byte[] key, int fence)
      throws IOException {
    if (incarnation.isLost()) {
      if (incarnation.evicted) {
        return null;
      }
      throw store.damaged(incarnation.page(0), "it begins an incarnation whose keys are unknown");
    }
    int page = incarnation.firstPage(fence);
    while (true) {
      if (!read(incarnation, page)) {
        return null;
      }
      counters.count(BufferHashCount.LOOKUP_READS);
      int at = position(hash, key);
      if (at >= 0) {
        return Records.value(frame.bytes, at);
      }
      counters.count(BufferHashCount.FALSE_READS);
      if (!incarnation.goesOn(page, fence)) {
        return Records.NOT_HERE;
      }
      page++;
    }
  }

  /**
   * Reads a page of an incarnation and checks its checksum, place and records.
   *
   * @return false if the incarnation was evicted, so that the page may belong to another one
   */
  boolean read(Incarnation incarnation, int page) throws IOException {
    try {
      store.read(incarnation.page(page), frame);
      check(incarnation, page);
    } catch (IOException e) {
      if (incarnation.evicted) {
        return false; // the page may be half overwritten by the next incarnation
      }
      throw e;
    }
    return !incarnation.evicted;
  }

  /** Reads all pages of an incarnation, and returns the damaged ones. */
  List<DamagedPageException> verify(Incarnation incarnation) throws IOException {
    return PageStore.damaged(0, incarnation.pages(), page -> read(incarnation, (int) page));
  }

  /** Checks that the page that was read last belongs to an incarnation and has whole records. */
  private void check(Incarnation incarnation, int page) throws DamagedPageException {
    if (TablePage.sequence(frame, 0) != incarnation.sequence
        || TablePage.kind(frame, 0) != TablePage.DATA) {
      throw store.damaged(incarnation.page(page), "it belongs to another incarnation");
    }
    if (!hasWholeRecords()) {
      throw store.damaged(incarnation.page(page), "its records do not fit on it");
    }
  }

  /** Returns whether the records of the data page that was read last are complete. */
  boolean hasWholeRecords() {
    int at = TablePage.payload(frame, 0);
    int left = TablePage.number(frame, 0);
    for (; left > 0; left--) {
      int bytes = Records.checkedBytes(frame.bytes, at, frame.pageBytes, geometry);
      if (bytes < 0) {
        return false;
      }
      at += bytes;
    }
    return left == 0;
  }

  /** Returns the position of a key's record on the page that was read last, or -1. */
  private int position(long hash, byte[] key) {
    ByteBuffer bytes = frame.bytes;
    int at = TablePage.payload(frame, 0);
    for (int left = TablePage.number(frame, 0); left > 0; left--) {
      if (Records.isOf(bytes, at, hash, key)) {
        return at;
      }
      at += Records.bytes(bytes, at);
    }
    return -1;
  }

  @Override
  public void close() {
    frame.close();
  }
}
