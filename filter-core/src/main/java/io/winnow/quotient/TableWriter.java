package io.winnow.quotient;

/** Makes a table of places in ascending order, from its beginning to its end, one pass. */
final class TableWriter {
  private final QuotientTable table;
  private final int remainderBits;
  private long last = -1;
  private int quotient = -1;
  private int end;
  private int count;
  private int distinct;

  TableWriter(QuotientShape shape) {
    this.table = QuotientTable.of(shape);
    this.remainderBits = shape.remainderBits();
  }

  /** Appends a place that is no smaller than the one before; an equal one not if one is enough. */
  void append(long place, boolean once) {
    if (place == last && once) {
      return;
    }
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

  QuotientTable finish() {
    table.finish(quotient, end);
    table.appended(count, distinct);
    return table;
  }
}
