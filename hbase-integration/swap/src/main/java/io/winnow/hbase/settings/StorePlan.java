package io.winnow.hbase.settings;

import io.winnow.hbase.format.KeyKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.BloomType;

/**
 * Plan of the filters that the files of a store would get as they are written and compacted, with
 * the family's settings and the rule of {@link StoreRate}. For tools that plan and write nothing.
 * Not thread-safe.
 */
public final class StorePlan {
  private final WinnowSettings ofFlush;
  private final WinnowSettings ofCompaction;
  private final KeyKind kind;
  private final StockBloom stock;
  private final List<PlannedFile> files = new ArrayList<>();

  /** A planned store file, with its filter and the one that HBase would write. Immutable. */
  public static final class PlannedFile {
    final StoreView.OtherFile file;

    /** The false-positive rate of a query to the planned file's filter, which may be two probes. */
    public final double rate;

    public final double stockBytes;

    /**
     * The false-positive rate of a query to the filter that HBase would write for the planned file.
     */
    public final double stockRate;

    /** The reason for the false-positive rate of the planned file's filter, in words. */
    public final String whyThisRate;

    private PlannedFile(
        StoreView.OtherFile file,
        double rate,
        double stockBytes,
        double stockRate,
        String whyThisRate) {
      this.file = file;
      this.rate = rate;
      this.stockBytes = stockBytes;
      this.stockRate = stockRate;
      this.whyThisRate = whyThisRate;
    }

    public double keys() {
      return file.keys;
    }

    /** Returns the bytes of the Winnow filter of the planned file. */
    public double bytes() {
      return file.filterBytes;
    }
  }

  private StorePlan(
      WinnowSettings ofFlush, WinnowSettings ofCompaction, KeyKind kind, StockBloom stock) {
    this.ofFlush = ofFlush;
    this.ofCompaction = ofCompaction;
    this.kind = kind;
    this.stock = stock;
  }

  /**
   * Returns the plan of the filters of a store that has no files yet.
   *
   * @param family the whole configuration of the family, which wants a Winnow filter
   * @throws IllegalArgumentException if a setting has a wrong value; its message names it
   */
  public static StorePlan of(Configuration family, BloomType type) {
    KeyKind kind = KeyKind.of(type);
    try {
      return new StorePlan(
          WinnowSettings.of(family, kind, Occasion.FLUSH),
          WinnowSettings.of(family, kind, Occasion.OTHER),
          kind,
          WinnowSettings.stock(family, kind));
    } catch (WrongSettingException e) {
      throw new IllegalArgumentException(e.inWords(), e);
    }
  }

  /** Adds the file that a flush would write, whose rows may lie anywhere, to the planned store. */
  public PlannedFile flush(double keys) {
    return flush(keys, null, null);
  }

  /**
   * Adds the file that a flush would write to the planned store.
   *
   * @param firstRow the first row of the file; null if unknown
   * @param lastRow the last row of the file; null if unknown
   */
  public PlannedFile flush(double keys, byte[] firstRow, byte[] lastRow) {
    return write(ofFlush, new StoreView.OtherFile(keys, 0, firstRow, lastRow), List.of());
  }

  /**
   * Adds a file of rows that may lie anywhere to the planned store, with the filter that a major
   * compaction writes.
   */
  public PlannedFile load(double keys) {
    return write(ofCompaction, new StoreView.OtherFile(keys, 0, null, null), List.of());
  }

  /**
   * Replaces some files of the planned store by one with all of their keys.
   *
   * @param firstRow the first row of the new file; null if unknown
   * @param lastRow the last row of the new file; null if unknown
   */
  public PlannedFile compact(Collection<PlannedFile> inputs, byte[] firstRow, byte[] lastRow) {
    files.removeAll(inputs);
    double keys = inputs.stream().mapToDouble(PlannedFile::keys).sum();
    List<StoreView.OtherFile> rewritten = others(inputs);
    return write(ofCompaction, new StoreView.OtherFile(keys, 0, firstRow, lastRow), rewritten);
  }

  /** Replaces some files of the planned store by one whose rows may lie anywhere. */
  public PlannedFile compact(Collection<PlannedFile> inputs) {
    return compact(inputs, null, null);
  }

  /** Removes a file from the planned store, for example because its rows are too old. */
  public void drop(PlannedFile file) {
    files.remove(file);
  }

  private static List<StoreView.OtherFile> others(Collection<PlannedFile> files) {
    List<StoreView.OtherFile> others = new ArrayList<>();
    files.forEach(file -> others.add(file.file));
    return others;
  }

  private PlannedFile write(
      WinnowSettings settings, StoreView.OtherFile file, List<StoreView.OtherFile> rewritten) {
    double keys = file.keys;
    StoreView store = new StoreView(Occasion.OTHER, keys, 0, others(files), rewritten);
    StoreRate rates = settings.inStore(store).rates;
    double rate = settings.rateOfQuery();
    String why = RateReason.FIXED.inWords;
    if (rates != null) {
      StoreRate.Decision decision = rates.decide(keys, file.firstRow, file.lastRow);
      rate = decision.rate;
      why = decision.reason.inWords;
    }
    double bytes = settings.atRate(rate).fileBytes(keys);
    PlannedFile written =
        new PlannedFile(
            new StoreView.OtherFile(keys, bytes, file.firstRow, file.lastRow),
            rate,
            stock.bytes(keys),
            kind.rateOfQuery(stock.rate(keys)),
            why);
    files.add(written);
    return written;
  }

  /** Returns the files of the planned store, in the order in which they were written. */
  public List<PlannedFile> files() {
    return List.copyOf(files);
  }
}
