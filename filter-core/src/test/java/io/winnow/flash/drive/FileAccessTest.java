package io.winnow.flash.drive;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** An interrupt closes a channel, and would hide what its fsync says, which is said once. */
class FileAccessTest {
  @TempDir(factory = TempDirFactory.Standard.class)
  private Path directory;

  @Test
  void anInterruptIsNoFailureOfAnFsync() throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[100]);
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      for (int i = 0; i < 3; i++) {
        Thread.currentThread().interrupt();
        FileAccess.SYSTEM.force(file, open.getFD());
        assertTrue(Thread.interrupted());
        Thread.currentThread().interrupt();
        FileAccess.SYSTEM.forceDirectory(directory);
        assertTrue(Thread.interrupted());
      }
    }
  }

  @Test
  void anInterruptDoesNotHideAFailure() throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[100]);
    RandomAccessFile closed = new RandomAccessFile(file.toFile(), "r");
    closed.close();
    Thread.currentThread().interrupt();
    assertThrows(IOException.class, () -> FileAccess.SYSTEM.force(file, closed.getFD()));
    assertTrue(Thread.interrupted());
    Path nowhere = directory.resolve("nowhere");
    Thread.currentThread().interrupt();
    assertThrows(IOException.class, () -> FileAccess.SYSTEM.forceDirectory(nowhere));
    assertTrue(Thread.interrupted());
  }
}
