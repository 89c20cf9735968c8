package io.winnow.hbase.dedup;

import io.winnow.cascade.CascadeMix;
import io.winnow.cascade.CascadeOptions;
import io.winnow.flash.store.Durability;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.apache.hadoop.hbase.TableName;

/**
 * Options with which a {@link Deduplicator} is opened. Immutable; each method returns changed
 * options.
 *
 * <p>Table, column, mark, and the filter's rate and expected maximum are fixed when a directory is
 * made: an opening with others is refused. The rest may change from one opening to the next.
 */
public final class DedupOptions {
  /** Ratio of one lookup for each insert, because each row is queried before it is inserted. */
  private static final CascadeMix LOOKUP_PER_INSERT = CascadeMix.of(1);

  /**
   * Default key of the row in the HBase table that has the marks of directories: it is before all
   * rows that begin with a letter or digit.
   */
  private static final byte[] MARK_ROW = "\0winnow-dedup".getBytes(StandardCharsets.US_ASCII);

  private final TableName table;
  private final byte[] family;
  private final byte[] qualifier;
  private final byte[] markFamily;
  private final byte[] markRow;
  private final CascadeOptions filter;
  private final LongConsumer progress;

  private DedupOptions(
      TableName table,
      byte[] family,
      byte[] qualifier,
      byte[] markFamily,
      byte[] markRow,
      CascadeOptions filter,
      LongConsumer progress) {
    this.table = Objects.requireNonNull(table);
    this.family = family;
    this.qualifier = qualifier;
    this.markFamily = markFamily;
    this.markRow = markRow;
    this.filter = filter;
    this.progress = progress;
  }

  /**
   * Returns the options of a de-duplicator for a table of HBase. Each of its rows must have a cell
   * in this column, and so must each Put: a row counts as present if it has this cell.
   */
  public static DedupOptions of(TableName table, byte[] family, byte[] qualifier) {
    return new DedupOptions(
        table,
        family.clone(),
        qualifier.clone(),
        family.clone(),
        MARK_ROW,
        CascadeOptions.defaults().fanOutFor(LOOKUP_PER_INSERT),
        rows -> {});
  }

  /**
   * Sets the options of the de-duplicator's filter: its memory, rate, expected maximum and so on.
   * The default is {@link CascadeOptions#defaults} with the fan-out for one lookup with each insert
   * ({@link CascadeOptions#fanOutFor}), as a de-duplicator does. The durability of these options is
   * ignored: each batch is synced before it is sent.
   */
  public DedupOptions filter(CascadeOptions options) {
    return new DedupOptions(table, family, qualifier, markFamily, markRow, options, progress);
  }

  /**
   * Sets the place where the HBase table keeps the marks of directories: a row with a cell for each
   * directory that was made for the table, in a family without a time to live. Scans of the whole
   * table see this row. By default it is in the family of the column, and its key is a zero byte
   * and {@code winnow-dedup}.
   */
  public DedupOptions mark(byte[] inFamily, byte[] row) {
    if (row.length == 0) {
      throw new IllegalArgumentException("the mark's row is empty");
    }
    return new DedupOptions(
        table, family, qualifier, inFamily.clone(), row.clone(), filter, progress);
  }

  /**
   * Sets a consumer that receives the number of rows in a new filter, while the filter is filled
   * from the HBase table.
   */
  public DedupOptions filling(LongConsumer rows) {
    return new DedupOptions(table, family, qualifier, markFamily, markRow, filter, rows);
  }

  TableName table() {
    return table;
  }

  byte[] family() {
    return family;
  }

  byte[] qualifier() {
    return qualifier;
  }

  byte[] markFamily() {
    return markFamily;
  }

  byte[] markRow() {
    return markRow;
  }

  CascadeOptions filter() {
    return filter.durability(Durability.ON_SYNC);
  }

  LongConsumer progress() {
    return progress;
  }
}
