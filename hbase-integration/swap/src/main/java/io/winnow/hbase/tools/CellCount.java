package io.winnow.hbase.tools;

import java.util.function.LongConsumer;
import org.apache.hadoop.hbase.Cell;

/** Counter of cells that reports progress each time it has counted many cells or many bytes. */
final class CellCount {
  private static final int MANY = 1 << 14;
  private static final long LARGE = 4 << 20;

  private final LongConsumer progress;
  private long cells;
  private long bytes;

  CellCount(LongConsumer progress) {
    this.progress = progress;
  }

  void add(Cell cell) {
    cells++;
    bytes += cell.getSerializedSize();
    if (cells >= MANY || bytes >= LARGE) {
      end();
    }
  }

  /** Reports the number of cells that were counted since the last report. */
  void end() {
    progress.accept(cells);
    cells = 0;
    bytes = 0;
  }
}
