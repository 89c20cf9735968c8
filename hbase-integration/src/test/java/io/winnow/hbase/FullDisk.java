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
  /** Files that found no room. */
  static final AtomicInteger REFUSED = new AtomicInteger();

  private static volatile boolean isFull;

  public FullDisk() {
    super(new Raw());
  }

  static void setFull(boolean full) {
    isFull = full;
  }

  private static final class Raw extends RawLocalFileSystem {
    @Override
    protected OutputStream createOutputStreamWithMode(
        Path file, boolean append, FsPermission permission) throws IOException {
      OutputStream out = super.createOutputStreamWithMode(file, append, permission);
      return file.toString().contains("/.tmp/") ? new Bounded(out) : out;
    }
  }

  private static final class Bounded extends OutputStream {
    private final OutputStream out;
    private boolean refused;

    Bounded(OutputStream out) {
      this.out = out;
    }

    private void requireRoom() throws IOException {
      if (isFull) {
        if (!refused) {
          refused = true;
          REFUSED.incrementAndGet();
        }
        throw new IOException("No space left on device");
      }
    }

    @Override
    public void write(int b) throws IOException {
      requireRoom();
      out.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      requireRoom();
      out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }
}
