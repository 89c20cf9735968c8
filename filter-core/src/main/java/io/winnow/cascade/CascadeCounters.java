package io.winnow.cascade;

import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.FlashCounters;
import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Consumer;

/** Counts lookups, waits of inserts, and writes of merges, and tells a listener of them. */
final class CascadeCounters {
  final FlashCounters<CascadeCount> counts = new FlashCounters<>(CascadeCount.class);
  private final CascadeListener listener;

  /** Written by one thread at a time: the one whose turn to insert it is. */
  volatile long longestWaitNanos;

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
    counts.count(CascadeCount.FAILED_LOOKUPS);
    counts.failed(e);
    tell(to -> to.lookupFailed(e));
  }

  /** An insert waited: until a level in memory was written, or so that merges keep up. */
  void countWait(long nanos, boolean stalled) {
    if (stalled) {
      counts.count(CascadeCount.STALLS);
    }
    counts.add(stalled ? CascadeCount.STALLED_NANOS : CascadeCount.PACED_NANOS, nanos);
    longestWaitNanos = Math.max(longestWaitNanos, nanos);
    tell(to -> to.insertWaited(nanos, stalled));
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
