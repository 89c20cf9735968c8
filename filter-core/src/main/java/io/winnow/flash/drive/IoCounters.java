package io.winnow.flash.drive;

import io.winnow.flash.store.IoSnapshot;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of the read and write requests to a drive and of their bytes. A read or write of several
 * pages is one request. Several stores may share them. Thread-safe.
 */
public final class IoCounters {
  private final LongAdder reads = new LongAdder();
  private final LongAdder readBytes = new LongAdder();
  private final LongAdder writes = new LongAdder();
  private final LongAdder writtenBytes = new LongAdder();

  /** Creates counters of requests to a drive that are zero. */
  public IoCounters() {}

  /** Returns the values of the counters of requests at this moment. */
  public IoSnapshot snapshot() {
    return new IoSnapshot(reads.sum(), readBytes.sum(), writes.sum(), writtenBytes.sum());
  }

  void countRead(long bytes) {
    reads.increment();
    readBytes.add(bytes);
  }

  void countWrite(long bytes) {
    writes.increment();
    writtenBytes.add(bytes);
  }
}
