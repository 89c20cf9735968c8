package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.store.Durability;
import io.winnow.flash.store.FlashStatistics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Long random sequences of operations against a plain map. */
class BufferHashModelTest {
  private static final int KEYS = 8_000;

  @TempDir private Path directory;

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  private static Durability durability(String name) {
    return switch (name) {
      case "NONE" -> Durability.NONE;
      case "ON_SYNC" -> Durability.ON_SYNC;
      default -> Durability.everyN(Long.parseLong(name));
    };
  }

  /** Flash has room for everything: nothing may be missing. */
  @ParameterizedTest
  @CsvSource({
    "false, 4, BIT_SLICED_BLOOM, NONE",
    "true, 4, RIBBON, ON_SYNC",
    "true, 1, BIT_SLICED_BLOOM, 5000",
    "false, 8, RIBBON, NONE",
  })
  void answersAsTheMapDoes(
      boolean keyed, int superTables, IncarnationFilterKind filters, String durability)
      throws IOException {
    long seed = 31 * superTables + (keyed ? 1 : 0);
    Random random = new Random(seed);
    BufferHashOptions options =
        Tables.small(
                keyed ? BufferHashOptions.ofKeys(19, 24) : BufferHashOptions.ofFingerprints(24),
                superTables,
                240 / superTables)
            .expectedEntryBytes(20)
            .durability(durability(durability));
    Map<Long, byte[]> model = new HashMap<>();
    long written = 0;
    BufferHash table = BufferHash.open(directory, options.filters(filters));
    try {
      for (int round = 0; round < 6; round++) {
        for (int i = 0; i < 15_000; i++) {
          long key = Tables.key(seed, random.nextInt(KEYS));
          if (random.nextInt(5) == 0) {
            model.remove(key);
            delete(table, keyed, key);
          } else {
            byte[] value = Tables.value(random, 24);
            model.put(key, value);
            put(table, keyed, key, value);
          }
          if (i % 50 == 0) {
            check(table, keyed, Tables.key(seed, random.nextInt(KEYS)), model, seed, round);
          }
        }
        if (round % 2 == 1) {
          written += table.statistics().get(BufferHashCount.INCARNATIONS_WRITTEN);
          table.close();
          // every other time with the other kind of filters, which are then made anew
          IncarnationFilterKind other = IncarnationFilterKind.values()[1 - filters.ordinal()];
          table = BufferHash.open(directory, options.filters(round % 4 == 1 ? other : filters));
        }
        for (int i = 0; i < KEYS + 500; i++) {
          check(table, keyed, Tables.key(seed, i), model, seed, round);
        }
      }
      FlashStatistics<BufferHashCount> statistics = table.statistics();
      written += statistics.get(BufferHashCount.INCARNATIONS_WRITTEN);
      assertTrue(written > 30, statistics.toString());
      assertEquals(
          0,
          statistics.get(BufferHashCount.INCARNATIONS_EVICTED),
          "the model knows of no eviction");
      assertEquals(0, statistics.get(BufferHashCount.FAILED_LOOKUPS), statistics.toString());
      assertNull(statistics.lastFailure());
    } finally {
      table.close();
    }
  }

  private static void put(BufferHash table, boolean keyed, long key, byte[] value)
      throws IOException {
    if (keyed) {
      table.put(Tables.bytes(key), value);
    } else {
      table.put(key, value);
    }
  }

  private static void delete(BufferHash table, boolean keyed, long key) throws IOException {
    if (keyed) {
      table.delete(Tables.bytes(key));
    } else {
      table.delete(key);
    }
  }

  private static void check(
      BufferHash table, boolean keyed, long key, Map<Long, byte[]> model, long seed, int round)
      throws IOException {
    assertArrayEquals(
        model.get(key),
        keyed ? table.get(Tables.bytes(key)) : table.get(key),
        () -> "seed " + seed + " round " + round + " key " + Long.toHexString(key));
  }

  /**
   * The ring comes round many times, with full discard: what is answered is the newest value or
   * nothing, and what was put lately is there.
   */
  @ParameterizedTest
  @CsvSource({"BIT_SLICED_BLOOM, NONE", "RIBBON, ON_SYNC"})
  void theRingForgetsTheOldestAlone(IncarnationFilterKind filters, String durability)
      throws IOException {
    long seed = 77;
    Random random = new Random(seed);
    int incarnations = 5;
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(8), 2, incarnations)
            .filters(filters)
            .durability(durability(durability));
    Map<Long, Long> newest = new HashMap<>();
    Map<Long, Long> putAt = new HashMap<>();
    BufferHash table = BufferHash.open(directory, options);
    try {
      // each incarnation but those that a close may have written holds as many
      long surelyThere = (incarnations - 3L) * table.layout().expectedEntries;
      long fileBytes = table.layout().flashBytes();
      long evicted = 0;
      for (long i = 0; i < 60_000; i++) {
        long key = Tables.key(seed, random.nextInt(25_000));
        table.put(key, Tables.value(i));
        newest.put(key, i);
        putAt.put(key, i);
        if (i % 20_000 == 19_999) {
          evicted += table.statistics().get(BufferHashCount.INCARNATIONS_EVICTED);
          table.close();
          assertEquals(fileBytes, directory.resolve(TableFile.NAME).toFile().length());
          table = BufferHash.open(directory, options);
        }
        if (i % 10 == 0) {
          long asked = Tables.key(seed, random.nextInt(25_000));
          byte[] value = table.get(asked);
          if (value != null) {
            assertEquals(newest.get(asked), Tables.number(value), "an older value");
          } else if (newest.containsKey(asked)) {
            assertTrue(
                i - putAt.get(asked) >= surelyThere,
                "put " + (i - putAt.get(asked)) + " operations before");
          }
        }
      }
      assertTrue(evicted > 10, "evicted " + evicted);
    } finally {
      table.close();
    }
  }

  /** Threads with keys of their own, all over the same super tables. */
  @ParameterizedTest
  @CsvSource({"BIT_SLICED_BLOOM, NONE", "RIBBON, 1000"})
  void manyThreadsDoNotDisturbEachOther(IncarnationFilterKind filters, String durability)
      throws Exception {
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(24), 4, 100)
            .expectedEntryBytes(12)
            .filters(filters)
            .durability(durability(durability));
    List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    try (BufferHash table = BufferHash.open(directory, options)) {
      Thread[] threads = new Thread[4];
      for (int t = 0; t < threads.length; t++) {
        long seed = 500 + t;
        threads[t] =
            new Thread(
                () -> {
                  try {
                    useAlone(table, seed);
                  } catch (IOException | RuntimeException | Error e) {
                    failures.add(e);
                  }
                });
        threads[t].start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(List.of(), failures);
      assertTrue(
          table.statistics().get(BufferHashCount.INCARNATIONS_WRITTEN) > 20,
          "" + table.statistics());
    }
  }

  private static void useAlone(BufferHash table, long seed) throws IOException {
    Random random = new Random(seed);
    Map<Long, byte[]> model = new HashMap<>();
    for (int i = 0; i < 40_000; i++) {
      long key = Tables.key(seed, random.nextInt(5000));
      switch (random.nextInt(8)) {
        case 0:
          model.remove(key);
          table.delete(key);
          break;
        case 1, 2, 3:
          check(table, false, key, model, seed, i);
          break;
        default:
          byte[] value = Tables.value(random, 24);
          model.put(key, value);
          table.put(key, value);
          break;
      }
    }
  }

  @Test
  void anEmptyTableHasNothing() throws IOException {
    BufferHashOptions options = Tables.small(BufferHashOptions.ofFingerprints(8), 2, 4);
    for (int i = 0; i < 3; i++) {
      try (BufferHash table = BufferHash.open(directory, options)) {
        assertNull(table.get(1));
        assertNull(table.get(new byte[] {1}));
        table.delete(2);
        assertNull(table.get(2));
        table.sync();
        assertNull(table.get(2));
      }
    }
  }
}
