package io.winnow.hbase.tools;

import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.read.FilterFacts;
import io.winnow.hbase.settings.StockBloom;
import io.winnow.hbase.settings.StoreView;
import io.winnow.hbase.write.FilterTrial;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.regionserver.BloomType;

/**
 * Sizes and unnecessary file reads of the filters of one store: as they are, with each {@link
 * Choice} of a filter if each file were rewritten, and with each after a major compaction. Winnow's
 * filters are built; HBase's own are computed by HBase's formula. Not thread-safe.
 */
final class StoreAdvice {
  /**
   * Number of a store's files whose filters are built during the first reading of the store.
   * Further files are read again one by one, because chunks take memory.
   */
  private static final int AT_ONCE = 8;

  private final FamilySettings family;
  private final List<OpenFile> files;
  private final List<Tried> tried = new ArrayList<>();
  private final Outcome outcome = new Outcome();

  /**
   * Filters that a compaction of all files of the store would write, one for each choice of a
   * filter.
   */
  private Trials ofAll;

  /** Size, unnecessary file reads and build time of the filters of one store together. */
  static final class Sum {
    static final Sum NONE = new Sum(0, 0, 0);

    final double bytes;

    /**
     * Number of unnecessary file reads per Get of an absent row, in all files of the store
     * together.
     */
    final double falseReads;

    final double buildNanos;

    Sum(double bytes, double falseReads, double buildNanos) {
      this.bytes = bytes;
      this.falseReads = falseReads;
      this.buildNanos = buildNanos;
    }

    Sum plus(double moreBytes, double moreFalseReads, double moreNanos) {
      return new Sum(bytes + moreBytes, falseReads + moreFalseReads, buildNanos + moreNanos);
    }
  }

  /**
   * Returns the number of cells that are read to advise on filters for a store. The cells of some
   * files are read twice.
   */
  static double cellsToRead(List<FamilyFiles.FileSummary> store) {
    double cells = 0;
    for (int i = 0; i < store.size(); i++) {
      cells += (i < AT_ONCE ? 1 : 2) * store.get(i).allCells;
    }
    return cells;
  }

  /** Figures on the present filters of one store and on those that could replace them. */
  static final class Outcome {
    int files;

    /**
     * Number of keys in the filters of all files of a store: a key that several files have counts
     * once for each.
     */
    long keysInFiles;

    /** Number of distinct keys of a store. */
    long keys;

    /** Counts of the prefixes of a store's rows; null if the keys of its filters are not rows. */
    PrefixCount prefixes;

    /** Counts of the segments of a store's rows; null if the keys of its filters have no rows. */
    SegmentCount segments;

    Sum now = Sum.NONE;
    final Map<Choice, Sum> asFilesLie = new EnumMap<>(Choice.class);
    final Map<Choice, Sum> afterCompaction = new EnumMap<>(Choice.class);
  }

  /**
   * Filters that are tried for one file of a store, and the file's range of keys, while the store
   * is read.
   */
  private static final class Tried {
    Trials trials = Trials.NONE;
    Map<Choice, FilterTrial.Outcome> outcomes = Map.of();
    long keys;

    /**
     * Number of distinct keys of the store that come before the first key of the file. {@link
     * #upTo} is the number up to its last key.
     */
    long before;

    long upTo;
  }

  private StoreAdvice(FamilySettings family, List<OpenFile> files) {
    this.family = family;
    this.files = files;
  }

  /**
   * Reads all files of a store and returns the sizes and unnecessary file reads of its present
   * filters and of those that could replace them.
   *
   * @param progress receives the number of cells that were read
   * @throws IOException with a sentence for the user, if a file cannot be read
   */
  static Outcome of(
      Configuration conf, FamilySettings family, List<OpenFile> files, LongConsumer progress)
      throws IOException {
    return new StoreAdvice(family, files).run(conf, progress);
  }

  private Outcome run(Configuration conf, LongConsumer progress) throws IOException {
    double expected = 0;
    for (OpenFile file : files) {
      tried.add(new Tried());
      expected += file.keys();
    }
    if (family.type == BloomType.ROW) {
      outcome.prefixes = new PrefixCount(files.size());
    }
    if (family.type == BloomType.ROW || family.type == BloomType.ROWCOL) {
      outcome.segments = new SegmentCount(files.size());
    }
    ofAll = Trials.of(family, expected, List.of());
    if (files.size() > 1) {
      for (int i = 0; i < Math.min(files.size(), AT_ONCE); i++) {
        begin(i);
      }
    }
    StoreKeys.forEach(conf, files, family.type, family.prefix, progress, this::visit);
    tried.forEach(StoreAdvice::end);
    for (int i = AT_ONCE; i < files.size(); i++) {
      begin(i);
      Tried file = tried.get(i);
      StoreKeys.forEach(
          conf,
          List.of(files.get(i)),
          family.type,
          family.prefix,
          progress,
          (key, having, count) -> file.trials.add(key, ofAll.hash(key)));
      end(file);
    }
    finish();
    return outcome;
  }

  private void begin(int file) {
    tried.get(file).trials = Trials.of(family, files.get(file).keys(), besides(file));
  }

  private static void end(Tried file) {
    file.outcomes = file.trials.finish();
    file.trials = Trials.NONE;
  }

  private List<StoreView.OtherFile> besides(int file) {
    List<StoreView.OtherFile> others = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      if (i != file) {
        OpenFile other = files.get(i);
        others.add(
            new StoreView.OtherFile(
                other.keys(), other.bytesOfRows(), other.firstRow(), other.lastRow()));
      }
    }
    return others;
  }

  /**
   * Adds a key of the store to the filters that are tried. It runs for each key, so it allocates
   * nothing.
   */
  private void visit(ExtendedCell key, int[] having, int count) {
    long hash = ofAll.hash(key);
    ofAll.add(key, hash);
    if (outcome.prefixes != null) {
      outcome.prefixes.add(key, having, count);
    }
    if (outcome.segments != null) {
      outcome.segments.add(key, having, count);
    }
    for (int i = 0; i < count; i++) {
      Tried file = tried.get(having[i]);
      if (file.keys++ == 0) {
        file.before = outcome.keys;
      }
      file.upTo = outcome.keys + 1;
      file.trials.add(key, hash);
    }
    outcome.keys++;
  }

  private void finish() {
    StockBloom stock = family.stock();
    KeyKind kind = KeyKind.of(family.type);
    outcome.files = files.size();
    if (outcome.prefixes != null) {
      outcome.prefixes.finish();
    }
    if (outcome.segments != null) {
      outcome.segments.finish();
    }
    Sum stockNow = Sum.NONE;
    for (int i = 0; i < files.size(); i++) {
      Tried file = tried.get(i);
      FilterFacts facts = files.get(i).general;
      double share = shareOfGets(file);
      outcome.keysInFiles += file.keys;
      outcome.now =
          facts == null
              ? outcome.now.plus(0, share, 0)
              : outcome.now.plus(
                  files.get(i).generalBytes(), share * kind.rateOfQuery(facts.estimatedRate), 0);
      stockNow =
          stockNow.plus(stock.bytes(file.keys), share * kind.rateOfQuery(stock.rate(file.keys)), 0);
    }
    outcome.asFilesLie.put(Choice.BLOOM, stockNow);
    outcome.afterCompaction.put(
        Choice.BLOOM,
        new Sum(stock.bytes(outcome.keys), kind.rateOfQuery(stock.rate(outcome.keys)), 0));
    Map<Choice, FilterTrial.Outcome> compacted = ofAll.finish();
    for (Choice choice : Choice.ofWinnow()) {
      FilterTrial.Outcome whole = compacted.get(choice);
      Sum ofWhole = new Sum(whole.bytes, whole.falseReads, whole.buildNanos);
      outcome.afterCompaction.put(choice, ofWhole);
      Sum sum = Sum.NONE;
      for (Tried file : tried) {
        FilterTrial.Outcome one = file.outcomes.get(choice);
        if (one != null) {
          sum = sum.plus(one.bytes, shareOfGets(file) * one.falseReads, one.buildNanos);
        }
      }
      outcome.asFilesLie.put(choice, files.size() == 1 ? ofWhole : sum);
    }
  }

  /**
   * Returns the share of the store's Gets that query one file's filter, if absent rows are
   * distributed as present rows are.
   */
  private double shareOfGets(Tried file) {
    return outcome.keys == 0 ? 0 : (double) (file.upTo - file.before) / outcome.keys;
  }
}
