package io.winnow.hbase.dedup;

import io.winnow.cascade.CascadeMix;
import io.winnow.cascade.CascadeOptions;
import io.winnow.flash.drive.CopiedOnChange;
import io.winnow.flash.store.Durability;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Options with which a {@link Deduplicator} is opened. Immutable; each method returns changed
 * options.
 *
 * <p>Table, column, mark, and the filter's rate and expected maximum are fixed when a directory is
 * made: an opening with others is refused. The rest may change from one opening to the next.
 */
public final class DedupOptions extends CopiedOnChange<DedupOptions> {
  /** Ratio of one lookup for each insert, because each row is queried before it is inserted. */
  private static final CascadeMix LOOKUP_PER_INSERT = CascadeMix.of(1);

  /**
   * Default key of the row in the HBase table that has the marks of directories: it is before all
   * rows that begin with a letter or digit.
   */
  private static final byte[] MARK_ROW = "\0winnow-dedup".getBytes(StandardCharsets.US_ASCII);

  TableName table;
  byte[] family;
  byte[] qualifier;
  byte[] markFamily;
  byte[] markRow = MARK_ROW;

  /** Options of the filter, whose batches are synced before they are sent. */
  CascadeOptions filter = CascadeOptions.defaults().fanOutFor(LOOKUP_PER_INSERT);

  LongConsumer progress = rows -> {};

  private DedupOptions() {}

  /**
   * Returns the options of a de-duplicator for a table of HBase. Each of its rows must have a cell
   * in this column, and so must each Put: a row counts as present if it has this cell.
   */
  public static DedupOptions of(TableName table, byte[] family, byte[] qualifier) {
    DedupOptions options = new DedupOptions();
    options.table = Objects.requireNonNull(table);
    options.family = family.clone();
    options.qualifier = qualifier.clone();
    options.markFamily = options.family;
    return options;
  }

  /**
   * Sets the options of the de-duplicator's filter: its memory, rate, expected maximum and so on.
   * The default is {@link CascadeOptions#defaults} with the fan-out for one lookup with each insert
   * ({@link CascadeOptions#fanOutFor}), as a de-duplicator does. The durability of these options is
   * ignored: each batch is synced before it is sent.
   */
  public DedupOptions filter(CascadeOptions options) {
    return with(o -> o.filter = options.durability(Durability.ON_SYNC));
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
    return with(
        o -> {
          o.markFamily = inFamily.clone();
          o.markRow = row.clone();
        });
  }

  /**
   * Sets a consumer that receives the number of rows in a new filter, while the filter is filled
   * from the HBase table.
   */
  public DedupOptions filling(LongConsumer rows) {
    return with(o -> o.progress = rows);
  }

  @Override
  public String toString() {
    return String.format(
        "DedupOptions[table=%s, column=%s:%s, mark=%s:%s, filter=%s]",
        table,
        Bytes.toStringBinary(family),
        Bytes.toStringBinary(qualifier),
        Bytes.toStringBinary(markFamily),
        Bytes.toStringBinary(markRow),
        filter);
  }
}
