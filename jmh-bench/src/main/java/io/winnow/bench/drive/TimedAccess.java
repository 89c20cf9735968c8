package io.winnow.bench.drive;

import io.winnow.flash.drive.FileAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Access to the file system that records the duration of the longest read or write. Thread-safe.
 */
final class TimedAccess implements FileAccess {
  final AtomicLong longestNanos = new AtomicLong();

  @Override
  public int read(FileChannel channel, ByteBuffer into, long position) throws IOException {
    long start = System.nanoTime();
    int bytes = channel.read(into, position);
    longestNanos.accumulateAndGet(System.nanoTime() - start, Math::max);
    return bytes;
  }

  @Override
  public int write(FileChannel channel, ByteBuffer from, long position) throws IOException {
    long start = System.nanoTime();
    int bytes = channel.write(from, position);
    longestNanos.accumulateAndGet(System.nanoTime() - start, Math::max);
    return bytes;
  }
}
