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
 * A thread that keeps the files below a directory out of the page cache, for a program that has no
 * direct I/O. Four times a second it has the system drop the cached pages of these files, by {@code
 * dd} and {@code posix_fadvise}. Once a second it writes changed pages to the drive before, because
 * only clean pages are dropped. So the cache holds what the program read in the last quarter of a
 * second and wrote in the last second, which is in the program's favour.
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
   * Starts a thread that keeps the files of a directory out of the page cache until {@link #close}.
   *
   * @param directory the directory whose files, at any depth, are dropped from the cache
   * @param suffix the end of the names of these files; other files stay cached
   */
  public static PageCacheLimit of(Path directory, String suffix) {
    PageCacheLimit limit = new PageCacheLimit(directory, suffix);
    limit.thread.start();
    return limit;
  }

  /** Returns whether each attempt to drop files from the page cache has worked so far. */
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
      // close() ends the thread
    }
  }

  /** Drops all files of the directory from the page cache now, changed pages too. */
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

  /**
   * Writes a file's changed pages to the drive, because only clean pages can be dropped from the
   * page cache.
   */
  private static void writeBack(Path file) {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(false);
    } catch (IOException e) {
      // it was deleted meanwhile
    }
  }

  /**
   * Drops the pages of files from the page cache. With this flag and a count of no blocks, {@code
   * dd} copies nothing and only advises the system that nobody needs the file.
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
