package io.winnow.hbase.hooks;

import io.winnow.hbase.metrics.FamilyCounters;
import java.util.ArrayDeque;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;

/**
 * A filter's answer <i>maybe</i> to a Get, until the cells of the file show if it was right.
 *
 * <p>HBase seeks in the file for the Get anyway. A seek finds two cells: the last one at or before
 * its key, and the first one after that. The file has no cell between the two. Both are compared
 * before HBase skips cells that the Get must not see (newer than its read point), and before it
 * applies time to live, versions and delete markers, because a filter answers for what is in the
 * file, not for what a client gets.
 *
 * <p>The key of a ROW filter is the row. The key of a ROWCOL filter is the row with one column.
 * HBase also queries a ROWCOL filter for the row with column "", where markers that delete whole
 * families stand, and reads the file if either answer is <i>maybe</i>. So the answer was right if
 * the file has the Get's column, or column "".
 *
 * <p>Counting an answer allocates nothing. Cells are compared where they lie, because {@code
 * getRowArray} would copy the row of a cell off the heap. The last cell before the key is only made
 * if the key is not enough. A settled answer, which its scanner has given up, is used again by the
 * thread that settled it.
 *
 * <p>Used by one thread at a time, as its scanner is.
 */
final class PositiveAnswer implements FileAnswer {
  /**
   * Maximum number of objects for filter answers that a thread keeps for use again: a Get uses one
   * for each file at a time.
   */
  private static final int MAX_FREE = 32;

  private static final ThreadLocal<ArrayDeque<PositiveAnswer>> FREE =
      ThreadLocal.withInitial(() -> new ArrayDeque<>(MAX_FREE));

  private FamilyCounters counters;
  private byte[] row;

  /** Column that the Get reads; null if the filter's keys are rows. */
  private byte[] column;

  /** True if the file certainly has no cell in the column "" of the Get's row. */
  private boolean emptyColumnIsAbsent;

  /** True if the file's scanner is in the Get's row, before the Get's column. */
  private boolean columnIsAhead;

  /** True once the filter's answer is counted, either as right or as a false positive. */
  private boolean isSettled;

  /** Last cell at or before the key of the current seek; null if it was not needed. */
  private Cell before;

  private PositiveAnswer() {}

  /** Returns an object for a filter's answer to a Get: a free one of this thread, or a new one. */
  static PositiveAnswer of(FamilyCounters counters, byte[] row, byte[] column) {
    PositiveAnswer free = FREE.get().pollLast();
    PositiveAnswer answer = free == null ? new PositiveAnswer() : free;
    answer.counters = counters;
    answer.row = row;
    answer.column = column;
    return answer;
  }

  @Override
  public boolean isSettled() {
    return isSettled;
  }

  @Override
  public void free() {
    counters = null;
    row = null;
    column = null;
    emptyColumnIsAbsent = false;
    columnIsAhead = false;
    isSettled = false;
    before = null;
    ArrayDeque<PositiveAnswer> free = FREE.get();
    if (free.size() < MAX_FREE) {
      free.addLast(this);
    }
  }

  @Override
  public void ruledOut(Cell key) {
    if (column != null && key.getQualifierLength() == 0) {
      emptyColumnIsAbsent = true;
    }
  }

  @Override
  public boolean needsLast(Cell key) {
    if (!isInRow(key)) {
      return true;
    }
    if (isFirstOfRow(key)) {
      return false; // the last cell is of another row
    }
    if (column == null || !emptyColumnIsAbsent) {
      return true;
    }
    int order = compareToColumn(key); // if it is before the column, the last cell is too
    return order > 0 || order == 0 && key.getTimestamp() != HConstants.LATEST_TIMESTAMP;
  }

  @Override
  public void passing(Cell cell) {
    before = cell;
  }

  @Override
  public void sought(Cell key, Cell after) {
    if (isSettled) {
      return;
    }
    Cell last = before;
    before = null;
    if (isKey(last) || isKey(after)) {
      settle(true);
    } else if (column == null ? rowIsAbsent(key, last) : keyIsAbsent(key, last, after)) {
      settle(false);
    }
  }

  @Override
  public void stepped(Cell cell) {
    if (isSettled || !columnIsAhead) {
      return;
    }
    if (isKey(cell)) {
      settle(true);
    } else if (isBeyondColumn(cell)) {
      columnIsAhead = false;
      if (emptyColumnIsAbsent) {
        settle(false);
      }
    }
  }

  private void settle(boolean isTrue) {
    isSettled = true;
    (isTrue ? counters.truePositives : counters.falsePositives).increment();
  }

  /** Returns true if a cell of the file shows that the filter's answer was right. */
  private boolean isKey(Cell cell) {
    return cell != null
        && isInRow(cell)
        && (column == null || cell.getQualifierLength() == 0 || compareToColumn(cell) == 0);
  }

  /**
   * Returns true if the file has no cell of the Get's row, given that the cells before and after
   * the seek's key are of other rows.
   */
  private boolean rowIsAbsent(Cell key, Cell last) {
    // Without a last cell the seek ended at the start of a block, to which HBase goes only for keys
    // beyond every row of the block before it.
    return last != null || isInRow(key);
  }

  /**
   * Returns true if the file has neither the Get's column nor column "", given that the cells
   * before and after the seek's key are of other columns. Records what the seek shows of both
   * columns.
   */
  private boolean keyIsAbsent(Cell key, Cell last, Cell after) {
    if (!isInRow(key)) {
      return false;
    }
    if (isFirstOfRow(key) || nothingUpTo(last, after)) {
      emptyColumnIsAbsent = true;
    }
    columnIsAhead = !isBeyondColumn(after);
    return compareToColumn(key) <= 0 && !columnIsAhead && emptyColumnIsAbsent;
  }

  private boolean isBeyondColumn(Cell cell) {
    return cell == null || !isInRow(cell) || compareToColumn(cell) > 0;
  }

  /** Returns true if the Get's row has no cell up to the key of a seek within the row. */
  private boolean nothingUpTo(Cell last, Cell after) {
    return last != null ? !isInRow(last) : after == null || !isInRow(after);
  }

  private static boolean isFirstOfRow(Cell key) {
    return key.getQualifierLength() == 0 && key.getTimestamp() == HConstants.LATEST_TIMESTAMP;
  }

  private boolean isInRow(Cell cell) {
    return CellUtil.matchingRows(cell, row);
  }

  private int compareToColumn(Cell cell) {
    return CellUtil.compareQualifiers(cell, column, 0, column.length);
  }
}
