package io.winnow.flash.drive;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** Steps of an opening, after which what was done before is undone if they fail. */
public final class Opening {
  private Opening() {}

  /**
   * The rest of an opening.
   *
   * @param <T> the type of what it opens
   */
  public interface Rest<T> {
    /** Runs the rest of the opening, and returns what it opened. */
    T run() throws IOException;
  }

  /**
   * Runs the rest of an opening, and returns what it opened. If it fails, what was open before is
   * closed; a failure of the close is added to that of the opening.
   */
  public static <T> T orClose(Closeable open, Rest<T> rest) throws IOException {
    try {
      return rest.run();
    } catch (IOException | RuntimeException | Error e) {
      try (open) {
        throw e;
      }
    }
  }

  /**
   * Syncs a directory after a change of its names. If that fails, the change is undone: an opening
   * would take it for synced. A failure of that is added to that of the sync.
   */
  public static void syncOrUndo(FileAccess access, Path directory, Closeable undo)
      throws IOException {
    orClose(
        undo,
        () -> {
          access.forceDirectory(directory);
          return directory;
        });
  }
}
