package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process is killed again and again, at random moments with inserts, deletes and merges under
 * way, and goes on each time where it was. What it knew to be safe has to be there, and what it
 * deleted has to be gone as often as the rate says.
 *
 * <p>Every third one has a large memory, whose logs the next opening, with a small one, has to
 * write to levels, and is killed too.
 *
 * <p>{@code -Dwinnow.crash.kills=200} for more of it.
 */
@Tag("long")
class CascadeCrashTest {
  private static final int KILLS = Integer.getInteger("winnow.crash.kills", 6);

  @TempDir private Path temporary;

  @Test
  void whatWasAcknowledgedIsThereAfterAnyKill() throws Exception {
    Path directory = temporary.resolve("cascade");
    Path progressFile = temporary.resolve("progress");
    ByteBuffer progress = CrashChild.progress(progressFile);
    Random random = new Random();
    String[] durabilities = {"ON_SYNC", "1000", "NONE", "ON_SYNC", "7"};
    for (int kill = 0; kill < KILLS; kill++) {
      long begunBefore = progress.getLong(0);
      String durability = durabilities[kill % durabilities.length];
      boolean large = kill % 3 == 2;
      String[] arguments = {
        directory.toString(),
        progressFile.toString(),
        durability,
        temporary.resolve("unknown").toString(),
        Long.toString(large ? CrashChild.LARGE_MEMORY : CrashChild.SMALL_MEMORY)
      };
      Process child = start(arguments);
      assertEquals('o', child.getInputStream().read(), "the child did not open the filter");
      Thread.sleep(random.nextInt(1500));
      kill(child);
      if (large) {
        arguments[4] = Long.toString(CrashChild.SMALL_MEMORY);
        Process opening = start(concat(arguments, "only opened"));
        Thread.sleep(random.nextInt(1000)); // it takes half a second to begin
        kill(opening);
      }
      long begun = progress.getLong(0);
      long acknowledged = progress.getLong(8);
      String message =
          "kill "
              + kill
              + ", "
              + durability
              + ", "
              + acknowledged
              + " of "
              + begun
              + " since "
              + begunBefore;
      Files.writeString(
          temporary.resolve("unknown"),
          acknowledged + " " + begun + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
      check(directory, acknowledged, begun, message);
      progress.putLong(8, begun);
    }
  }

  private static Process start(String... arguments) throws IOException {
    return CrashChild.start(arguments).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static String[] concat(String[] arguments, String last) {
    return Stream.concat(Stream.of(arguments), Stream.of(last)).toArray(String[]::new);
  }

  private static void kill(Process process) throws InterruptedException {
    process.destroyForcibly();
    assertTrue(process.waitFor(10, TimeUnit.MINUTES));
  }

  /**
   * Opens the filter as the next child will, and closes it, which acknowledges what is there. What
   * was begun and not acknowledged may be there or not, for good: it is not looked at again.
   */
  private void check(Path directory, long acknowledged, long begun, String message)
      throws IOException {
    try (CascadeFilter filter =
        CascadeFilter.open(
            directory, CrashChild.options(Durability.ON_SYNC, CrashChild.SMALL_MEMORY))) {
      List<long[]> unknown = CrashChild.unknown(temporary.resolve("unknown"));
      long goneAndPresent = 0;
      long gone = 0;
      long step = Math.max(1, acknowledged / 10_000);
      for (long i = 0; i < acknowledged; i += i < acknowledged - 10_000 ? step : 1) {
        if (CrashChild.isIn(unknown, i) || CrashChild.isDelete(i) && CrashChild.deleted(i) >= 0) {
          continue;
        }
        long deletedBy = i + 4003;
        boolean mayBeDeleted = CrashChild.isDelete(deletedBy) && deletedBy < begun;
        boolean present = filter.mightContain(CrashChild.key(i));
        if (!mayBeDeleted) {
          assertTrue(present, message + ": key " + i + " is lost");
        } else if (deletedBy < acknowledged && !CrashChild.isIn(unknown, deletedBy)) {
          gone++;
          goneAndPresent += present ? 1 : 0;
        }
      }
      assertEquals(0, filter.statistics().get(CascadeCount.FAILED_LOOKUPS));
      double expected = gone * filter.statistics().expectedRate();
      // Five sigma, and (5^2 - 1) / 6 more, as small counts are skewed.
      assertTrue(
          goneAndPresent <= expected + 5 * Math.sqrt(expected) + 4,
          message + ": " + goneAndPresent + " of " + gone + " deleted keys are there");
      if (!hasFewLevelFiles(filter, directory)) {
        filter.awaitMerges(); // one that has ended may not have deleted what it read
      }
      assertTrue(hasFewLevelFiles(filter, directory), message);
    }
  }

  private static boolean hasFewLevelFiles(CascadeFilter filter, Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      long levels =
          files.filter(file -> file.getFileName().toString().startsWith("level-")).count();
      return levels <= filter.statistics().levels().size() + 3L;
    }
  }
}
