package io.winnow.hbase;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The local file system on a disk that may be full: then what a flush or a compaction writes finds
 * no room. For {@code fs.file.impl}.
 */
public final class FullDisk extends LocalFileSystem {
  private static final long EMPTY = Long.MAX_VALUE;

  /** Files that found no room. */
  private static final AtomicInteger REFUSED = new AtomicInteger();

  private static volatile long room = EMPTY;
  private static volatile long moreForEach;

  public FullDisk() {
    super(new Raw());
  }

  /**
   * Each file finds so many bytes.
   *
   * @param more that a file finds beyond those of the one before
   */
  public static void fill(long firstRoom, long more) {
    REFUSED.set(0);
    room = firstRoom;
    moreForEach = more;
  }

  /** There is room for all. */
  public static void clear() {
    room = EMPTY;
  }

  /** Files that found no room since the disk was filled. */
  public static int refused() {
    return REFUSED.get();
  }

  private static final class Raw extends RawLocalFileSystem {
    @Override
    protected OutputStream createOutputStreamWithMode(
        Path file, boolean append, FsPermission permission) throws IOException {
      OutputStream out = super.createOutputStreamWithMode(file, append, permission);
      boolean isStoreFile = file.toString().contains("/.tmp/") && !file.getName().startsWith(".");
      return isStoreFile ? new Bounded(out) : out; // what else there is are its checksums
    }
  }

  private static final class Bounded extends OutputStream {
    private final OutputStream out;
    private final long limit = room == EMPTY ? EMPTY : room + REFUSED.get() * moreForEach;
    private long written;
    private boolean refused;

    Bounded(OutputStream out) {
      this.out = out;
    }

    private void take(long bytes) throws IOException {
      written += bytes;
      if (room != EMPTY && written > limit) {
        if (!refused) {
          refused = true;
          REFUSED.incrementAndGet();
        }
        throw new IOException("No space left on device");
      }
    }

    @Override
    public void write(int b) throws IOException {
      take(1);
      out.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      take(length);
      out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }
}
