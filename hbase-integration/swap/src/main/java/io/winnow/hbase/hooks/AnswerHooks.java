package io.winnow.hbase.hooks;

import io.winnow.hbase.HBaseMember;
import io.winnow.hbase.metrics.Families;
import io.winnow.hbase.metrics.ScanCounters;
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
 * What the woven scanner of a store file tells: what the file's filter was asked, and where the
 * scanner then came to.
 *
 * <p>Whatever happens here, nothing is thrown into HBase. A file that a filter ruled out costs one
 * static call and a comparison; a file that it let through, two comparisons of cells, and no bytes.
 * Nothing is learned from a reader or a scanner that is not HBase's own, because it may show other
 * keys than the file's ({@link KnownReaders}). Where nothing is to be learned, in a scan of many
 * rows for instance, each seek and each step cost one static call and a comparison. Thread-safe.
 */
public final class AnswerHooks {
  private static final Logger LOG = LoggerFactory.getLogger(AnswerHooks.class);

  private static final MethodHandle CELL = HBaseMember.CELL.getter(Cell.class, HFileScanner.class);
  private static final MethodHandle GENERAL_FILTER =
      HBaseMember.GENERAL_FILTER.getter(BloomFilter.class, StoreFileReader.class);

  /** The scan and the store that a thread was asked about last: each comes once for every file. */
  private static final ThreadLocal<LastScan> SEEN = ThreadLocal.withInitial(LastScan::new);

  private static volatile boolean failed;

  private static final class LastScan {
    private WeakReference<Scan> scan = new WeakReference<>(null);
    private WeakReference<HStore> store = new WeakReference<>(null);

    boolean isNew(Scan newScan, HStore newStore) {
      if (scan.get() == newScan && store.get() == newStore) {
        return false;
      }
      scan = new WeakReference<>(newScan);
      store = new WeakReference<>(newStore);
      return true;
    }
  }

  private AnswerHooks() {}

  /**
   * A file's filter was asked whether a scan has to read the file.
   *
   * @param passed the answer; true as well where there was nothing to ask
   * @return what is to be handed on to the other hooks: a {@link FileAnswer}, or null if there is
   *     nothing to be learned from this file
   */
  public static Object asked(boolean passed, Scan scan, HStore store, StoreFileReader reader) {
    try {
      if (!scan.isGetScan()) {
        return askedOfScan(passed, scan, store, reader);
      }
      if (!passed
          || !ScanHooks.showsItsFile(reader)
          || (BloomFilter) GENERAL_FILTER.invokeExact(reader) == null) {
        return null;
      }
      byte[] family = family(store);
      BloomType type = reader.getBloomFilterType();
      byte[] column = null;
      if (type == BloomType.ROWCOL) {
        NavigableSet<byte[]> columns = scan.getFamilyMap().get(family);
        if (columns == null || columns.size() != 1) {
          return null; // asked later and column by column, or not at all
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

  /** Of a scan of more than one row. */
  private static Object askedOfScan(boolean passed, Scan scan, HStore store, StoreFileReader reader)
      throws Throwable {
    ScanCounters counters = Families.of(store.getTableName(), family(store)).scans();
    int length = ScanPrefix.impliedLength(scan);
    if (SEEN.get().isNew(scan, store)) {
      counters.countScan(length);
    }
    if (length == 0 || !ScanHooks.showsItsFile(reader)) {
      return null;
    }
    boolean isOfFilter =
        reader.getBloomFilterType() == BloomType.ROW
            && ScanHooks.asks((BloomFilter) GENERAL_FILTER.invokeExact(reader), scan, length);
    if (isOfFilter) {
      counters.countRequest(passed);
    }
    return passed ? new ScanAnswer(counters, scan, length, isOfFilter) : null;
  }

  /** The family's name; its descriptor would copy it. */
  private static byte[] family(HStore store) {
    return store.getScanInfo().getFamily();
  }

  /** The filter said of {@code key}'s row and column that they are not in the file. */
  public static void ruledOut(Object asked, Cell key) {
    if (asked == null) {
      return;
    }
    try {
      ((FileAnswer) asked).ruledOut(key);
    } catch (Throwable e) {
      failed(e);
    }
  }

  /** A seek found the last cell at or before its key, and goes on to the next. */
  public static void passing(Object asked, HFileScanner scanner, Cell key) {
    if (asked == null) {
      return;
    }
    try {
      FileAnswer answer = (FileAnswer) asked;
      if (answer.looksAtLast(key)) {
        answer.passing((Cell) CELL.invokeExact(scanner));
      }
    } catch (Throwable e) {
      failed(e);
    }
  }

  /**
   * A seek has ended.
   *
   * @param cell the first cell after what it passed; null at the end of the file
   * @return what is to be handed on from now: {@code asked}, or null if there is nothing more to
   *     learn; likewise of the other two
   */
  public static Object sought(Object asked, Cell key, Cell cell) {
    if (asked == null) {
      return null;
    }
    try {
      FileAnswer answer = (FileAnswer) asked;
      answer.sought(key, cell);
      return unlessSettled(answer);
    } catch (Throwable e) {
      return failed(e);
    }
  }

  /** The scanner went on by one cell, to this one; null at the end of the file. */
  public static Object stepped(Object asked, Cell cell) {
    if (asked == null) {
      return null;
    }
    try {
      FileAnswer answer = (FileAnswer) asked;
      answer.stepped(cell);
      return unlessSettled(answer);
    } catch (Throwable e) {
      return failed(e);
    }
  }

  /** A reversed scan went back to the row before, to this cell; null if there is none. */
  public static Object cameBack(Object asked, Cell cell) {
    if (asked == null) {
      return null;
    }
    try {
      FileAnswer answer = (FileAnswer) asked;
      answer.cameBack(cell);
      return unlessSettled(answer);
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
    try {
      if (!failed) {
        failed = true;
        LOG.warn("A filter's answer was not counted; this is said once", e);
      }
    } catch (Throwable again) {
      // There is no memory for a line, for instance.
    }
    return null;
  }
}
