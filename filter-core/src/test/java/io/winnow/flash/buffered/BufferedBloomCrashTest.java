package io.winnow.flash.buffered;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.ChildJvm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process is killed again and again, at random moments, and goes on each time from its mark.
 *
 * <p>{@code -Dwinnow.crash.kills=200} for more of it.
 */
class BufferedBloomCrashTest {
  private static final int KILLS = Integer.getInteger("winnow.crash.kills", 4);

  @TempDir private Path temporary;

  @Test
  void noKillLosesAKey() throws Exception {
    Path directory = temporary.resolve("bloom");
    Path progressFile = temporary.resolve("progress");
    ByteBuffer progress = BufferedBloomCrashChild.progress(progressFile);
    Random random = new Random();
    int notWhole = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      Process child =
          ChildJvm.start(
              BufferedBloomCrashChild.class, directory.toString(), progressFile.toString());
      assertEquals('o', child.getInputStream().read(), "the child did not open the filter");
      Thread.sleep(random.nextInt(800));
      assertTrue(child.isAlive(), "the child ended by itself: a key was denied, or it failed");
      child.destroyForcibly();
      assertTrue(child.waitFor(10, TimeUnit.MINUTES));
      notWhole += check(directory, progress, "kill " + kill) ? 0 : 1;
    }
    assertTrue(notWhole > 0, "each of " + KILLS + " kills met a filter with nothing in memory");
  }

  /** Looks at it as the next child will find it, and at a copy that is taken at its word. */
  private boolean check(Path directory, ByteBuffer progress, String where) throws IOException {
    long inserted = progress.getLong(0);
    long synced = progress.getLong(8);
    String message = where + ", " + synced + " of " + inserted + " synced, key ";
    boolean whole;
    try (BufferedBloomFilter filter =
        BufferedBloomFilter.open(directory, BufferedBloomCrashChild.options())) {
      whole = filter.isWhole();
      assertTrue(filter.mark() >= synced, message);
      synced = filter.mark();
      for (long i = 0; i < inserted; i += 1 + inserted / 5000) {
        assertTrue(filter.mightContain(splitMix(BufferedBloomCrashChild.SEED, i)), message + i);
      }
    }
    if (!whole) {
      Path copy = Files.createDirectories(temporary.resolve("copy"));
      Files.deleteIfExists(copy.resolve("filter"));
      Files.copy(directory.resolve("filter"), copy.resolve("filter"));
      try (BufferedBloomFilter filter =
          BufferedBloomFilter.open(copy, BufferedBloomCrashChild.options())) {
        assertFalse(filter.isWhole());
        filter.declareWhole();
        for (long i = 0; i < synced; i += 1 + synced / 5000) {
          assertTrue(filter.mightContain(splitMix(BufferedBloomCrashChild.SEED, i)), message + i);
        }
      }
    }
    return whole;
  }
}
