package io.winnow.bench;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.LongBinaryOperator;
import java.util.stream.Stream;

/**
 * What counting false positives costs: Gets of absent rows, with counting on and off, a few
 * milliseconds each in turn, by CPU time. Two compilations of the same code differ by more than
 * counting costs, so both are the same compilation. Several copies of HBase, each in a class loader
 * of its own, show that the result does not hang on one of them; a sample is the median of a copy's
 * turns.
 */
final class MissCost {
  static final String NAME = "metrics";
  static final String CPU = "cpuNsPerGet";

  static final List<String> FILTERS = List.of("bloom", "ribbon");
  static final List<Integer> FILES = List.of(1, 4);

  private static final int GETS_IN_TURN = 1000;

  private final Effort effort;
  private final Results results;
  private final Progress progress;

  MissCost(Effort effort, Results results, Progress progress) {
    this.effort = effort;
    this.results = results;
    this.progress = progress;
  }

  private static int turns(Effort effort) {
    return switch (effort) {
      case SMOKE -> 1;
      case QUICK -> 100;
      case FULL -> 400;
    };
  }

  private static int copies(Effort effort) {
    return switch (effort) {
      case SMOKE -> 1;
      case QUICK -> 2;
      case FULL -> 8;
    };
  }

  static double weight(Effort effort) {
    return effort == Effort.FULL ? 240 : 30;
  }

  void run() throws IOException {
    for (String filter : FILTERS) {
      for (int files : FILES) {
        heat(filter, files, weight(effort) / (FILTERS.size() * FILES.size()));
      }
    }
  }

  private void heat(String filter, int files, double weight) throws IOException {
    Path directory = Files.createTempDirectory("winnow-miss");
    try {
      for (int number = 0; number < copies(effort); number++) {
        LongBinaryOperator gets = copy(directory.resolve("" + number), filter, files);
        List<Double> counted = new ArrayList<>();
        List<Double> notCounted = new ArrayList<>();
        for (int turn = -turns(effort); turn < turns(effort); turn++) {
          // Neither always comes after the other.
          for (int half = 0; half < 2; half++) {
            boolean isCounted = (turn & 1) == half;
            long time = gets.applyAsLong(GETS_IN_TURN, isCounted ? 1 : 0);
            if (turn >= 0) {
              (isCounted ? counted : notCounted).add((double) time / GETS_IN_TURN);
            }
          }
        }
        add(filter, files, true, counted);
        add(filter, files, false, notCounted);
      }
      progress.step(
          weight,
          "a miss with " + filter + ", " + files + " files",
          ratio(results, filter, files).text(3) + " of the time without counting");
    } finally {
      delete(directory);
    }
  }

  private void add(String filter, int files, boolean counted, List<Double> times) {
    Map<String, String> parameters =
        Map.of(
            "filter", filter,
            "files", Integer.toString(files),
            "counted", Boolean.toString(counted));
    double[] all = times.stream().mapToDouble(Double::doubleValue).toArray();
    results.add(NAME, parameters, CPU, Results.median(all));
  }

  /** Nanoseconds of a Get, of one copy of HBase after the other. */
  static double[] samples(Results results, String filter, int files, boolean counted) {
    return results.samples(NAME, CPU, "filter", filter, "files", files, "counted", counted);
  }

  /** The time with counting over that without. */
  static PairedRatio ratio(Results results, String filter, int files) {
    return PairedRatio.of(
        samples(results, filter, files, true), samples(results, filter, files, false));
  }

  /** The same over all filters and numbers of files. */
  static PairedRatio ratio(Results results) {
    return PairedRatio.of(all(results, true), all(results, false));
  }

  private static double[] all(Results results, boolean counted) {
    return FILTERS.stream()
        .flatMap(filter -> FILES.stream().map(files -> samples(results, filter, files, counted)))
        .flatMapToDouble(Arrays::stream)
        .toArray();
  }

  private LongBinaryOperator copy(Path directory, String filter, int files) throws IOException {
    Files.createDirectory(directory);
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try {
      ClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader());
      thread.setContextClassLoader(loader);
      return (LongBinaryOperator)
          loader
              .loadClass(MissRegion.class.getName())
              .getConstructor(String.class, String.class, int.class, int.class)
              .newInstance(directory.toString(), filter, files, rows());
    } catch (ReflectiveOperationException e) {
      throw new IOException("no region: " + e.getCause(), e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private int rows() {
    return effort == Effort.SMOKE ? 2000 : 40_000;
  }

  private static URL[] classPath() throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    for (String entry : path.split(File.pathSeparator)) {
      urls.add(new File(entry).toURI().toURL());
    }
    return urls.toArray(URL[]::new);
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
