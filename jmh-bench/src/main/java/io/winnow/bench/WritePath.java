package io.winnow.bench;

import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Progress;
import io.winnow.hbase.report.Results;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writing store files through HBase's writer: from memory as a flush does, and merged from two
 * files as a compaction does. Wall time, and CPU time of the whole process.
 *
 * <p>Each contender has a JVM of its own, so that the code which the others ran does not change how
 * its own is compiled. The JVMs take turns, in an order that changes from round to round; each
 * launch of them is a new chance for the compiler. The samples of one round belong together: a
 * ratio is that of two samples of the same round.
 */
final class WritePath {
  static final String NAME = "write-path";
  static final String WALL = "wallNsPerRow";
  static final String CPU = "cpuNsPerRow";

  static final String STOCK = "stock";
  static final String RECOMMENDED = "recommended";
  static final String OTHER = "other";

  /** A flush into a store that has many more rows: a share of the store's rate is all it gets. */
  static final String SMALL_FLUSH = "flush at 0.01 %";

  /** What is written, and the rate of the filter, unless it is stock's. */
  enum Work {
    FLUSH(WritePathWorker.FLUSH, WritePathWorker.FLUSH, RATE),
    SMALL_FLUSH(WritePath.SMALL_FLUSH, WritePathWorker.FLUSH, 0.0001),
    COMPACTION(WritePathWorker.COMPACTION, WritePathWorker.COMPACTION, RATE);

    private final String label;
    private final String request;
    private final double rate;

    Work(String label, String request, double rate) {
      this.label = label;
      this.request = request;
      this.rate = rate;
    }

    String label() {
      return label;
    }
  }

  /** The filters of one family: of its flushes, and of its compactions. */
  enum Contender {
    STOCK(WritePath.STOCK, HBaseFilter.BLOOM, HBaseFilter.BLOOM),
    RECOMMENDED(WritePath.RECOMMENDED, HBaseFilter.RIBBON, HBaseFilter.BUMPED_RIBBON),
    /** The two the other way round: what the recommendation is measured against. */
    OTHER(WritePath.OTHER, HBaseFilter.BUMPED_RIBBON, HBaseFilter.RIBBON);

    private final String label;
    private final HBaseFilter ofFlush;
    private final HBaseFilter ofCompaction;

    Contender(String label, HBaseFilter ofFlush, HBaseFilter ofCompaction) {
      this.label = label;
      this.ofFlush = ofFlush;
      this.ofCompaction = ofCompaction;
    }

    HBaseFilter filter(Work work) {
      return work == Work.COMPACTION ? ofCompaction : ofFlush;
    }

    /** The rate that its filter gets: stock has one for all files. */
    double rate(Work work) {
      return this == STOCK ? RATE : work.rate;
    }
  }

  private static final double RATE = 0.01;

  private final Effort effort;
  private final Results results;
  private final Progress progress;

  WritePath(Effort effort, Results results, Progress progress) {
    this.effort = effort;
    this.results = results;
    this.progress = progress;
  }

  static int[] keyLengths(Effort effort) {
    return switch (effort) {
      case SMOKE -> new int[] {10};
      case QUICK -> new int[] {10, 25, 2000};
      case FULL -> new int[] {10, 25, 50, 300, 2000};
    };
  }

  private int rows(int keyLength) {
    return switch (effort) {
      case SMOKE -> 2000;
      case QUICK, FULL -> keyLength < 1000 ? 500_000 : 160_000;
    };
  }

  private static int launches(Effort effort) {
    return effort == Effort.FULL ? 2 : 1;
  }

  private static int warmups(Effort effort) {
    return effort == Effort.SMOKE ? 0 : 4;
  }

  private static int rounds(Effort effort) {
    return switch (effort) {
      case SMOKE -> 2;
      case QUICK -> 6;
      case FULL -> 9;
    };
  }

  static double weight(Effort effort) {
    return keyLengths(effort).length * weightOfLength(effort);
  }

  private static double weightOfLength(Effort effort) {
    return launches(effort) * (5 + 3.0 * (warmups(effort) + rounds(effort)));
  }

  void run() throws IOException {
    for (int keyLength : keyLengths(effort)) {
      for (int launch = 0; launch < launches(effort); launch++) {
        launch(keyLength);
      }
      for (Work work : Work.values()) {
        progress.step(
            weightOfLength(effort) / Work.values().length,
            work.label + ", " + keyLength + "-byte keys",
            String.format(
                Locale.ROOT,
                "wall %s, CPU %s of stock's",
                ratio(results, WALL, RECOMMENDED, work, keyLength).text(),
                ratio(results, CPU, RECOMMENDED, work, keyLength).text()));
      }
    }
  }

  private void launch(int keyLength) throws IOException {
    List<Worker> workers = new ArrayList<>();
    try {
      for (Contender contender : Contender.values()) {
        workers.add(new Worker(contender, keyLength, rows(keyLength)));
      }
      for (Worker worker : workers) {
        worker.awaitReady();
      }
      for (int round = -warmups(effort); round < rounds(effort); round++) {
        // Nobody always comes after the same one.
        Collections.rotate(workers, 1);
        if (round % 3 == 0) {
          Collections.reverse(workers);
        }
        for (Work work : Work.values()) {
          for (Worker worker : workers) {
            worker.turn(work, round >= 0);
          }
        }
      }
    } finally {
      for (Worker worker : workers) {
        worker.close();
      }
    }
  }

  /** What the samples of a contender are stored under. */
  static Map<String, String> parameters(Contender contender, Work work, int keyLength) {
    Map<String, String> parameters = new TreeMap<>();
    parameters.put("contender", contender.label);
    parameters.put("work", work.label);
    parameters.put("keyLength", String.valueOf(keyLength));
    return parameters;
  }

  /** The JVM of a contender. */
  private final class Worker implements Closeable {
    private final Contender contender;
    private final int keyLength;
    private final int rows;
    private final Process process;
    private final PrintStream requests;
    private final BufferedReader answers;

    Worker(Contender contender, int keyLength, int rows) throws IOException {
      this.contender = contender;
      this.keyLength = keyLength;
      this.rows = rows;
      process =
          new ProcessBuilder(command(keyLength, rows))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      requests = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
      answers =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private List<String> command(int keyLength, int rows) {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      // Enough for all rows, and for what a turn allocates, without a collection in most turns.
      command.addAll(List.of("-Xms1400m", "-Xmx1400m", "-XX:+UseParallelGC"));
      command.addAll(List.of(Bench.OPEN_NIO, Bench.OPEN_LANG));
      String log = "log4j2.configurationFile";
      if (System.getProperty(log) != null) {
        command.add("-D" + log + "=" + System.getProperty(log));
      }
      String classPath =
          System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
      command.addAll(List.of("-cp", classPath, WritePathWorker.class.getName()));
      command.addAll(List.of(String.valueOf(keyLength), String.valueOf(rows)));
      return command;
    }

    void awaitReady() throws IOException {
      if (!"ready".equals(answers.readLine())) {
        throw new IOException("the JVM that writes store files did not start");
      }
    }

    void turn(Work work, boolean counts) throws IOException {
      HBaseFilter filter = contender.filter(work);
      requests.println(work.request + " " + filter.label() + " " + contender.rate(work));
      String answer = answers.readLine();
      if (answer == null) {
        throw new IOException("the JVM that writes store files ended at a " + work.label);
      }
      if (counts) {
        String[] nanos = answer.split(" ");
        Map<String, String> at = parameters(contender, work, keyLength);
        results.add(NAME, at, WALL, Double.parseDouble(nanos[0]) / rows);
        results.add(NAME, at, CPU, Double.parseDouble(nanos[1]) / rows);
      }
    }

    /** Ends its input, and so the JVM. */
    @Override
    public void close() throws IOException {
      requests.close();
      try {
        process.waitFor();
      } catch (InterruptedException e) {
        process.destroy();
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Of a contender to stock, pair by pair; not a number if either is not in the results. */
  static PairedRatio ratio(
      Results results, String metric, String contender, Work work, int keyLength) {
    return PairedRatio.of(
        samples(results, metric, contender, work, keyLength),
        samples(results, metric, STOCK, work, keyLength));
  }

  private static double[] samples(
      Results results, String metric, String contender, Work work, int keyLength) {
    return results.samples(
        NAME, metric, "contender", contender, "work", work.label(), "keyLength", keyLength);
  }
}
