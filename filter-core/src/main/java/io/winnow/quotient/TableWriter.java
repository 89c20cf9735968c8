package io.winnow.quotient;

/** Makes a table of places in ascending order, from its beginning to its end, one pass. */
final class TableWriter {
  private final QuotientTable table;
  private long last = -1;
  private int quotient = -1;
  private int end;

  TableWriter(QuotientShape shape) {
    this.table = QuotientTable.of(shape);
  }

  /** Appends a place that is no smaller than the one before; an equal one not if one is enough. */
  void append(long place, boolean once) {
    if (place == last && once) {
      return;
    }
    int next = (int) (place >>> table.reader.remainderBits);
    int slot = Math.max(next, end);
    table.reach(slot);
    table.append(next, slot, quotient, end);
    table.setRemainder(slot, place & table.reader.remainderMask);
    quotient = next;
    end = slot + 1;
    table.added(place != last);
    last = place;
  }

  QuotientTable finish() {
    table.finish(quotient, end);
    return table;
  }
}
