package io.winnow.flash.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** Pages in a file. */
public class PageStoreTest {
  private static final int PAGE_BYTES = 4096;

  @TempDir(factory = TempDirFactory.Standard.class)
  private Path directory;

  private PageStore create(int pageBytes) throws IOException {
    return PageStore.create(directory.resolve("pages"), pageBytes);
  }

  /** Flips one bit of a page in its file. */
  public static void flipBit(PageStore store, int page, int bit) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(store.name(), "rw")) {
      long offset = (long) page * store.pageBytes + bit / 8;
      file.seek(offset);
      int was = file.read();
      file.seek(offset);
      file.write(was ^ 1 << bit % 8);
    }
  }

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  @Test
  void whatWasWrittenIsReadAfterAnySequenceOfOperations() throws IOException {
    long seed = 20261121;
    Random random = new Random(seed);
    List<Long> model = new ArrayList<>();
    try (PageStore store = create(2 * PAGE_BYTES);
        PageFrame frame = PageFrames.allocate(8, 2 * PAGE_BYTES)) {
      for (int step = 0; step < 2000; step++) {
        int count = 1 + random.nextInt(8);
        if (random.nextInt(3) == 0 || model.isEmpty()) {
          for (int i = 0; i < count; i++) {
            model.add(fill(frame, i, random.nextLong()));
          }
          assertEquals(model.size() - count, store.append(count, frame));
        } else if (random.nextBoolean()) {
          int first = random.nextInt(model.size() + 1);
          for (int i = 0; i < count; i++) {
            long content = fill(frame, i, random.nextLong());
            if (first + i < model.size()) {
              model.set(first + i, content);
            } else {
              model.add(content);
            }
          }
          store.write(first, count, frame);
        } else {
          count = Math.min(count, model.size());
          int first = random.nextInt(model.size() - count + 1);
          store.read(first, count, frame);
          for (int i = 0; i < count; i++) {
            assertFilled(frame, i, model.get(first + i), "seed " + seed + ", step " + step);
          }
        }
        assertEquals(model.size(), store.pages());
      }
      store.force();
    }
  }

  @Test
  void aFlippedBitAnywhereIsADamagedPage() throws IOException {
    try (PageStore store = create(PAGE_BYTES);
        PageFrame frame = PageFrames.allocate(3, PAGE_BYTES)) {
      for (int i = 0; i < 3; i++) {
        fill(frame, i, i);
      }
      store.append(3, frame);
      for (int bit = 0; bit < PAGE_BYTES * 8; bit += bit < 80 ? 1 : 97) {
        flipBit(store, 1, bit);
        DamagedPageException e =
            assertThrows(DamagedPageException.class, () -> store.read(0, 3, frame), "bit " + bit);
        assertEquals(1, e.page());
        assertEquals(store.name(), e.file());
        assertTrue(e.getMessage().contains("page 1 of " + store.name()), e.getMessage());
        store.read(2, frame);
        flipBit(store, 1, bit);
      }
      store.read(0, 3, frame);
    }
  }

  @Test
  void requestsAndBytesAreCounted() throws IOException {
    try (PageStore store = create(PAGE_BYTES);
        PageFrame frame = PageFrames.allocate(4, PAGE_BYTES)) {
      store.append(4, frame);
      IoSnapshot before = store.counters.snapshot();
      store.write(3, 2, frame);
      store.read(1, frame);
      store.read(0, 4, frame);
      assertEquals(
          new IoSnapshot(2, 5 * PAGE_BYTES, 1, 2 * PAGE_BYTES),
          store.counters.snapshot().since(before));
    }
  }

  @Test
  void requestsBeyondTheEndAreRefused() throws IOException {
    try (PageStore store = create(PAGE_BYTES);
        PageFrame frame = PageFrames.allocate(2, PAGE_BYTES);
        PageFrame other = PageFrames.allocate(2, 2 * PAGE_BYTES)) {
      store.append(2, frame);
      assertThrows(IllegalArgumentException.class, () -> store.read(2, frame));
      assertThrows(IllegalArgumentException.class, () -> store.read(1, 2, frame));
      assertThrows(IllegalArgumentException.class, () -> store.read(-1, frame));
      assertThrows(IllegalArgumentException.class, () -> store.write(3, 1, frame));
      assertThrows(IllegalArgumentException.class, () -> store.write(0, 3, frame));
      assertThrows(IllegalArgumentException.class, () -> store.append(0, frame));
      assertThrows(IllegalArgumentException.class, () -> store.read(0, other));
    }
  }

  @Test
  void aClosedStoreIsNotRead() throws IOException {
    PageStore store = create(PAGE_BYTES);
    try (PageFrame frame = PageFrames.allocate(1, PAGE_BYTES)) {
      store.append(1, frame);
      store.close();
      assertThrows(ClosedChannelException.class, () -> store.read(0, frame));
    }
  }

  @Test
  void pageSizesAreMultiplesOfABlock() {
    for (int pageBytes : new int[] {0, 512, 4097, 6144, 2 << 20}) {
      assertThrows(IllegalArgumentException.class, () -> create(pageBytes));
    }
  }

  private static long fill(PageFrame frame, int page, long content) {
    for (int at = PageStore.HEADER_BYTES; at < frame.pageBytes; at += Long.BYTES) {
      frame.bytes.putLong(page * frame.pageBytes + at, TestHashes.splitMix(content, at));
    }
    return content;
  }

  private static void assertFilled(PageFrame frame, int page, long content, String message) {
    for (int at = PageStore.HEADER_BYTES; at < frame.pageBytes; at += Long.BYTES) {
      assertEquals(
          TestHashes.splitMix(content, at),
          frame.bytes.getLong(page * frame.pageBytes + at),
          message);
    }
  }

  @Test
  void pagesAreThereWhenTheFileIsOpenedAgain() throws IOException {
    Path path = directory.resolve("again");
    try (PageFrame frame = PageFrames.allocate(2, 4096)) {
      frame.bytes.putLong(frame.payloadOffset(1), 42);
      try (PageStore store = PageStore.create(path, 4096)) {
        store.append(2, frame);
        store.append(1, frame);
        store.force();
      }
      for (boolean direct : new boolean[] {true, false}) {
        try (PageStore store =
            PageStore.open(FileAccess.SYSTEM, path, 4096, 0, direct, true, new IoCounters())) {
          assertEquals(3, store.pages());
          store.read(1, frame);
          assertEquals(42, frame.bytes.getLong(frame.payloadOffset(0)));
        }
      }
      assertThrows(FileAlreadyExistsException.class, () -> PageStore.create(path, 4096).close());
    }
  }

  /** Linux has no direct I/O on tmpfs before 6.6, and has it on the usual disks' file systems. */
  @Test
  void theModeSaysWhetherPagesGoPastThePageCache() throws IOException {
    try (PageStore plain =
        PageStore.create(
            FileAccess.SYSTEM, directory.resolve("plain"), 4096, 0, false, new IoCounters())) {
      assertFalse(plain.isDirect());
    }
    if (System.getProperty("os.name").equals("Linux")
        && Files.getFileStore(directory).type().matches("ext4|xfs|btrfs")) {
      try (PageStore direct = PageStore.create(directory.resolve("direct"), 4096)) {
        assertTrue(direct.isDirect());
      }
    }
  }

  @Test
  void aFileOfPartOfAPageIsDamaged() throws IOException {
    Path path = directory.resolve("part");
    Files.write(path, new byte[4096 + 100]);
    DamagedPageException e =
        assertThrows(DamagedPageException.class, () -> PageStore.open(path, 4096).close());
    assertEquals(1, e.page());
    assertTrue(e.getMessage().contains(path.toString()), e.getMessage());
  }

  @Test
  void aPageInAnothersPlaceIsDamaged() throws IOException {
    Path path = directory.resolve("moved");
    try (PageFrame frame = PageFrames.allocate(2, 4096);
        PageStore store = PageStore.create(path, 4096)) {
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
    return PageStore.create(FileAccess.SYSTEM, directory.resolve(name), 4096, salt, false, io);
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
