package io.winnow.hbase.metrics;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the scans of one column family came to, by the prefix that their bounds imply. Thread-safe.
 */
public final class ScanCounters {
  /** Longer prefixes are counted as if they had this length. */
  public static final int LONGEST = 64;

  private final AtomicLongArray scans = new AtomicLongArray(LONGEST + 1);
  private final AtomicLongArray files = new AtomicLongArray(LONGEST + 1);
  private final AtomicLongArray inVain = new AtomicLongArray(LONGEST + 1);
  private final LongAdder requests = new LongAdder();
  private final LongAdder negatives = new LongAdder();
  private final LongAdder falsePositives = new LongAdder();
  private final LongAdder truePositives = new LongAdder();

  ScanCounters() {}

  /** Of any scans, those whose bounds imply a prefix of this length; 0 for none. */
  public long scans(int prefixLength) {
    return scans.get(prefixLength);
  }

  /** Files that these read; of scans that imply no prefix none is counted. */
  public long files(int prefixLength) {
    return files.get(prefixLength);
  }

  /** Of these files, those without a row between the bounds. */
  public long filesInVain(int prefixLength) {
    return inVain.get(prefixLength);
  }

  /** Times that a filter was asked for the prefix of a scan. */
  public long requests() {
    return requests.sum();
  }

  /** Of these, how often it said no. */
  public long negatives() {
    return negatives.sum();
  }

  public long falsePositives() {
    return falsePositives.sum();
  }

  public long truePositives() {
    return truePositives.sum();
  }

  public void countScan(int prefixLength) {
    scans.incrementAndGet(Math.min(LONGEST, prefixLength));
  }

  public void countRequest(boolean passed) {
    requests.increment();
    if (!passed) {
      negatives.increment();
    }
  }

  public void countFile(int prefixLength, boolean hasRows) {
    files.incrementAndGet(Math.min(LONGEST, prefixLength));
    if (!hasRows) {
      inVain.incrementAndGet(Math.min(LONGEST, prefixLength));
    }
  }

  public void countAnswer(boolean isTrue) {
    (isTrue ? truePositives : falsePositives).increment();
  }

  void add(ScanCounters other) {
    for (int length = 0; length <= LONGEST; length++) {
      scans.addAndGet(length, other.scans(length));
      files.addAndGet(length, other.files(length));
      inVain.addAndGet(length, other.filesInVain(length));
    }
    requests.add(other.requests());
    negatives.add(other.negatives());
    falsePositives.add(other.falsePositives());
    truePositives.add(other.truePositives());
  }
}
