package io.winnow.bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The CPU time of all threads of a process on this machine, with those of the garbage collector and
 * the compiler. Linux has it for each thread in nanoseconds; the JDK has it in steps of 10 ms.
 */
final class ProcessCpu {
  private ProcessCpu() {}

  /** A piece of work whose time is measured. */
  @FunctionalInterface
  interface Action {
    void run() throws IOException, InterruptedException;
  }

  /** Returns the nanoseconds of wall time of an action, and those of CPU time of a process. */
  static double[] measure(long process, Action action) throws IOException, InterruptedException {
    Map<String, Long> before = threads(process);
    long wall = System.nanoTime();
    action.run();
    wall = System.nanoTime() - wall;
    return new double[] {wall, between(before, threads(process))};
  }

  /**
   * Returns the CPU time so far of each thread of a process in nanoseconds, by the thread's id.
   *
   * @throws IOException if the system does not have them
   */
  private static Map<String, Long> threads(long process) throws IOException {
    Map<String, Long> threads = new HashMap<>();
    Path directory = Path.of("/proc", String.valueOf(process), "task");
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(directory)) {
      for (Path task : tasks) {
        try {
          String line = Files.readString(task.resolve("schedstat"));
          long nanos = Long.parseLong(line.substring(0, line.indexOf(' ')));
          threads.put(task.getFileName().toString(), nanos);
        } catch (IOException e) { // a thread that ends has no file, or one that cannot be read
          if (Files.exists(task)) {
            throw e; // this system has no such figures
          }
        }
      }
    }
    return threads;
  }

  /**
   * Returns the CPU time of a process in nanoseconds between two readings of its threads' times.
   * Threads that have ended meanwhile are left out.
   */
  static long between(Map<String, Long> before, Map<String, Long> after) {
    long sum = 0;
    for (Map.Entry<String, Long> thread : after.entrySet()) {
      sum += Math.max(0, thread.getValue() - before.getOrDefault(thread.getKey(), 0L));
    }
    return sum;
  }
}
