package io.winnow.flash.store;

import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * How often a medium was asked, and how much went over: one read or write is one request, of
 * however many pages. May be shared by several stores. Thread-safe.
 */
public final class IoCounters {
  private final LongAdder reads = new LongAdder();
  private final LongAdder readBytes = new LongAdder();
  private final LongAdder writes = new LongAdder();
  private final LongAdder writtenBytes = new LongAdder();

  /** Counters that are zero. */
  public IoCounters() {}

  /** The counters at one moment. */
  public static final class Snapshot {
    private final long reads;
    private final long readBytes;
    private final long writes;
    private final long writtenBytes;

    public Snapshot(long reads, long readBytes, long writes, long writtenBytes) {
      this.reads = reads;
      this.readBytes = readBytes;
      this.writes = writes;
      this.writtenBytes = writtenBytes;
    }

    public long reads() {
      return reads;
    }

    public long readBytes() {
      return readBytes;
    }

    public long writes() {
      return writes;
    }

    public long writtenBytes() {
      return writtenBytes;
    }

    /** What came since an earlier moment. */
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
