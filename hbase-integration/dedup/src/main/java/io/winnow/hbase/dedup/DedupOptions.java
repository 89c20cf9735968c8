package io.winnow.hbase.dedup;

import io.winnow.cascade.CascadeMix;
import io.winnow.cascade.CascadeOptions;
import io.winnow.flash.store.Durability;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.apache.hadoop.hbase.TableName;

/**
 * How a {@link Deduplicator} is opened. Immutable; each method returns changed options.
 *
 * <p>Table, column, mark, and the filter's rate and expected maximum are those of a directory once
 * it was made; others are refused. The rest may change from one opening to the next.
 */
public final class DedupOptions {
  /** Each row is asked for before it is inserted. */
  private static final CascadeMix LOOKUP_PER_INSERT = CascadeMix.of(1);

  /** Where the mark is unless told otherwise: before all rows that begin with a letter or digit. */
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
   * For a table whose rows all have this column, as each Put must: a row is there if it has a cell
   * in it.
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
   * Memory, rate, expected maximum and the like of the filter. Unless told, {@link
   * CascadeOptions#defaults} with the fan-out for a lookup with each insert ({@link
   * CascadeOptions#fanOutFor}), which is what a de-duplicator does. Its durability is not looked
   * at: each batch is made safe before it is sent.
   */
  public DedupOptions filter(CascadeOptions options) {
    return new DedupOptions(table, family, qualifier, markFamily, markRow, options, progress);
  }

  /**
   * Where the table keeps its mark: a row with a cell for each directory that was made for it, in a
   * family without a time to live. Scans of the whole table see it. Unless told, in the family of
   * the column and in the row of a zero byte and {@code winnow-dedup}.
   */
  public DedupOptions mark(byte[] inFamily, byte[] row) {
    if (row.length == 0) {
      throw new IllegalArgumentException("the mark's row is empty");
    }
    return new DedupOptions(
        table, family, qualifier, inFamily.clone(), row.clone(), filter, progress);
  }

  /** Told how many rows of the table are in a new filter so far, while it is filled. */
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
