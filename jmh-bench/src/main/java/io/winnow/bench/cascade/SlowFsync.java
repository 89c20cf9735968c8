package io.winnow.bench.cascade;

import io.winnow.flash.FileAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * The file system with an fsync that takes a fixed time and does nothing: what is measured then is
 * how many are asked for, and not this machine's drive.
 */
final class SlowFsync implements FileAccess {
  private final long nanos;
  private final LongAdder fsyncs = new LongAdder();

  SlowFsync(long millis) {
    this.nanos = TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** How many there were. */
  long fsyncs() {
    return fsyncs.sum();
  }

  @Override
  public FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    return new Slow(FileAccess.SYSTEM.open(file, options));
  }

  private void fsync() {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    fsyncs.increment();
  }

  private final class Slow extends FileChannel {
    private final FileChannel real;

    Slow(FileChannel real) {
      this.real = real;
    }

    @Override
    public void force(boolean metaData) {
      fsync();
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
      return real.read(into);
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
      return real.read(into, offset, length);
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
      return real.read(into, position);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
      return real.write(from);
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
      return real.write(from, offset, length);
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
      return real.write(from, position);
    }

    @Override
    public long position() throws IOException {
      return real.position();
    }

    @Override
    public FileChannel position(long to) throws IOException {
      real.position(to);
      return this;
    }

    @Override
    public long size() throws IOException {
      return real.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
      real.truncate(size);
      return this;
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel to) throws IOException {
      return real.transferTo(position, count, to);
    }

    @Override
    public long transferFrom(ReadableByteChannel from, long position, long count)
        throws IOException {
      return real.transferFrom(from, position, count);
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
      return real.map(mode, position, size);
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) throws IOException {
      return real.lock(position, size, shared);
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
      return real.tryLock(position, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
      real.close();
    }
  }
}
