package io.winnow.hbase.tools;

import java.io.IOException;
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
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;

/**
 * The keys of a store's files in their order, each once, with the files that have it: what the
 * files' filters are made of, and that of a compaction of all of them. Not thread-safe.
 */
final class StoreKeys {
  private static final int STRIDE = 1 << 16;

  private final BloomType type;
  private final int prefix;
  private final LongConsumer progress;
  private final List<Cursor> cursors = new ArrayList<>();
  private long bytes;
  private long cells;

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
    private final int file;
    private final HFileScanner scanner;
    private ExtendedCell key;

    Cursor(int file, HFileScanner scanner) {
      this.file = file;
      this.scanner = scanner;
    }

    boolean begin() throws IOException {
      return scanner.seekTo() && take();
    }

    /** To the next cell that has another key. */
    boolean next() throws IOException {
      ExtendedCell before = key;
      while (scanner.next()) {
        Cell cell = scanner.getCell();
        count(cell);
        if (!isSameKey(before, cell)) {
          key = keyOf(cell);
          return true;
        }
      }
      return false;
    }

    private boolean take() {
      Cell cell = scanner.getCell();
      count(cell);
      key = keyOf(cell);
      return true;
    }
  }

  private StoreKeys(BloomType type, int prefix, LongConsumer progress) {
    this.type = type;
    this.prefix = prefix;
    this.progress = progress;
  }

  /**
   * Goes through all keys.
   *
   * @param prefix of a row, for keys that are prefixes
   * @param progress told of bytes of cells
   */
  static void forEach(
      List<OpenFile> files, BloomType type, int prefix, LongConsumer progress, Visitor visitor)
      throws IOException {
    new StoreKeys(type, prefix, progress).run(files, visitor);
  }

  private void run(List<OpenFile> files, Visitor visitor) throws IOException {
    Configuration conf = new Configuration(false);
    PriorityQueue<Cursor> order =
        new PriorityQueue<>(Math.max(1, files.size()), (a, b) -> compare(a.key, b.key));
    for (int i = 0; i < files.size(); i++) {
      Cursor cursor = new Cursor(i, files.get(i).reader().getScanner(conf, false, false, false));
      if (cursor.begin()) {
        order.add(cursor);
      }
    }
    List<Integer> having = new ArrayList<>();
    while (!order.isEmpty()) {
      cursors.clear();
      cursors.add(order.remove());
      ExtendedCell key = cursors.get(0).key;
      while (!order.isEmpty() && compare(order.element().key, key) == 0) {
        cursors.add(order.remove());
      }
      having.clear();
      cursors.forEach(cursor -> having.add(cursor.file));
      visitor.key(key, having);
      for (Cursor cursor : cursors) {
        if (cursor.next()) {
          order.add(cursor);
        }
      }
    }
    progress.accept(bytes);
  }

  private void count(Cell cell) {
    bytes += cell.getSerializedSize();
    if (++cells % STRIDE == 0) {
      progress.accept(bytes);
      bytes = 0;
    }
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
      case ROWPREFIX_FIXED_LENGTH -> CellUtil.matchingRows(before, keyOf(cell));
      default -> CellUtil.matchingRows(before, cell);
    };
  }

  private int compare(ExtendedCell a, ExtendedCell b) {
    int rows = CellComparator.getInstance().compareRows(a, b);
    return rows != 0 || type != BloomType.ROWCOL
        ? rows
        : CellComparator.getInstance().compareQualifiers(a, b);
  }
}
