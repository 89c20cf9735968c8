package io.winnow.flash.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A machine that stops in a change, and what the drive then takes back of real files: blocks that
 * no fsync has made safe. After a fsync that failed no other one makes them safe, as in Linux,
 * unless they are written again. One thread at a time.
 */
final class PowerCut {
  static final int BLOCK_BYTES = 4096;

  private final Random random;
  private final List<Unsafe> unsafe = new ArrayList<>();
  private final List<Unsafe> lost = new ArrayList<>();
  private long changesLeft = Long.MAX_VALUE;
  private boolean stopped;

  /** What was there before a block was written that is not safe. */
  private record Unsafe(Path path, long position, byte[] before) {
    boolean isWithin(Path file, long from, long to) {
      return path.equals(file) && position >= from && position + before.length <= to;
    }
  }

  PowerCut(Random random) {
    this.random = random;
  }

  void stopIn(long changes) {
    changesLeft = changes;
  }

  boolean isStopped() {
    return stopped;
  }

  /**
   * Counts a change.
   *
   * @return whether the machine stops in it
   * @throws IOException if it has stopped before
   */
  boolean stopsNow() throws IOException {
    if (stopped) {
      throw new IOException("the machine has stopped (injected)");
    }
    stopped = --changesLeft <= 0;
    return stopped;
  }

  /** Counts a change that is done, or not at all. */
  void change() throws IOException {
    if (stopsNow()) {
      throw stops();
    }
  }

  static IOException stops() {
    return new IOException("the machine stops (injected)");
  }

  /** Some blocks of the write that it stops in, as a drive may do them in any order. */
  void writeSome(FileChannel real, ByteBuffer from, long position) throws IOException {
    int begin = from.position();
    int end = from.limit();
    for (int at = begin; at < end; at += BLOCK_BYTES) {
      if (random.nextBoolean()) {
        from.limit(Math.min(end, at + BLOCK_BYTES)).position(at);
        real.write(from, position + at - begin);
      }
    }
  }

  /** What a write is about to change is not safe from now on. */
  void remember(Path path, long position, int bytes) throws IOException {
    lost.removeIf(block -> block.isWithin(path, position, position + bytes));
    try (FileChannel plain = FileChannel.open(path, StandardOpenOption.READ)) {
      for (int at = 0; at < bytes; at += BLOCK_BYTES) {
        ByteBuffer before = ByteBuffer.allocate(Math.min(BLOCK_BYTES, bytes - at));
        while (before.hasRemaining() && plain.read(before, position + at + before.position()) > 0) {
          // what is beyond the end comes to zeros
        }
        unsafe.add(new Unsafe(path, position + at, before.array()));
      }
    }
  }

  /** An fsync succeeded. */
  void safe(Path path) {
    unsafe.removeIf(block -> block.path().equals(path));
  }

  /** An fsync failed. */
  void lost(Path path) {
    unsafe.stream().filter(block -> block.path().equals(path)).forEach(lost::add);
    safe(path);
  }

  /** From this byte on a file is gone. */
  void gone(Path path, long position) {
    unsafe.removeIf(block -> block.isWithin(path, position, Long.MAX_VALUE));
    lost.removeIf(block -> block.isWithin(path, position, Long.MAX_VALUE));
  }

  /** Takes back what is not safe, each block or not. */
  void takeBack() throws IOException {
    lost.addAll(unsafe);
    for (int i = lost.size() - 1; i >= 0; i--) {
      Unsafe block = lost.get(i);
      if (random.nextBoolean() && Files.exists(block.path())) {
        try (FileChannel channel = FileChannel.open(block.path(), StandardOpenOption.WRITE)) {
          channel.write(ByteBuffer.wrap(block.before()), block.position());
        }
      }
    }
    unsafe.clear();
    lost.clear();
  }
}
