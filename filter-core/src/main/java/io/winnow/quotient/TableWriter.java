package io.winnow.quotient;

/** Fills a table with places in ascending order, from its beginning to its end, one pass. */
final class TableWriter {
  private final QuotientTable table;
  private final int remainderBits;
  private long last = -1;
  private int quotient = -1;
  private int end;
  private int count;
  private int distinct;

  TableWriter(QuotientTable emptyTable) {
    this.table = emptyTable;
    this.remainderBits = emptyTable.remainderBits;
  }

  /** Appends a place that is no smaller than the one before. */
  void append(long place) {
    int next = (int) (place >>> remainderBits);
    int slot = Math.max(next, end);
    table.reach(slot);
    table.append(next, slot, quotient, end);
    table.setRemainder(slot, place & (1L << remainderBits) - 1);
    quotient = next;
    end = slot + 1;
    count++;
    distinct += place == last ? 0 : 1;
    last = place;
  }

  void finish() {
    table.finish(quotient, end);
    table.appended(count, distinct);
  }
}
