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
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;

/**
 * What counting false positives costs: Gets of absent rows, with woven scanners and with stock
 * ones, a few milliseconds each in turn, by CPU time. Every contender has several copies of HBase,
 * each in a class loader of its own, since two compilations of the same code differ as well, by
 * more than counting costs; the sample of a copy is the median of its turns, and the n-th copies of
 * both contenders are a pair.
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
      case FULL -> 110;
    };
  }

  private static int copies(Effort effort) {
    return switch (effort) {
      case SMOKE -> 1;
      case QUICK -> 2;
      case FULL -> 12;
    };
  }

  static double weight(Effort effort) {
    return effort == Effort.FULL ? 240 : 30;
  }

  /** One copy of HBase. */
  private record Copy(Map<String, String> parameters, LongUnaryOperator gets, List<Double> times) {}

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
      List<Copy> copies = new ArrayList<>();
      for (int i = 0; i < copies(effort); i++) {
        for (boolean counted : new boolean[] {false, true}) {
          copies.add(copy(directory, filter, files, counted, i));
        }
      }
      int warmups = turns(effort);
      for (int turn = -warmups; turn < turns(effort); turn++) {
        for (int i = 0; i < copies.size(); i++) {
          // Nobody always comes after the same one.
          Copy copy = copies.get(turn % 2 == 0 ? i : copies.size() - 1 - i);
          double time = (double) copy.gets().applyAsLong(GETS_IN_TURN) / GETS_IN_TURN;
          if (turn >= 0) {
            copy.times().add(time);
          }
        }
      }
      for (Copy copy : copies) {
        double[] times = copy.times().stream().mapToDouble(Double::doubleValue).toArray();
        results.add(NAME, copy.parameters(), CPU, Results.median(times));
      }
      progress.step(
          weight,
          "a miss with " + filter + ", " + files + " files",
          ratio(results, filter, files).text(3) + " of the time without counting");
    } finally {
      delete(directory);
    }
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

  private Copy copy(Path directory, String filter, int files, boolean counted, int number)
      throws IOException {
    Map<String, String> parameters =
        Map.of(
            "filter",
            filter,
            "files",
            Integer.toString(files),
            "counted",
            Boolean.toString(counted));
    Path own = Files.createDirectory(directory.resolve(counted + "-" + number));
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try {
      ClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader());
      thread.setContextClassLoader(loader);
      Object region =
          loader
              .loadClass(MissRegion.class.getName())
              .getConstructor(String.class, boolean.class, String.class, int.class, int.class)
              .newInstance(own.toString(), counted, filter, files, rows());
      return new Copy(parameters, (LongUnaryOperator) region, new ArrayList<>());
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
