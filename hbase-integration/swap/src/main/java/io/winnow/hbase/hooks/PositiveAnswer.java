package io.winnow.hbase.hooks;

import io.winnow.hbase.metrics.FamilyCounters;
import java.util.ArrayDeque;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;

/**
 * A "maybe" that a file's filter gave to a Get, until the file itself tells whether it was right.
 *
 * <p>HBase seeks in the file for the Get's sake anyway. A seek knows two cells: the last one at or
 * before the key that is sought, and the first one after that. Every cell is in order, so these two
 * tell what the file has not. They are looked at before HBase skips cells that the Get must not see
 * (newer than its read point), and before it judges time to live, versions and delete markers: a
 * filter answers for what is in the file, not for what a client gets.
 *
 * <p>The key of a ROW filter is the row. That of a ROWCOL filter is the row with one column; HBase
 * asks it for the row alone as well, under which markers that delete whole families stand (column
 * ""), and reads the file when either answer is a maybe. So here, too, the answer was right if the
 * file has the column asked for, or column "".
 *
 * <p>To count an answer allocates nothing. Cells are compared where they lie: off the heap, {@code
 * getRowArray} would copy the row. The last cell before the key is made only if it can tell more
 * than the key does. And a settled answer, which its scanner forgets, is used again by the thread
 * that settled it.
 *
 * <p>Used by one thread at a time, as its scanner is.
 */
final class PositiveAnswer implements FileAnswer {
  /** A Get of many files has that many at once; more than these are left to the collector. */
  private static final int MOST_FREE = 32;

  private static final ThreadLocal<ArrayDeque<PositiveAnswer>> FREE =
      ThreadLocal.withInitial(() -> new ArrayDeque<>(MOST_FREE));

  private FamilyCounters counters;
  private byte[] row;

  /** The one column that was asked for; null if the filter's keys are rows. */
  private byte[] column;

  /** Whether the file surely has nothing in the row's column "". */
  private boolean emptyColumnIsAbsent;

  /** Whether the scanner is in the row, before the column. */
  private boolean columnIsAhead;

  /** Whether it is known, and counted, what the answer was worth. */
  private boolean isSettled;

  /** In the seek that goes on: the last cell at or before the key; null if none was looked at. */
  private Cell before;

  private PositiveAnswer() {}

  /** One that is free, or a new one. */
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
    if (free.size() < MOST_FREE) {
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
  public boolean looksAtLast(Cell key) {
    if (!isInRow(key)) {
      return true;
    }
    if (isFirstOfRow(key)) {
      return false; // it is of another row
    }
    if (column == null || !emptyColumnIsAbsent) {
      return true;
    }
    int order = compareToColumn(key); // if before the column, so is the last cell
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
    if (isTrue) {
      counters.countTruePositive();
    } else {
      counters.countFalsePositive();
    }
  }

  /** Whether the cell has the key that the filter was asked for. */
  private boolean isKey(Cell cell) {
    return cell != null
        && isInRow(cell)
        && (column == null || cell.getQualifierLength() == 0 || compareToColumn(cell) == 0);
  }

  /** Given that neither the last cell up to the key nor the first one after it is in the row. */
  private boolean rowIsAbsent(Cell key, Cell last) {
    // Without a last cell the seek ended at the start of a block, to which HBase goes only for keys
    // beyond every row of the block before it.
    return last != null || isInRow(key);
  }

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

  /** Whether the row has no cell up to the key of a seek within the row. */
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
