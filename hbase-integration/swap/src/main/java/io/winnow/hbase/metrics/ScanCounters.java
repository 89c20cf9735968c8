package io.winnow.hbase.metrics;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/**
 * Counters of the scans of one column family, by the length of the row prefix that a scan implies:
 * by its bounds, or by each of the ranges that its filter states. Thread-safe.
 */
public final class ScanCounters {
  /**
   * Maximum length in bytes of a scan's row prefix that is counted apart; longer prefixes count as
   * this one.
   */
  public static final int LONGEST = 64;

  private final AtomicLongArray scans = new AtomicLongArray(LONGEST + 1);

  /** Scans by the rules of delimiters by which their bounds imply a prefix, a bit of a set each. */
  private final AtomicLongArray scansByRule = new AtomicLongArray(Integer.SIZE);

  private final AtomicLongArray files = new AtomicLongArray(LONGEST + 1);
  private final AtomicLongArray inVain = new AtomicLongArray(LONGEST + 1);

  /**
   * Number of queries of scans to filters, for the row prefix that the bounds of the scan imply.
   */
  public final LongAdder requests = new LongAdder();

  /** Number of answers <i>absent</i> to queries of scans for a row prefix. */
  public final LongAdder negatives = new LongAdder();

  /**
   * Number of answers <i>maybe</i> to queries of scans, of files without a row between the bounds.
   */
  public final LongAdder falsePositives = new LongAdder();

  /** Number of answers <i>maybe</i> to queries of scans, of files with a row between the bounds. */
  public final LongAdder truePositives = new LongAdder();

  /** Number of scans whose bounds imply all bytes before the segments of a file. */
  public final LongAdder segmentScans = new LongAdder();

  /** Number of files that scans and Gets skipped by the segments of their rows. */
  public final LongAdder segmentSkips = new LongAdder();

  /** Number of files without a row between the bounds that scans read as segments allowed it. */
  public final LongAdder segmentFalsePositives = new LongAdder();

  /** Number of files with a row between the bounds that scans read as segments allowed it. */
  public final LongAdder segmentTruePositives = new LongAdder();

  /** Number of files that scans skipped by the ranges that their filters state. */
  public final LongAdder rangeSkips = new LongAdder();

  /** Number of files without a row in the ranges of a filter that scans read. */
  public final LongAdder rangeFalsePositives = new LongAdder();

  /** Number of files with a row in the ranges of a filter that scans read. */
  public final LongAdder rangeTruePositives = new LongAdder();

  ScanCounters() {}

  /**
   * Returns the number of scans whose bounds imply a row prefix of a given length, where length 0
   * means no prefix.
   */
  public long scans(int prefixLength) {
    return scans.get(prefixLength);
  }

  /**
   * Returns the number of files read by scans whose bounds imply a row prefix of a given length,
   * above 0.
   */
  public long files(int prefixLength) {
    return files.get(prefixLength);
  }

  /**
   * Returns the number of files without a row between the bounds of the scan that were read by
   * scans with a row prefix of a given length.
   */
  public long filesInVain(int prefixLength) {
    return inVain.get(prefixLength);
  }

  /** Returns the number of scans with a row prefix of any length above 0. */
  long prefixScans() {
    return sumOfPrefixes(scans);
  }

  /** Returns the number of files that scans with a row prefix read. */
  long prefixScanFiles() {
    return sumOfPrefixes(files);
  }

  /** Returns the number of files without a row between the bounds that such scans read. */
  long prefixScanFilesInVain() {
    return sumOfPrefixes(inVain);
  }

  private static long sumOfPrefixes(AtomicLongArray byLength) {
    return IntStream.rangeClosed(1, LONGEST).mapToLong(byLength::get).sum();
  }

  /** Returns the number of files that prefixes, segments and ranges of filters spared. */
  long skippedFiles() {
    return negatives.sum() + segmentSkips.sum() + rangeSkips.sum();
  }

  /**
   * Returns the number of scans whose bounds imply a row prefix by a rule of a delimiter.
   *
   * @param rule the rule's bit in the set that {@link #countScan} receives
   */
  public long scansByRule(int rule) {
    return scansByRule.get(rule);
  }

  /**
   * Counts a scan whose bounds imply a row prefix of a given length.
   *
   * @param rules the rules of delimiters by which the bounds imply a prefix, a bit each
   */
  public void countScan(int prefixLength, int rules) {
    scans.incrementAndGet(Math.min(LONGEST, prefixLength));
    for (int left = rules; left != 0; left &= left - 1) {
      scansByRule.incrementAndGet(Integer.numberOfTrailingZeros(left));
    }
  }

  /**
   * Counts a query to a filter for a scan, and the filter's answer.
   *
   * @param passed true if the answer was <i>maybe</i>
   */
  public void countRequest(boolean passed) {
    requests.increment();
    if (!passed) {
      negatives.increment();
    }
  }

  /**
   * Counts a file that a scan read, under the length of the row prefix that the bounds of the scan
   * imply.
   */
  public void countFile(int prefixLength, boolean hasRows) {
    files.incrementAndGet(Math.min(LONGEST, prefixLength));
    if (!hasRows) {
      inVain.incrementAndGet(Math.min(LONGEST, prefixLength));
    }
  }

  /**
   * Counts a file that a scan read because its segments may be those of the scan.
   *
   * @param hasRows true if the file has a row between the bounds
   */
  public void countSegmentRead(boolean hasRows) {
    (hasRows ? segmentTruePositives : segmentFalsePositives).increment();
  }

  /**
   * Counts a file that a scan read because it may have rows in the ranges of the scan's filter.
   *
   * @param hasRows true if the file has a row in a range
   */
  public void countRangeRead(boolean hasRows) {
    (hasRows ? rangeTruePositives : rangeFalsePositives).increment();
  }

  /**
   * Counts a filter's answer <i>maybe</i> to a scan as right or as a false positive.
   *
   * @param isTrue true if the file has a row between the bounds
   */
  public void countAnswer(boolean isTrue) {
    (isTrue ? truePositives : falsePositives).increment();
  }
}
