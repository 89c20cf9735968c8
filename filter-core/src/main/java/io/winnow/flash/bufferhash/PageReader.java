package io.winnow.flash.bufferhash;

import io.winnow.flash.store.Damage;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.FlashCounters;
import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.PageFrames;
import io.winnow.flash.store.PageStore;
import io.winnow.hash.HashMix;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks into incarnations, one page at a time. It is used by one lookup after the other: memory for
 * a page, and for the incarnations that a lookup has to ask.
 */
final class PageReader implements Closeable {
  private final Geometry geometry;
  private final PageStore store;
  private final FlashCounters<BufferHashCount> counters;

  /** The page that was read last. */
  final PageFrame frame;

  private final Incarnation[] candidates;
  private final int[] ages;
  private int count;

  /** How often the super table had changed when the lookup began. */
  long changes;

  /** How many incarnations are newer than the one that had the value. */
  int foundAge;

  PageReader(Geometry geometry, PageStore store, FlashCounters<BufferHashCount> counters) {
    this.geometry = geometry;
    this.store = store;
    this.counters = counters;
    this.frame = PageFrames.allocate(1, geometry.pageBytes);
    this.candidates = new Incarnation[geometry.slots];
    this.ages = new int[geometry.slots];
  }

  /** Begins a lookup, while the super table has changed so often. */
  void begin(long changesNow) {
    count = 0;
    changes = changesNow;
  }

  void add(Incarnation candidate, int age) {
    candidates[count] = candidate;
    ages[count++] = age;
  }

  /**
   * The newest value that the candidates have of a key, {@link Records#DELETED}, or {@link
   * Records#NOT_HERE}; null if one of them was evicted meanwhile, and the lookup has to begin anew.
   *
   * @throws DamagedPageException if a page is damaged that may have it
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

  private byte[] find(Incarnation incarnation, long hash, byte[] key, int fence)
      throws IOException {
    if (incarnation.isLost()) {
      if (incarnation.evicted) {
        return null;
      }
      throw new DamagedPageException(
          store.name(), incarnation.page(0), "it begins an incarnation whose keys are not known");
    }
    int page = incarnation.firstPage(fence);
    while (true) {
      if (!read(incarnation, page)) {
        return null;
      }
      counters.count(BufferHashCount.LOOKUP_READS);
      int at = position(hash, key);
      if (at >= 0) {
        return Records.value(frame.bytes(), at);
      }
      counters.count(BufferHashCount.FALSE_READS);
      if (!incarnation.goesOn(page, fence)) {
        return Records.NOT_HERE;
      }
      page++;
    }
  }

  /**
   * Reads a page of an incarnation and checks all of it.
   *
   * @return false if it was evicted, and the page may be another one's
   */
  boolean read(Incarnation incarnation, int page) throws IOException {
    try {
      store.read(incarnation.page(page), frame);
      check(incarnation, page);
    } catch (IOException e) {
      if (incarnation.evicted) {
        return false; // what was met may be half of the next one
      }
      throw e;
    }
    return !incarnation.evicted;
  }

  /** Finds the damaged pages of an incarnation. */
  List<Damage> verify(Incarnation incarnation) throws IOException {
    List<Damage> found = new ArrayList<>();
    for (int page = 0; page < incarnation.pages(); page++) {
      try {
        read(incarnation, page);
      } catch (DamagedPageException e) {
        found.add(Damage.of(e.file(), incarnation.page(page), e));
      }
    }
    return found;
  }

  private void check(Incarnation incarnation, int page) throws DamagedPageException {
    if (TablePage.sequence(frame, 0) != incarnation.sequence
        || TablePage.kind(frame, 0) != TablePage.DATA) {
      throw new DamagedPageException(
          store.name(), incarnation.page(page), "it is a page of another incarnation");
    }
    if (!hasWholeRecords()) {
      throw new DamagedPageException(
          store.name(), incarnation.page(page), "its records do not fit on it");
    }
  }

  /** Whether the records of the data page that was read last are as they should be. */
  boolean hasWholeRecords() {
    int at = TablePage.payload(frame, 0);
    int left = TablePage.number(frame, 0);
    for (; left > 0; left--) {
      int bytes = Records.checkedBytes(frame.bytes(), at, frame.pageBytes(), geometry);
      if (bytes < 0) {
        return false;
      }
      at += bytes;
    }
    return left == 0;
  }

  private int position(long hash, byte[] key) {
    ByteBuffer bytes = frame.bytes();
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
