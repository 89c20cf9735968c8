package io.winnow.cascade;

import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.FlashCounters;
import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Counters of a cascade filter's lookups, merges and waits of inserts, which also report to the
 * filter's listener.
 */
final class CascadeCounters {
  final FlashCounters<CascadeCount> counts = new FlashCounters<>(CascadeCount.class);
  private final CascadeListener listener;

  /**
   * Nanoseconds of the longest wait of an insert into the cascade filter. Only the thread whose
   * turn to insert it is writes it.
   */
  volatile long longestWaitNanos;

  /** Failure of the last merge of levels that failed, or null. */
  volatile Throwable lastMergeFailure;

  CascadeCounters(CascadeListener listener) {
    this.listener = listener;
  }

  /** Calls a method of the cascade filter's listener and ignores its exceptions. */
  void report(Consumer<CascadeListener> what) {
    try {
      what.accept(listener);
    } catch (Throwable e) {
      // the listener failed, and nothing of the filter
    }
  }

  /** Counts a lookup that returned {@code true} because it failed, and reports it. */
  void countFailure(Throwable e) {
    counts.count(CascadeCount.FAILED_LOOKUPS);
    counts.recordFailure(e);
    report(to -> to.lookupFailed(e));
  }

  /**
   * Counts the wait of an insert for a merge, and reports it to the listener.
   *
   * @param stalled whether it waited until the frozen memory level was written; otherwise it waited
   *     to let merges keep up
   */
  void countWait(long nanos, boolean stalled) {
    if (stalled) {
      counts.count(CascadeCount.STALLS);
    }
    counts.add(stalled ? CascadeCount.STALLED_NANOS : CascadeCount.PACED_NANOS, nanos);
    longestWaitNanos = Math.max(longestWaitNanos, nanos);
    report(to -> to.insertWaited(nanos, stalled));
  }

  /** Wraps file access so that the cascade filter's listener hears of every fsync. */
  FileAccess reportingFsyncs(FileAccess access) {
    return listener == CascadeListener.NONE ? access : new FsyncReporter(access);
  }

  /** A call that syncs a file or directory and may fail. */
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
      report(to -> to.fsynced(path, nanos, hasFailed));
    }
  }

  /**
   * File access that delegates to another one and reports each fsync to the cascade filter's
   * listener.
   */
  private final class FsyncReporter implements FileAccess {
    private final FileAccess access;

    FsyncReporter(FileAccess access) {
      this.access = access;
    }

    @Override
    public FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
      return access.open(file, options);
    }

    @Override
    public int read(FileChannel file, ByteBuffer into, long position) throws IOException {
      return access.read(file, into, position);
    }

    @Override
    public int write(FileChannel file, ByteBuffer from, long position) throws IOException {
      return access.write(file, from, position);
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
