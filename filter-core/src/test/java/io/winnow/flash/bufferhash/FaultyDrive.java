package io.winnow.flash.bufferhash;

import io.winnow.flash.FileAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The real file system, with faults: writes and fsyncs that fail, and a machine that stops at any
 * change, with or without power.
 *
 * <p>A change is a write, an fsync, a rename, a deletion or a cut. When the machine stops, the
 * write it stops in is done in part, and nothing works any more. {@link #cutPower} then takes back
 * blocks of what no fsync has made safe.
 */
final class FaultyDrive implements FileAccess {
  private static final int BLOCK_BYTES = 4096;

  /** Of which files a write fails now. */
  volatile Predicate<Path> failingWrites = path -> false;

  /** Of which files an fsync fails now. */
  volatile Predicate<Path> failingFsyncs = path -> false;

  /** Of which files a read fails now. */
  volatile Predicate<Path> failingReads = path -> false;

  /** Whether each read and write moves a part, of whole blocks, of what it was asked to. */
  volatile boolean shortTransfers;

  private final Random random;
  private final List<Unsafe> unsafe = new ArrayList<>();
  private long changesLeft = Long.MAX_VALUE;
  private long changes;
  private boolean stopped;

  /** What was there before a block was written that is not safe. */
  private record Unsafe(Path path, long position, byte[] before) {}

  FaultyDrive(long seed) {
    random = new Random(seed);
  }

  /** Lets the machine stop in the n-th change from now. */
  synchronized void stopIn(long n) {
    changesLeft = n;
  }

  synchronized long changes() {
    return changes;
  }

  synchronized boolean isStopped() {
    return stopped;
  }

  /** Takes back what is not safe, each block or not. The machine has stopped. */
  synchronized void cutPower() throws IOException {
    for (int i = unsafe.size() - 1; i >= 0; i--) {
      Unsafe block = unsafe.get(i);
      if (random.nextBoolean() && Files.exists(block.path())) {
        try (FileChannel channel = FileChannel.open(block.path(), StandardOpenOption.WRITE)) {
          channel.write(ByteBuffer.wrap(block.before()), block.position());
        }
      }
    }
    unsafe.clear();
  }

  /** Whether this change is the one that the machine stops in. */
  private boolean stopsNow() throws IOException {
    if (stopped) {
      throw new IOException("the machine has stopped (injected)");
    }
    changes++;
    stopped = --changesLeft <= 0;
    return stopped;
  }

  private void change() throws IOException {
    if (stopsNow()) {
      throw new IOException("the machine stops (injected)");
    }
  }

  @Override
  public synchronized FileChannel open(Path file, Set<? extends OpenOption> options)
      throws IOException {
    if (stopped) {
      throw new IOException("the machine has stopped (injected)");
    }
    return new Channel(file, FileAccess.SYSTEM.open(file, options));
  }

  @Override
  public synchronized void replace(Path from, Path to) throws IOException {
    change();
    FileAccess.SYSTEM.replace(from, to);
  }

  @Override
  public synchronized void delete(Path file) throws IOException {
    if (Files.exists(file)) {
      change();
    }
    FileAccess.SYSTEM.delete(file);
    unsafe.removeIf(block -> block.path().equals(file));
  }

  @Override
  public synchronized void forceDirectory(Path directory) throws IOException {
    change();
    if (failingFsyncs.test(directory)) {
      throw new IOException("Input/output error (injected)");
    }
  }

  private final class Channel extends FileChannel {
    private final Path path;
    private final FileChannel real;

    Channel(Path path, FileChannel real) {
      this.path = path;
      this.real = real;
    }

    private int part(int bytes) {
      if (!shortTransfers || bytes <= BLOCK_BYTES || bytes % BLOCK_BYTES != 0) {
        return bytes;
      }
      synchronized (FaultyDrive.this) {
        return BLOCK_BYTES * (1 + random.nextInt(bytes / BLOCK_BYTES));
      }
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
      if (failingReads.test(path)) {
        throw new IOException("Input/output error (injected)");
      }
      int limit = into.limit();
      into.limit(into.position() + part(into.remaining()));
      try {
        return real.read(into, position);
      } finally {
        into.limit(limit);
      }
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
      synchronized (FaultyDrive.this) {
        boolean stops = stopsNow();
        if (failingWrites.test(path)) {
          throw new IOException("No space left on device (injected)");
        }
        remember(position, from.remaining());
        if (!stops) {
          int limit = from.limit();
          from.limit(from.position() + part(from.remaining()));
          try {
            return real.write(from, position);
          } finally {
            from.limit(limit);
          }
        }
        writeBlocks(from, position);
        throw new IOException("the machine stops (injected)");
      }
    }

    /** Some of the blocks, as a drive may do them in any order. */
    private void writeBlocks(ByteBuffer from, long position) throws IOException {
      int begin = from.position();
      int end = from.limit();
      for (int at = begin; at < end; at += BLOCK_BYTES) {
        if (random.nextBoolean()) {
          from.limit(Math.min(end, at + BLOCK_BYTES)).position(at);
          real.write(from, position + at - begin);
        }
      }
    }

    private void remember(long position, int bytes) throws IOException {
      try (FileChannel plain = FileChannel.open(path, StandardOpenOption.READ)) {
        for (int at = 0; at < bytes; at += BLOCK_BYTES) {
          ByteBuffer before = ByteBuffer.allocate(Math.min(BLOCK_BYTES, bytes - at));
          while (before.hasRemaining()
              && plain.read(before, position + at + before.position()) > 0) {
            // what is beyond the end comes to zeros
          }
          unsafe.add(new Unsafe(path, position + at, before.array()));
        }
      }
    }

    @Override
    public void force(boolean metaData) throws IOException {
      synchronized (FaultyDrive.this) {
        change();
        if (failingFsyncs.test(path)) {
          throw new IOException("Input/output error (injected)");
        }
        unsafe.removeIf(block -> block.path().equals(path));
      }
    }

    @Override
    public long size() throws IOException {
      return real.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
      synchronized (FaultyDrive.this) {
        change();
        real.truncate(size);
        unsafe.removeIf(block -> block.path().equals(path) && block.position() >= size);
        return this;
      }
    }

    @Override
    protected void implCloseChannel() throws IOException {
      real.close();
    }

    @Override
    public int read(ByteBuffer into) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer from) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long newPosition) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }
  }
}
