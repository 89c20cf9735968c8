package io.winnow.cascade;

import io.winnow.flash.store.FileAccess;
import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * What lookups did, how inserts waited, and what merges wrote; and who is told of it. Lookups are
 * counted by any number of threads, waits by one at a time, the one whose turn to insert it is, and
 * merges with the monitor of the levels.
 */
final class CascadeCounters {
  private final CascadeListener listener;

  final LongAdder lookups = new LongAdder();

  /** Pages that lookups read, and those of them that were a level's second or later one. */
  final LongAdder pages = new LongAdder();

  final LongAdder crossings = new LongAdder();
  final LongAdder failures = new LongAdder();
  final AtomicReference<Throwable> lastFailure = new AtomicReference<>();

  /** Inserts and deletes since the opening. */
  volatile long operations;

  volatile long stalls;
  volatile long stalledNanos;
  volatile long pacedNanos;
  volatile long longestNanos;
  volatile long entriesFlushed;
  volatile long entriesMerged;
  volatile Throwable lastMergeFailure;

  CascadeCounters(CascadeListener listener) {
    this.listener = listener;
  }

  /** Tells the listener, whose failures are its own. */
  void tell(Consumer<CascadeListener> what) {
    try {
      what.accept(listener);
    } catch (Throwable e) {
      // nothing of ours has failed
    }
  }

  void countFailure(Throwable e) {
    failures.increment();
    lastFailure.set(e);
    tell(to -> to.lookupFailed(e));
  }

  /** An insert waited: until a level in memory was written, or so that merges keep up. */
  void countWait(long nanos, boolean stalled) {
    stalls += stalled ? 1 : 0;
    stalledNanos += stalled ? nanos : 0;
    pacedNanos += stalled ? 0 : nanos;
    longestNanos = Math.max(longestNanos, nanos);
    tell(to -> to.insertWaited(nanos, stalled));
  }

  /** A merge went on without a page. */
  void countDoubt(double share, IOException reason) {
    lastMergeFailure = reason;
    tell(to -> to.pageLost(share, reason));
  }

  /** The same access, with all fsyncs told. */
  FileAccess listening(FileAccess access) {
    return listener == CascadeListener.NONE ? access : new Listened(access);
  }

  private interface Fsync {
    void run() throws IOException;
  }

  private void fsync(Path path, Fsync fsync) throws IOException {
    long began = System.nanoTime();
    boolean failed = true;
    try {
      fsync.run();
      failed = false;
    } finally {
      boolean hasFailed = failed;
      long nanos = System.nanoTime() - began;
      tell(to -> to.fsynced(path, nanos, hasFailed));
    }
  }

  /** Another one's access. */
  private final class Listened implements FileAccess {
    private final FileAccess access;

    Listened(FileAccess access) {
      this.access = access;
    }

    @Override
    public FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
      return access.open(file, options);
    }

    @Override
    public void replace(Path from, Path to) throws IOException {
      access.replace(from, to);
    }

    @Override
    public void link(Path name, Path file) throws IOException {
      access.link(name, file);
    }

    @Override
    public void delete(Path file) throws IOException {
      access.delete(file);
    }

    @Override
    public void force(Path file, FileDescriptor open) throws IOException {
      fsync(file, () -> access.force(file, open));
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
      fsync(directory, () -> access.forceDirectory(directory));
    }

    @Override
    public long usableBytes(Path directory) throws IOException {
      return access.usableBytes(directory);
    }
  }
}
