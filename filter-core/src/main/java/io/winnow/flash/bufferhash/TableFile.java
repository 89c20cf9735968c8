package io.winnow.flash.bufferhash;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.Damage;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.FlashFile;
import io.winnow.flash.store.HeadPair;
import io.winnow.flash.store.IoCounters;
import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.PageFrames;
import io.winnow.flash.store.PageStore;
import io.winnow.flash.store.TextFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
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
import java.util.function.Consumer;

/**
 * The file that all incarnations are in, and its marks: which of them are known to be safe.
 *
 * <p>The first two pages are marks, written in turn after each fsync, so that one of them is whole
 * whatever happens. A mark says: all incarnations up to this sequence are safe, and this is the
 * first log that is still needed. Nobody needs a mark itself to be safe: an older one makes an
 * opening look at more.
 *
 * <p>The pages after them have what a mark has no room for: the newest incarnations of super tables
 * that it does not name, and how long all logs of a table are that was closed. They may be damaged
 * or of an earlier time, and then say less.
 */
final class TableFile implements Closeable {
  static final String NAME = "table";
  static final String TEMPORARY_NAME = TextFile.temporary(NAME);

  /** What is left to do where files are damaged. */
  static final String WHAT_TO_DO =
      "put the whole directory back from a copy and put again what came after it was made, or begin a"
          + " new one";

  private static final int SAFE = HeadPair.FIRST;
  private static final int FIRST_LOG = SAFE + 8;
  private static final int CLOSED_LOG = HeadPair.SECOND;
  private static final int CLOSED_BYTES = CLOSED_LOG + 8;
  private static final int OVERWRITTEN = CLOSED_BYTES + 8;
  private static final int NEWEST = OVERWRITTEN + 4;
  private static final int LISTS = NEWEST + 4;

  /** Super tables whose next slot may be overwritten, at most. */
  static final int MOST_OVERWRITTEN = 256;

  /** Super tables of which a mark says what is the newest incarnation, at most. */
  static final int MOST_NEWEST = 192;

  /**
   * A super table's newest incarnation is noted when so many others were written after it: some
   * fsyncs before a mark has no more room for it.
   */
  private static final int NOTED_AFTER = 128;

  /** The page with the closed logs: of each its number and its length, the last one first. */
  private static final int CLOSED_LOGS_PAGE = 2;

  /** The first page with the newest sequence of each super table, in their order. */
  private static final int ALL_NEWEST_PAGE = 3;

  private static final int LOG_COUNT = PageStore.HEADER_BYTES;
  private static final int LOGS = LOG_COUNT + 8;

  final PageStore store;
  private final Geometry geometry;
  private final HeadPair marks;

  /** How long logs were when the table was closed, by their numbers. */
  final SortedMap<Long, Long> closedLogs = new TreeMap<>();

  /**
   * Of each super table a sequence that its newest incarnation has at least; 0 if none is known.
   */
  private final long[] newest;

  /** Of each page of these the highest sequence of all when it was written. */
  private final long[] noted;

  /** The highest of these sequences. */
  long highest;

  /** The mark that was written last. */
  Mark last;

  /**
   * The content of a mark. Its maker sets the fields; {@link #markOpened} and {@link #markClosed}
   * set some of the last one's.
   */
  static final class Mark {
    /** Every incarnation up to this sequence is safe. */
    long safe;

    /** Operations of this log and of later ones may be in no incarnation. */
    long firstLog = 1;

    /** The last log, if the table was closed; else 0. */
    long closedLog;

    /** The length of the last log when the table was closed. */
    long closedBytes;

    /** The super tables whose next slot may be overwritten: all others' are as they were. */
    Set<Integer> overwritten = new TreeSet<>();

    /** The newest incarnations of super tables that were written last, by their sequence. */
    Map<Integer, Long> newest = new LinkedHashMap<>();

    /** Whether the other mark cannot be read, and may have been a later one. */
    boolean alone;
  }

  private TableFile(PageStore store, Geometry geometry) {
    this.store = store;
    this.geometry = geometry;
    this.newest = new long[geometry.superTables];
    this.noted = new long[newestPages()];
    this.marks = new HeadPair(store);
  }

  /**
   * Makes an empty table under a name that does not count yet, safe from a power failure. Space on
   * the drive is taken as incarnations come.
   */
  static void prepare(FileAccess access, Path directory, Geometry geometry) throws IOException {
    Path path = directory.resolve(TEMPORARY_NAME);
    access.delete(path);
    try (FlashFile file = FlashFile.create(access, path, false)) {
      file.write(
          ByteBuffer.allocate(geometry.pageBytes), (geometry.pages() - 1) * geometry.pageBytes);
    }
    try (TableFile table =
        new TableFile(openStore(access, path, geometry, false, true, new IoCounters()), geometry)) {
      table.marks.write(content(new Mark()), false);
      table.marks.write(content(new Mark()), true);
    }
  }

  /**
   * Opens a directory's table.
   *
   * @throws FilterFormatException if it has not the size that the manifest says, or no mark
   */
  static TableFile open(OpenTable open, boolean toWrite) throws IOException {
    Path path = open.directory.resolve(NAME);
    FileAccess access = open.options.access;
    TableFile table =
        new TableFile(
            openStore(access, path, open.geometry, open.options.directIo, toWrite, open.io),
            open.geometry);
    try {
      table.last = table.readMarks();
      table.readClosed();
      return table;
    } catch (IOException | RuntimeException e) {
      table.close();
      throw e;
    }
  }

  private static PageStore openStore(
      FileAccess access,
      Path path,
      Geometry geometry,
      boolean direct,
      boolean toWrite,
      IoCounters counters)
      throws IOException {
    PageStore store;
    try {
      store =
          PageStore.open(access, path, geometry.pageBytes, geometry.id, direct, toWrite, counters);
    } catch (DamagedPageException e) {
      throw new FilterFormatException(path + " was cut: " + WHAT_TO_DO, e); // within a page
    } catch (NoSuchFileException e) {
      throw new FilterFormatException(path + " is missing: " + WHAT_TO_DO, e);
    }
    if (store.pages() != geometry.pages()) {
      store.close();
      throw new FilterFormatException(
          String.format(
              "%s has %s pages, and the manifest says %s: %s",
              path, store.pages(), geometry.pages(), WHAT_TO_DO));
    }
    return store;
  }

  /** What is wrong with the marks. */
  synchronized List<Damage> verify() throws IOException {
    return marks.verify();
  }

  /**
   * Writes the next mark, of a table that is open.
   *
   * @param written the newest incarnations of super tables, those that were written last at the
   *     end, by their sequence; all of them are safe. Those that it has no room for are taken away
   */
  void mark(long safe, long firstLog, Set<Integer> overwritten, Map<Integer, Long> written)
      throws IOException {
    Mark mark = newMark(safe, firstLog, overwritten, written);
    marks.write(content(mark), false);
    last = mark;
  }

  /**
   * Writes a mark as {@link #mark}, which need not be safe: the next one is written over it. Until
   * it is safe, the last one may count.
   */
  void markAhead(long safe, long firstLog, Set<Integer> overwritten, Map<Integer, Long> written)
      throws IOException {
    marks.writeAhead(content(newMark(safe, firstLog, overwritten, written)));
  }

  private Mark newMark(
      long safe, long firstLog, Set<Integer> overwritten, Map<Integer, Long> written)
      throws IOException {
    note(written);
    Mark mark = new Mark();
    mark.safe = safe;
    mark.firstLog = firstLog;
    mark.overwritten = overwritten;
    mark.newest = written;
    return mark;
  }

  /** Writes notes of the newest incarnations that a mark has no room for, and takes these away. */
  private void note(Map<Integer, Long> written) throws IOException {
    for (Map.Entry<Integer, Long> one : written.entrySet()) {
      // a note may have a higher one
      newest[one.getKey()] = Math.max(newest[one.getKey()], one.getValue());
      highest = Math.max(highest, one.getValue());
    }
    Iterator<Map.Entry<Integer, Long>> oldest = written.entrySet().iterator();
    for (int old = written.size() - NOTED_AFTER; old > 0; old--) {
      Map.Entry<Integer, Long> one = oldest.next();
      int page = one.getKey() / newestPerPage();
      if (page < noted.length && noted[page] < one.getValue()) {
        writeNewest(page);
      }
      if (written.size() > MOST_NEWEST) {
        oldest.remove();
      }
    }
  }

  /**
   * Writes what ends a table. Safe when it returns.
   *
   * @param logs how long those are that have records, by their numbers
   * @param newestNow of each super table the newest sequence, or less
   */
  void markClosed(SortedMap<Long, Long> logs, long[] newestNow) throws IOException {
    if (logs.size() > 1) {
      writeClosedLogs(logs);
    }
    for (int i = 0; i < newest.length; i++) {
      newest[i] = Math.max(newest[i], newestNow[i]);
    }
    for (int page = 0; page < noted.length; page++) {
      writeNewest(page);
    }
    last.closedLog = logs.isEmpty() ? 0 : logs.lastKey();
    last.closedBytes = logs.getOrDefault(last.closedLog, 0L);
    marks.write(content(last), true);
  }

  private void writeClosedLogs(SortedMap<Long, Long> logs) throws IOException {
    try (PageFrame frame = PageFrames.allocate(1, geometry.pageBytes)) {
      ByteBuffer bytes = frame.bytes();
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

  /** Writes what is known of the super tables of one page. */
  private void writeNewest(int page) throws IOException {
    int first = page * newestPerPage();
    try (PageFrame frame = PageFrames.allocate(1, geometry.pageBytes)) {
      frame.fill(0, 0, 0);
      for (int i = first; i < Math.min(newest.length, first + newestPerPage()); i++) {
        frame.bytes().putLong(frame.payloadOffset(0) + (i - first) * Long.BYTES, newest[i]);
      }
      store.write(ALL_NEWEST_PAGE + page, 1, frame);
    }
    noted[page] = highest;
  }

  private int newestPerPage() {
    return (geometry.pageBytes - PageStore.HEADER_BYTES) / Long.BYTES;
  }

  /**
   * Pages that all super tables take, as far as the first erase block has room for them; none if a
   * mark has.
   */
  private int newestPages() {
    if (newest.length <= MOST_NEWEST) {
      return 0;
    }
    int room = geometry.eraseBlockBytes / geometry.pageBytes - ALL_NEWEST_PAGE;
    return Math.min(room, (newest.length + newestPerPage() - 1) / newestPerPage());
  }

  /**
   * Says that all incarnations which an opening found are safe, and that none is being overwritten.
   * Safe when it returns, and so is the last mark before: an fsync that failed, or a process that
   * ended before one, may have left that in the system's cache alone.
   *
   * @param firstLog which the last mark does not know if it is an older one
   * @param found the newest incarnations that it did not say are safe, oldest first
   */
  void markOpened(long safe, long firstLog, Map<Integer, Long> found) throws IOException {
    marks.writeAgain();
    last.newest.keySet().removeAll(found.keySet());
    last.newest.putAll(found);
    note(last.newest);
    last.safe = safe;
    last.firstLog = firstLog;
    last.overwritten = Set.of();
    marks.write(content(last), true);
  }

  private static Consumer<ByteBuffer> content(Mark mark) {
    return bytes -> {
      bytes.putLong(SAFE, mark.safe);
      bytes.putLong(FIRST_LOG, mark.firstLog);
      bytes.putLong(CLOSED_LOG, mark.closedLog);
      bytes.putLong(CLOSED_BYTES, mark.closedBytes);
      bytes.putInt(OVERWRITTEN, mark.overwritten.size());
      bytes.putInt(NEWEST, mark.newest.size());
      int next = LISTS;
      for (int superTable : mark.overwritten) {
        bytes.putInt(next, superTable);
        next += Integer.BYTES;
      }
      for (Map.Entry<Integer, Long> newest : mark.newest.entrySet()) {
        bytes.putInt(next, newest.getKey());
        bytes.putLong(next + Integer.BYTES, newest.getValue());
        next += Integer.BYTES + Long.BYTES;
      }
    };
  }

  private Mark readMarks() throws IOException {
    HeadPair.Read<Mark> found = marks.read(this::parse);
    if (found.newer() == null) {
      throw new FilterFormatException(
          store.name() + " has no mark that can be read: " + WHAT_TO_DO);
    }
    found.newer().alone = found.older() == null;
    return found.newer();
  }

  /**
   * Reads what the mark has no room for: the closed logs only if they are those of this mark. Pages
   * that cannot be read were never written, or by a writer that did not know of them.
   */
  private void readClosed() throws IOException {
    last.newest.forEach((superTable, sequence) -> newest[superTable] = sequence);
    try (PageFrame frame = PageFrames.allocate(1, geometry.pageBytes)) {
      if (last.closedLog > 0) {
        closedLogs.put(last.closedLog, last.closedBytes);
        if (isRead(CLOSED_LOGS_PAGE, 1, frame)) {
          readClosedLogs(frame.bytes());
        }
      }
      for (int page = 0; page < noted.length; page++) {
        if (isRead(ALL_NEWEST_PAGE + page, 1, frame)) {
          readAllNewest(page * newestPerPage(), frame);
        }
      }
    }
    highest = Arrays.stream(newest).max().getAsLong();
  }

  /** Reads adjacent pages; false if one is damaged: the frame has them all the same. */
  boolean isRead(long firstPage, int count, PageFrame frame) throws IOException {
    try {
      store.read(firstPage, count, frame);
      return true;
    } catch (DamagedPageException e) {
      return false;
    }
  }

  private void readClosedLogs(ByteBuffer bytes) {
    long count = bytes.getLong(LOG_COUNT);
    if (bytes.getLong(LOGS) == last.closedLog && bytes.getLong(LOGS + 8) == last.closedBytes) {
      for (int at = LOGS; at < LOGS + count * 16; at += 16) {
        closedLogs.put(bytes.getLong(at), bytes.getLong(at + 8));
      }
    }
  }

  private void readAllNewest(int first, PageFrame frame) {
    for (int i = first; i < Math.min(newest.length, first + newestPerPage()); i++) {
      int at = frame.payloadOffset(0) + (i - first) * Long.BYTES;
      newest[i] = Math.max(newest[i], frame.bytes().getLong(at));
    }
  }

  /** A sequence that a super table's newest incarnation has at least; 0 if none is known. */
  long newest(int superTable) {
    return newest[superTable];
  }

  private Mark parse(ByteBuffer bytes) {
    int overwritten = bytes.getInt(OVERWRITTEN);
    int newest = bytes.getInt(NEWEST);
    if (overwritten < 0 || overwritten > MOST_OVERWRITTEN || newest < 0 || newest > MOST_NEWEST) {
      return null;
    }
    Mark mark = new Mark();
    mark.safe = bytes.getLong(SAFE);
    mark.firstLog = bytes.getLong(FIRST_LOG);
    mark.closedLog = bytes.getLong(CLOSED_LOG);
    mark.closedBytes = bytes.getLong(CLOSED_BYTES);
    int next = LISTS;
    for (int i = 0; i < overwritten; i++, next += Integer.BYTES) {
      mark.overwritten.add(bytes.getInt(next));
    }
    for (int i = 0; i < newest; i++, next += Integer.BYTES + Long.BYTES) {
      mark.newest.put(bytes.getInt(next), bytes.getLong(next + Integer.BYTES));
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
