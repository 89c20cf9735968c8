package io.winnow.bench;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.contest.Orders;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;

/**
 * A benchmark of writing store files through HBase's writer: from memory like a flush, and merged
 * from two files like a compaction. It measures wall time, and CPU time of the whole process.
 *
 * <p>Each contender has a JVM of its own, so that the code of the others does not change how its
 * own is compiled. The JVMs take turns, in {@link Orders balanced orders}; with each launch of the
 * JVMs the code is compiled anew. The samples of one round belong together: a ratio is that of two
 * samples of the same round.
 */
final class WritePath {
  static final String NAME = "write-path";
  static final String SHAPES = "write-path-shapes";
  static final String WALL = "wallNsPerRow";
  static final String CPU = "cpuNsPerRow";

  static final String STOCK = "stock";
  static final String RECOMMENDED = "recommended";
  static final String OTHER = "other";

  /**
   * Name of the contender that writes files without a filter, which shows the time of the rest of
   * the work.
   */
  static final String NONE = "none";

  /** Name of a flush into a store that has many more rows, so that its filter gets a low rate. */
  static final String SMALL_FLUSH = "flush at 0.01 %";

  /**
   * Length of row keys in bytes for all shapes of data, such as compressed blocks, except the plain
   * shape with one value a row.
   */
  static final int SHAPE_KEY_LENGTH = 25;

  /**
   * A flush or a compaction, with the false-positive rate of the filter that it writes; stock's
   * filter does not follow this rate.
   */
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

  /**
   * The shape of the written data: the columns of a row, the format of data blocks, and the work of
   * the JVM.
   */
  enum Shape {
    PLAIN(NAME, "one value of 75 bytes", 1, 75, LocalStoreFile.Format.PLAIN, Work.values()),
    COLUMNS("five values of 20 bytes", 5, 20, LocalStoreFile.Format.PLAIN),
    COMPRESSED(
        "SNAPPY",
        1,
        75,
        new LocalStoreFile.Format(Compression.Algorithm.SNAPPY, DataBlockEncoding.NONE)),
    ENCODED(
        "FAST_DIFF",
        1,
        75,
        new LocalStoreFile.Format(Compression.Algorithm.NONE, DataBlockEncoding.FAST_DIFF)),
    /**
     * Data that is flushed in a JVM without compactions, so that the filter's code meets cells of
     * one class only; no region server is like this.
     */
    FLUSHES_ONLY(
        SHAPES,
        "a JVM of flushes only",
        1,
        75,
        LocalStoreFile.Format.PLAIN,
        new Work[] {Work.FLUSH});

    private final String benchmark;
    private final String label;
    private final int columns;
    private final int valueLength;
    private final LocalStoreFile.Format format;
    private final List<Work> works;

    Shape(String label, int columns, int valueLength, LocalStoreFile.Format format) {
      this(SHAPES, label, columns, valueLength, format, new Work[] {Work.FLUSH, Work.COMPACTION});
    }

    Shape(
        String benchmark,
        String label,
        int columns,
        int valueLength,
        LocalStoreFile.Format format,
        Work[] works) {
      this.benchmark = benchmark;
      this.label = label;
      this.columns = columns;
      this.valueLength = valueLength;
      this.format = format;
      this.works = List.of(works);
    }

    String label() {
      return label;
    }

    int columns() {
      return columns;
    }

    int valueLength() {
      return valueLength;
    }

    LocalStoreFile.Format format() {
      return format;
    }

    List<Work> works() {
      return works;
    }

    int[] keyLengths(Effort effort) {
      if (this == PLAIN) {
        return WritePath.keyLengths(effort);
      }
      return effort == Effort.SMOKE ? new int[0] : new int[] {SHAPE_KEY_LENGTH};
    }
  }

  /**
   * A pair of filters that are compared with other pairs: that of flushes and that of compactions.
   */
  enum Contender {
    STOCK(WritePath.STOCK, HBaseFilter.BLOOM, HBaseFilter.BLOOM),
    RECOMMENDED(WritePath.RECOMMENDED, HBaseFilter.RIBBON, HBaseFilter.BUMPED_RIBBON),
    /**
     * The recommended filters of flushes and of compactions swapped, to compare with the
     * recommendation.
     */
    OTHER(WritePath.OTHER, HBaseFilter.BUMPED_RIBBON, HBaseFilter.RIBBON),
    NONE(WritePath.NONE, null, null);

    private final String label;
    private final HBaseFilter ofFlush;
    private final HBaseFilter ofCompaction;

    Contender(String label, HBaseFilter ofFlush, HBaseFilter ofCompaction) {
      this.label = label;
      this.ofFlush = ofFlush;
      this.ofCompaction = ofCompaction;
    }

    String label() {
      return label;
    }

    /** Returns the name of the filter that a flush or compaction writes. */
    String filter(Work work) {
      HBaseFilter filter = work == Work.COMPACTION ? ofCompaction : ofFlush;
      return filter == null ? WritePath.NONE : filter.label();
    }

    /**
     * Returns the false-positive rate of the filter that a flush or compaction writes; stock has
     * one rate for all files.
     */
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

  private static int rows(Effort effort, Shape shape, int keyLength) {
    if (effort == Effort.SMOKE) {
      return 2000;
    }
    int rows = keyLength < 1000 ? 400_000 : 130_000;
    return shape.columns > 1 ? rows / 2 : rows;
  }

  private static int launches(Effort effort) {
    return effort == Effort.FULL ? 3 : 1;
  }

  /**
   * Returns the number of rounds of flushes and compactions that only warm up the JIT. The CPU time
   * of a compaction falls until about the twelfth turn, by up to a quarter.
   */
  private static int warmups(Effort effort) {
    return switch (effort) {
      case SMOKE -> 0;
      case QUICK -> 3;
      case FULL -> 12;
    };
  }

  /**
   * Returns the number of measured rounds of flushes and compactions in one launch of the JVMs. The
   * rounds of all launches together are whole periods of the orders.
   */
  private static int rounds(Effort effort) {
    return Orders.period(Contender.values().length) * (effort == Effort.QUICK ? 2 : 1);
  }

  static double weight(Effort effort) {
    double weight = 0;
    for (Shape shape : Shape.values()) {
      weight += shape.keyLengths(effort).length * weightOfLength(effort, shape);
    }
    return weight;
  }

  private static double weightOfLength(Effort effort, Shape shape) {
    double turns = Contender.values().length * shape.works.size();
    return launches(effort) * (4 + 0.27 * turns * (warmups(effort) + rounds(effort)));
  }

  void run() throws IOException {
    for (Shape shape : Shape.values()) {
      for (int keyLength : shape.keyLengths(effort)) {
        for (int launch = 0; launch < launches(effort); launch++) {
          launch(shape, keyLength);
        }
        for (Work work : shape.works) {
          progress.step(
              weightOfLength(effort, shape) / shape.works.size(),
              work.label + ", " + keyLength + "-byte keys, " + shape.label,
              String.format(
                  Locale.ROOT,
                  "wall %s, CPU %s of stock's",
                  ratio(results, WALL, RECOMMENDED, shape, work, keyLength).text(),
                  ratio(results, CPU, RECOMMENDED, shape, work, keyLength).text()));
        }
      }
    }
  }

  private void launch(Shape shape, int keyLength) throws IOException {
    List<Worker> workers = new ArrayList<>();
    try {
      for (Contender contender : Contender.values()) {
        workers.add(new Worker(contender, shape, keyLength));
      }
      for (Worker worker : workers) {
        worker.awaitReady();
      }
      for (int round = -warmups(effort); round < rounds(effort); round++) {
        for (Work work : shape.works) {
          for (Worker worker : Orders.of(workers, round + work.ordinal())) {
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

  /**
   * Returns the parameters that the samples of a contender have in the results of the write
   * benchmark.
   */
  static Map<String, String> parameters(
      Contender contender, Shape shape, Work work, int keyLength) {
    Map<String, String> parameters = new TreeMap<>();
    parameters.put("contender", contender.label);
    parameters.put("work", work.label);
    parameters.put("keyLength", String.valueOf(keyLength));
    parameters.put("shape", shape.label);
    return parameters;
  }

  static void add(
      Results results, Shape shape, Map<String, String> at, String metric, double... values) {
    results.add(shape.benchmark, at, metric, values);
  }

  /**
   * The JVM that writes store files for one contender: with one of the compared filters, or with
   * none.
   */
  private final class Worker implements Closeable {
    private final Contender contender;
    private final Shape shape;
    private final int keyLength;
    private final int rows;
    private final WorkerJvm jvm;

    Worker(Contender contender, Shape shape, int keyLength) throws IOException {
      this.contender = contender;
      this.shape = shape;
      this.keyLength = keyLength;
      this.rows = rows(effort, shape, keyLength);
      jvm =
          new WorkerJvm(
              // Heap for all rows and for the garbage of a turn, so that most turns need no
              // collection.
              List.of(
                  "-Xms1400m",
                  "-Xmx1400m",
                  "-XX:+UseParallelGC",
                  WorkerJvm.OPEN_NIO,
                  WorkerJvm.OPEN_LANG),
              WritePathWorker.class,
              List.of(String.valueOf(keyLength), String.valueOf(rows), shape.name()));
    }

    void awaitReady() throws IOException {
      jvm.answer();
    }

    void turn(Work work, boolean counts) throws IOException {
      jvm.request(work.request + " " + contender.filter(work) + " " + contender.rate(work));
      String[] nanos = jvm.answer().split(" ");
      if (counts) {
        Map<String, String> at = parameters(contender, shape, work, keyLength);
        add(results, shape, at, WALL, Double.parseDouble(nanos[0]) / rows);
        add(results, shape, at, CPU, Double.parseDouble(nanos[1]) / rows);
      }
    }

    @Override
    public void close() {
      jvm.close();
    }
  }

  /**
   * Returns the ratio of the samples of one contender to those of stock's filter that were measured
   * in the same rounds; NaN if either is not in the results.
   */
  static PairedRatio ratio(
      Results results, String metric, String contender, Shape shape, Work work, int keyLength) {
    return PairedRatio.of(
        samples(results, metric, contender, shape, work, keyLength),
        samples(results, metric, STOCK, shape, work, keyLength));
  }

  static double[] samples(
      Results results, String metric, String contender, Shape shape, Work work, int keyLength) {
    Object[] at = {
      "contender", contender, "work", work.label(), "keyLength", keyLength, "shape", shape.label
    };
    return results.samples(shape.benchmark, metric, at);
  }
}
