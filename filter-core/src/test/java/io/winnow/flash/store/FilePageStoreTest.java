package io.winnow.flash.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

class FilePageStoreTest extends PageStoreContractTest {
  @TempDir(factory = TempDirFactory.Standard.class)
  private Path directory;

  @Override
  PageStore create(int pageBytes) throws IOException {
    return FilePageStore.create(directory.resolve("pages"), pageBytes);
  }

  @Override
  void flipBit(PageStore store, int page, int bit) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(store.name(), "rw")) {
      long offset = (long) page * store.pageBytes() + bit / 8;
      file.seek(offset);
      int was = file.read();
      file.seek(offset);
      file.write(was ^ 1 << bit % 8);
    }
  }

  @Test
  void pagesAreThereWhenTheFileIsOpenedAgain() throws IOException {
    Path path = directory.resolve("again");
    try (PageFrame frame = PageFrames.allocate(2, 4096)) {
      frame.bytes().putLong(frame.payloadOffset(1), 42);
      try (PageStore store = FilePageStore.create(path, 4096)) {
        store.append(2, frame);
        store.append(1, frame);
        store.force();
      }
      for (boolean direct : new boolean[] {true, false}) {
        try (PageStore store =
            FilePageStore.open(FileAccess.SYSTEM, path, 4096, direct, new IoCounters())) {
          assertEquals(3, store.pages());
          store.read(1, frame);
          assertEquals(42, frame.bytes().getLong(frame.payloadOffset(0)));
        }
      }
      assertThrows(
          FileAlreadyExistsException.class, () -> FilePageStore.create(path, 4096).close());
    }
  }

  /** Linux has no direct I/O on tmpfs before 6.6, and has it on the usual disks' file systems. */
  @Test
  void theModeSaysWhetherPagesGoPastThePageCache() throws IOException {
    try (PageStore plain =
        FilePageStore.create(
            FileAccess.SYSTEM, directory.resolve("plain"), 4096, false, new IoCounters())) {
      assertEquals(IoMode.BUFFERED, plain.mode());
    }
    if (System.getProperty("os.name").equals("Linux")
        && Files.getFileStore(directory).type().matches("ext4|xfs|btrfs")) {
      try (PageStore direct = FilePageStore.create(directory.resolve("direct"), 4096)) {
        assertEquals(IoMode.DIRECT, direct.mode());
      }
    }
  }

  @Test
  void aFileOfPartOfAPageIsDamaged() throws IOException {
    Path path = directory.resolve("part");
    Files.write(path, new byte[4096 + 100]);
    DamagedPageException e =
        assertThrows(DamagedPageException.class, () -> FilePageStore.open(path, 4096).close());
    assertEquals(1, e.page());
    assertTrue(e.getMessage().contains(path.toString()), e.getMessage());
  }

  @Test
  void aPageInAnothersPlaceIsDamaged() throws IOException {
    Path path = directory.resolve("moved");
    try (PageFrame frame = PageFrames.allocate(2, 4096);
        PageStore store = FilePageStore.create(path, 4096)) {
      store.append(2, frame);
      byte[] bytes = Files.readAllBytes(path);
      System.arraycopy(bytes, 0, bytes, 4096, 4096);
      Files.write(path, bytes);
      assertThrows(DamagedPageException.class, () -> store.read(1, frame));
    }
  }

  /** A drive may write a page to another file, in the same place: the salt tells. */
  @Test
  void aPageOfAnotherStoreIsDamaged() throws IOException {
    IoCounters io = new IoCounters();
    try (PageFrame frame = PageFrames.allocate(1, 4096);
        PageStore store = salted("one", 17, io);
        PageStore other = salted("other", 18, io)) {
      store.append(1, frame);
      other.append(1, frame);
      store.read(0, frame);
      Files.write(Path.of(store.name()), Files.readAllBytes(Path.of(other.name())));
      assertThrows(DamagedPageException.class, () -> store.read(0, frame));
      other.read(0, frame);
    }
  }

  private PageStore salted(String name, long salt, IoCounters io) throws IOException {
    return FilePageStore.create(FileAccess.SYSTEM, directory.resolve(name), 4096, salt, false, io);
  }

  /** An interrupt closes a FileChannel under all who read from it; a store outlives that. */
  @Test
  void anInterruptedReaderDisturbsNobody() throws Exception {
    try (PageFrame frame = PageFrames.allocate(64, 4096);
        PageStore store = create(4096)) {
      store.append(64, frame);
      AtomicReference<Throwable> failure = new AtomicReference<>();
      CountDownLatch stop = new CountDownLatch(1);
      Thread[] readers = new Thread[3];
      for (int t = 0; t < readers.length; t++) {
        readers[t] =
            new Thread(
                () -> {
                  try (PageFrame own = PageFrames.allocate(64, 4096)) {
                    while (stop.getCount() > 0) {
                      store.read(0, 64, own);
                    }
                  } catch (Throwable e) {
                    failure.set(e);
                  }
                });
        readers[t].start();
      }
      for (int i = 0; i < 200; i++) {
        readers[i % readers.length].interrupt();
        Thread.currentThread().interrupt();
        store.read(i % 64, frame);
        assertTrue(Thread.interrupted());
      }
      stop.countDown();
      for (Thread reader : readers) {
        reader.join();
      }
      assertEquals(null, failure.get());
    }
  }
}
