package io.winnow.bench.drive;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One run of a bench on a drive: the place of its structures and of its figures.
 *
 * @param direct whether reads go to the drive, past the page cache
 */
record Run(Path directory, boolean direct, Results results, Progress progress) {
  /** A measurement of a structure in a directory of its own. */
  interface InDirectory {
    void run(Path directory) throws IOException, InterruptedException;
  }

  /** Makes a directory, runs a measurement in it, and deletes it. */
  void in(String name, InDirectory work) throws IOException, InterruptedException {
    Path own = Files.createDirectory(directory.resolve(name));
    try {
      work.run(own);
    } finally {
      ScratchDirectory.delete(own);
    }
  }

  /**
   * Returns the samples of a benchmark with its parameters.
   *
   * @param parameters names and values in turn
   */
  Samples samples(String benchmark, String... parameters) {
    Map<String, String> at = new HashMap<>();
    for (int i = 0; i < parameters.length; i += 2) {
      at.put(parameters[i], parameters[i + 1]);
    }
    return new Samples(results, benchmark, at);
  }

  /** Reports that a step is done, with its figures in words. */
  void step(double weight, String what, String format, Object... figures) {
    progress.step(weight, what, String.format(Locale.ROOT, format, figures));
  }
}
