package io.winnow.hbase.hooks;

import io.winnow.hbase.HBaseMember;
import io.winnow.hbase.RepeatedLog;
import io.winnow.hbase.metrics.Failures;
import io.winnow.hbase.metrics.Families;
import io.winnow.hbase.metrics.ScanCounters;
import io.winnow.hbase.read.WinnowFilterReader;
import java.lang.invoke.MethodHandle;
import java.lang.ref.WeakReference;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hooks of the woven scanner of a store file, which count the right and the false answers of the
 * file's filter. They receive the filter's answer, and then the cells at which the scanner arrives.
 *
 * <p>They throw nothing into HBase. A file that its filter rules out costs one static call and a
 * comparison. Any other file costs two comparisons of cells and allocates nothing. Readers and
 * scanners that are not HBase's own are not counted, because they may show other keys than the
 * file's ({@link KnownReaders}). If nothing can be counted, in a scan of many rows for instance,
 * each seek and each step cost one static call and a comparison. Thread-safe.
 */
public final class AnswerHooks {
  private static final Logger LOG = LoggerFactory.getLogger(AnswerHooks.class);

  private static final MethodHandle CELL = HBaseMember.CELL.getter(Cell.class, HFileScanner.class);
  private static final MethodHandle GENERAL_FILTER =
      HBaseMember.GENERAL_FILTER.getter(BloomFilter.class, StoreFileReader.class);

  /**
   * Last scan and store that this thread served, because HBase calls the hook once for each file
   * and the scan is counted once.
   */
  private static final ThreadLocal<LastScan> LAST = ThreadLocal.withInitial(LastScan::new);

  private static final Failures FAILURES =
      new Failures(
          LOG::warn,
          "Cannot count a filter's answer. Later failures are not logged",
          null,
          RepeatedLog.once());

  private static final class LastScan {
    private WeakReference<Scan> scan = new WeakReference<>(null);
    private WeakReference<HStore> store = new WeakReference<>(null);

    /** True if the scan is counted as one whose bounds imply the bytes before a file's segments. */
    private boolean isOfSegment;

    /**
     * Identity of the last Get's scan, whose object is not kept: two of the same identity in a row
     * would count as one.
     */
    private int get;

    private byte[] family;

    boolean isNewGet(Scan scan, byte[] ofStore) {
      int identity = System.identityHashCode(scan);
      if (get == identity && family == ofStore) { // a store has one array for its family's name
        return false;
      }
      get = identity;
      family = ofStore;
      return true;
    }

    boolean isNew(Scan newScan, HStore newStore) {
      if (scan.get() == newScan && store.get() == newStore) {
        return false;
      }
      scan = new WeakReference<>(newScan);
      store = new WeakReference<>(newStore);
      isOfSegment = false;
      return true;
    }
  }

  private AnswerHooks() {}

  /**
   * Begins to follow the scanner of a store file after the file's filter was queried, to find out
   * if the answer is right.
   *
   * @param passed the filter's answer; true also if the filter was not queried
   * @return the argument of the other hooks: a {@link FileAnswer}, or null if this file cannot be
   *     counted
   */
  public static Object answered(boolean passed, Scan scan, HStore store, StoreFileReader reader) {
    try {
      if (!scan.isGetScan()) {
        return answeredScan(passed, scan, store, reader);
      }
      if (LAST.get().isNewGet(scan, family(store))) {
        Families.of(store.getTableName(), family(store)).gets.increment();
      }
      if (!passed && ScanHooks.endSkip()) {
        Families.of(store.getTableName(), family(store)).scans.segmentSkips.increment();
      }
      if (!passed || !ScanHooks.showsItsFile(reader)) {
        return null;
      }
      BloomFilter filter = (BloomFilter) GENERAL_FILTER.invokeExact(reader);
      if (filter == null || hasSkippedLoad(filter)) {
        return null;
      }
      byte[] family = family(store);
      BloomType type = reader.getBloomFilterType();
      byte[] column = null;
      if (type == BloomType.ROWCOL) {
        NavigableSet<byte[]> columns = scan.getFamilyMap().get(family);
        if (columns == null || columns.size() != 1) {
          return null; // queried later and column by column, or not at all
        }
        column = columns.first();
      } else if (type != BloomType.ROW) {
        return null;
      }
      return PositiveAnswer.of(
          Families.of(store.getTableName(), family), scan.getStartRow(), column);
    } catch (Throwable e) {
      return failed(e);
    }
  }

  /**
   * Counts a scan of more than one row, and begins to follow the scanner of a file that the filter
   * did not rule out.
   */
  private static Object answeredScan(
      boolean passed, Scan scan, HStore store, StoreFileReader reader) throws Throwable {
    ScanCounters counters = Families.of(store.getTableName(), family(store)).scans;
    ScanHooks.Walk walk = ScanHooks.endWalk(scan, reader);
    StatedRows stated = walk.statedBy(scan);
    int length = walk.impliedLength;
    if (stated != null) {
      length = Math.max(length, stated.ranges.impliedLength());
    }
    LastScan last = LAST.get();
    if (last.isNew(scan, store)) {
      int rules = ScanPrefix.impliedRules(scan);
      counters.countScan(length, stated == null ? rules : rules | stated.ranges.impliedRules());
    }
    if (walk.isOfSegment && !last.isOfSegment) {
      last.isOfSegment = true;
      counters.segmentScans.increment();
    }
    if (walk.isOfRanges && stated != null) {
      if (!passed) {
        counters.rangeSkips.increment();
      }
      return passed && !walk.isEnd
          ? new RangeAnswer(counters, length, stated.ranges, scan.isReversed())
          : null;
    }
    if (length == 0 && !walk.isQueried && !walk.isOfSegment || !ScanHooks.showsItsFile(reader)) {
      return null;
    }
    if (walk.isQueried) {
      counters.countRequest(passed);
    } else if (!passed && ScanHooks.endSkip()) {
      counters.segmentSkips.increment();
    }
    if (!passed) {
      return null;
    }
    walk.isQueried =
        walk.isQueried && !hasSkippedLoad((BloomFilter) GENERAL_FILTER.invokeExact(reader));
    return new ScanAnswer(counters, scan, walk);
  }

  /** Returns true if the answer that this thread just received was given without the filter. */
  private static boolean hasSkippedLoad(BloomFilter filter) {
    return filter instanceof WinnowFilterReader && ((WinnowFilterReader) filter).hasSkippedLoad();
  }

  /** Returns the name of a store's family without a copy, which its descriptor would make. */
  private static byte[] family(HStore store) {
    return store.getScanInfo().getFamily();
  }

  /**
   * Records that the file's filter ruled out a column of the row that a Get reads.
   *
   * @param answer what {@link #answered} returned
   * @param key the row and the column
   */
  public static void ruledOut(Object answer, Cell key) {
    if (answer == null) {
      return;
    }
    try {
      ((FileAnswer) answer).ruledOut(key);
    } catch (Throwable e) {
      failed(e);
    }
  }

  /**
   * Records the last cell at or before the key of a seek, when the seek goes on to the next cell.
   *
   * @param answer what the hook before this one returned
   */
  public static void passing(Object answer, HFileScanner scanner, Cell key) {
    if (answer == null) {
      return;
    }
    try {
      FileAnswer ofFile = (FileAnswer) answer;
      if (ofFile.needsLast(key)) {
        ofFile.passing((Cell) CELL.invokeExact(scanner));
      }
    } catch (Throwable e) {
      failed(e);
    }
  }

  /**
   * Compares the filter's answer with the cells that a seek found in the file.
   *
   * @param answer what the hook before this one returned
   * @param cell the first cell that the seek did not pass; null at the end of the file
   * @return the argument of the next hook: {@code answer}, or null if the answer is counted
   */
  public static Object sought(Object answer, Cell key, Cell cell) {
    if (answer == null) {
      return null;
    }
    try {
      FileAnswer ofFile = (FileAnswer) answer;
      ofFile.sought(key, cell);
      return unlessSettled(ofFile);
    } catch (Throwable e) {
      return failed(e);
    }
  }

  /**
   * Compares the filter's answer with the cell that the file's scanner has reached after one step.
   *
   * @param answer what the hook before this one returned
   * @param cell the scanner's cell now; null at the end of the file
   * @return the argument of the next hook: {@code answer}, or null if the answer is counted
   */
  public static Object stepped(Object answer, Cell cell) {
    if (answer == null) {
      return null;
    }
    try {
      FileAnswer ofFile = (FileAnswer) answer;
      ofFile.stepped(cell);
      return unlessSettled(ofFile);
    } catch (Throwable e) {
      return failed(e);
    }
  }

  /**
   * Compares the filter's answer with the row before, to which the scanner of a reversed scan went
   * back.
   *
   * @param answer what the hook before this one returned
   * @param cell the scanner's cell now; null if there is no row before
   * @return the argument of the next hook: {@code answer}, or null if the answer is counted
   */
  public static Object cameBack(Object answer, Cell cell) {
    if (answer == null) {
      return null;
    }
    try {
      FileAnswer ofFile = (FileAnswer) answer;
      ofFile.cameBack(cell);
      return unlessSettled(ofFile);
    } catch (Throwable e) {
      return failed(e);
    }
  }

  private static Object unlessSettled(FileAnswer answer) {
    if (!answer.isSettled()) {
      return answer;
    }
    answer.free();
    return null;
  }

  private static Object failed(Throwable e) {
    FAILURES.report(e);
    return null;
  }
}
