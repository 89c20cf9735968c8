package io.winnow.cascade;

import io.winnow.FilterFormatException;
import io.winnow.flash.FileAccess;
import io.winnow.flash.FlashFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The logs that a crash, or a close, left: first looked through, with nothing changed, then
 * repaired, then taken in.
 */
final class LogRecovery {
  /** As many are kept from one opening to the next at most. */
  private static final int MOST_LOGS = 64;

  private final FileAccess access;
  private final Path directory;
  private final long firstLog;
  private final List<OperationLog.Replay> logs = new ArrayList<>();
  private long logsThere;

  private LogRecovery(FileAccess access, Path directory, long firstLog) {
    this.access = access;
    this.directory = directory;
    this.firstLog = firstLog;
  }

  /**
   * Looks through all logs from one on.
   *
   * @param newest the largest number of a log in the directory, or less if there is none
   * @throws FilterFormatException if a log is missing, or lacks operations that were safe in it
   */
  static LogRecovery survey(
      FileAccess access, Path directory, long firstLog, long newest, SlotShape shape)
      throws IOException {
    LogRecovery recovery = new LogRecovery(access, directory, firstLog);
    boolean torn = false;
    for (long number = firstLog; number <= newest; number++) {
      Path path = OperationLog.path(directory, number);
      if (!Files.exists(path)) {
        throw lost(path + " is missing, and there are later ones");
      }
      OperationLog.Replay replay =
          OperationLog.replay(access, path, number, slot -> check(path, slot, shape));
      if (torn && replay.safe() > 0) {
        throw lost(
            OperationLog.path(directory, number - 1)
                + " ends too early, since the log after it was made safe");
      }
      if (!torn) {
        recovery.logs.add(replay);
      }
      torn |= replay.torn();
      recovery.logsThere++;
    }
    return recovery;
  }

  private static void check(Path path, long slot, SlotShape shape) {
    if (slot >>> shape.bits() != 0) {
      throw lost(path + " has an operation that is none of this filter's");
    }
  }

  static FilterFormatException lost(String what) {
    return new FilterFormatException(
        what
            + ": keys would be lost. Put it back from a copy of the whole directory, or insert the"
            + " keys into a new directory; nothing was changed in this one");
  }

  /** Removes what follows a cut, which was not promised either, and makes the rest safe. */
  void repair() throws IOException {
    for (long number = firstLog + logsThere - 1; number >= nextLog(); number--) {
      access.delete(OperationLog.path(directory, number));
    }
    for (int i = 0; i < logs.size(); i++) {
      try (FlashFile file =
          FlashFile.open(access, OperationLog.path(directory, firstLog + i), false)) {
        if (logs.get(i).torn()) {
          file.truncate(logs.get(i).end());
        }
        file.force();
      }
    }
    access.forceDirectory(directory);
  }

  /** How many logs there are to take in. */
  int logs() {
    return logs.size();
  }

  /** Operations of all of them. */
  long operations() {
    return logs.stream().mapToLong(OperationLog.Replay::operations).sum();
  }

  /**
   * Whether a level in memory with room for {@code levelEntries} takes them in; else they go to
   * flash.
   */
  boolean fit(long levelEntries) {
    return operations() <= levelEntries && logs() <= MOST_LOGS;
  }

  void replay(int log, OperationLog.Consumer consumer) throws IOException {
    long number = firstLog + log;
    OperationLog.replay(access, OperationLog.path(directory, number), number, consumer);
  }

  /** The number of the first log that is not there. */
  long nextLog() {
    return firstLog + logs.size();
  }
}
