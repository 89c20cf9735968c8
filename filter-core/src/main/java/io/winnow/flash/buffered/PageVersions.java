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
 * So a page is as it should be if its version is not older than what is known; versions go round
 * after 2^16, and what is less than half of that ahead is newer. If a page of versions is damaged,
 * nothing is known of the pages that it speaks of, until they are read or written.
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
  private final short[] least;

  /** The pages of versions that are not on flash as they are here. Guarded by itself. */
  private final BitSet changed = new BitSet();

  /** Of which pages nothing is known yet. Guarded as {@link #least} is. */
  private final boolean[] unknown;

  private PageVersions(PageStore store, BufferedBloomSizing sizing, long firstPage) {
    this.store = store;
    this.firstPage = firstPage;
    this.firstVersionPage = firstPage + sizing.pages();
    this.perPage = perPage(sizing.pageBytes());
    this.least = new short[Math.toIntExact(sizing.pages())];
    this.unknown = new boolean[(least.length + perPage - 1) / perPage];
  }

  private static int perPage(int pageBytes) {
    return (pageBytes - PageStore.HEADER_BYTES) / Short.BYTES;
  }

  /** Pages of versions that a filter has, after those of its groups. */
  static long pages(BufferedBloomSizing sizing) {
    int each = perPage(sizing.pageBytes());
    return (sizing.pages() + each - 1) / each;
  }

  /** Reads the versions of a filter whose first group begins at this page. */
  static PageVersions open(PageStore store, BufferedBloomSizing sizing, long firstPage)
      throws IOException {
    PageVersions versions = new PageVersions(store, sizing, firstPage);
    try (PageFrame frame = PageFrames.allocate(1, sizing.pageBytes())) {
      for (int i = 0; i < versions.unknown.length; i++) {
        try {
          store.read(versions.firstVersionPage + i, frame);
          versions.load(i, frame);
        } catch (DamagedPageException e) {
          versions.unknown[i] = true;
        }
      }
    }
    return versions;
  }

  private void load(int versionPage, PageFrame frame) {
    int from = versionPage * perPage;
    int at = frame.payloadOffset(0);
    for (int page = from; page < Math.min(least.length, from + perPage); page++) {
      least[page] = frame.bytes().getShort(at);
      at += Short.BYTES;
    }
  }

  /**
   * Takes note of a page that was read.
   *
   * @param page its number in the store
   * @throws DamagedPageException if it is an older version
   */
  void check(long page, int version) throws DamagedPageException {
    int i = (int) (page - firstPage);
    short ahead = (short) (version - least[i]);
    if (ahead < 0 && !unknown[i / perPage]) {
      throw new DamagedPageException(
          store.name(), page, "it is an older version, since a write of it was lost");
    }
    if (ahead > 0) {
      is(i, (short) version);
    }
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

  /** The pages of versions that changed since the last time, as they are now. */
  Map<Integer, short[]> takeChanged() {
    Map<Integer, short[]> taken = new TreeMap<>();
    synchronized (changed) {
      for (int i = changed.nextSetBit(0); i >= 0; i = changed.nextSetBit(i + 1)) {
        int from = i * perPage;
        taken.put(i, Arrays.copyOfRange(least, from, Math.min(from + perPage, least.length)));
      }
      changed.clear();
    }
    return taken;
  }

  /** Writes what was taken, once the pages that it speaks of are safe. */
  void write(Map<Integer, short[]> taken) throws IOException {
    if (taken.isEmpty()) {
      return;
    }
    try (PageFrame frame = PageFrames.allocate(1, store.pageBytes())) {
      for (Map.Entry<Integer, short[]> page : taken.entrySet()) {
        frame.fill(0, 0, 0);
        int at = frame.payloadOffset(0);
        for (short version : page.getValue()) {
          frame.bytes().putShort(at, version);
          at += Short.BYTES;
        }
        store.write(firstVersionPage + page.getKey(), 1, frame);
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
