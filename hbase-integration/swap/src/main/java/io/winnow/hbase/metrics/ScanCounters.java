package io.winnow.hbase.metrics;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of the scans of one column family, by the length of the prefix that their bounds imply.
 * Thread-safe.
 */
public final class ScanCounters {
  /** The longest length that is counted apart; longer prefixes count as this one. */
  public static final int LONGEST = 64;

  private final AtomicLongArray scans = new AtomicLongArray(LONGEST + 1);
  private final AtomicLongArray files = new AtomicLongArray(LONGEST + 1);
  private final AtomicLongArray inVain = new AtomicLongArray(LONGEST + 1);
  private final LongAdder requests = new LongAdder();
  private final LongAdder negatives = new LongAdder();
  private final LongAdder falsePositives = new LongAdder();
  private final LongAdder truePositives = new LongAdder();

  ScanCounters() {}

  /** Returns the number of scans with a prefix of this length; length 0 means no prefix. */
  public long scans(int prefixLength) {
    return scans.get(prefixLength);
  }

  /** Returns the number of files that scans with a prefix of this length, not 0, read. */
  public long files(int prefixLength) {
    return files.get(prefixLength);
  }

  /** Returns the number of these files that had no row between the bounds of the scan. */
  public long filesInVain(int prefixLength) {
    return inVain.get(prefixLength);
  }

  /** Returns the number of queries to filters for the prefix of a scan. */
  public long requests() {
    return requests.sum();
  }

  /** Returns the number of answers <i>absent</i> to queries for the prefix of a scan. */
  public long negatives() {
    return negatives.sum();
  }

  /** Returns the number of answers <i>maybe</i> of files without a row between the bounds. */
  public long falsePositives() {
    return falsePositives.sum();
  }

  /** Returns the number of answers <i>maybe</i> of files with a row between the bounds. */
  public long truePositives() {
    return truePositives.sum();
  }

  /** Counts a scan. */
  public void countScan(int prefixLength) {
    scans.incrementAndGet(Math.min(LONGEST, prefixLength));
  }

  /**
   * Counts a query to a filter.
   *
   * @param passed true if the answer was <i>maybe</i>
   */
  public void countRequest(boolean passed) {
    requests.increment();
    if (!passed) {
      negatives.increment();
    }
  }

  /** Counts a file that a scan read. */
  public void countFile(int prefixLength, boolean hasRows) {
    files.incrementAndGet(Math.min(LONGEST, prefixLength));
    if (!hasRows) {
      inVain.incrementAndGet(Math.min(LONGEST, prefixLength));
    }
  }

  /**
   * Counts an answer <i>maybe</i>.
   *
   * @param isTrue true if the file has a row between the bounds
   */
  public void countAnswer(boolean isTrue) {
    (isTrue ? truePositives : falsePositives).increment();
  }
}
