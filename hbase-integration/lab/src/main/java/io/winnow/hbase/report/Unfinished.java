package io.winnow.hbase.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * What a long run has finished so far, in a file of its own, so that the run can be resumed if it
 * is interrupted: on the same machine, at the same commit, with the same command.
 */
public final class Unfinished {
  private final Path file;

  private Unfinished(Path file) {
    this.file = file;
  }

  /**
   * @param variant as the name of the run's results ends
   */
  public static Unfinished in(Path directory, String variant) {
    return new Unfinished(directory.resolve("unfinished" + variant + ".json"));
  }

  /**
   * What the earlier run finished.
   *
   * @param now the run that goes on with it
   * @throws IOException with a sentence for the user, if there is nothing to go on with
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
   * Keeps what is finished.
   *
   * @param seconds that it took
   */
  public void write(Results results, long seconds) {
    try {
      Files.createDirectories(file.getParent());
      Path whole = file.resolveSibling(file.getFileName() + ".new");
      Files.writeString(whole, results.lasting(seconds).json());
      Files.move(whole, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The run is over. */
  public void delete() throws IOException {
    Files.deleteIfExists(file);
  }
}
