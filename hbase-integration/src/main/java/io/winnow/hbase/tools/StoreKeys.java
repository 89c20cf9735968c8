package io.winnow.hbase.tools;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
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
 * The keys of a store's files in their order, each once, with the files that have it: what the
 * files' filters are made of, and that of a compaction of all of them. Reads each file once, and
 * holds a block of each. Not thread-safe.
 */
final class StoreKeys {
  private static final VarHandle FIRST_BYTES =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final Configuration conf;
  private final BloomType type;
  private final int prefix;
  private final CellCount count;

  /** The table of all regions has an order of its own. */
  private final CellComparator comparator;

  /** Whether rows are in the order of their bytes, as everywhere but in that table. */
  private final boolean isByBytes;

  private final List<Cursor> cursors = new ArrayList<>();

  /** Is told each key. */
  interface Visitor {
    /**
     * @param key valid during the call
     * @param files by their place in the list
     */
    void key(ExtendedCell key, List<Integer> files);
  }

  /** Where a file is being read. */
  private final class Cursor {
    private final int place;
    private final StoreFile file;
    private final Half half;
    private final HFileScanner scanner;
    private ExtendedCell key;

    /** The key's first bytes: where they differ, nothing else has to be compared. */
    private long prefix;

    Cursor(int place, OpenFile open) {
      this.place = place;
      this.file = open.file();
      this.half = file.half();
      this.scanner = open.reader().getScanner(conf, false, false, false);
    }

    /**
     * To the next key; to the first, to begin with.
     *
     * @throws IOException that says which file cannot be read
     */
    boolean next() throws IOException {
      try {
        if (key == null ? first() : other()) {
          prefix = isByBytes ? firstBytes(key) : 0;
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
      if (half == null || !half.isTop() || half.row().length == 0) {
        return scanner.seekTo();
      }
      int found = scanner.seekTo(KeyValueUtil.createFirstOnRow(half.row()));
      if (found == 0 || found == HConstants.INDEX_KEY_MAGIC) {
        return true; // there, or on the first one after it
      }
      // Before it; or nowhere, since the file begins after it.
      return found > 0 ? scanner.next() : scanner.seekTo();
    }

    private boolean isOver(Cell cell) {
      return half != null
          && !half.isTop()
          && comparator.compareRows(cell, half.row(), 0, half.row().length) >= 0;
    }

    /** To the next cell that has another key. */
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
      Configuration conf,
      BloomType type,
      int prefix,
      CellComparator comparator,
      LongConsumer progress) {
    this.conf = conf;
    this.type = type;
    this.prefix = prefix;
    this.comparator = comparator;
    this.isByBytes = comparator.getClass() == CellComparator.getInstance().getClass();
    this.count = new CellCount(progress);
  }

  /**
   * Goes through all keys.
   *
   * @param files of a store, one at least
   * @param prefix of a row, for keys that are prefixes
   * @param progress told of cells
   */
  static void forEach(
      Configuration conf,
      List<OpenFile> files,
      BloomType type,
      int prefix,
      LongConsumer progress,
      Visitor visitor)
      throws IOException {
    CellComparator comparator = files.get(0).reader().getComparator();
    new StoreKeys(conf, type, prefix, comparator, progress).run(files, visitor);
  }

  private void run(List<OpenFile> files, Visitor visitor) throws IOException {
    PriorityQueue<Cursor> order = new PriorityQueue<>(Math.max(1, files.size()), this::compare);
    for (int i = 0; i < files.size(); i++) {
      Cursor cursor = new Cursor(i, files.get(i));
      if (cursor.next()) {
        order.add(cursor);
      }
    }
    if (order.size() > 1) {
      merge(order, visitor);
    }
    if (!order.isEmpty()) {
      readOut(order.remove(), visitor);
    }
    count.end();
  }

  /** As long as several files have keys left. */
  private void merge(PriorityQueue<Cursor> order, Visitor visitor) throws IOException {
    List<Integer> having = new ArrayList<>();
    while (order.size() > 1) {
      cursors.clear();
      Cursor first = order.remove();
      cursors.add(first);
      while (!order.isEmpty() && compare(order.element(), first) == 0) {
        cursors.add(order.remove());
      }
      having.clear();
      for (int i = 0; i < cursors.size(); i++) {
        having.add(cursors.get(i).place);
      }
      visitor.key(first.key, having);
      for (int i = 0; i < cursors.size(); i++) {
        if (cursors.get(i).next()) {
          order.add(cursors.get(i));
        }
      }
    }
  }

  /** To the end of the one file that has keys left. */
  private void readOut(Cursor last, Visitor visitor) throws IOException {
    List<Integer> having = List.of(last.place);
    do {
      visitor.key(last.key, having);
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
    return switch (type) {
      case ROWCOL ->
          CellUtil.matchingRows(before, cell) && CellUtil.matchingQualifier(before, cell);
      case ROWPREFIX_FIXED_LENGTH ->
          Bytes.equals(
              before.getRowArray(),
              before.getRowOffset(),
              before.getRowLength(),
              cell.getRowArray(),
              cell.getRowOffset(),
              Math.min(prefix, cell.getRowLength()));
      default -> CellUtil.matchingRows(before, cell);
    };
  }

  /** The row's first eight bytes as a number, with zeros for those that it does not have. */
  private static long firstBytes(Cell cell) {
    byte[] row = cell.getRowArray();
    int offset = cell.getRowOffset();
    int length = cell.getRowLength();
    if (length >= Long.BYTES) {
      return (long) FIRST_BYTES.get(row, offset);
    }
    long bytes = 0;
    for (int i = 0; i < length; i++) {
      bytes |= (row[offset + i] & 0xFFL) << (Long.SIZE - Byte.SIZE * (i + 1)); // 56 to 0
    }
    return bytes;
  }

  private int compare(Cursor a, Cursor b) {
    if (a.prefix != b.prefix) {
      return Long.compareUnsigned(a.prefix, b.prefix);
    }
    int rows = comparator.compareRows(a.key, b.key);
    return rows != 0 || type != BloomType.ROWCOL
        ? rows
        : comparator.compareQualifiers(a.key, b.key);
  }
}
