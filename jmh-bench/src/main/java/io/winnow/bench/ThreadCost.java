package io.winnow.bench;

import io.winnow.hbase.WinnowFilterReader;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import org.apache.hadoop.hbase.util.BloomFilter;

/**
 * What a question to a file's filter costs when several threads ask the same file: one thread, then
 * twice as many, up to one per core. CPU time, which rises if threads wait for each other's cache
 * lines; contenders and numbers of threads take turns.
 */
final class ThreadCost {
  static final String NAME = "threads";
  static final String CPU = "cpuNsPerQuestion";

  /** CPU time over wall time: how many threads really ran at the same time. */
  static final String RUNNING = "threadsRunning";

  private static final int KEY_LENGTH = 25;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Effort effort;
  private final Results results;
  private final Progress progress;

  ThreadCost(Effort effort, Results results, Progress progress) {
    this.effort = effort;
    this.results = results;
    this.progress = progress;
  }

  static double weight(Effort effort) {
    return effort == Effort.FULL ? 60 : 20;
  }

  private int turns() {
    return switch (effort) {
      case SMOKE -> 1;
      case QUICK -> 10;
      case FULL -> 40;
    };
  }

  private int keys() {
    return effort == Effort.SMOKE ? 3000 : 1_000_000;
  }

  /** 1, 2, 4 and so on, and the number of cores. */
  static List<Integer> threadCounts() {
    int cores = Runtime.getRuntime().availableProcessors();
    List<Integer> counts = new ArrayList<>();
    for (int threads = 1; threads < cores; threads *= 2) {
      counts.add(threads);
    }
    counts.add(cores);
    return counts;
  }

  void run() throws IOException {
    List<String> filters = List.of("bloom", "ribbon", "bumped-ribbon");
    List<StoreFile> files = new ArrayList<>();
    try {
      for (String filter : filters) {
        files.add(
            StoreFile.write(
                HBaseFilter.ofLabel(filter),
                0.01,
                StoreFile.rows(Keys.presentInOrder(keys()), KEY_LENGTH)));
        check(filter, files.get(files.size() - 1).filter());
      }
      byte[] questions = Keys.slab(Keys.questions(keys(), keys(), 0.5), KEY_LENGTH);
      int warmups = Math.min(5, turns());
      for (int turn = -warmups; turn < turns(); turn++) {
        for (int i = 0; i < files.size(); i++) {
          int at = turn % 2 == 0 ? i : files.size() - 1 - i; // nobody always comes after the same
          for (int threads : threadCounts()) {
            measure(filters.get(at), files.get(at).filter(), questions, threads, turn >= 0);
          }
        }
      }
      tell(filters);
    } finally {
      for (StoreFile file : files) {
        file.close();
      }
    }
  }

  private static void check(String filter, BloomFilter asked) {
    if (filter.equals("bloom") == asked instanceof WinnowFilterReader) {
      throw new IllegalStateException("asked for " + filter + ", the file has " + asked);
    }
  }

  private void measure(
      String filter, BloomFilter asked, byte[] questions, int threads, boolean counts) {
    int each = keys() / 4;
    long[] cpu = new long[threads];
    CyclicBarrier start = new CyclicBarrier(threads + 1);
    List<Thread> running = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int number = t;
      Thread thread = new Thread(() -> cpu[number] = ask(asked, questions, start, number, each));
      running.add(thread);
      thread.start();
    }
    await(start);
    long wall = System.nanoTime();
    running.forEach(ThreadCost::join);
    wall = System.nanoTime() - wall;
    if (counts) {
      long sum = 0;
      for (long one : cpu) {
        sum += one;
      }
      Map<String, String> at = Map.of("filter", filter, "threads", String.valueOf(threads));
      results.add(NAME, at, CPU, (double) sum / threads / each);
      results.add(NAME, at, RUNNING, (double) sum / wall);
    }
  }

  /** The CPU time of one thread's questions; each thread begins at another one. */
  private static long ask(
      BloomFilter asked, byte[] questions, CyclicBarrier start, int number, int count) {
    int first = (int) ((long) number * 7919 * KEY_LENGTH * 31 % questions.length);
    int at = first / KEY_LENGTH * KEY_LENGTH;
    await(start);
    long before = THREADS.getCurrentThreadCpuTime();
    int positives = 0;
    for (int i = 0; i < count; i++) {
      positives += asked.contains(questions, at, KEY_LENGTH, null) ? 1 : 0;
      at += KEY_LENGTH;
      at = at == questions.length ? 0 : at;
    }
    long time = THREADS.getCurrentThreadCpuTime() - before;
    if (positives < count / 3) {
      throw new IllegalStateException("only " + positives + " of " + count + " pass");
    }
    return time;
  }

  private void tell(List<String> filters) {
    for (String filter : filters) {
      List<String> times = new ArrayList<>();
      for (int threads : threadCounts()) {
        times.add(
            String.format(
                Locale.ROOT,
                "%d threads: %.0f ns",
                threads,
                results.median(NAME, CPU, "filter", filter, "threads", threads).orElseThrow()));
      }
      progress.step(
          weight(effort) / filters.size(), "a question to " + filter, String.join(", ", times));
    }
  }

  private static void await(CyclicBarrier start) {
    try {
      start.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
