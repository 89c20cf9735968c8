package io.winnow.flash.bufferhash;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.FilePageStore;
import io.winnow.flash.store.FlashFile;
import io.winnow.flash.store.IoCounters;
import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.PageFrames;
import io.winnow.flash.store.PageStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The file that all incarnations are in, and its marks: which of them are known to be safe.
 *
 * <p>The first two pages are marks, written in turn after each fsync, so that one of them is whole
 * whatever happens. A mark says: all incarnations up to this sequence are safe, and this is the
 * first log that is still needed. Nobody needs a mark itself to be safe: an older one makes an
 * opening look at more.
 */
final class TableFile implements Closeable {
  static final String NAME = "table";
  static final String TEMPORARY_NAME = "table.new";

  private static final int SERIAL = 0;
  private static final int FIRST_LOG = 8;

  private final PageStore store;
  private final PageFrame marks;
  private Mark last;

  /**
   * What a mark says.
   *
   * @param serial one more than that of the mark before
   * @param safe every incarnation up to this sequence is safe
   * @param firstLog operations of this log and of later ones may be in no incarnation
   * @param alone whether the other mark cannot be read, and may have been a later one
   */
  record Mark(long serial, long safe, long firstLog, boolean alone) {}

  private TableFile(PageStore store) {
    this.store = store;
    this.marks = PageFrames.allocate(1, store.pageBytes());
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
          ByteBuffer.allocate(geometry.pageBytes()), (geometry.pages() - 1) * geometry.pageBytes());
    }
    try (TableFile table =
        new TableFile(openStore(access, path, geometry, false, new IoCounters()))) {
      table.write(new Mark(1, 0, 1, false));
      table.write(new Mark(2, 0, 1, false));
      table.store.force();
    }
  }

  static void commit(FileAccess access, Path directory) throws IOException {
    access.replace(directory.resolve(TEMPORARY_NAME), directory.resolve(NAME));
    access.forceDirectory(directory);
  }

  /**
   * Opens a directory's table.
   *
   * @throws FilterFormatException if it has not the size that the manifest says, or no mark
   */
  static TableFile open(
      FileAccess access, Path directory, Geometry geometry, boolean direct, IoCounters counters)
      throws IOException {
    TableFile table =
        new TableFile(openStore(access, directory.resolve(NAME), geometry, direct, counters));
    try {
      table.last = table.readMarks();
      return table;
    } catch (IOException | RuntimeException e) {
      table.close();
      throw e;
    }
  }

  private static PageStore openStore(
      FileAccess access, Path path, Geometry geometry, boolean direct, IoCounters counters)
      throws IOException {
    PageStore store;
    try {
      store = FilePageStore.open(access, path, geometry.pageBytes(), direct, counters);
    } catch (DamagedPageException e) {
      throw new FilterFormatException(e.getMessage(), e); // it ends within a page
    } catch (NoSuchFileException e) {
      throw new FilterFormatException(
          path + " is missing: put it back from a copy of the whole directory", e);
    }
    if (store.pages() != geometry.pages()) {
      store.close();
      throw new FilterFormatException(
          path
              + " has "
              + store.pages()
              + " pages, and the manifest says "
              + geometry.pages()
              + ": put it back from a copy of the whole directory, or begin a new one");
    }
    return store;
  }

  PageStore store() {
    return store;
  }

  /** The mark that was written last. */
  Mark mark() {
    return last;
  }

  /** Writes the next mark. */
  void mark(long safe, long firstLog) throws IOException {
    write(new Mark(last.serial() + 1, safe, firstLog, false));
  }

  /** Writes the last mark once more: the same bytes, in the same place. */
  void rewriteMark() throws IOException {
    write(last);
  }

  private void write(Mark mark) throws IOException {
    TablePage.clear(marks, 0, 0);
    TablePage.writeHead(marks, 0, mark.safe(), TablePage.MARK, 0);
    int at = TablePage.payload(marks, 0);
    marks.bytes().putLong(at + SERIAL, mark.serial());
    marks.bytes().putLong(at + FIRST_LOG, mark.firstLog());
    store.write(mark.serial() & 1, 1, marks);
    last = mark;
  }

  private Mark readMarks() throws IOException {
    Mark even = readMark(0);
    Mark odd = readMark(1);
    if (even == null && odd == null) {
      throw new FilterFormatException(
          store.name()
              + " has no mark that can be read: put it back from a copy of the whole directory, or"
              + " begin a new one");
    }
    if (even == null || odd == null) {
      Mark one = even == null ? odd : even;
      return new Mark(one.serial(), one.safe(), one.firstLog(), true);
    }
    return even.serial() > odd.serial() ? even : odd;
  }

  private Mark readMark(int page) throws IOException {
    try {
      store.read(page, marks);
    } catch (DamagedPageException e) {
      return null;
    }
    int at = TablePage.payload(marks, 0);
    long serial = marks.bytes().getLong(at + SERIAL);
    long firstLog = marks.bytes().getLong(at + FIRST_LOG);
    boolean whole =
        TablePage.kind(marks, 0) == TablePage.MARK
            && (serial & 1) == page
            && serial > 0
            && firstLog > 0
            && TablePage.sequence(marks, 0) >= 0;
    return whole ? new Mark(serial, TablePage.sequence(marks, 0), firstLog, false) : null;
  }

  @Override
  public void close() throws IOException {
    marks.close();
    store.close();
  }
}
