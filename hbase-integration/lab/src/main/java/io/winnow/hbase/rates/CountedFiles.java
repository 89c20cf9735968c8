package io.winnow.hbase.rates;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Hadoop's local files without Hadoop's checksums, with counts of positional reads and their bytes
 * in this JVM, and a delay of each if wanted. By a positional read HBase gets a block for a Get;
 * compactions read streams, which are neither counted nor delayed. The delay stands for a remote
 * drive, but there is no queue and no limit of bandwidth.
 */
public final class CountedFiles extends LocalFileSystem {
  private static final LongAdder READS = new LongAdder();
  private static final LongAdder BYTES = new LongAdder();
  private static volatile long delayNanos;

  /** Returns the number of positional reads since this JVM started. */
  static long reads() {
    return READS.sum();
  }

  /** Returns the number of bytes of positional reads since this JVM started. */
  static long bytes() {
    return BYTES.sum();
  }

  /** Makes each positional read wait for a time before it reads. */
  static void delay(long nanos) {
    delayNanos = nanos;
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setWriteChecksum(false);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return new FSDataInputStream(getRawFileSystem().open(path, bufferSize)) {
      @Override
      public int read(long position, byte[] buffer, int offset, int length) throws IOException {
        long end = System.nanoTime() + delayNanos;
        for (long left = delayNanos; left > 0; left = end - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        int count = super.read(position, buffer, offset, length);
        READS.increment();
        BYTES.add(Math.max(0, count));
        return count;
      }
    };
  }
}
