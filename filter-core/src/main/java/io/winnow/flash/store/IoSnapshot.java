package io.winnow.flash.store;

import io.winnow.base.FieldText;
import java.util.Objects;

/** Numbers of the requests to a drive, and of their bytes, at one moment. Immutable. */
public final class IoSnapshot {
  private final long reads;
  private final long readBytes;
  private final long writes;
  private final long writtenBytes;

  /** Creates a snapshot of the counters of requests with these values. */
  public IoSnapshot(long reads, long readBytes, long writes, long writtenBytes) {
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
  public IoSnapshot since(IoSnapshot earlier) {
    return new IoSnapshot(
        reads - earlier.reads,
        readBytes - earlier.readBytes,
        writes - earlier.writes,
        writtenBytes - earlier.writtenBytes);
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof IoSnapshot)) {
      return false;
    }
    IoSnapshot that = (IoSnapshot) other;
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
