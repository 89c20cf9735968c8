package io.winnow.flash.bufferhash;

import io.winnow.FilterFormatException;
import io.winnow.flash.drive.FlashDirectory;
import io.winnow.flash.drive.FlashFile;
import io.winnow.flash.drive.HeadPair;
import io.winnow.flash.drive.IoCounters;
import io.winnow.flash.drive.Opening;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.drive.TextFile;
import io.winnow.flash.store.DamagedPageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The file of a BufferHash's incarnations, and its mark pages, which say which incarnations are
 * durable.
 *
 * <p>The first two pages are marks, which are written in turn after each fsync, so that one of them
 * is whole after any crash. A mark has the sequence up to which all incarnations are durable, and
 * the first log that is still needed. A mark itself need not be durable: with an older one, an
 * opening reads more.
 *
 * <p>The pages after them have data for which a mark has no room: the newest incarnations of super
 * tables that it does not name, and the lengths of all logs of a closed table. They may be damaged
 * or old, and then have less information.
 */
final class TableFile implements Closeable {
  static final String NAME = "table";
  static final String TEMPORARY_NAME = TextFile.temporary(NAME);

  /** Advice to the user in messages about damaged files of a BufferHash. */
  static final String REMEDY =
      "put the whole directory back from a copy and put all later entries again, or create a"
          + " new one";

  /** Maximum of super tables that a mark page names because their next slot may be overwritten. */
  static final int MAX_OVERWRITTEN = 256;

  /** Maximum of super tables whose newest incarnation a mark page names. */
  static final int MAX_NEWEST = 192;

  /**
   * Number of later incarnations after which a super table's newest one is recorded on a separate
   * page: some fsyncs before a mark page has no room for it.
   */
  private static final int RECORDED_AFTER = 128;

  /**
   * Number of the page with the lengths of a closed BufferHash's logs: each log's number and
   * length, the last log first.
   */
  private static final int CLOSED_LOGS_PAGE = 2;

  /**
   * Number of the first page with the newest sequence number of each super table, in the order of
   * the super tables.
   */
  private static final int ALL_NEWEST_PAGE = 3;

  private static final int LOG_COUNT = PageStore.HEADER_BYTES;
  private static final int LOGS = LOG_COUNT + 8;

  final PageStore store;
  private final Geometry geometry;
  final HeadPair<Mark> marks;

  /** Lengths in bytes of the BufferHash's logs when it was closed, by their numbers. */
  final SortedMap<Long, Long> closedLogs = new TreeMap<>();

  /**
   * Minimum of the newest incarnation's sequence number, for each super table; 0 if it is unknown.
   */
  final long[] newest;

  /**
   * Highest sequence number on each page of newest sequence numbers when it was last written, or 0
   * if it was not since the opening.
   */
  private final long[] recorded;

  /**
   * Content of a mark page, which says which incarnations of a BufferHash are durable. Its creator
   * sets the fields; {@link #markOpened} and {@link #markClosed} change some fields of the last
   * one.
   */
  static final class Mark {
    /** Sequence number up to which all incarnations (written buffers) are durable. */
    long safe;

    /** Number of the first log with operations that may be in no incarnation. */
    long firstLog = 1;

    /** Number of the last log if the BufferHash was closed, otherwise 0. */
    long closedLog;

    /** Length in bytes of the last log when the BufferHash was closed. */
    long closedBytes;

    /**
     * Super tables whose next slot for an incarnation may be overwritten; the slots of all others
     * are unchanged.
     */
    Set<Integer> overwritten = new TreeSet<>();

    /**
     * Sequence numbers of the newest incarnations (written buffers) of the super tables that were
     * written last.
     */
    Map<Integer, Long> newest = new LinkedHashMap<>();

    /** Writes this content into the payload of a mark page. */
    private void put(ByteBuffer page) {
      page.putLong(safe).putLong(firstLog);
      page.position(HeadPair.SECOND);
      page.putLong(closedLog).putLong(closedBytes);
      page.putInt(overwritten.size()).putInt(newest.size());
      overwritten.forEach(page::putInt);
      newest.forEach((superTable, sequence) -> page.putInt(superTable).putLong(sequence));
    }
  }

  private TableFile(FlashDirectory directory, String name, Geometry geometry, boolean direct)
      throws IOException {
    this.store =
        directory.openPages(name, geometry.pageBytes, geometry.id, direct, new IoCounters());
    this.geometry = geometry;
    this.newest = new long[geometry.superTables];
    this.recorded = new long[newestPages()];
    this.marks = new HeadPair<>(store, this::parse, Mark::put);
  }

  /**
   * Creates the file of an empty BufferHash under a temporary name, and syncs it. Incarnations take
   * their space on the drive later.
   */
  static void prepare(FlashDirectory directory, Geometry geometry) throws IOException {
    Path path = directory.path.resolve(TEMPORARY_NAME);
    directory.access.delete(path);
    try (FlashFile file = FlashFile.create(directory.access, path, false)) {
      file.write(
          ByteBuffer.allocate(geometry.pageBytes), (geometry.pages() - 1) * geometry.pageBytes);
    }
    try (TableFile table = new TableFile(directory, TEMPORARY_NAME, geometry, false)) {
      table.marks.write(new Mark(), false);
      table.marks.write(new Mark(), true);
    }
  }

  /**
   * Opens the file of the BufferHash in a directory.
   *
   * @throws FilterFormatException if its size differs from the manifest's, or it has no valid mark
   */
  static TableFile open(FlashDirectory directory, Geometry geometry, boolean direct)
      throws IOException {
    TableFile table = new TableFile(directory, NAME, geometry, direct);
    return Opening.orClose(
        table,
        () -> {
          if (table.store.pages() != geometry.pages()) {
            throw directory.damaged(
                String.format(
                    "%s has %s pages, but the manifest says %s",
                    table.store.name(), table.store.pages(), geometry.pages()),
                null);
          }
          if (table.marks.read() == null) {
            throw directory.damaged(table.store.name() + " has no readable mark", null);
          }
          table.readClosed();
          return table;
        });
  }

  /** Returns what is damaged in the two pages that say which incarnations are durable. */
  synchronized List<DamagedPageException> verify() throws IOException {
    return marks.verify();
  }

  /**
   * Writes the next mark page of an open table, which says which incarnations are durable, without
   * a sync. Newest incarnations for which it has no room go to the pages after the mark pages.
   *
   * @param safe sequence up to which all incarnations are durable
   * @param firstLog first log that is still needed
   * @param overwritten super tables whose next slot may be overwritten
   * @param written newest sequences of super tables, the last written ones at the end, all durable;
   *     those for which a mark has no room are removed
   * @param ahead whether the next mark overwrites this one. It needs no sync then: if a power
   *     failure damages it, the mark before it is valid
   */
  void mark(
      long safe, long firstLog, Set<Integer> overwritten, Map<Integer, Long> written, boolean ahead)
      throws IOException {
    recordOnPages(written);
    Mark mark = new Mark();
    mark.safe = safe;
    mark.firstLog = firstLog;
    mark.overwritten = overwritten;
    mark.newest = written;
    if (ahead) {
      marks.writeAhead(mark);
    } else {
      marks.write(mark, false);
    }
  }

  /**
   * Writes the sequence numbers of newest incarnations for which a mark page has no room to the
   * pages after the mark pages.
   *
   * @param written newest sequences of super tables, the last written ones at the end; those for
   *     which a mark has no room are removed
   */
  private void recordOnPages(Map<Integer, Long> written) throws IOException {
    for (Map.Entry<Integer, Long> one : written.entrySet()) {
      // a page may have a higher one
      newest[one.getKey()] = Math.max(newest[one.getKey()], one.getValue());
    }
    Iterator<Map.Entry<Integer, Long>> oldest = written.entrySet().iterator();
    for (int old = written.size() - RECORDED_AFTER; old > 0; old--) {
      Map.Entry<Integer, Long> one = oldest.next();
      int page = one.getKey() / newestPerPage();
      if (page < recorded.length && recorded[page] < one.getValue()) {
        writeNewest(page);
      }
      if (written.size() > MAX_NEWEST) {
        oldest.remove();
      }
    }
  }

  /**
   * Writes and syncs the records of a closed table: its last mark page and the lengths of its logs.
   *
   * @param logs lengths of the logs that have records, by their numbers
   * @param newestNow newest sequence of each super table, or less
   */
  void markClosed(SortedMap<Long, Long> logs, long[] newestNow) throws IOException {
    if (logs.size() > 1) {
      writeClosedLogs(logs);
    }
    for (int i = 0; i < newest.length; i++) {
      newest[i] = Math.max(newest[i], newestNow[i]);
    }
    for (int page = 0; page < recorded.length; page++) {
      writeNewest(page);
    }
    Mark last = marks.newest();
    last.closedLog = logs.isEmpty() ? 0 : logs.lastKey();
    last.closedBytes = logs.getOrDefault(last.closedLog, 0L);
    marks.write(last, true);
  }

  /** Writes the page with the lengths of the logs of a closed BufferHash. */
  private void writeClosedLogs(SortedMap<Long, Long> logs) throws IOException {
    try (PageFrame frame = PageFrames.allocate(1, geometry.pageBytes)) {
      ByteBuffer bytes = frame.bytes;
      frame.fill(0, 0, 0);
      int at = LOGS;
      for (Map.Entry<Long, Long> log : new TreeMap<>(logs).descendingMap().entrySet()) {
        if (at < geometry.pageBytes) {
          bytes.putLong(at, log.getKey()).putLong(at + 8, log.getValue());
          at += 16;
        }
      }
      bytes.putLong(LOG_COUNT, (at - LOGS) / 16);
      store.write(CLOSED_LOGS_PAGE, 1, frame);
    }
  }

  /** Writes a page with the sequence numbers of super tables' newest incarnations. */
  private void writeNewest(int page) throws IOException {
    int first = page * newestPerPage();
    int end = Math.min(newest.length, first + newestPerPage());
    try (PageFrame frame = PageFrames.allocate(1, geometry.pageBytes)) {
      frame.fill(0, 0, 0);
      for (int i = first; i < end; i++) {
        frame.bytes.putLong(frame.payloadOffset(0) + (i - first) * Long.BYTES, newest[i]);
      }
      store.write(ALL_NEWEST_PAGE + page, 1, frame);
    }
    recorded[page] = Arrays.stream(newest, first, end).max().getAsLong();
  }

  /** Returns the number of super tables' sequence numbers that fit into a page. */
  private int newestPerPage() {
    return (geometry.pageBytes - PageStore.HEADER_BYTES) / Long.BYTES;
  }

  /**
   * Returns the number of pages for the newest sequence numbers of all super tables, as far as the
   * first erase block has room; 0 if they fit into a mark page.
   */
  private int newestPages() {
    if (newest.length <= MAX_NEWEST) {
      return 0;
    }
    int room = geometry.eraseBlockBytes / geometry.pageBytes - ALL_NEWEST_PAGE;
    return Math.min(room, (newest.length + newestPerPage() - 1) / newestPerPage());
  }

  /**
   * Writes and syncs a mark page that says that all incarnations found by an opening are durable
   * and that no slot is being overwritten. Before that, it writes the last mark again and syncs it:
   * after a failed fsync, or a process that ended before one, it may be only in the system's cache.
   *
   * @param safe sequence number up to which incarnations are synced
   * @param firstLog first log that is needed, which an older mark does not know
   * @param found newest incarnations that were not synced by the last mark, oldest first
   */
  void markOpened(long safe, long firstLog, Map<Integer, Long> found) throws IOException {
    marks.writeAgain();
    Mark last = marks.newest();
    last.newest.keySet().removeAll(found.keySet());
    last.newest.putAll(found);
    recordOnPages(last.newest);
    last.safe = safe;
    last.firstLog = firstLog;
    last.overwritten = Set.of();
    marks.write(last, true);
  }

  /**
   * Reads the data for which the last mark page had no room, from the pages after it; lengths of
   * logs only if they belong to this mark page. Pages that cannot be read were never written, or
   * not by this version.
   */
  private void readClosed() throws IOException {
    Mark last = marks.newest();
    last.newest.forEach((superTable, sequence) -> newest[superTable] = sequence);
    try (PageFrame frame = PageFrames.allocate(1, geometry.pageBytes)) {
      if (last.closedLog > 0) {
        closedLogs.put(last.closedLog, last.closedBytes);
        if (isRead(CLOSED_LOGS_PAGE, 1, frame)) {
          readClosedLogs(frame.bytes);
        }
      }
      for (int page = 0; page < recorded.length; page++) {
        if (isRead(ALL_NEWEST_PAGE + page, 1, frame)) {
          readAllNewest(page * newestPerPage(), frame);
        }
      }
    }
  }

  /**
   * Reads adjacent pages of the BufferHash's file, and returns whether none of them is damaged.
   *
   * @return false if one is damaged; the frame has them nevertheless
   */
  boolean isRead(long firstPage, int count, PageFrame frame) throws IOException {
    try {
      store.read(firstPage, count, frame);
      return true;
    } catch (DamagedPageException e) {
      return false;
    }
  }

  /** Reads the lengths of the logs of a closed table from the bytes of a page. */
  private void readClosedLogs(ByteBuffer bytes) {
    long count = bytes.getLong(LOG_COUNT);
    Mark last = marks.newest();
    if (bytes.getLong(LOGS) == last.closedLog && bytes.getLong(LOGS + 8) == last.closedBytes) {
      for (int at = LOGS; at < LOGS + count * 16; at += 16) {
        closedLogs.put(bytes.getLong(at), bytes.getLong(at + 8));
      }
    }
  }

  /** Reads a page with the sequence numbers of super tables' newest incarnations. */
  private void readAllNewest(int first, PageFrame frame) {
    for (int i = first; i < Math.min(newest.length, first + newestPerPage()); i++) {
      int at = frame.payloadOffset(0) + (i - first) * Long.BYTES;
      newest[i] = Math.max(newest[i], frame.bytes.getLong(at));
    }
  }

  /**
   * Parses the bytes of a mark page, which says which incarnations are durable; returns null if
   * they are invalid.
   */
  private Mark parse(ByteBuffer page) {
    Mark mark = new Mark();
    mark.safe = page.getLong();
    mark.firstLog = page.getLong();
    page.position(HeadPair.SECOND);
    mark.closedLog = page.getLong();
    mark.closedBytes = page.getLong();
    int overwritten = page.getInt();
    int newest = page.getInt();
    if (overwritten < 0 || overwritten > MAX_OVERWRITTEN || newest < 0 || newest > MAX_NEWEST) {
      return null;
    }
    for (int i = 0; i < overwritten; i++) {
      mark.overwritten.add(page.getInt());
    }
    for (int i = 0; i < newest; i++) {
      mark.newest.put(page.getInt(), page.getLong());
    }
    boolean whole =
        mark.firstLog > 0
            && mark.safe >= 0
            && mark.newest.keySet().stream().allMatch(i -> i >= 0 && i < geometry.superTables);
    return whole ? mark : null;
  }

  @Override
  public void close() throws IOException {
    marks.close();
  }
}
