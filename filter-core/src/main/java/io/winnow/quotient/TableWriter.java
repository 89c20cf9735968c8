package io.winnow.quotient;

/** Writes a quotient filter's table in one pass, from fingerprints in ascending order. */
final class TableWriter {
  private final QuotientTable table;
  private long last = -1;
  private int quotient = -1;
  private int end;

  TableWriter(QuotientShape shape) {
    this.table = QuotientTable.of(shape);
  }

  /**
   * Appends a fingerprint, which is not smaller than the last one, to a quotient filter's table.
   *
   * @param once whether a place equal to the one before is dropped
   */
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

  /** Completes and returns the quotient filter's table. */
  QuotientTable finish() {
    table.finish(quotient, end);
    return table;
  }
}
