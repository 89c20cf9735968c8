package io.winnow.flash.buffered;

import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.PageFrames;
import io.winnow.flash.store.PageStore;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;

/**
 * How often each page of the groups was written, at least: two bytes a page, in memory and on pages
 * of their own. A page that a drive says it wrote, and did not, has an older version and is known
 * by it.
 *
 * <p>On flash are the versions as of the last sync. Pages that were written since have newer ones.
 * So a page is as it should be if its version is not older than the one that is known. Versions go
 * round after 2^16: a version is newer if it is less than 2^15 ahead.
 *
 * <p>There are two copies of all versions, which say with which round of writes they came. The head
 * knows the last round, so it is known too if the drive has lost a write of a copy. If neither copy
 * of a page of versions is as it should be, the pages that it speaks of are in doubt for ever. In a
 * filter of format version 2 there is one copy, and pages of which nothing is known are believed.
 *
 * <p>What belongs to a group is guarded by its block's monitor.
 */
final class PageVersions {
  /** What memory has of each page. */
  static final int BYTES_PER_PAGE = Short.BYTES;

  private final PageStore store;
  private final long firstPage;
  private final long firstVersionPage;
  private final int perPage;

  /** How many there are of each page of versions. */
  final int copies;

  /** The last round that was safe when the filter was opened. */
  private final long round;

  /** The last one that was begun; by one thread at a time. */
  private long newestRound;

  private final short[] least;

  /** The pages of versions that are not on flash as they are here. Guarded by itself. */
  private final BitSet changed = new BitSet();

  /** Of which pages of versions no copy could be read when the filter was opened. */
  private final boolean[] unknown;

  private PageVersions(PageStore store, BufferedBloomHead.Content head, long firstPage) {
    BufferedBloomSizing sizing = head.sizing;
    this.store = store;
    this.firstPage = firstPage;
    this.firstVersionPage = firstPage + sizing.pages();
    this.perPage = perPage(head);
    this.copies = copies(head);
    this.round = head.round;
    this.newestRound = head.round;
    this.least = new short[Math.toIntExact(sizing.pages())];
    this.unknown = new boolean[(least.length + perPage - 1) / perPage];
  }

  private static int copies(BufferedBloomHead.Content head) {
    return head.hasRounds() ? 2 : 1;
  }

  private static int perPage(BufferedBloomHead.Content head) {
    int payload = head.sizing.pageBytes() - PageStore.HEADER_BYTES;
    return (head.hasRounds() ? payload - Long.BYTES : payload) / Short.BYTES;
  }

  /** Pages of versions that a filter has, after those of its groups. */
  static long pages(BufferedBloomHead.Content head) {
    int each = perPage(head);
    return copies(head) * ((head.sizing.pages() + each - 1) / each);
  }

  /** Reads the versions of a filter whose first group begins at this page. */
  static PageVersions open(PageStore store, BufferedBloomHead.Content head, long firstPage)
      throws IOException {
    PageVersions versions = new PageVersions(store, head, firstPage);
    try (PageFrame frame = PageFrames.allocate(1, head.sizing.pageBytes())) {
      for (int i = 0; i < versions.unknown.length; i++) {
        long newest = -1;
        for (int copy = 0; copy < versions.copies; copy++) {
          newest = Math.max(newest, versions.load(i, copy, newest, frame));
        }
        versions.unknown[i] = newest < 0;
        versions.newestRound = Math.max(versions.newestRound, newest);
      }
    }
    return versions;
  }

  /** The number in the store of a copy of a page of versions. */
  private long place(int versionPage, int copy) {
    return firstVersionPage + (long) copy * unknown.length + versionPage;
  }

  /** Takes in a copy if it is of a newer round than that one; the round, or -1 if it is not. */
  private long load(int versionPage, int copy, long than, PageFrame frame) throws IOException {
    long of;
    try {
      long page = place(versionPage, copy);
      store.read(page, frame);
      of = checkedRound(page, frame);
    } catch (DamagedPageException e) {
      return -1;
    }
    if (of <= than) {
      return -1;
    }
    int from = versionPage * perPage;
    int at = firstAt(frame);
    for (int page = from; page < Math.min(least.length, from + perPage); page++) {
      least[page] = frame.bytes().getShort(at);
      at += Short.BYTES;
    }
    return of;
  }

  /** Where the first version is. */
  private int firstAt(PageFrame frame) {
    return frame.payloadOffset(0) + (copies == 1 ? 0 : Long.BYTES);
  }

  /**
   * The round of a page of versions that was read; 0 if there are none.
   *
   * @param page its number in the store
   * @throws DamagedPageException if it is older than the last one that was safe
   */
  long checkedRound(long page, PageFrame frame) throws DamagedPageException {
    long of = copies == 1 ? 0 : frame.bytes().getLong(frame.payloadOffset(0));
    if (of < round) {
      throw new DamagedPageException(
          store.name(), page, "it is an older page of versions, since a write of it was lost");
    }
    return of;
  }

  /**
   * Takes note of a page that was read.
   *
   * @param page its number in the store
   * @throws DamagedPageException if it is an older version, or nobody knows whether it is
   */
  void check(long page, int version) throws DamagedPageException {
    int i = (int) (page - firstPage);
    if (isInDoubt(i / perPage)) {
      throw new DamagedPageException(
          store.name(), page, "it may be an older version: neither copy of its version is left");
    }
    short ahead = (short) (version - least[i]);
    if (ahead < 0 && !unknown[i / perPage]) {
      throw new DamagedPageException(
          store.name(), page, "it is an older version, since a write of it was lost");
    }
    if (ahead > 0) {
      is(i, (short) version);
    }
  }

  private boolean isInDoubt(int versionPage) {
    return copies > 1 && unknown[versionPage];
  }

  /** The version with which a page is to be written next. */
  int next(long page) {
    return least[(int) (page - firstPage)] + 1 & 0xFFFF;
  }

  /** A page was written. */
  void written(long page, int version) {
    is((int) (page - firstPage), (short) version);
  }

  private void is(int i, short version) {
    least[i] = version;
    synchronized (changed) {
      changed.set(i / perPage);
    }
  }

  /**
   * The pages of versions that changed since the last time, as they are now; or all, if there are
   * rounds and one has changed. Those in doubt stay as they are on flash, and so in doubt.
   */
  Map<Integer, short[]> takeChanged() {
    Map<Integer, short[]> taken = new TreeMap<>();
    synchronized (changed) {
      if (copies > 1 && !changed.isEmpty()) {
        changed.set(0, unknown.length);
      }
      for (int i = changed.nextSetBit(0); i >= 0; i = changed.nextSetBit(i + 1)) {
        if (!isInDoubt(i)) {
          int from = i * perPage;
          taken.put(i, Arrays.copyOfRange(least, from, Math.min(from + perPage, least.length)));
        }
      }
      changed.clear();
    }
    return taken;
  }

  /** A round that no page has yet. */
  long nextRound() {
    return ++newestRound;
  }

  /**
   * Writes a copy of what was taken, once the pages that it speaks of and the copy before it are
   * safe.
   *
   * @param ofRound as {@link #nextRound} gave it
   */
  void write(Map<Integer, short[]> taken, int copy, long ofRound) throws IOException {
    try (PageFrame frame = PageFrames.allocate(1, store.pageBytes())) {
      for (Map.Entry<Integer, short[]> page : taken.entrySet()) {
        frame.fill(0, 0, 0);
        if (copies > 1) {
          frame.bytes().putLong(frame.payloadOffset(0), ofRound);
        }
        int at = firstAt(frame);
        for (short version : page.getValue()) {
          frame.bytes().putShort(at, version);
          at += Short.BYTES;
        }
        store.write(place(page.getKey(), copy), 1, frame);
      }
    } catch (IOException | RuntimeException | Error e) {
      putBack(taken);
      throw e;
    }
  }

  /** What was taken is not on flash: it is taken again. */
  void putBack(Map<Integer, short[]> taken) {
    synchronized (changed) {
      taken.keySet().forEach(changed::set);
    }
  }
}
