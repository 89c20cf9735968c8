package io.winnow.bench.cascade;

import io.winnow.bench.Keys;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A measurement of the drive's speed, as an upper bound for filters: threads read and check random
 * pages of a file, and nothing else. No filter with pages of this size can be faster than this,
 * divided by the pages that it needs.
 */
final class DriveReads implements Closeable {
  /** Numbers of threads that read at the same time, and so of requests under way. */
  static final List<Integer> DEPTHS = List.of(1, 2, 4, 8, 16, 32, 64, 128);

  private static final int PAGE_BYTES = 4096;
  private static final int REQUEST_PAGES = 256;

  private final PageStore store;
  private final ExecutorService threads;
  private long runs;

  private DriveReads(PageStore store) {
    this.store = store;
    this.threads =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "drive-reads");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Makes a file of at least the given size, of which random pages are read. */
  static DriveReads create(Path file, long bytes) throws IOException {
    PageStore store = PageStore.create(file, PAGE_BYTES);
    try (PageFrame frame = PageFrames.allocate(REQUEST_PAGES, PAGE_BYTES)) {
      long state = 0;
      while (store.pages() * PAGE_BYTES < bytes) {
        for (int at = 0; at < frame.bytes.capacity(); at += Long.BYTES) {
          frame.bytes.putLong(at, Keys.scramble(state++));
        }
        store.append(REQUEST_PAGES, frame);
      }
      store.force();
      return new DriveReads(store);
    } catch (IOException e) {
      store.close();
      throw e;
    }
  }

  /** Returns the pages per second that a number of threads read from random places of the file. */
  double perSecond(int depth, double seconds) throws IOException {
    List<Callable<Long>> readers = new ArrayList<>();
    long start = System.nanoTime();
    long nanos = (long) (seconds * 1e9);
    for (int i = 0; i < depth; i++) {
      long seed = runs++ << 40;
      readers.add(() -> read(seed, start, nanos));
    }
    try {
      long pages = 0;
      for (Future<Long> done : threads.invokeAll(readers)) {
        pages += done.get();
      }
      return pages * 1e9 / (System.nanoTime() - start);
    } catch (InterruptedException e) {
      throw new InterruptedIOException();
    } catch (ExecutionException e) {
      throw new IOException("a page could not be read: " + e.getCause().getMessage(), e.getCause());
    }
  }

  private long read(long seed, long start, long nanos) throws IOException {
    long pages = 0;
    try (PageFrame frame = PageFrames.allocate(1, PAGE_BYTES)) {
      do {
        store.read(Long.remainderUnsigned(Keys.scramble(seed + pages), store.pages()), frame);
        pages++;
      } while (System.nanoTime() - start < nanos);
    }
    return pages;
  }

  @Override
  public void close() throws IOException {
    threads.shutdown();
    store.close();
  }
}
