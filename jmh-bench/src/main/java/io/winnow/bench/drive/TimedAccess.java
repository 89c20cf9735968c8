package io.winnow.bench.drive;

import io.winnow.flash.drive.FileAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Access to the file system that records the duration of the longest read or write. Thread-safe.
 */
final class TimedAccess implements FileAccess {
  private final AtomicLong longestNanos = new AtomicLong();

  long longestNanos() {
    return longestNanos.get();
  }

  @Override
  public FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    return new Timed(FileAccess.SYSTEM.open(file, options));
  }

  private void since(long start) {
    longestNanos.accumulateAndGet(System.nanoTime() - start, Math::max);
  }

  private final class Timed extends ForwardingChannel {
    Timed(FileChannel real) {
      super(real);
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
      long start = System.nanoTime();
      int bytes = super.read(into, position);
      since(start);
      return bytes;
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
      long start = System.nanoTime();
      int bytes = super.write(from, position);
      since(start);
      return bytes;
    }
  }
}
