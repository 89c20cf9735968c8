package io.winnow.hbase.hooks;

import io.winnow.hbase.RepeatedLog;
import io.winnow.hbase.format.KeySegment;
import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.format.RangeKeys;
import io.winnow.hbase.format.SegmentRule;
import io.winnow.hbase.metrics.Failures;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.read.Interrupts;
import io.winnow.hbase.read.WinnowFilterReader;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hooks of scans and Gets, by which HBase skips a store file if its filter or its key segments rule
 * out all rows between the bounds, or in the ranges that the scan's filter states. The woven reader
 * of a store file calls them before HBase's own queries. They throw nothing. In doubt the answer is
 * true, which includes readers and scanners that are not HBase's own ({@link KnownReaders}).
 * Thread-safe.
 */
public final class ScanHooks {
  private static final Logger LOG = LoggerFactory.getLogger(ScanHooks.class);

  private static final Failures FAILURES =
      new Failures(
          LOG::error,
          "Cannot query a filter for a scan: the file is read",
          ServerMetric.PROBE_FAILURES,
          RepeatedLog.everyMinutes(10));

  private static final Failures UNUSABLE_SEGMENTS =
      new Failures(
          LOG::error,
          "Cannot use the key segments of a file: scans read it",
          ServerMetric.OPEN_FAILURES,
          RepeatedLog.everyMinutes(10));

  /** True if this JVM has seen a scanner of a store that is not HBase's own. */
  private static volatile boolean hasUnknown;

  /** True if all scanners that this thread last selected for a scan are HBase's own. */
  private static final ThreadLocal<Boolean> ARE_KNOWN = ThreadLocal.withInitial(() -> false);

  /** Object that stands for the segments of a file that has none, or none that can be read. */
  private static final Object NO_SEGMENT = new Object();

  private static final byte[] NO_BOUND = {};

  /** True if this JVM has opened the segments of a file. */
  private static volatile boolean hasSegments;

  /** Facts about the bounds of the last scan that this thread served. */
  private static final ThreadLocal<Walk> WALK = ThreadLocal.withInitial(Walk::new);

  /**
   * Facts about the bounds of a scan, and about the query of a filter for the row prefix that they
   * imply. {@link #mayHaveRows} leaves them for {@link AnswerHooks}, which counts the scan, so that
   * nothing is computed twice.
   */
  static final class Walk {
    /** Length in bytes of the row prefix that the bounds of the scan imply. */
    int impliedLength;

    /** True if the file's filter was queried for a row prefix that the bounds of the scan imply. */
    boolean isQueried;

    /** True if the segments of the file's rows were compared with the bounds of the scan. */
    boolean isOfSegment;

    /** True if a file was skipped by its segments, and {@link #endSkip} was not called since. */
    private boolean isSkipped;

    /** True between the calls of {@link #mayHaveRows} and {@link #endWalk} for a file. */
    private boolean isLeft;

    /** True if the file was queried for the ranges that the filter of the scan states. */
    boolean isOfRanges;

    /** True if the file is read only because it may have a row that ends the scan. */
    boolean isEnd;

    private static final WeakReference<Scan> NO_SCAN = new WeakReference<>(null);

    /** Scan whose region's scanner is being made, if the filter of the scan states ranges. */
    private WeakReference<Scan> opened = NO_SCAN;

    /** Statement of the filter of {@link #opened}. */
    private StatedRows stated;

    /** True if the client of {@link #opened} goes on in other regions until the filter is done. */
    private boolean goesOn;

    /** Number of stores of the region that have not selected their files for {@link #opened}. */
    private int storesLeft;

    /** True while the store that selects its files may use the statement of the filter. */
    private boolean isSelecting;

    /** True if the store has not selected a file with a row that ends the scan in all regions. */
    private boolean needsEnd;

    private void forgetRanges() {
      isSelecting = false;
      storesLeft = 0;
      opened = NO_SCAN;
      stated = null;
    }

    private void keepRanges(Scan scan, StatedRows newStated, boolean goesOnBehind) {
      storesLeft = scan.getFamilyMap().size();
      opened = new WeakReference<>(scan);
      stated = newStated;
      goesOn = goesOnBehind;
    }

    /**
     * Begins the selection of a store's files. Later, after a flush, a store selects again: then
     * the filter may be in the middle of its work, and its statement is not used.
     */
    private void selects(Scan scan) {
      isSelecting = storesLeft > 0 && opened.get() == scan;
      if (isSelecting) {
        storesLeft--;
        needsEnd = goesOn && stated.end != null;
      }
    }

    /** Returns what the filter of a scan states; null if that is nothing, or is not used. */
    StatedRows statedBy(Scan scan) {
      return scan.getFilter() != null && isSelecting && opened.get() == scan ? stated : null;
    }

    private void over(Scan scan) {
      impliedLength = ScanPrefix.impliedLength(scan);
      isQueried = false;
      isOfSegment = false;
      isOfRanges = false;
      isEnd = false;
      isLeft = true;
    }

    /** Computes the facts about the bounds of a scan, unless that was done for this file. */
    private void overOnce(Scan scan) {
      if (!isLeft) {
        over(scan);
      }
    }
  }

  private ScanHooks() {}

  /**
   * Records that all scanners of a store that serve a scan are HBase's own, or that they are not.
   * Called by {@code StoreScanner.selectScannersFrom}, which then queries each of them.
   *
   * @param scanners of the store's files and of its memory
   */
  public static void selects(List<?> scanners, Scan scan) {
    boolean areKnown = false;
    try {
      areKnown = KnownReaders.areKnown(scanners);
    } catch (Throwable e) {
      FAILURES.report(e);
    }
    try {
      if (!areKnown) {
        hasUnknown = true;
      }
      if (hasUnknown) {
        ARE_KNOWN.set(areKnown);
      }
      if (scan.getFilter() != null) {
        WALK.get().selects(scan);
      }
    } catch (Throwable e) {
      FAILURES.report(e);
    }
  }

  /** Forgets what the filter of the last scan of this thread states. */
  static void forgetRanges() {
    WALK.get().forgetRanges();
  }

  /**
   * Keeps what the filter of a scan states until the stores of a region have selected their files.
   *
   * @param goesOn true if the client goes on in other regions until the filter is done
   */
  static void keepRanges(Scan scan, StatedRows stated, boolean goesOn) {
    WALK.get().keepRanges(scan, stated, goesOn);
  }

  /**
   * Returns true if the scanner of a store file is of HBase's own class, and so shows the rows of
   * the file. The classes of the reader and of the scanners from which this thread selects show it.
   */
  static boolean showsItsFile(StoreFileReader reader) {
    return KnownReaders.isKnown(reader) && (!hasUnknown || ARE_KNOWN.get());
  }

  /**
   * Returns the facts about the bounds of a scan: those that {@link #mayHaveRows} computed for the
   * file, or else new ones.
   */
  static Walk endWalk(Scan scan, StoreFileReader reader) {
    Walk walk = WALK.get();
    // A reader of another class may not have called us: then another scan left the walk.
    if (!walk.isLeft || !KnownReaders.isKnown(reader)) {
      walk.over(scan);
    }
    walk.isLeft = false;
    return walk;
  }

  /**
   * Opens the segments of a file's rows, for {@code StoreFileReader}, which keeps them.
   *
   * @return the last argument but one of {@link #mayHaveRows}
   */
  public static Object segmentOf(StoreFileReader reader) {
    HFile.Reader file = null;
    try {
      file = reader.getHFileReader();
      KeySegment segment = file == null ? null : KeySegment.in(file.getHFileInfo());
      if (segment != null) {
        hasSegments = true;
        return segment;
      }
    } catch (Throwable e) { // the file is read without them
      UNUSABLE_SEGMENTS.report(e, file);
    }
    return NO_SEGMENT;
  }

  /**
   * Returns true if a scan or a Get has just skipped a file because of its segments, and forgets
   * that. HBase's own filter may have ruled out the rows of a file that is not read, too.
   */
  static boolean endSkip() {
    if (!hasSegments) {
      return false;
    }
    Walk walk = WALK.get();
    boolean isSkipped = walk.isSkipped;
    walk.isSkipped = false;
    return isSkipped;
  }

  /**
   * Returns false if a store file has no row between the bounds of a scan, by the answer of its
   * filter. Called by {@code StoreFileReader.passesBloomFilter}.
   *
   * @param filter the reader's general filter; null if it has none
   * @param segment the result of {@link #segmentOf}
   */
  public static boolean mayHaveRows(
      StoreFileReader reader, BloomFilter filter, Object segment, Scan scan) {
    try {
      boolean hasSegment = segment instanceof KeySegment;
      if (scan.isGetScan()) {
        if (!hasSegment || !showsItsFile(reader)) {
          return true;
        }
        boolean mayHave = ((KeySegment) segment).mayHaveRow(scan.getStartRow());
        WALK.get().isSkipped = !mayHave;
        return mayHave;
      }
      Walk walk = WALK.get();
      walk.isLeft = false;
      walk.isSkipped = false;
      StatedRows stated = walk.statedBy(scan);
      if (filter == null && !hasSegment && stated == null || !showsItsFile(reader)) {
        return true;
      }
      if (hasSegment && !compareSegment((KeySegment) segment, scan, walk)) {
        walk.isSkipped = true;
        return false;
      }
      if (filter != null && !queryFilter(reader, filter, scan, walk)) {
        return false;
      }
      return stated == null || compareRanges(stated, reader, filter, segment, scan, walk);
    } catch (Throwable e) {
      return inDoubt(e, scan);
    }
  }

  /** Returns false if the filter of a file rules out all rows between the bounds of a scan. */
  private static boolean queryFilter(
      StoreFileReader reader, BloomFilter filter, Scan scan, Walk walk) {
    BloomType type = reader.getBloomFilterType();
    if (type == BloomType.ROW && filter instanceof WinnowFilterReader) {
      return queryPrefixes((WinnowFilterReader) filter, scan, walk);
    }
    return type != BloomType.ROWPREFIX_FIXED_LENGTH || queryStock(reader, filter, scan, walk);
  }

  /**
   * Returns false if a file has no row that the filter of the scan can let pass, unless the file is
   * needed to end the scan in all regions, as HBase does when the filter sees a row behind all that
   * it can let pass. The file of a half is read: its first and its last row are not those that its
   * reader knows.
   */
  private static boolean compareRanges(
      StatedRows stated,
      StoreFileReader reader,
      BloomFilter filter,
      Object segment,
      Scan scan,
      Walk walk) {
    if (reader.getClass() != StoreFileReader.class) {
      return true;
    }
    Optional<? extends Cell> first = reader.getFirstKey();
    Optional<? extends Cell> last = reader.getLastKey();
    if (!first.isPresent() || !last.isPresent()) {
      return true;
    }
    walk.overOnce(scan);
    walk.isOfRanges = true;
    boolean mayHave = false;
    RowRanges ranges = stated.ranges;
    for (int i = 0; i < ranges.size() && !mayHave; i++) {
      mayHave =
          (ranges.to(i) == null || compare(first.get(), ranges.to(i)) < 0)
              && compare(last.get(), ranges.from(i)) >= 0
              && queryRange(ranges.from(i), ranges.to(i), reader, filter, segment);
    }
    boolean isReversed = scan.isReversed();
    Cell farthest = isReversed ? first.get() : last.get();
    // HBase opens a file whose only row between the bounds is an excluded start row.
    boolean mayEnd =
        walk.needsEnd
            && isBehind(farthest, stated.end, isReversed)
            && (scan.includeStartRow() || compare(farthest, scan.getStartRow()) != 0);
    // HBase may still skip a file by a filter of prefixes, after us.
    if (mayEnd && reader.getBloomFilterType() != BloomType.ROWPREFIX_FIXED_LENGTH) {
      walk.needsEnd = false;
    }
    walk.isEnd = mayEnd && !mayHave;
    return mayHave || mayEnd;
  }

  private static boolean isBehind(Cell cell, byte[] row, boolean isReversed) {
    int order = compare(cell, row);
    return isReversed ? order < 0 : order >= 0;
  }

  private static int compare(Cell cell, byte[] row) {
    return CellComparator.getInstance().compareRows(cell, row, 0, row.length);
  }

  /** Returns false if the row prefixes of a filter rule out the rows of a range. */
  private static boolean queryPrefixesOfRange(
      WinnowFilterReader filter, byte[] from, byte[] to, int implied) {
    int prefix = filter.prefixLength(from, implied);
    if (prefix != PrefixRule.NONE) {
      return filter.mayHavePrefix(from, prefix);
    }
    RangeKeys keys = filter.keysOf(from, to);
    return keys == null || filter.mayHave(keys);
  }

  /** Returns false if the segments or the filter of a file rule out the rows of a range. */
  private static boolean queryRange(
      byte[] from, byte[] to, StoreFileReader reader, BloomFilter filter, Object segment) {
    int implied = ScanPrefix.impliedLength(from, to);
    if (segment instanceof KeySegment) {
      KeySegment ofFile = (KeySegment) segment;
      int begin = ofFile.rule.beginIn(from, 0, implied);
      byte[] larger = to == null ? NO_BOUND : to;
      if (begin != SegmentRule.NONE && !ofFile.mayHaveRows(begin, from, larger, false)) {
        return false;
      }
    }
    BloomType type = reader.getBloomFilterType();
    if (type == BloomType.ROW && filter instanceof WinnowFilterReader) {
      return queryPrefixesOfRange((WinnowFilterReader) filter, from, to, implied);
    }
    int length = reader.getPrefixLength();
    return type != BloomType.ROWPREFIX_FIXED_LENGTH
        || filter == null
        || length < 1
        || length > implied
        || !KnownReaders.isKnown(filter)
        || filter.contains(from, 0, length, null);
  }

  /**
   * Returns false if no row between the bounds of a scan can have a segment of the file's rows. A
   * scan without any bound, such as that of a compaction, reads each file.
   */
  static boolean compareSegment(KeySegment segment, Scan scan, Walk walk) {
    byte[] smaller = ScanPrefix.smallerBound(scan);
    byte[] larger = ScanPrefix.largerBound(scan);
    if (smaller.length == 0 && larger.length == 0) {
      return true;
    }
    walk.over(scan);
    int begin = segment.rule.beginIn(smaller, 0, walk.impliedLength);
    walk.isOfSegment = begin != SegmentRule.NONE;
    return !walk.isOfSegment
        || segment.mayHaveRows(begin, smaller, larger, ScanPrefix.largerIsIncluded(scan));
  }

  /** Returns false if a filter's row prefixes rule out all rows between the bounds of a scan. */
  private static boolean queryPrefixes(WinnowFilterReader filter, Scan scan, Walk walk) {
    if (!filter.hasPrefixes()) {
      return true;
    }
    byte[] smaller = ScanPrefix.smallerBound(scan);
    walk.overOnce(scan);
    int prefix = filter.prefixLength(smaller, walk.impliedLength);
    if (prefix != PrefixRule.NONE) {
      walk.isQueried = true;
      return filter.mayHavePrefix(smaller, prefix);
    }
    byte[] larger = ScanPrefix.largerBound(scan);
    if (larger.length == 0) {
      return true;
    }
    byte[] to = ScanPrefix.largerIsIncluded(scan) ? RowRanges.after(larger) : larger;
    RangeKeys keys = filter.keysOf(smaller, to);
    walk.isQueried = keys != null;
    return !walk.isQueried || filter.mayHave(keys);
  }

  /**
   * Queries a stock filter of row prefixes for the bounds of a scan, if HBase does not. HBase
   * queries it only if start and stop row have the prefix in common, but a scan of one whole prefix
   * stops at the next prefix.
   */
  private static boolean queryStock(
      StoreFileReader reader, BloomFilter filter, Scan scan, Walk walk) {
    int length = reader.getPrefixLength();
    byte[] smaller = ScanPrefix.smallerBound(scan);
    walk.overOnce(scan);
    if (length < 1
        || length > walk.impliedLength
        || isQueriedByStock(scan, length)
        || !KnownReaders.isKnown(filter)) {
      return true;
    }
    return filter.contains(smaller, 0, length, null);
  }

  private static boolean isQueriedByStock(Scan scan, int length) {
    byte[] start = scan.getStartRow();
    byte[] stop = scan.getStopRow();
    return start.length >= length
        && stop.length >= length
        && Arrays.equals(start, 0, length, stop, 0, length);
  }

  /**
   * Reports a failed query of a filter, and returns true. A scan without bounds and filter, such as
   * that of a compaction, does no I/O here, so a failure that looks like an interrupt must not end
   * it.
   */
  private static boolean inDoubt(Throwable cause, Scan scan) {
    try {
      boolean hasRows =
          scan.getStartRow().length > 0 || scan.getStopRow().length > 0 || scan.getFilter() != null;
      if (hasRows && Interrupts.isOne(cause)) {
        Thread.currentThread().interrupt();
        return true;
      }
    } catch (Throwable again) {
      // The answer matters more than the line.
    }
    FAILURES.report(cause);
    return true;
  }
}
