package io.winnow.flash.drive;

import io.winnow.flash.store.DamagedPageException;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * Pages of a file with version numbers, by which lost writes are found. The minimum version of each
 * page is known: two bytes per page, in memory and in separate pages after them. If a drive reports
 * a write as done but loses it, the page has an older version and counts as damaged.
 *
 * <p>Flash has the versions as of the last {@link #sync}. Pages that were written later have newer
 * ones. So a page is valid if its version is not older than the known one. Versions wrap around
 * after 2^16: a version is newer if it is less than 2^15 ahead.
 *
 * <p>There are two copies of all versions, with the number of the round in which they were written.
 * The head of the structure has the number of the last round, so a lost write of a copy is found
 * too. If neither copy of a page of versions is valid, the pages that it describes are in doubt for
 * ever: they count as damaged. In older formats there is one copy without rounds; pages without a
 * known version are accepted then.
 *
 * <p>Schema-critical. Several threads may read and write pages, but each page only one thread at a
 * time; one thread at a time syncs.
 */
public final class VersionedPages {
  /** Bytes of memory for the version number of each page. */
  public static final int BYTES_PER_PAGE = Short.BYTES;

  private final PageStore store;
  private final long firstPage;
  private final long firstVersionPage;
  private final int perPage;

  /** Number of copies of each page of version numbers. */
  private final int copies;

  /**
   * Number of the last complete round of writes of all version numbers when the pages were opened.
   */
  private final long round;

  /** Number of the last round of writes of version numbers that is complete. */
  private long writtenRound;

  /** Number of the last round of writes of version numbers that was begun. */
  private long newestRound;

  /** Minimum of the version number of each page. */
  private final short[] minVersions;

  /** Pages of version numbers that differ from those on flash. Guarded by its own monitor. */
  private final BitSet changed = new BitSet();

  /** Flags of the pages of version numbers of which no copy could be read. */
  private final boolean[] unknown;

  /**
   * Number, 0 or 1, of the copy of the version numbers that is written next: one that could not be
   * read, if there is any.
   */
  private int nextCopy;

  private VersionedPages(PageStore store, long firstPage, long pages, int copies, long round) {
    this.store = store;
    this.firstPage = firstPage;
    this.firstVersionPage = firstPage + pages;
    this.perPage = perPage(store.pageBytes, copies);
    this.copies = copies;
    this.round = round;
    this.writtenRound = round;
    this.newestRound = round;
    this.minVersions = new short[Math.toIntExact(pages)];
    this.unknown = new boolean[(minVersions.length + perPage - 1) / perPage];
  }

  /** Returns the number of version numbers that fit into a page. */
  private static int perPage(int pageBytes, int copies) {
    int payload = pageBytes - PageStore.HEADER_BYTES;
    return (copies > 1 ? payload - Long.BYTES : payload) / Short.BYTES;
  }

  /**
   * Returns the number of pages that a given number of pages take together with their version
   * numbers. In a new file they are zeros, and of round 0.
   *
   * @param copies copies of the versions: 2, or 1 in older formats
   */
  public static long withVersions(int pageBytes, long pages, int copies) {
    int each = perPage(pageBytes, copies);
    return pages + copies * ((pages + each - 1) / each);
  }

  /**
   * Opens the pages of a store from {@code firstPage} on, and reads their version numbers, which
   * follow them.
   *
   * @param copies copies of the versions: 2, or 1 in older formats
   * @param round the last result of {@link #sync} that the structure has recorded
   */
  public static VersionedPages open(
      PageStore store, long firstPage, long pages, int copies, long round) throws IOException {
    long expected = firstPage + withVersions(store.pageBytes, pages, copies);
    if (store.pages() != expected) {
      String reason = "it has " + store.pages() + " pages, must have " + expected;
      throw HeadPair.refused(store.name(), reason, null);
    }
    VersionedPages opened = new VersionedPages(store, firstPage, pages, copies, round);
    try (PageFrame frame = PageFrames.allocate(1, store.pageBytes)) {
      for (int i = 0; i < opened.unknown.length; i++) {
        long first = opened.load(i, 0, -1, frame);
        long second = copies > 1 ? opened.load(i, 1, first, frame) : -1;
        long newest = Math.max(first, second);
        opened.unknown[i] = newest < 0;
        if (copies > 1 && first < 0 != second < 0) {
          opened.nextCopy = first < 0 ? 0 : 1;
        }
        opened.newestRound = Math.max(opened.newestRound, newest);
      }
    }
    return opened;
  }

  /** Returns the page number in the store of a copy of a page of version numbers. */
  private long place(int versionPage, int copy) {
    return firstVersionPage + (long) copy * unknown.length + versionPage;
  }

  /**
   * Reads a copy of a page of version numbers, and uses it if its round is newer than a given one.
   *
   * @return its round, or -1 if it is damaged
   */
  private long load(int versionPage, int copy, long than, PageFrame frame) throws IOException {
    try {
      read(place(versionPage, copy), 1, frame);
    } catch (DamagedPageException e) {
      return -1;
    }
    long of = round(frame);
    if (of > than) {
      int from = versionPage * perPage;
      int at = firstAt(frame);
      for (int page = from; page < Math.min(minVersions.length, from + perPage); page++) {
        minVersions[page] = frame.bytes.getShort(at);
        at += Short.BYTES;
      }
    }
    return of;
  }

  /** Returns the offset of the first version number in a page of them. */
  private int firstAt(PageFrame frame) {
    return frame.payloadOffset(0) + (copies == 1 ? 0 : Long.BYTES);
  }

  /**
   * Returns the round in which a page of version numbers was written, or 0 in formats without
   * rounds.
   */
  private long round(PageFrame frame) {
    return copies == 1 ? 0 : frame.bytes.getLong(frame.payloadOffset(0));
  }

  // ---- Pages ----

  /**
   * Reads adjacent pages to the start of a frame, in one request; or one page of version numbers.
   *
   * @param page number of the first one in the store
   * @throws DamagedPageException if a checksum does not match, a page has an older version, or its
   *     version is in doubt
   */
  public void read(long page, int count, PageFrame into) throws IOException {
    store.read(page, count, into);
    if (page < firstVersionPage) {
      for (int i = 0; i < count; i++) {
        check(page + i, into.version(i));
      }
    } else if (round(into) < round) {
      throw store.damaged(page, "it is an older page of versions, since a write of it was lost");
    }
  }

  /**
   * Reads adjacent pages that will be changed and written, and sets all bits in damaged ones.
   *
   * @return whether a page was damaged, so that they must be written even if nothing else changes
   */
  public boolean readToChange(long page, int count, PageFrame into) throws IOException {
    try {
      read(page, count, into);
      return false;
    } catch (DamagedPageException one) {
      for (int i = 0; i < count; i++) {
        try {
          read(page + i, 1, into.view(i, 1));
        } catch (DamagedPageException e) {
          setAllBits(page + i, into, i);
        }
      }
      return true;
    }
  }

  /**
   * Sets all bits of the i-th page of a frame (page buffer), which was read and is damaged. Its
   * former bits are unknown; with all bits set it rules out no key. If it was written after the
   * last sync and before a crash, only its header has its version. The next version will be newer
   * than that one, which may reappear.
   */
  public void setAllBits(long page, PageFrame frame, int i) {
    int known = (int) (page - firstPage);
    if ((short) (frame.version(i) - minVersions[known]) > 0) {
      recordVersion(known, (short) frame.version(i));
    }
    frame.fill(i, PageStore.HEADER_BYTES, -1);
  }

  /**
   * Reads and checks all pages, including those of version numbers.
   *
   * @param pagesRead receives the number of pages read since the last call
   * @return the damaged ones
   */
  public List<DamagedPageException> verify(LongConsumer pagesRead) throws IOException {
    try (PageFrame frame = PageFrames.allocate(1, store.pageBytes)) {
      return PageStore.damaged(
          firstPage,
          store.pages(),
          page -> {
            pagesRead.accept(1);
            read(page, 1, frame);
          });
    }
  }

  /** Checks the version number of a page that was read, and records a newer one. */
  private void check(long page, int version) throws DamagedPageException {
    int i = (int) (page - firstPage);
    if (isInDoubt(i / perPage)) {
      throw store.damaged(page, "it may be an older version: neither copy of its version is left");
    }
    short ahead = (short) (version - minVersions[i]);
    if (ahead < 0 && !unknown[i / perPage]) {
      throw store.damaged(page, "it is an older version, since a write of it was lost");
    }
    if (ahead > 0) {
      recordVersion(i, (short) version);
    }
  }

  /**
   * Returns whether a page of version numbers is lost, so that the pages that it is about may be
   * outdated.
   */
  private boolean isInDoubt(int versionPage) {
    return copies > 1 && unknown[versionPage];
  }

  /** Records the version number of a page. */
  private void recordVersion(int i, short version) {
    minVersions[i] = version;
    synchronized (changed) {
      changed.set(i / perPage);
    }
  }

  /**
   * Writes the first {@code count} pages of a frame, in one request, each with the next version
   * number.
   */
  public void write(long page, int count, PageFrame from) throws IOException {
    int first = (int) (page - firstPage);
    for (int i = 0; i < count; i++) {
      from.setVersion(i, minVersions[first + i] + 1 & 0xFFFF);
    }
    store.write(page, count, from);
    for (int i = 0; i < count; i++) {
      recordVersion(first + i, (short) from.version(i));
    }
  }

  // ---- Versions ----

  /**
   * Syncs all pages, and then writes their version numbers. At each moment one copy of the versions
   * is whole and synced; the other one is synced with the head in which the structure records this
   * round. After a failed fsync all later calls fail.
   *
   * @return the round of the versions; that of the last call if none has changed
   */
  public long sync() throws IOException {
    Map<Integer, short[]> versions = takeChanged();
    try {
      store.force();
      if (!versions.isEmpty()) {
        newestRound++;
        write(versions, nextCopy);
        if (copies > 1) {
          store.force();
          nextCopy = 1 - nextCopy;
          write(versions, nextCopy);
        }
        writtenRound = newestRound;
      }
      return writtenRound;
    } catch (IOException | RuntimeException | Error e) {
      synchronized (changed) {
        versions.keySet().forEach(changed::set); // the next call writes them again
      }
      throw e;
    }
  }

  /**
   * Returns the pages of version numbers that changed since the last call; or all of them, if there
   * are rounds and one has changed. Pages in doubt are left out: they stay as they are on flash,
   * and in doubt.
   */
  private Map<Integer, short[]> takeChanged() {
    Map<Integer, short[]> taken = new TreeMap<>();
    synchronized (changed) {
      if (copies > 1 && !changed.isEmpty()) {
        changed.set(0, unknown.length);
      }
      for (int i = changed.nextSetBit(0); i >= 0; i = changed.nextSetBit(i + 1)) {
        if (!isInDoubt(i)) {
          int from = i * perPage;
          taken.put(
              i,
              Arrays.copyOfRange(minVersions, from, Math.min(from + perPage, minVersions.length)));
        }
      }
      changed.clear();
    }
    return taken;
  }

  private void write(Map<Integer, short[]> versions, int copy) throws IOException {
    try (PageFrame frame = PageFrames.allocate(1, store.pageBytes)) {
      for (Map.Entry<Integer, short[]> page : versions.entrySet()) {
        frame.fill(0, 0, 0);
        if (copies > 1) {
          frame.bytes.putLong(frame.payloadOffset(0), newestRound);
        }
        int at = firstAt(frame);
        for (short version : page.getValue()) {
          frame.bytes.putShort(at, version);
          at += Short.BYTES;
        }
        store.write(place(page.getKey(), copy), 1, frame);
      }
    }
  }
}
