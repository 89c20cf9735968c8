package io.winnow.flash.store;

import java.util.Objects;
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

  /** Values of the counters of requests to a drive at one moment. */
  public static final class Snapshot {
    private final long reads;
    private final long readBytes;
    private final long writes;
    private final long writtenBytes;

    /** Creates a snapshot of the counters of requests with these values. */
    public Snapshot(long reads, long readBytes, long writes, long writtenBytes) {
      this.reads = reads;
      this.readBytes = readBytes;
      this.writes = writes;
      this.writtenBytes = writtenBytes;
    }

    /** Returns the number of read requests to the drive. */
    public long reads() {
      return reads;
    }

    /** Returns the number of bytes that were read from the drive. */
    public long readBytes() {
      return readBytes;
    }

    /** Returns the number of write requests to the drive. */
    public long writes() {
      return writes;
    }

    /** Returns the number of bytes that were written to the drive. */
    public long writtenBytes() {
      return writtenBytes;
    }

    /** Returns the differences of the counters to their values at an earlier moment. */
    public Snapshot since(Snapshot earlier) {
      return new Snapshot(
          reads - earlier.reads,
          readBytes - earlier.readBytes,
          writes - earlier.writes,
          writtenBytes - earlier.writtenBytes);
    }

    @Override
    public boolean equals(Object other) {
      if (!(other instanceof Snapshot)) {
        return false;
      }
      Snapshot that = (Snapshot) other;
      return reads == that.reads
          && readBytes == that.readBytes
          && writes == that.writes
          && writtenBytes == that.writtenBytes;
    }

    @Override
    public int hashCode() {
      return Objects.hash(reads, readBytes, writes, writtenBytes);
    }

    @Override
    public String toString() {
      return FieldText.of(this);
    }
  }

  /** Returns the values of the counters of requests at this moment. */
  public Snapshot snapshot() {
    return new Snapshot(reads.sum(), readBytes.sum(), writes.sum(), writtenBytes.sum());
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
