package io.winnow.flash.drive;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * The real file system, with faults on demand: short reads and writes, failing reads, writes,
 * fsyncs, closes and deletions, and a drive that fills. {@link SimulatedDrive} has power cuts.
 */
public final class FaultyAccess implements FileAccess {
  private static final String INJECTED = "Input/output error (injected)";

  /** How many bytes the drive still takes. */
  public final AtomicLong freeBytes = new AtomicLong(Long.MAX_VALUE);

  /** Of which files an fsync fails now. */
  public volatile Predicate<Path> failingFsyncs = path -> false;

  /** Of which files a close fails now; they are closed all the same. */
  public volatile Predicate<Path> failingCloses = path -> false;

  /** Of which files a read fails now. */
  public volatile Predicate<Path> failingReads = path -> false;

  /** Of which files a write fails now. */
  public volatile Predicate<Path> failingWrites = path -> false;

  /** Which files cannot be deleted now. */
  public volatile Predicate<Path> failingDeletes = path -> false;

  /** Whether a rename is told to have failed, though it was done, as NFS may. */
  public volatile boolean failingReplaces;

  /** Whether there was a rename since this was set to false. */
  public volatile boolean replaced;

  /** Whether a drive that gets full says so before it is. */
  public volatile boolean tellsOfSpace;

  /** What is thrown instead of reading, or null. */
  public volatile Error readError;

  /** Whether each read and write moves a part, of whole blocks, of what it was asked to. */
  public volatile boolean shortTransfers;

  /** Whether a drive that gets full takes as much as it has room for. */
  public volatile boolean writesInParts;

  /** Is called once, after the next fsync of a file. */
  public volatile Runnable afterFsync = () -> {};

  private final Random random;

  public FaultyAccess(long seed) {
    this.random = new Random(seed);
  }

  @Override
  public FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    return new FaultyChannel(file, FileAccess.SYSTEM.open(file, options));
  }

  @Override
  public void force(Path file, FileDescriptor open) throws IOException {
    failIfFailing(file);
    FileAccess.SYSTEM.force(file, open);
    Runnable once = afterFsync;
    afterFsync = () -> {};
    once.run();
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    return freeBytes.get() == Long.MAX_VALUE || !tellsOfSpace
        ? FileAccess.SYSTEM.usableBytes(directory)
        : freeBytes.get();
  }

  @Override
  public void replace(Path from, Path to) throws IOException {
    FileAccess.SYSTEM.replace(from, to);
    replaced = true;
    if (failingReplaces) {
      throw new IOException(INJECTED);
    }
  }

  @Override
  public void delete(Path file) throws IOException {
    if (failingDeletes.test(file)) {
      throw new IOException(INJECTED);
    }
    FileAccess.SYSTEM.delete(file);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    failIfFailing(directory);
    FileAccess.SYSTEM.forceDirectory(directory);
  }

  private void failIfFailing(Path path) throws IOException {
    if (failingFsyncs.test(path)) {
      throw new IOException(INJECTED);
    }
  }

  private int part(int bytes) {
    int block = PageStore.MIN_PAGE_BYTES;
    if (!shortTransfers || bytes <= block && bytes % block == 0) {
      return bytes;
    }
    synchronized (random) {
      return bytes % block == 0
          ? block * (1 + random.nextInt(bytes / block))
          : 1 + random.nextInt(bytes);
    }
  }

  private final class FaultyChannel extends WrappedChannel {
    private final Path path;

    FaultyChannel(Path path, FileChannel real) {
      super(real);
      this.path = path;
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
      if (readError != null) {
        throw readError;
      }
      if (failingReads.test(path)) {
        throw new IOException(INJECTED);
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
      failIfWritesFail();
      return writePart(from, position);
    }

    private void failIfWritesFail() throws IOException {
      if (failingWrites.test(path)) {
        throw new IOException("No space left on device (injected)");
      }
    }

    private int writePart(ByteBuffer from, long position) throws IOException {
      int bytes = part(from.remaining());
      if (writesInParts && freeBytes.get() > 0) {
        bytes = (int) Math.min(bytes, real.size() - position + freeBytes.get());
      }
      long grows = Math.max(0, position + bytes - real.size());
      // in one step: a test may give the drive room at any time
      if (freeBytes.getAndUpdate(free -> free < grows ? free : free - grows) < grows) {
        throw new IOException("No space left on device (injected)");
      }
      int limit = from.limit();
      from.limit(from.position() + bytes);
      try {
        return real.write(from, position);
      } finally {
        from.limit(limit);
      }
    }

    @Override
    protected void implCloseChannel() throws IOException {
      real.close();
      if (failingCloses.test(path)) {
        throw new IOException(INJECTED);
      }
    }
  }
}
