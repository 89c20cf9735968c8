package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Damaged pages: no older value is ever answered, and none is taken for absent. */
class BufferHashDamageTest extends BufferHashFaults {
  /**
   * Three generations of values, then any one page is damaged, in the running table or in a closed
   * one: what is answered is the newest value, or an error; never an older one, never nothing.
   */
  @ParameterizedTest
  @EnumSource(FilterKind.class)
  void aDamagedPageNeverGivesAnOlderValue(FilterKind filters) throws IOException {
    BufferHashOptions options = options().filters(filters);
    int keys = 400;
    Map<Long, Long> newest = new HashMap<>();
    Random random = new Random(SEED);
    try (BufferHash table = BufferHash.open(directory, options)) {
      for (int generation = 0; generation < 3; generation++) {
        for (long i = 0; i < keys; i++) {
          if (generation == 0 || random.nextInt(2) == 0) {
            boolean delete = generation > 0 && random.nextInt(8) == 0;
            newest.put(i, delete ? -1L : generation * 10_000 + i);
            if (delete) {
              table.delete(key(i));
            } else {
              table.put(key(i), Tables.value(generation * 10_000 + i));
            }
          }
        }
        table.sync();
      }
    }
    long pages = directory.resolve(TableFile.NAME).toFile().length() / 4096;
    long failed = 0;
    long lost = 0;
    for (long page = Tables.ERASE_BLOCK / 4096; page < pages; page++) {
      for (boolean whileOpen : new boolean[] {true, false}) {
        byte[] before = new byte[4096];
        if (!whileOpen && !damage(page, before, random)) {
          continue;
        }
        try (BufferHash table =
            BufferHash.open(directory, options.durability(Durability.ON_SYNC))) {
          if (whileOpen && !damage(page, before, random)) {
            continue;
          }
          lost += table.statistics().lostIncarnations();
          failed += check(table, newest);
        }
        restore(page, before);
      }
    }
    assertTrue(failed > keys, "failed " + failed);
    assertTrue(lost >= 6, "lost " + lost);
  }

  /** How many lookups fail; the others are right. */
  private static long check(BufferHash table, Map<Long, Long> newest) throws IOException {
    long failed = 0;
    for (Map.Entry<Long, Long> entry : newest.entrySet()) {
      try {
        byte[] value = table.get(key(entry.getKey()));
        assertEquals(entry.getValue(), value == null ? -1 : Tables.number(value));
      } catch (DamagedPageException e) {
        failed++;
        assertTrue(e.getMessage().contains(TableFile.NAME), e.getMessage());
      }
    }
    assertEquals(failed, table.statistics().failedLookups());
    return failed;
  }

  /** Changes a page, unless it is blank: a bit of it, some of it, or all of it to zeros. */
  private boolean damage(long page, byte[] before, Random random) throws IOException {
    try (RandomAccessFile file =
        new RandomAccessFile(directory.resolve(TableFile.NAME).toFile(), "rw")) {
      file.seek(page * 4096);
      file.readFully(before);
      boolean blank = true;
      for (byte b : before) {
        blank &= b == 0;
      }
      if (blank) {
        return false;
      }
      byte[] after = before.clone();
      if (random.nextInt(4) > 0) {
        after[random.nextInt(4096)] ^= (byte) (1 << random.nextInt(8));
      } else {
        for (int i = random.nextInt(4096); i < 4096; i++) {
          after[i] = (byte) random.nextInt();
        }
      }
      file.seek(page * 4096);
      file.write(after);
      return true;
    }
  }

  private void restore(long page, byte[] before) throws IOException {
    try (RandomAccessFile file =
        new RandomAccessFile(directory.resolve(TableFile.NAME).toFile(), "rw")) {
      file.seek(page * 4096);
      file.write(before);
    }
  }

  /** The damage goes away with the ring, and a put mends a key at once. */
  @Test
  void damageIsGoneWhenTheRingHasComeRound() throws IOException {
    try (BufferHash table = BufferHash.open(directory, options())) {
      put(table, 0, 3000);
      table.sync();
      for (long page = Tables.ERASE_BLOCK / 4096; page < Tables.ERASE_BLOCK / 4096 + 16; page++) {
        damage(page, new byte[4096], new Random(page));
      }
      long damaged = 0;
      while (!fails(table, damaged)) {
        damaged++;
        assertTrue(damaged < 3000, "no lookup fails");
      }
      table.put(key(damaged), Tables.value(damaged));
      assertPresent(table, damaged, damaged + 1);
      long n = table.layout().expectedEntriesOnFlash() * 2;
      put(table, 3000, n);
      table.sync();
      for (long i = 0; i < 3000; i++) {
        assertFalse(fails(table, i));
      }
    }
  }

  private static boolean fails(BufferHash table, long i) throws IOException {
    try {
      table.get(key(i));
      return false;
    } catch (DamagedPageException e) {
      return true;
    }
  }
}
