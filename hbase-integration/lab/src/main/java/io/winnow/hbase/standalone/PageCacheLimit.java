package io.winnow.hbase.standalone;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Keeps the files below a directory out of the page cache, for a program without direct I/O: four
 * times a second it tells the system, by {@code dd} and {@code posix_fadvise}, to forget what it
 * has of them; and once a second it writes what is changed in them to the drive before, since only
 * then that is forgotten. So the cache has what was read in a quarter of a second, and written in
 * one; which is in the program's favour.
 */
public final class PageCacheLimit implements Closeable {
  private static final long INTERVAL_MILLIS = 250;
  private static final int INTERVALS_PER_WRITE = 4;

  private final Path directory;
  private final String suffix;
  private final Thread thread;
  private volatile boolean ended;
  private volatile boolean works = true;

  private PageCacheLimit(Path directory, String suffix) {
    this.directory = directory;
    this.suffix = suffix;
    this.thread = new Thread(this::run, "page-cache-limit");
    thread.setDaemon(true);
  }

  /**
   * Begins.
   *
   * @param suffix of the names of the files; others are left alone
   */
  public static PageCacheLimit of(Path directory, String suffix) {
    PageCacheLimit limit = new PageCacheLimit(directory, suffix);
    limit.thread.start();
    return limit;
  }

  /** Whether the system did as it was told until now. */
  public boolean works() {
    return works;
  }

  private void run() {
    try {
      for (int i = 1; !ended; i++) {
        TimeUnit.MILLISECONDS.sleep(INTERVAL_MILLIS);
        drop(i % INTERVALS_PER_WRITE == 0);
      }
    } catch (InterruptedException e) {
      // the end
    }
  }

  /** Now, and for all files. */
  public void drop() throws InterruptedException {
    drop(true);
  }

  private synchronized void drop(boolean changedToo) throws InterruptedException {
    try {
      List<Path> files = files();
      if (changedToo) {
        files.forEach(PageCacheLimit::writeBack);
      }
      works &= files.isEmpty() || forget(files);
    } catch (IOException | UncheckedIOException e) {
      works = false;
    }
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.toString().endsWith(suffix) && Files.isRegularFile(file))
          .toList();
    }
  }

  /** Only pages that are on the drive can be forgotten. */
  private static void writeBack(Path file) {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(false);
    } catch (IOException e) {
      // it was deleted meanwhile
    }
  }

  /**
   * With no block to copy, and this flag, all that dd does is to say that nobody needs the file.
   */
  private static boolean forget(List<Path> files) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "sh",
                "-c",
                "for f; do dd if=\"$f\" iflag=nocache count=0 status=none || [ ! -e \"$f\" ] || exit 1; done",
                "sh"));
    files.forEach(file -> command.add(file.toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    return process.waitFor() == 0;
  }

  @Override
  public void close() {
    ended = true;
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
