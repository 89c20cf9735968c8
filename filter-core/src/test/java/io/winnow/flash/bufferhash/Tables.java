package io.winnow.flash.bufferhash;

import io.winnow.TestHashes;
import io.winnow.flash.drive.DirectoryLock;
import io.winnow.flash.drive.SimulatedDrive;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;

/** Small tables for tests, their keys and values. */
final class Tables {
  static final int ERASE_BLOCK = 32 << 10;

  private Tables() {}

  /** As many super tables and incarnations of 32 KiB each: 7 pages of records or fewer. */
  static BufferHashOptions small(BufferHashOptions kind, int superTables, int incarnations) {
    return kind.superTables(superTables)
        .eraseBlockBytes(ERASE_BLOCK)
        .incarnationBytes(ERASE_BLOCK)
        .flashBytes(ERASE_BLOCK * (1L + (long) superTables * incarnations))
        .memoryBudget(8 << 20)
        .directIo(false); // faster, and the same but for the tests that ask for it
  }

  /** Entries of the expected size that there is room for on flash. */
  static long entriesOnFlash(BufferHashLayout layout) {
    return (long) layout.superTables() * layout.incarnations() * layout.expectedEntries;
  }

  /** A drive with what a directory has. */
  static SimulatedDrive drive(Path directory, long seed) throws IOException {
    Files.createDirectories(directory);
    return new SimulatedDrive(directory, new Random(seed), () -> 0, () -> 0);
  }

  static long key(long seed, long i) {
    return TestHashes.splitMix(seed, i);
  }

  /** A key of 8 to 19 bytes, the same for the same number. */
  static byte[] bytes(long key) {
    byte[] bytes = new byte[8 + (int) Math.floorMod(key, 12L)];
    ByteBuffer.wrap(bytes).putLong(key);
    return bytes;
  }

  static byte[] value(Random random, int most) {
    byte[] value = new byte[random.nextInt(most + 1)];
    random.nextBytes(value);
    return value;
  }

  /** A value of 8 bytes that tells the number. */
  static byte[] value(long number) {
    return ByteBuffer.allocate(8).putLong(number).array();
  }

  static long number(byte[] value) {
    return ByteBuffer.wrap(value).getLong();
  }

  static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        if (!file.getFileName().toString().equals(DirectoryLock.NAME)) {
          Files.copy(file, to.resolve(file.getFileName()));
        }
      }
    }
  }
}
