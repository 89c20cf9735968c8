package io.winnow.flash.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.buffered.BufferedBloomFilter;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.flash.bufferhash.BufferHash;
import io.winnow.flash.bufferhash.BufferHashOptions;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** Other processes and class loaders: {@code CascadeDirectoryTest}. */
class DirectoryLockTest {
  @TempDir(factory = TempDirFactory.Standard.class)
  private Path temporary;

  private Path directory;

  @BeforeEach
  void makeDirectory() throws IOException {
    directory = Files.createDirectory(temporary.resolve("locked"));
  }

  private Path file() {
    return directory.resolve(DirectoryLock.NAME);
  }

  private void assertOpenHere() {
    IOException e = assertThrows(IOException.class, () -> DirectoryLock.of(directory));
    assertTrue(e.getMessage().contains("open in this process"), e.getMessage());
  }

  @Test
  void aDirectoryHasOneOwnerAtATime() throws IOException {
    try (DirectoryLock lock = DirectoryLock.of(directory)) {
      lock.check();
      assertOpenHere();
      Path link = Files.createSymbolicLink(temporary.resolve("link"), directory);
      assertThrows(IOException.class, () -> DirectoryLock.of(link));
      lock.check();
    }
    assertEquals(0, Files.size(file()), "nobody's");
    DirectoryLock.of(directory).close();
  }

  /** A new file of that name could be locked. */
  @Test
  void whoseFileIsDeletedItIsNobodyElsesInThisProcess() throws IOException {
    DirectoryLock lock = DirectoryLock.of(directory);
    Files.delete(file());
    assertOpenHere();
    assertThrows(IOException.class, lock::check);
    lock.close();
    DirectoryLock.of(directory).close();
  }

  /** Somebody deleted the file, and another owner has made it again. */
  @Test
  void aLockWhoseFileWasReplacedBelongsToAnotherOwner() throws IOException {
    DirectoryLock lock = DirectoryLock.of(directory);
    String line = Files.readString(file());
    Files.delete(file());
    Files.writeString(file(), line);
    assertThrows(IOException.class, lock::check);
    lock.close();
  }

  @Test
  void aCloseLeavesTheLineOfAnotherOwner() throws IOException {
    DirectoryLock lock = DirectoryLock.of(directory);
    Files.writeString(file(), "another owner's");
    assertThrows(IOException.class, lock::check);
    lock.close();
    assertEquals("another owner's", Files.readString(file()));
  }

  /** As a copy of this library may have that a class loader of its own has loaded. */
  @Test
  void aFileThatOtherCodeOfThisProcessHasLockedIsRefusedUntilItIsReleased() throws IOException {
    try (RandomAccessFile other = new RandomAccessFile(file().toFile(), "rw")) {
      other.getChannel().lock();
      assertOpenHere();
    }
    DirectoryLock.of(directory).close();
  }

  /** The lock of the system may be gone, as when somebody has copied the file. */
  @Test
  void aProcessThatLivesKeepsItsDirectory() throws IOException {
    DirectoryLock.of(directory).close();
    ProcessHandle parent = ProcessHandle.current().parent().orElseThrow();
    String since =
        parent.info().startInstant().map(start -> start.toEpochMilli()).orElse(0L).toString();
    Object key = Files.getAttribute(file(), "fileKey");
    String line =
        "winnow-lock process %d since %s file %s token 0\n"
            .formatted(parent.pid(), since, key.toString().replace(' ', '_'));
    Files.writeString(file(), line);
    IOException e = assertThrows(IOException.class, () -> DirectoryLock.of(directory));
    assertTrue(e.getMessage().contains("open in another process"), e.getMessage());
    assertThrows(IOException.class, () -> DirectoryLock.checkNotOpen(directory));
    assertEquals(line, Files.readString(file()));
    Files.writeString(file(), line.replace(" file ", " file another-"));
    DirectoryLock.checkNotOpen(directory);
    DirectoryLock.of(directory).close();
    Files.writeString(file(), line.replace(" since " + since, " since 5"));
    DirectoryLock.of(directory).close(); // an earlier process had its number
    Process ended = new ProcessBuilder("true").start();
    ended.onExit().join();
    for (String number : List.of("" + ended.pid(), "" + ProcessHandle.current().pid(), "?")) {
      Files.writeString(file(), line.replace("process " + parent.pid(), "process " + number));
      DirectoryLock.checkNotOpen(directory);
      DirectoryLock.of(directory).close();
    }
  }

  @Test
  void aBufferedBloomFilterThatLostItsDirectoryPromisesNothing() throws IOException {
    BufferedBloomOptions options =
        BufferedBloomOptions.defaults()
            .pages(4)
            .hashFunctions(3)
            .requestBytes(4096)
            .memoryBudget(1 << 16)
            .directIo(false);
    BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options);
    filter.insert(1);
    filter.sync();
    filter.insert(2);
    Files.writeString(file(), "another one's");
    assertThrows(IOException.class, filter::sync);
    assertThrows(IOException.class, filter::close);
    try (BufferedBloomFilter again = BufferedBloomFilter.open(directory, options)) {
      assertTrue(again.mightContain(1));
      assertTrue(again.mightContain(2), "it knows that it is not whole");
      assertFalse(again.isWhole(), "its head is that of the new owner");
    }
  }

  @Test
  void aTableThatLostItsDirectoryPromisesNothing() throws IOException {
    BufferHashOptions options =
        BufferHashOptions.ofFingerprints(8)
            .superTables(2)
            .eraseBlockBytes(32 << 10)
            .incarnationBytes(32 << 10)
            .flashBytes((32 << 10) * 17L)
            .memoryBudget(8 << 20)
            .directIo(false)
            .durability(Durability.ON_SYNC);
    BufferHash table = BufferHash.open(directory, options);
    table.put(1, new byte[] {1});
    table.sync();
    Files.writeString(file(), "another one's");
    table.put(2, new byte[] {2});
    assertThrows(IOException.class, table::sync);
    assertThrows(IOException.class, table::close);
    try (BufferHash again = BufferHash.open(directory, options)) {
      assertEquals(1, again.get(1)[0]);
    }
  }
}
