package io.winnow.bench;

import io.winnow.hbase.contest.Case;
import io.winnow.hbase.contest.Contest;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;

/**
 * A benchmark of writing store files through HBase's writer, like a flush or a compaction, and of
 * flushes and compactions of real HBase servers. It measures wall time, and CPU time of the whole
 * process that writes.
 *
 * <p>Each contender has a JVM of its own. A turn has all pieces of work of a shape. With each
 * launch of the JVMs the code is compiled anew. The samples of one round belong together: a ratio
 * is that of two samples of the same round.
 */
record WritePath(Effort effort, Run run) implements Part {
  static final String NAME = "write-path";
  static final String WALL = "wallNsPerRow";
  static final String CPU = "cpuNsPerRow";
  static final double RATE = 0.01;

  /**
   * Length of row keys in bytes for all shapes of data, such as compressed blocks, except the plain
   * shape with one value a row.
   */
  static final int SHAPE_KEY_LENGTH = 25;

  private static final Compression.Algorithm RAW = Compression.Algorithm.NONE;

  /**
   * A flush or a compaction, with the false-positive rate of the filter that it writes; stock's
   * filter does not follow this rate.
   */
  enum Work {
    FLUSH("flush", RATE),
    /** A flush into a store that has many more rows, so that its filter gets a low rate. */
    SMALL_FLUSH("flush at 0.01 %", 0.0001),
    COMPACTION("compaction", RATE);

    final String label;
    private final double rate;

    Work(String label, double rate) {
      this.label = label;
      this.rate = rate;
    }
  }

  /** The columns of a row, the bytes in each of their values, and the format of data blocks. */
  record Data(
      int columns,
      int valueLength,
      Compression.Algorithm compression,
      DataBlockEncoding encoding) {}

  /**
   * The shape of the written data: the columns of a row, the format of data blocks, and the work of
   * the JVM. A new codec is one more line here.
   */
  enum Shape {
    PLAIN("one value of 75 bytes", new Data(1, 75, RAW, DataBlockEncoding.NONE), Work.values()),
    COLUMNS("five values of 20 bytes", new Data(5, 20, RAW, DataBlockEncoding.NONE)),
    COMPRESSED("SNAPPY", new Data(1, 75, Compression.Algorithm.SNAPPY, DataBlockEncoding.NONE)),
    ENCODED("FAST_DIFF", new Data(1, 75, RAW, DataBlockEncoding.FAST_DIFF)),
    /**
     * Data that is flushed in a JVM without compactions, so that the filter's code meets cells of
     * one class only; no region server is like this.
     */
    FLUSHES_ONLY("a JVM of flushes only", PLAIN.data, Work.FLUSH),
    /** Rows of the plain shape that a client puts into a real HBase server with the agent. */
    SERVER("a server", PLAIN.data);

    final String label;
    final Data data;
    final List<Work> works;

    Shape(String label, Data data, Work... works) {
      this.label = label;
      this.data = data;
      this.works = works.length == 0 ? List.of(Work.FLUSH, Work.COMPACTION) : List.of(works);
    }

    List<Pair> pairs() {
      return this == SERVER
          ? List.of(Pair.STOCK, Pair.RECOMMENDED, Pair.NONE)
          : List.of(Pair.values());
    }

    int[] keyLengths(Effort effort) {
      return this == PLAIN
          ? effort.choose(
              new int[] {10}, new int[] {10, 25, 2000}, new int[] {10, 25, 50, 300, 2000})
          : effort == Effort.SMOKE ? new int[0] : new int[] {SHAPE_KEY_LENGTH};
    }

    /** Returns the samples of a contender. */
    Samples samples(Run run, Pair pair, Work work, int keyLength) {
      String name = NAME + (this == PLAIN ? "" : this == SERVER ? "-server" : "-shapes");
      Samples samples = run.samples(name, "contender", Labels.of(pair), "work", work.label);
      return this == SERVER
          ? samples
          : samples.at("keyLength", String.valueOf(keyLength)).at("shape", label);
    }
  }

  /**
   * A pair of filters that are compared with other pairs: that of flushes and that of compactions.
   */
  enum Pair {
    STOCK(HBaseFilter.BLOOM, HBaseFilter.BLOOM),
    RECOMMENDED(HBaseFilter.RIBBON, HBaseFilter.BUMPED_RIBBON),
    /**
     * The recommended filters of flushes and of compactions swapped, to compare with the
     * recommendation.
     */
    OTHER(HBaseFilter.BUMPED_RIBBON, HBaseFilter.RIBBON),
    /** Files without a filter, which show the time of the rest of the work. */
    NONE(HBaseFilter.NONE, HBaseFilter.NONE);

    private final HBaseFilter ofFlush;
    private final HBaseFilter ofCompaction;

    Pair(HBaseFilter ofFlush, HBaseFilter ofCompaction) {
      this.ofFlush = ofFlush;
      this.ofCompaction = ofCompaction;
    }

    HBaseFilter filter(Work work) {
      return work == Work.COMPACTION ? ofCompaction : ofFlush;
    }

    /**
     * Returns the false-positive rate of the filter that a flush or compaction writes; stock has
     * one rate for all files.
     */
    double rate(Work work) {
      return this == STOCK ? RATE : work.rate;
    }
  }

  @Override
  public double weight() {
    double weight = 0;
    for (Shape shape : Shape.values()) {
      for (int keyLength : shape.keyLengths(effort)) {
        weight += launches(shape) * new Launch(shape, keyLength).seconds();
      }
    }
    return weight;
  }

  private int launches(Shape shape) {
    return effort == Effort.FULL && shape != Shape.SERVER ? 3 : 1;
  }

  @Override
  public void measure() throws IOException, InterruptedException {
    for (Shape shape : Shape.values()) {
      for (int keyLength : shape.keyLengths(effort)) {
        for (int launch = 0; launch < launches(shape); launch++) {
          launch(shape, keyLength);
        }
      }
    }
  }

  void launch(Shape shape, int keyLength) throws IOException, InterruptedException {
    new Launch(shape, keyLength).measure();
  }

  /** One launch of the JVMs of all contenders, which write data of one shape. */
  private final class Launch {
    private final Shape shape;
    private final int keyLength;
    private final int rows;
    private final boolean isServer;
    private final List<WorkerJvm> jvms = new ArrayList<>();

    Launch(Shape shape, int keyLength) {
      this.shape = shape;
      this.keyLength = keyLength;
      isServer = shape == Shape.SERVER;
      int most = isServer ? 240_000 : keyLength < 1000 ? 400_000 : 130_000;
      rows = effort == Effort.SMOKE ? 2000 : shape.data.columns > 1 ? most / 2 : most;
    }

    /** Returns the expected seconds until the worker of one contender is ready. */
    private double startSeconds() {
      return isServer ? 12 : 1;
    }

    /**
     * Returns the number of newest rounds that must be as fast as those before them. The CPU time
     * of a compaction falls until about the twelfth turn, by up to a quarter.
     */
    private int compared() {
      return effort == Effort.FULL && !isServer ? 6 : 2;
    }

    private int maxWarmUp() {
      return effort == Effort.SMOKE ? 0 : 3 * compared();
    }

    /** Returns the number of rounds that count, which are whole periods of the orders. */
    private int rounds() {
      return isServer ? effort.choose(1, 6, 12) : effort.choose(1, 8, 4);
    }

    double seconds() {
      int warmUp = Math.min(maxWarmUp(), Contest.expectedRounds(compared()));
      return shape.pairs().size() * (startSeconds() + (warmUp + rounds()) * weight());
    }

    /** Returns the expected seconds of a turn. */
    private double weight() {
      return isServer ? 4 : 0.27 * shape.works.size();
    }

    private Case.Taken turn(WorkerJvm jvm, int round) throws IOException {
      double[] nanos = jvm.turn();
      Pair pair = Labels.parse(Pair.class, jvm.id());
      double cost = 0;
      for (int i = 0; i < shape.works.size(); i++) {
        double wall = nanos[2 * i] / rows;
        double cpu = nanos[2 * i + 1] / rows;
        cost += cpu;
        if (round >= 0) {
          Samples samples = shape.samples(run, pair, shape.works.get(i), keyLength);
          samples.add(WALL, wall).add(CPU, cpu);
        }
      }
      return new Case.Taken(cost, "%.0f ns of CPU per row".formatted(cost));
    }

    void measure() throws IOException, InterruptedException {
      Case<WorkerJvm> turns =
          new Case.Plain<>(
              shape.label + ", " + keyLength + "-byte keys",
              Map.of("shape", shape.label, "keyLength", String.valueOf(keyLength)),
              jvms,
              weight(),
              this::turn);
      try {
        for (Pair pair : shape.pairs()) {
          jvms.add(start(pair));
        }
        WorkerJvm.awaitReady(jvms, run, startSeconds(), turns.name());
        Contest contest = new Contest(run.results, run.progress);
        contest.warmUp(turns, compared(), maxWarmUp());
        contest.run(turns, rounds());
      } finally {
        jvms.forEach(WorkerJvm::close);
      }
    }

    private WorkerJvm start(Pair pair) throws IOException {
      return new WorkerJvm(
          Labels.of(pair),
          // For all rows and for the garbage of a turn, so that most turns need no collection.
          "1400m",
          isServer ? serverClassPath() : WorkerJvm.classPath(),
          isServer ? ServerWritesWorker.class : WritePathWorker.class,
          pair,
          shape,
          keyLength,
          rows);
    }
  }

  /** Returns one of the files that were built for the launcher's other commands. */
  static Path built(String file) {
    return Path.of(System.getProperty("winnow.home", ""), "hbase-integration", "target", file)
        .toAbsolutePath();
  }

  /**
   * Returns the class path of the launcher's other commands and of the benchmarks. Servers need
   * libraries that are not among those of the benchmarks.
   */
  private static String serverClassPath() throws IOException {
    return Stream.of(
            built("winnow-hbase.jar").toString(),
            built("winnow-lab.jar").toString(),
            Files.readString(built("hbase.classpath")).strip(),
            WorkerJvm.classPath())
        .flatMap(paths -> Stream.of(paths.split(File.pathSeparator)))
        // The benchmarks have a binding of the logger, and each JVM would warn about a second one.
        .filter(jar -> !jar.contains("log4j-slf4j-impl"))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
