package io.winnow.bench.cascade;

import io.winnow.bench.WorkerJvm;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * This filter beside that of another commit, in turns: each turn is a JVM of its own, with the
 * other commit's {@code filter-core} before everything else on its class path.
 */
final class BesideRuns {
  static final String SIDE = "side";
  static final String THIS = "this commit";
  static final String OTHER = "the other";

  private static final double KEYS_PER_SECOND = 9e6;

  private final CascadeBenchOptions options;
  private final Path directory;
  private final Results results;
  private final Progress progress;

  BesideRuns(CascadeBenchOptions options, Path directory, Results results, Progress progress) {
    this.options = options;
    this.directory = directory;
    this.results = results;
    this.progress = progress;
  }

  /** About how many seconds it takes. */
  static double weight(CascadeBenchOptions options) {
    return options.beside() == null ? 0 : 2 * options.rounds() * turnWeight(options);
  }

  private static double turnWeight(CascadeBenchOptions options) {
    return 3 + options.keys() / KEYS_PER_SECOND + 2 * options.seconds();
  }

  void run() throws IOException {
    for (int round = 0; options.beside() != null && round < options.rounds(); round++) {
      for (int turn = 0; turn < 2; turn++) {
        turn(round, (round + turn) % 2 == 0 ? THIS : OTHER);
      }
    }
  }

  private void turn(int round, String side) throws IOException {
    Path files = directory.resolve("beside");
    List<Path> first = side.equals(OTHER) ? List.of(options.beside()) : List.of();
    double perSecond = Double.NaN;
    try (WorkerJvm worker =
        new WorkerJvm(
            List.of("-XX:MaxRAMPercentage=50"), first, BesideWorker.class, arguments(files))) {
      for (String line = worker.answer(); !line.equals(BesideWorker.END); line = worker.answer()) {
        String[] words = line.split(" ");
        double value = Double.parseDouble(words[1]);
        results.add(Metrics.BESIDE, Map.of(SIDE, side), words[0], value);
        perSecond = words[0].equals("insertsPerSecond") ? value : perSecond;
      }
    } finally {
      if (Files.exists(files)) {
        ScratchDirectory.delete(files);
      }
    }
    progress.step(
        turnWeight(options), side, Table.number(perSecond, 0) + " inserts/s, round " + (round + 1));
  }

  private List<String> arguments(Path files) {
    return List.of(
        "--keys",
        String.valueOf(options.keys()),
        "--memory",
        (options.memoryBytes() >> 10) + "K",
        "--rate",
        String.valueOf(options.rate()),
        "--fan-out",
        String.valueOf(options.fanOut()),
        "--threads",
        String.valueOf(options.mergeThreads()),
        "--read-threads",
        String.valueOf(options.readThreads()),
        "--batch",
        String.valueOf(options.batch()),
        "--seconds",
        String.valueOf(options.seconds()),
        "--dir",
        files.toString());
  }
}
