package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.SimulatedDrive;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.file.Files;
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
 * The power is cut at any request to a {@link SimulatedDrive}, again and again; what it leaves is
 * opened, looked at, and goes on.
 *
 * <p>The model keeps, for each key, its operations with their numbers. What is there after a cut is
 * the last one that was acknowledged before it, or one that was begun later. {@code
 * -Dwinnow.crash.kills=200} for a thousand cuts.
 */
class BufferHashCrashTest {
  private static final int KILLS = Integer.getInteger("winnow.crash.kills", 10);
  private static final int KEYS = 3000;
  private static final long NOTHING = -1;

  @TempDir private Path temporary;

  /** Of each key the operations that may be the last one: number and value. */
  private final Map<Long, List<long[]>> operations = new HashMap<>();

  private volatile long acknowledged;
  private volatile long begun;
  private int unsure;

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  @ParameterizedTest
  @CsvSource({
    "NONE, BIT_SLICED_BLOOM, false, 2",
    "NONE, BIT_SLICED_BLOOM, true, 256", // more than a mark names
    "ON_SYNC, RIBBON, false, 2",
    "EVERY_100, BIT_SLICED_BLOOM, false, 2",
    "EVERY_1, RIBBON, false, 2",
    "ON_SYNC, BIT_SLICED_BLOOM, true, 2",
  })
  void noPowerCutLosesWhatWasPromised(
      String name, IncarnationFilterKind filters, boolean evicting, int superTables)
      throws IOException {
    long everyN = name.startsWith("EVERY_") ? Long.parseLong(name.substring(6)) : 0;
    Durability durability =
        everyN > 0
            ? Durability.everyN(everyN)
            : name.equals("NONE") ? Durability.NONE : Durability.ON_SYNC;
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(40), superTables, evicting ? 3 : 60)
            .memoryBudget(superTables * (4L << 20))
            .expectedEntryBytes(40)
            .filters(filters)
            .durability(durability);
    Path directory = Files.createDirectory(temporary.resolve("0"));
    for (int kill = 0; kill < KILLS; kill++) {
      long seed = 1000L * name.hashCode() + kill;
      Random random = new Random(seed);
      SimulatedDrive drive =
          new SimulatedDrive(directory, new Random(seed), () -> acknowledged, () -> begun);
      boolean inTheOpening = kill % 4 == 0; // where there are many reads
      if (inTheOpening) {
        drive.cutAfter(1 + random.nextInt(300));
      }
      BufferHash table = BufferHash.open(directory, options.fileAccess(drive));
      if (!inTheOpening) {
        drive.cutAfter(1 + random.nextInt(Math.max(60, 2 * superTables)));
      }
      SimulatedDrive.Image image = drive.takeImage();
      while (image == null) {
        operate(table, random, everyN);
        image = drive.takeImage();
      }
      if (kill % 5 == 4) { // or just after a close
        table.close();
        acknowledged = begun;
        image = drive.cutNow();
      }
      drive.switchOff();
      try {
        table.close();
      } catch (IOException e) {
        assertTrue(e.getMessage().contains("(injected)"), e.toString());
      }
      directory = temporary.resolve("" + (kill + 1));
      image.writeTo(directory);
      check(directory, options, image, evicting, name + " seed " + seed);
    }
    assertTrue(unsure > 0 || everyN == 1, "no cut came between an operation and its sync");
  }

  private void operate(BufferHash table, Random random, long everyN) throws IOException {
    long key = Tables.key(5, random.nextInt(KEYS));
    long number = ++begun;
    boolean isDelete = random.nextInt(6) == 0;
    operations
        .computeIfAbsent(key, k -> new ArrayList<>(List.of(new long[] {0, NOTHING})))
        .add(new long[] {number, isDelete ? NOTHING : number});
    if (isDelete) {
      table.delete(key);
    } else {
      table.put(key, longValue(number, random.nextInt(33)));
    }
    if (everyN > 0) {
      acknowledged = Math.max(acknowledged, number - everyN + 1);
    }
    if (random.nextInt(2000) == 0) {
      table.sync();
      acknowledged = number;
    }
  }

  private static byte[] longValue(long number, int more) {
    byte[] value = new byte[8 + more];
    System.arraycopy(Tables.value(number), 0, value, 0, 8);
    return value;
  }

  /** Opens what is left; what it answers is what is there from now on. */
  private void check(
      Path directory,
      BufferHashOptions options,
      SimulatedDrive.Image image,
      boolean evicting,
      String message)
      throws IOException {
    try (BufferHash table = BufferHash.open(directory, options)) {
      for (Map.Entry<Long, List<long[]>> entry : operations.entrySet()) {
        byte[] value = table.get(entry.getKey());
        long is = value == null ? NOTHING : Tables.number(value);
        List<long[]> all = entry.getValue();
        int first = 0; // the last one that was acknowledged
        boolean found = evicting && is == NOTHING;
        for (int i = 0; i < all.size(); i++) {
          first = all.get(i)[0] <= image.acknowledged() ? i : first;
        }
        for (int i = first; i < all.size(); i++) {
          found |= all.get(i)[1] == is && all.get(i)[0] <= image.begun();
        }
        assertTrue(found, () -> message + ": key " + entry.getKey() + " has " + is);
        unsure += all.size() > first + 1 ? 1 : 0;
        all.clear();
        all.add(new long[] {0, is});
      }
      assertEquals(0, table.statistics().get(BufferHashCount.LOST_INCARNATIONS), message);
    }
    acknowledged = begun;
  }
}
