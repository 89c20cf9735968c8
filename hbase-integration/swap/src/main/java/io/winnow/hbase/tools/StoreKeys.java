package io.winnow.hbase.tools;

import io.winnow.hbase.format.CellOrder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.ExtendedCellBuilderFactory;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Merge of the keys of a store's files: each distinct key in order, with the files that have it.
 * The filters of the files are built from these keys, and so is the filter of a compaction of them.
 * It reads each file once and holds a block of each. Not thread-safe.
 */
final class StoreKeys {
  private final Configuration conf;
  private final BloomType type;
  private final int prefix;
  private final CellCount count;

  /**
   * Order of cells in the files of a store, which is another in hbase:meta than in other tables.
   */
  private final CellComparator comparator;

  /** True if rows are in the order of their bytes, as in all tables except hbase:meta. */
  private final boolean isByBytes;

  /** Number of leading bytes that all rows of the store share. */
  private final int common;

  /** Receiver of the distinct keys of a store, in order. */
  interface Visitor {
    /**
     * Receives the next distinct key of a store, with the files that have it.
     *
     * @param key cell with the key. It stays valid, because its block is not from a pool
     * @param files indexes of the files that have the key, in the first {@code count} elements.
     *     Valid during this call only
     */
    void key(ExtendedCell key, int[] files, int count);
  }

  /**
   * Positions in the files that have keys left, in descending order of the key at each: the
   * smallest key is last.
   */
  private final List<Cursor> order = new ArrayList<>();

  /**
   * Positions in those store files that have the current key. With {@link #having} it is allocated
   * once for all keys.
   */
  private final Cursor[] cursors;

  private final int[] having;

  /** Position in one store file, at one of its keys. */
  private final class Cursor {
    private final int place;
    private final StoreFile file;
    private final Half half;
    private final HFileScanner scanner;
    private ExtendedCell key;

    /**
     * Eight bytes of the current row, after the leading bytes that all rows share. If these differ
     * between two rows, the rest need not be compared.
     */
    private long firstBytes;

    Cursor(int place, OpenFile open) {
      this.place = place;
      this.file = open.file;
      this.half = file.half;
      this.scanner = open.reader.getScanner(conf, false, false, false);
    }

    /**
     * Advances to the next key of the store file; the first call, to the first key.
     *
     * @return false after the last key
     * @throws IOException with a sentence that names the file that cannot be read
     */
    boolean next() throws IOException {
      try {
        if (key == null ? first() : other()) {
          firstBytes = isByBytes ? firstBytes(key) : 0;
          return true;
        }
        return false;
      } catch (IOException | RuntimeException | LinkageError e) {
        throw OpenFile.trouble(conf, file, e);
      }
    }

    private boolean first() throws IOException {
      if (!seek()) {
        return false;
      }
      Cell cell = scanner.getCell();
      if (isOver(cell)) {
        return false;
      }
      count.add(cell);
      key = keyOf(cell);
      return true;
    }

    private boolean seek() throws IOException {
      if (half == null || !half.isTop || half.row.length == 0) {
        return scanner.seekTo();
      }
      int found = scanner.seekTo(KeyValueUtil.createFirstOnRow(half.row));
      if (found == 0 || found == HConstants.INDEX_KEY_MAGIC) {
        return true; // at the row, or at the first one after it
      }
      // Before the row; or not positioned, because the file begins after it.
      return found > 0 ? scanner.next() : scanner.seekTo();
    }

    private boolean isOver(Cell cell) {
      return half != null
          && !half.isTop
          && comparator.compareRows(cell, half.row, 0, half.row.length) >= 0;
    }

    /** Advances to the next cell of the store file that has another key than the present cell. */
    private boolean other() throws IOException {
      ExtendedCell before = key;
      while (scanner.next()) {
        Cell cell = scanner.getCell();
        if (isOver(cell)) {
          return false;
        }
        count.add(cell);
        if (!isSameKey(before, cell)) {
          key = keyOf(cell);
          return true;
        }
      }
      return false;
    }
  }

  private StoreKeys(
      Configuration conf, BloomType type, int prefix, List<OpenFile> files, LongConsumer progress) {
    this.conf = conf;
    this.type = type;
    this.prefix = prefix;
    this.comparator = files.get(0).reader.getComparator();
    this.isByBytes = CellOrder.isByBytes(comparator);
    this.common = isByBytes ? common(files) : 0;
    this.count = new CellCount(progress);
    this.cursors = new Cursor[files.size()];
    this.having = new int[files.size()];
  }

  /**
   * Passes all distinct keys of a store's files to a visitor, in order.
   *
   * @param files files of one store, at least one
   * @param prefix length of the prefix of a row, if keys are prefixes
   * @param progress receives the number of cells that were read
   */
  static void forEach(
      Configuration conf,
      List<OpenFile> files,
      BloomType type,
      int prefix,
      LongConsumer progress,
      Visitor visitor)
      throws IOException {
    new StoreKeys(conf, type, prefix, files, progress).run(files, visitor);
  }

  /**
   * Returns the number of leading bytes that all rows of the files share: those that the smallest
   * and the largest row share, since each row is between these.
   */
  private static int common(List<OpenFile> files) {
    byte[] first = null;
    byte[] last = null;
    for (OpenFile file : files) {
      byte[] from = file.reader.getFirstRowKey().orElse(null);
      byte[] to = file.reader.getLastRowKey().orElse(null);
      if (from != null && to != null) {
        first = first == null || Arrays.compareUnsigned(from, first) < 0 ? from : first;
        last = last == null || Arrays.compareUnsigned(to, last) > 0 ? to : last;
      }
    }
    if (first == null) {
      return 0;
    }
    int mismatch = Arrays.mismatch(first, last);
    return mismatch < 0 ? first.length : mismatch;
  }

  private void run(List<OpenFile> files, Visitor visitor) throws IOException {
    for (int i = 0; i < files.size(); i++) {
      Cursor cursor = new Cursor(i, files.get(i));
      if (cursor.next()) {
        insert(cursor);
      }
    }
    while (order.size() > 1) {
      visitNext(visitor);
    }
    if (!order.isEmpty()) {
      readOut(order.get(0), visitor);
    }
    count.end();
  }

  /**
   * Passes the smallest remaining key of the store's files to the visitor, and advances the files
   * that have it.
   */
  private void visitNext(Visitor visitor) throws IOException {
    int left = order.size() - 1;
    Cursor least = order.get(left);
    int files = 0;
    do {
      Cursor cursor = order.remove(left--);
      cursors[files] = cursor;
      having[files++] = cursor.place;
    } while (left >= 0 && compare(order.get(left), least) == 0);
    visitor.key(least.key, having, files);
    for (int i = 0; i < files; i++) {
      if (cursors[i].next()) {
        insert(cursors[i]);
      }
    }
  }

  /**
   * Inserts the position in a store file into the list of positions, which is in descending order
   * of keys.
   */
  private void insert(Cursor cursor) {
    int from = 0;
    int to = order.size();
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (compare(order.get(middle), cursor) >= 0) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    order.add(from, cursor);
  }

  /** Passes the remaining keys of the store's last unfinished file to the visitor. */
  private void readOut(Cursor last, Visitor visitor) throws IOException {
    having[0] = last.place;
    do {
      visitor.key(last.key, having, 1);
    } while (last.next());
  }

  private ExtendedCell keyOf(Cell cell) {
    if (type != BloomType.ROWPREFIX_FIXED_LENGTH) {
      return (ExtendedCell) cell;
    }
    return ExtendedCellBuilderFactory.create(CellBuilderType.DEEP_COPY)
        .setRow(cell.getRowArray(), cell.getRowOffset(), Math.min(prefix, cell.getRowLength()))
        .setType(Cell.Type.Put)
        .build();
  }

  private boolean isSameKey(ExtendedCell before, Cell cell) {
    switch (type) {
      case ROWCOL:
        return CellUtil.matchingRows(before, cell) && CellUtil.matchingQualifier(before, cell);
      case ROWPREFIX_FIXED_LENGTH:
        return Bytes.equals(
            before.getRowArray(),
            before.getRowOffset(),
            before.getRowLength(),
            cell.getRowArray(),
            cell.getRowOffset(),
            Math.min(prefix, cell.getRowLength()));
      default:
        return CellUtil.matchingRows(before, cell);
    }
  }

  /**
   * Returns the eight bytes of a row after the leading bytes that all rows share, with zeros after
   * the end of the row, as a signed number.
   */
  private long firstBytes(Cell cell) {
    int offset = cell.getRowOffset();
    // A key that is a prefix may end within the common bytes: then all eight are zeros.
    return CellOrder.word(cell.getRowArray(), offset + common, offset + cell.getRowLength());
  }

  private int compare(Cursor a, Cursor b) {
    if (a.firstBytes != b.firstBytes) {
      return Long.compare(a.firstBytes, b.firstBytes);
    }
    int rows = comparator.compareRows(a.key, b.key);
    return rows != 0 || type != BloomType.ROWCOL
        ? rows
        : comparator.compareQualifiers(a.key, b.key);
  }
}
