package io.winnow.hbase.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A file with the finished part of a long run, so that the run can be resumed after an
 * interruption: on the same machine, at the same commit, with the same command.
 */
public record Unfinished(Path file) {
  /**
   * Makes the file that has, or will have, the unfinished results of a run in a directory.
   *
   * @param variant the end of the name of the run's results
   */
  public Unfinished(Path directory, String variant) {
    this(directory.resolve("unfinished" + variant + ".json"));
  }

  /**
   * Reads the results of the interrupted run that is resumed.
   *
   * @param now the run that continues it
   * @throws IOException with a sentence for the user, if there is no run to resume
   */
  public Results read(Results now) throws IOException {
    if (!Files.exists(file)) {
      throw new IOException("there is no run to resume: start without --resume");
    }
    Results earlier = ResultFiles.read(file);
    if (!earlier.isComparable(now)
        || !earlier.setting().command().equals(now.setting().command())) {
      throw new IOException(
          "the run to resume was `%s` of commit %s, this one is `%s` of commit %s: start without --resume"
              .formatted(
                  earlier.setting().command(),
                  earlier.setting().commit(),
                  now.setting().command(),
                  now.setting().commit()));
    }
    return earlier;
  }

  /**
   * Writes the results that the run has finished so far, so that it can be resumed.
   *
   * @param seconds the time that they took
   */
  public void write(Results results, long seconds) {
    try {
      Files.createDirectories(file.getParent());
      Path whole = file.resolveSibling(file.getFileName() + ".new");
      Files.writeString(whole, results.withSeconds(seconds).json());
      Files.move(whole, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes the file of unfinished results, because the run is complete. */
  public void delete() throws IOException {
    Files.deleteIfExists(file);
  }
}
