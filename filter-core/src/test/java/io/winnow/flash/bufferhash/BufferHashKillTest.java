package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.ChildJvm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A process is killed again and again, at random moments. What a key then has is the value of one
 * of its operations, and of none before the last that was safe.
 *
 * <p>{@code -Dwinnow.crash.kills=200} for more of it.
 */
@Tag("long")
class BufferHashKillTest {
  private static final int KILLS = Integer.getInteger("winnow.crash.kills", 2);

  /** Flash has room for what so many processes put. */
  private static final int KILLS_PER_DIRECTORY = 5;

  /** Stands for no value. */
  private static final long NOTHING = -1;

  @TempDir private Path temporary;
  private final Random random = new Random();

  /** Of each key the operations whose value it may have, ascending. */
  private final Map<Long, List<Long>> possible = new HashMap<>();

  @ParameterizedTest
  @CsvSource({"0, false", "1, false", "500, true"})
  void noKillTakesWhatIsSafe(long everyN, boolean evicting) throws Exception {
    long lost = 0;
    for (int kill = 0; kill < kills(everyN, lost); ) {
      Path directory = temporary.resolve("table-" + kill);
      Path progressFile = temporary.resolve("progress-" + kill);
      ByteBuffer progress = BufferHashCrashChild.progress(progressFile);
      possible.clear();
      long checked = 0;
      for (int i = 0; i < KILLS_PER_DIRECTORY && kill < kills(everyN, lost); i++, kill++) {
        Process child =
            ChildJvm.start(
                BufferHashCrashChild.class,
                directory.toString(),
                progressFile.toString(),
                "" + everyN,
                "" + evicting);
        assertEquals('o', child.getInputStream().read(), "the child did not open the table");
        awaitOperations(child, progress, checked + minOperations(everyN));
        child.destroyForcibly();
        assertTrue(child.waitFor(10, TimeUnit.MINUTES));
        long safe = progress.getLong(BufferHashCrashChild.SYNCED);
        if (everyN > 0) {
          safe = Math.max(safe, progress.getLong(BufferHashCrashChild.RETURNED) - (everyN - 1));
        }
        long begun = progress.getLong(BufferHashCrashChild.BEGUN);
        note(checked, begun, safe);
        String message = "kill " + kill + ", " + safe + " of " + begun + " are safe, ";
        lost += check(directory, everyN, evicting, begun, message);
        checked = begun;
      }
    }
    assertTrue(everyN != 1 || lost <= KILLS, "more than what was just going on: " + lost);
    assertTrue(everyN != 0 || lost > 0, "each kill met empty buffers");
  }

  /** Returns how many kills there are: without a log, more of them until one loses an entry. */
  private static int kills(long everyN, long lost) {
    return everyN == 0 && lost == 0 ? 20 * KILLS : KILLS;
  }

  /** An operation with an fsync takes a millisecond or more. */
  private int minOperations(long everyN) {
    return everyN == 1 ? 50 + random.nextInt(200) : 2000 + random.nextInt(80_000);
  }

  private static void awaitOperations(Process child, ByteBuffer progress, long operations)
      throws InterruptedException {
    do {
      Thread.sleep(1);
      assertTrue(child.isAlive(), "the child ended by itself: a wrong value, or it failed");
    } while (progress.getLong(BufferHashCrashChild.RETURNED) < operations);
  }

  private void note(long from, long to, long safe) {
    for (long i = from; i < to; i++) {
      List<Long> values =
          possible.computeIfAbsent(
              BufferHashCrashChild.key(i), key -> new ArrayList<>(List.of(NOTHING)));
      if (i < safe) {
        values.clear();
      }
      values.add(BufferHashCrashChild.isDelete(i) ? NOTHING : i);
    }
  }

  /**
   * Opens the table; what it answers is what is there from now on.
   *
   * @return how many keys have not what came last
   */
  private long check(Path directory, long everyN, boolean evicting, long begun, String message)
      throws IOException {
    BufferHashOptions options = BufferHashCrashChild.options(everyN, evicting);
    long lost = 0;
    try (BufferHash table = BufferHash.open(directory, options)) {
      // two super tables share the operations, so that the ring has room for about twice as many
      long surelyThere =
          evicting
              ? table.layout().incarnations() * (long) table.layout().expectedEntries
              : Long.MAX_VALUE;
      for (Map.Entry<Long, List<Long>> entry : possible.entrySet()) {
        List<Long> values = entry.getValue();
        byte[] value = table.get(Tables.bytes(entry.getKey()));
        long is = value == null ? NOTHING : Tables.number(value);
        if (value != null) {
          assertArrayEquals(BufferHashCrashChild.value(is), value, message);
        }
        boolean evicted = is == NOTHING && begun - values.get(0) > surelyThere;
        assertTrue(values.contains(is) || evicted, () -> message + is + ", may be " + values);
        lost += evicted || values.get(values.size() - 1) == is ? 0 : 1;
        values.clear();
        values.add(is);
      }
      assertEquals(0, table.statistics().get(BufferHashCount.LOST_INCARNATIONS), message);
    }
    return lost;
  }
}
