package io.winnow.bench.cascade;

import io.winnow.flash.store.FileAccess;
import java.io.IOException;
import java.nio.channels.FileChannel;
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

  private final class Slow extends ForwardingChannel {
    Slow(FileChannel real) {
      super(real);
    }

    @Override
    public void force(boolean metaData) {
      fsync();
    }
  }
}
