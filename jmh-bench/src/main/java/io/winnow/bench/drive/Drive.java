package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.drive.ReadThreads;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * A measurement of the speed of a drive, with which the figures of structures on it are compared:
 * threads read and check random pages of a file, and nothing else. No structure with pages of this
 * size can be faster than this, divided by the pages that it needs.
 */
final class Drive implements Closeable {
  /** Number of pages in a large request. */
  static final int LARGE = 256;

  /** Maximum number of threads that read from the drive at the same time. */
  static final int MAX_DEPTH = 128;

  private static final int PAGE_BYTES = 4096;
  private static final double MEGABYTES_PER_LARGE = LARGE * PAGE_BYTES / 1e6;

  private final Path file;
  private final PageStore store;
  private final ReadThreads threads = new ReadThreads("drive", MAX_DEPTH);
  private long writtenNanos;
  private final AtomicLong readers = new AtomicLong();

  private Drive(Path file, PageStore store) {
    this.file = file;
    this.store = store;
  }

  /** Makes a file of at least the given size, of which random pages are read. */
  static Drive create(Path file, long bytes) throws IOException {
    Drive drive = new Drive(file, PageStore.create(file, PAGE_BYTES));
    try {
      drive.write(bytes);
      return drive;
    } catch (IOException e) {
      drive.close();
      throw e;
    }
  }

  /** Returns whether reads go to the drive: no page cache of the system answers them. */
  static boolean isDirect(Path directory) throws IOException {
    Path file = directory.resolve("mode");
    try (PageStore store = PageStore.create(file, PAGE_BYTES)) {
      return store.isDirect();
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private void write(long bytes) throws IOException {
    try (PageFrame frame = PageFrames.allocate(LARGE, PAGE_BYTES)) {
      long word = 0;
      do {
        for (int at = 0; at < frame.bytes.capacity(); at += Long.BYTES) {
          frame.bytes.putLong(at, Keys.scramble(word++));
        }
        long start = System.nanoTime();
        store.append(LARGE, frame);
        writtenNanos += System.nanoTime() - start;
      } while (store.pages() * PAGE_BYTES < bytes);
      long start = System.nanoTime();
      store.force();
      writtenNanos += System.nanoTime() - start;
    }
  }

  /** Returns the megabytes per second with which the file was written, in large requests. */
  double writtenMegabytesPerSecond() {
    return store.pages() / LARGE * MEGABYTES_PER_LARGE * 1e9 / writtenNanos;
  }

  /** Returns the megabytes per second that one thread reads in large requests. */
  double readMegabytesPerSecond(double seconds) throws IOException {
    return MEGABYTES_PER_LARGE * requestsPerSecond(1, LARGE, seconds);
  }

  /** Returns the pages per second that a number of threads read from random places of the file. */
  double pagesPerSecond(int depth, double seconds) throws IOException {
    return requestsPerSecond(depth, 1, seconds);
  }

  private double requestsPerSecond(int depth, int pages, double seconds) throws IOException {
    LongAdder requests = new LongAdder();
    long start = System.nanoTime();
    threads.run(depth, (thread, task) -> requests.add(read(pages, start, (long) (seconds * 1e9))));
    return requests.sum() * 1e9 / (System.nanoTime() - start);
  }

  private long read(int pages, long start, long nanos) throws IOException {
    long seed = readers.getAndIncrement() << 40;
    long requests = 0;
    try (PageFrame frame = PageFrames.allocate(pages, PAGE_BYTES)) {
      do {
        long at = Long.remainderUnsigned(Keys.scramble(seed + requests++), store.pages() / pages);
        store.read(at * pages, pages, frame);
      } while (System.nanoTime() - start < nanos);
    }
    return requests;
  }

  /** Deletes the file. */
  @Override
  public void close() throws IOException {
    threads.close();
    store.close();
    Files.deleteIfExists(file);
  }
}
