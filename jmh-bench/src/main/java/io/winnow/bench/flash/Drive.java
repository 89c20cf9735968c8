package io.winnow.bench.flash;

import io.winnow.bench.Keys;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A measurement of how fast a drive reads and writes, with which the figures of structures on flash
 * must be compared.
 */
final class Drive {
  static final String READS_1 = "pageReadsPerSecond";
  static final String READS_16 = "pageReadsPerSecondAtDepth16";
  static final String READ_MB = "largeReadMegabytesPerSecond";
  static final String WRITTEN_MB = "largeWriteMegabytesPerSecond";
  static final String LONGEST = "longestLargeRequestMillis";

  private static final int PAGE_BYTES = 4096;
  private static final int REQUEST_PAGES = 256;
  private static final int DEPTH = 16;
  private static final double MEGABYTE = 1e6;

  private Drive() {}

  /**
   * Measures how fast a drive reads and writes pages of a new file.
   *
   * @param bytes size of the file
   * @param seconds time of each of about four measurements
   */
  static void measure(Path file, long bytes, double seconds, Results results) throws IOException {
    long pages = Math.max(1, bytes / PAGE_BYTES / REQUEST_PAGES) * REQUEST_PAGES;
    try (PageStore store = PageStore.create(file, PAGE_BYTES);
        PageFrame frame = PageFrames.allocate(REQUEST_PAGES, PAGE_BYTES)) {
      long longest = 0;
      long start = System.nanoTime();
      while (store.pages() < pages) {
        longest = Math.max(longest, timed(() -> store.append(REQUEST_PAGES, frame)));
      }
      store.force();
      double written = (double) pages * PAGE_BYTES / (System.nanoTime() - start) * 1e9;
      long requests = 0;
      start = System.nanoTime();
      while (System.nanoTime() - start < seconds * 1e9) {
        long at = Long.remainderUnsigned(Keys.scramble(requests++), pages / REQUEST_PAGES);
        longest =
            Math.max(longest, timed(() -> store.read(at * REQUEST_PAGES, REQUEST_PAGES, frame)));
      }
      double took = System.nanoTime() - start;
      FlashMetrics.setup(results, WRITTEN_MB, written / MEGABYTE);
      FlashMetrics.setup(
          results, READ_MB, requests * REQUEST_PAGES * PAGE_BYTES / took * 1e9 / MEGABYTE);
      FlashMetrics.setup(results, LONGEST, longest / 1e6);
      FlashMetrics.setup(results, READS_1, reads(store, pages, 1, seconds));
      FlashMetrics.setup(results, READS_16, reads(store, pages, DEPTH, seconds));
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private interface Request {
    void run() throws IOException;
  }

  private static long timed(Request request) throws IOException {
    long start = System.nanoTime();
    request.run();
    return System.nanoTime() - start;
  }

  /** Returns the pages per second that a number of threads read from random places of a file. */
  private static double reads(PageStore store, long pages, int threads, double seconds)
      throws IOException {
    AtomicLong next = new AtomicLong();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      long start = System.nanoTime();
      List<Future<?>> readers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        readers.add(
            pool.submit(
                () -> {
                  try (PageFrame frame = PageFrames.allocate(1, PAGE_BYTES)) {
                    while (System.nanoTime() - start < seconds * 1e9) {
                      long page = Keys.scramble(next.getAndIncrement());
                      store.read(Long.remainderUnsigned(page, pages), frame);
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> reader : readers) {
        reader.get();
      }
      return next.get() / ((System.nanoTime() - start) / 1e9);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      pool.shutdownNow();
    }
  }
}
