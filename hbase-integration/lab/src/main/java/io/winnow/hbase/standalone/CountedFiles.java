package io.winnow.hbase.standalone;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Hadoop's local files without Hadoop's checksums, with counts of positional reads and their bytes
 * in this JVM. If wanted, each of these reads is delayed, or comes from the drive and passes by the
 * page cache (O_DIRECT). By a positional read HBase gets a block for a Get; compactions read
 * streams, which are neither counted nor delayed. The delay stands for a remote drive, but there is
 * no queue, no jitter and no limit of bandwidth.
 */
public final class CountedFiles extends LocalFileSystem {
  /** The management bean's name, for a program that measures another JVM. */
  public static final String BEAN = "io.winnow.lab:type=CountedFiles";

  /** A multiple of the size of a sector: direct reads begin and end at such offsets. */
  private static final int SECTOR = 4096;

  private static final LongAdder READS = new LongAdder();
  private static final LongAdder BYTES = new LongAdder();
  private static final ThreadLocal<ByteBuffer> SECTORS =
      ThreadLocal.withInitial(() -> sectors(1 << 17));

  private static volatile long delayNanos;
  private static volatile boolean direct;

  static {
    try {
      ManagementFactory.getPlatformMBeanServer().registerMBean(new Control(), new ObjectName(BEAN));
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Counts of positional reads in this JVM, and the way in which they are made. */
  public interface ControlMXBean {
    long getReads();

    long getBytes();

    void setDelayNanos(long nanos);

    void setDirect(boolean isDirect);
  }

  /** The management bean of this JVM's positional reads. */
  public static final class Control implements ControlMXBean {
    private Control() {}

    @Override
    public long getReads() {
      return reads();
    }

    @Override
    public long getBytes() {
      return bytes();
    }

    @Override
    public void setDelayNanos(long nanos) {
      delay(nanos);
    }

    @Override
    public void setDirect(boolean isDirect) {
      direct = isDirect;
    }
  }

  /** Returns the number of positional reads since this JVM started. */
  public static long reads() {
    return READS.sum();
  }

  /** Returns the number of bytes of positional reads since this JVM started. */
  public static long bytes() {
    return BYTES.sum();
  }

  /** Makes each positional read wait for a time before it reads. */
  public static void delay(long nanos) {
    delayNanos = nanos;
  }

  private static ByteBuffer sectors(int bytes) {
    return ByteBuffer.allocateDirect(bytes + SECTOR).alignedSlice(SECTOR);
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setWriteChecksum(false);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return new FSDataInputStream(getRawFileSystem().open(path, bufferSize)) {
      private FileChannel drive; // opened by the first direct read

      @Override
      public int read(long position, byte[] buffer, int offset, int length) throws IOException {
        long end = System.nanoTime() + delayNanos;
        for (long left = delayNanos; left > 0; left = end - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        int count =
            direct
                ? readDirect(position, buffer, offset, length)
                : super.read(position, buffer, offset, length);
        READS.increment();
        BYTES.add(Math.max(0, count));
        return count;
      }

      private int readDirect(long position, byte[] buffer, int offset, int length)
          throws IOException {
        long from = position / SECTOR * SECTOR;
        int skipped = (int) (position - from);
        int wanted = (skipped + length + SECTOR - 1) / SECTOR * SECTOR;
        ByteBuffer sectors = SECTORS.get();
        if (sectors.capacity() < wanted) {
          sectors = sectors(wanted);
          SECTORS.set(sectors);
        }
        int read = drive().read(sectors.clear().limit(wanted), from);
        if (read <= skipped) {
          return -1;
        }
        int count = Math.min(length, read - skipped);
        sectors.position(skipped).get(buffer, offset, count);
        return count;
      }

      private synchronized FileChannel drive() throws IOException {
        if (drive == null) {
          drive =
              FileChannel.open(
                  pathToFile(path).toPath(), StandardOpenOption.READ, ExtendedOpenOption.DIRECT);
        }
        return drive;
      }

      @Override
      public void close() throws IOException {
        try {
          super.close();
        } finally {
          synchronized (this) {
            if (drive != null) {
              drive.close();
            }
          }
        }
      }
    };
  }
}
