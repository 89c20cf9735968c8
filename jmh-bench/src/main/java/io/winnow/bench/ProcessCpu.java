package io.winnow.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The CPU time of this whole process: of all its threads, the collector's and the compiler's too.
 * The JDK tells it in steps of 10 ms; Linux tells each thread's in nanoseconds, so those are summed
 * where they are there.
 */
final class ProcessCpu {
  private static final Path TASKS = Path.of("/proc/self/task");

  private ProcessCpu() {}

  /** Nanoseconds so far. A thread that has ended meanwhile may be missing. */
  static long nanos() {
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      long sum = 0;
      for (Path task : tasks) {
        sum += nanos(task);
      }
      return sum;
    } catch (IOException | NumberFormatException e) {
      OperatingSystemMXBean system =
          (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      return system.getProcessCpuTime();
    }
  }

  private static long nanos(Path task) throws IOException {
    Path file = task.resolve("schedstat");
    if (!Files.exists(task)) {
      return 0; // it ended
    }
    try {
      String line = Files.readString(file);
      return Long.parseLong(line.substring(0, line.indexOf(' ')));
    } catch (NoSuchFileException e) {
      if (Files.exists(task)) {
        throw e; // this system does not tell
      }
      return 0;
    }
  }
}
