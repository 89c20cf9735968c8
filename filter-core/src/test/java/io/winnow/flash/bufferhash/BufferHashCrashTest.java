package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.store.Durability;
import io.winnow.flash.store.FaultyAccess;
import io.winnow.flash.store.PageFrames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The machine stops in any write, fsync, rename or deletion, again and again, and half of the times
 * loses power; the table is opened, looked at, and goes on.
 *
 * <p>The model keeps, for each key, what it may have: what it surely had at the last moment that
 * was acknowledged, and all that came later. {@code -Dwinnow.crash.kills=1000} for more of it.
 */
class BufferHashCrashTest {
  private static final int KILLS = Integer.getInteger("winnow.crash.kills", 10);
  private static final int KEYS = 3000;

  @TempDir private Path directory;

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  @ParameterizedTest
  @CsvSource({
    "NONE, BIT_SLICED_BLOOM, false",
    "ON_SYNC, RIBBON, false",
    "EVERY_100, BIT_SLICED_BLOOM, false",
    "EVERY_1, RIBBON, false",
    "ON_SYNC, BIT_SLICED_BLOOM, true",
  })
  void nothingSafeIsLostWhereverItStops(
      String name, IncarnationFilterKind filters, boolean evicting) throws IOException {
    long everyN = name.startsWith("EVERY_") ? Long.parseLong(name.substring(6)) : 0;
    Durability durability =
        everyN > 0
            ? Durability.everyN(everyN)
            : name.equals("NONE") ? Durability.NONE : Durability.ON_SYNC;
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(40), 2, evicting ? 3 : 60)
            .expectedEntryBytes(40)
            .filters(filters)
            .durability(durability);
    Map<Long, List<Long>> possible = new HashMap<>(); // -1 is nothing; the first may be there
    long number = 0;
    int opened = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      long seed = 1000L * name.hashCode() + kill;
      Random random = new Random(seed);
      FaultyAccess drive = FaultyAccess.onAMachineThatStops(seed);
      drive.stopIn(1 + random.nextInt(kill % 4 == 0 ? 30 : 150));
      String message = name + " seed " + seed;
      BufferHash table = null;
      try {
        table = BufferHash.open(directory, options.fileAccess(drive));
        opened++;
        long lastSync = number;
        while (true) {
          long key = Tables.key(5, random.nextInt(KEYS));
          long put = random.nextInt(6) == 0 ? -1 : number;
          possible.computeIfAbsent(key, k -> new ArrayList<>(List.of(-1L))).add(put);
          if (put < 0) {
            table.delete(key);
          } else {
            table.put(key, longValue(put, random.nextInt(33)));
          }
          number++;
          if (everyN == 1) {
            settle(possible, List.of(key));
          }
          if (number - lastSync > 2000 && random.nextInt(1000) == 0) {
            table.sync();
            settle(possible, List.copyOf(possible.keySet()));
            lastSync = number;
          }
        }
      } catch (IOException e) {
        assertTrue(drive.isStopped(), message + ": " + e);
      } finally {
        closeStopped(table, drive);
      }
      if (random.nextBoolean()) {
        drive.cutPower();
      }
      check(options, possible, evicting, everyN, message);
    }
    assertTrue(opened > KILLS / 2, "opened " + opened);
  }

  private static byte[] longValue(long number, int more) {
    byte[] value = new byte[8 + more];
    System.arraycopy(Tables.value(number), 0, value, 0, 8);
    return value;
  }

  /** What was put last is what is there. */
  private static void settle(Map<Long, List<Long>> possible, List<Long> keys) {
    for (long key : keys) {
      List<Long> values = possible.get(key);
      values.subList(0, values.size() - 1).clear();
    }
  }

  private static void closeStopped(BufferHash table, FaultyAccess drive) {
    if (table != null) {
      try {
        table.close();
      } catch (IOException e) {
        assertTrue(drive.isStopped(), e.toString());
      }
    }
  }

  /** Opens the table as if nothing had been; what it answers is what is there from now on. */
  private void check(
      BufferHashOptions options,
      Map<Long, List<Long>> possible,
      boolean evicting,
      long everyN,
      String message)
      throws IOException {
    try (BufferHash table = BufferHash.open(directory, options)) {
      long unsure = 0;
      for (Map.Entry<Long, List<Long>> entry : possible.entrySet()) {
        byte[] value = table.get(entry.getKey());
        long is = value == null ? -1 : Tables.number(value);
        assertTrue(
            entry.getValue().contains(is) || evicting && is == -1,
            () -> message + ": " + is + ", may be " + entry.getValue());
        List<Long> values = entry.getValue();
        unsure += values.get(values.size() - 1) != is && !evicting ? 1 : 0;
        values.clear();
        values.add(is);
      }
      if (everyN > 0) {
        assertTrue(unsure <= everyN, message + ": " + unsure + " of the last operations are lost");
      }
      assertEquals(0, table.statistics().lostIncarnations(), message);
    }
  }
}
