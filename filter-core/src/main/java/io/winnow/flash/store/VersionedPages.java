package io.winnow.flash.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * Pages of a store, of which it is known how often each was written, at least: two bytes a page, in
 * memory and on pages of their own behind them. A page that a drive says it wrote, and did not, has
 * an older version and is known by it: it counts as damaged.
 *
 * <p>On flash are the versions as of the last {@link #makeSafe}. Pages that were written since have
 * newer ones. So a page is as it should be if its version is not older than the one that is known.
 * Versions go round after 2^16: a version is newer if it is less than 2^15 ahead.
 *
 * <p>There are two copies of all versions, which say with which round of writes they came. The
 * owner's head knows the last round, so it is known too if the drive has lost a write of a copy. If
 * neither copy of a page of versions is as it should be, the pages that it speaks of are in doubt
 * for ever: they count as damaged. An owner may have one copy, without rounds, as older formats do;
 * then pages of which nothing is known are believed.
 *
 * <p>Schema-critical. Pages may be read and written by many threads, each page by one at a time;
 * they are made safe by one.
 */
public final class VersionedPages {
  /** Bytes of memory for each page. */
  public static final int BYTES_PER_PAGE = Short.BYTES;

  private final PageStore store;
  private final long firstPage;
  private final long firstVersionPage;
  private final int perPage;

  /** How many there are of each page of versions. */
  private final int copies;

  /** The last round that was safe when the pages were opened. */
  private final long round;

  /** The last one of which all was written. */
  private long writtenRound;

  /** The last one that was begun. */
  private long newestRound;

  private final short[] least;

  /** The pages of versions that are not on flash as they are here. Guarded by itself. */
  private final BitSet changed = new BitSet();

  /** Of which pages of versions no copy could be read. */
  private final boolean[] unknown;

  /** The copy to be written next: one that is not whole, if there is such a one. */
  private int nextCopy;

  private IOException failedFsync;

  private VersionedPages(PageStore store, long firstPage, long pages, int copies, long round) {
    this.store = store;
    this.firstPage = firstPage;
    this.firstVersionPage = firstPage + pages;
    this.perPage = perPage(store.pageBytes(), copies);
    this.copies = copies;
    this.round = round;
    this.writtenRound = round;
    this.newestRound = round;
    this.least = new short[Math.toIntExact(pages)];
    this.unknown = new boolean[(least.length + perPage - 1) / perPage];
  }

  private static int perPage(int pageBytes, int copies) {
    int payload = pageBytes - PageStore.HEADER_BYTES;
    return (copies > 1 ? payload - Long.BYTES : payload) / Short.BYTES;
  }

  /**
   * How many pages so many pages and their versions take. New ones are zeros, and of round 0.
   *
   * @param copies of the versions: 2, or 1 of an older format
   */
  public static long withVersions(int pageBytes, long pages, int copies) {
    int each = perPage(pageBytes, copies);
    return pages + copies * ((pages + each - 1) / each);
  }

  /**
   * The pages of a store from one on, and their versions behind them, which are read.
   *
   * @param round the last one that {@link #makeSafe} gave and the owner knows of
   */
  public static VersionedPages open(
      PageStore store, long firstPage, long pages, int copies, long round) throws IOException {
    VersionedPages opened = new VersionedPages(store, firstPage, pages, copies, round);
    try (PageFrame frame = PageFrames.allocate(1, store.pageBytes())) {
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

  /** The number in the store of a copy of a page of versions. */
  private long place(int versionPage, int copy) {
    return firstVersionPage + (long) copy * unknown.length + versionPage;
  }

  /** Takes in a copy if it is of a newer round than that one; its round, or -1 if it is lost. */
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
      for (int page = from; page < Math.min(least.length, from + perPage); page++) {
        least[page] = frame.bytes().getShort(at);
        at += Short.BYTES;
      }
    }
    return of;
  }

  /** Where the first version is. */
  private int firstAt(PageFrame frame) {
    return frame.payloadOffset(0) + (copies == 1 ? 0 : Long.BYTES);
  }

  /** The round of a page of versions; 0 if there are none. */
  private long round(PageFrame frame) {
    return copies == 1 ? 0 : frame.bytes().getLong(frame.payloadOffset(0));
  }

  // ---- Pages ----

  /**
   * Reads adjacent pages to the frame's begin, in one request; or one page of versions.
   *
   * @param page the number of the first one in the store
   * @throws DamagedPageException if a checksum does not match, or a page is an older version, or
   *     nobody knows whether it is
   */
  public void read(long page, int count, PageFrame into) throws IOException {
    store.read(page, count, into);
    if (page < firstVersionPage) {
      for (int i = 0; i < count; i++) {
        check(page + i, into.version(i));
      }
    } else if (round(into) < round) {
      throw new DamagedPageException(
          store.name(), page, "it is an older page of versions, since a write of it was lost");
    }
  }

  /**
   * Reads adjacent pages that are to be changed and written. A damaged one gets all bits.
   *
   * @return whether one was damaged, and must be written even if nothing else changes
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
   * Gives a damaged page all bits, which is the i-th of a frame as it was read: nobody knows what
   * it had, and so it denies no key. If it was written after the last sync and before a crash, only
   * its header says how often. The next version is newer than that one, which may come back.
   */
  public void setAllBits(long page, PageFrame frame, int i) {
    int known = (int) (page - firstPage);
    if ((short) (frame.version(i) - least[known]) > 0) {
      is(known, (short) frame.version(i));
    }
    frame.fill(i, PageStore.HEADER_BYTES, -1);
  }

  /**
   * Reads all pages, those of versions too.
   *
   * @param pagesRead is told how many more were read, now and then
   * @return those that cannot be used
   */
  public List<Damage> verify(LongConsumer pagesRead) throws IOException {
    List<Damage> found = new ArrayList<>();
    try (PageFrame frame = PageFrames.allocate(1, store.pageBytes())) {
      for (long page = firstPage; page < store.pages(); page++) {
        try {
          read(page, 1, frame);
        } catch (DamagedPageException e) {
          found.add(Damage.of(e.file(), page, e));
        }
        pagesRead.accept(1);
      }
    }
    return found;
  }

  private void check(long page, int version) throws DamagedPageException {
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

  private void is(int i, short version) {
    least[i] = version;
    synchronized (changed) {
      changed.set(i / perPage);
    }
  }

  /** Writes the first {@code count} pages of a frame, in one request, each as a newer version. */
  public void write(long page, int count, PageFrame from) throws IOException {
    int first = (int) (page - firstPage);
    for (int i = 0; i < count; i++) {
      from.setVersion(i, least[first + i] + 1 & 0xFFFF);
    }
    store.write(page, count, from);
    for (int i = 0; i < count; i++) {
      is(first + i, (short) from.version(i));
    }
  }

  // ---- Versions ----

  /**
   * Makes all pages safe, and then writes their versions. One copy of these is whole and safe at
   * each moment; the last one is when the owner makes its head safe, with this round. If an fsync
   * fails, all later calls fail: see {@link #failedFsync}.
   *
   * @return the round of the versions; that of the last time if none has changed
   */
  public long makeSafe() throws IOException {
    Map<Integer, short[]> versions = takeChanged();
    try {
      force();
      if (!versions.isEmpty()) {
        newestRound++;
        write(versions, nextCopy);
        if (copies > 1) {
          force();
          nextCopy = 1 - nextCopy;
          write(versions, nextCopy);
        }
        writtenRound = newestRound;
      }
      return writtenRound;
    } catch (IOException | RuntimeException | Error e) {
      synchronized (changed) {
        versions.keySet().forEach(changed::set); // they are taken again
      }
      throw e;
    }
  }

  /**
   * The pages of versions that changed since the last time, as they are now; or all, if there are
   * rounds and one has changed. Those in doubt stay as they are on flash, and so in doubt.
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
          taken.put(i, Arrays.copyOfRange(least, from, Math.min(from + perPage, least.length)));
        }
      }
      changed.clear();
    }
    return taken;
  }

  private void write(Map<Integer, short[]> versions, int copy) throws IOException {
    try (PageFrame frame = PageFrames.allocate(1, store.pageBytes())) {
      for (Map.Entry<Integer, short[]> page : versions.entrySet()) {
        frame.fill(0, 0, 0);
        if (copies > 1) {
          frame.bytes().putLong(frame.payloadOffset(0), newestRound);
        }
        int at = firstAt(frame);
        for (short version : page.getValue()) {
          frame.bytes().putShort(at, version);
          at += Short.BYTES;
        }
        store.write(place(page.getKey(), copy), 1, frame);
      }
    }
  }

  private void force() throws IOException {
    try {
      store.force();
    } catch (IOException e) {
      failedFsync = failedFsync == null ? e : failedFsync;
      throw e;
    }
  }

  /** The first fsync that failed, or null: the drive may have lost what was written before it. */
  public IOException failedFsync() {
    return failedFsync;
  }
}
