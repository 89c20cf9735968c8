package io.winnow.hbase.settings;

import io.winnow.hbase.format.KeyKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.BloomType;

/**
 * The filters that the files of a store would get, as they are written and compacted, with the
 * family's settings and the rule of {@link StoreRate}: for tools that plan and write nothing. Not
 * thread-safe.
 */
public final class StorePlan {
  private final WinnowSettings ofFlush;
  private final WinnowSettings ofCompaction;
  private final KeyKind kind;
  private final StockBloom stock;
  private final List<PlannedFile> files = new ArrayList<>();

  /** A file, with its filter beside the one that HBase would write. Immutable. */
  public static final class PlannedFile {
    private final StoreView.OtherFile file;
    private final double rate;
    private final double stockBytes;
    private final double stockRate;
    private final String whyThisRate;

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
      return file.keys();
    }

    /** Of its filter. */
    public double bytes() {
      return file.filterBytes();
    }

    /** Of a question, not of a probe. */
    public double rate() {
      return rate;
    }

    public double stockBytes() {
      return stockBytes;
    }

    /** Of a question, not of a probe. */
    public double stockRate() {
      return stockRate;
    }

    /** In words. */
    public String whyThisRate() {
      return whyThisRate;
    }

    /** Whether a Get of the row asks the file. */
    public boolean mayHave(byte[] row) {
      return file.mayBeAsked(row, row);
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
   * An empty store.
   *
   * @param family its whole configuration, which asks for a Winnow filter
   * @throws IllegalArgumentException with words on the setting that means nothing
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

  /** A flush of rows that may lie anywhere. */
  public PlannedFile flush(double keys) {
    return flush(keys, null, null);
  }

  /**
   * A flush.
   *
   * @param firstRow of the file; null if nobody knows
   * @param lastRow of the file; null if nobody knows
   */
  public PlannedFile flush(double keys, byte[] firstRow, byte[] lastRow) {
    return write(ofFlush, new StoreView.OtherFile(keys, 0, firstRow, lastRow), List.of());
  }

  /** A file of rows that may lie anywhere, with the filter that a major compaction gives. */
  public PlannedFile load(double keys) {
    return write(ofCompaction, new StoreView.OtherFile(keys, 0, null, null), List.of());
  }

  /** Makes one of some of the files; its rows are all of theirs. */
  public PlannedFile compact(Collection<PlannedFile> inputs, byte[] firstRow, byte[] lastRow) {
    files.removeAll(inputs);
    double keys = inputs.stream().mapToDouble(PlannedFile::keys).sum();
    List<StoreView.OtherFile> rewritten = others(inputs);
    return write(ofCompaction, new StoreView.OtherFile(keys, 0, firstRow, lastRow), rewritten);
  }

  /** As {@link #compact(Collection, byte[], byte[])}, of rows that may lie anywhere. */
  public PlannedFile compact(Collection<PlannedFile> inputs) {
    return compact(inputs, null, null);
  }

  /** A file whose rows are too old, or that is deleted for another reason. */
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
    double keys = file.keys();
    StoreView store = new StoreView(Occasion.OTHER, keys, 0, others(files), rewritten);
    StoreRate rates = settings.inStore(store).rates();
    double rate = settings.rateOfQuestion();
    String why = RateReason.ASKED.inWords();
    if (rates != null) {
      StoreRate.Decision decision = rates.decide(keys, file.firstRow(), file.lastRow());
      rate = decision.rate();
      why = decision.reason().inWords();
    }
    double bytes = settings.atRate(rate).fileBytes(keys);
    double ofProbe = stock.rate(keys);
    PlannedFile written =
        new PlannedFile(
            new StoreView.OtherFile(keys, bytes, file.firstRow(), file.lastRow()),
            rate,
            stock.bytes(keys),
            kind.hasQualifier() ? ofProbe * (2 - ofProbe) : ofProbe,
            why);
    files.add(written);
    return written;
  }

  /** In the order in which they were written. */
  public List<PlannedFile> files() {
    return List.copyOf(files);
  }
}
