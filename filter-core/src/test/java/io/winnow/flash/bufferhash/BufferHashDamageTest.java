package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged pages: no older value is ever answered, and none is taken for absent. */
class BufferHashDamageTest extends BufferHashFaults {
  /**
   * Three generations of values, then any one page is damaged, in the running table or in a closed
   * one: what is answered is the newest value, or an error; never an older one, never nothing.
   */
  @ParameterizedTest
  @EnumSource(IncarnationFilterKind.class)
  void aDamagedPageNeverGivesAnOlderValue(IncarnationFilterKind filters) throws IOException {
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
          lost += table.statistics().get(BufferHashCount.LOST_INCARNATIONS);
          failed += check(table, newest);
        }
        restore(page, before);
      }
    }
    assertTrue(failed > keys, "failed " + failed);
    assertEquals(0, lost, "an index is made anew from the data pages");
  }

  /** One flipped bit in an index: all keys are found, though nobody can read it. */
  @ParameterizedTest
  @EnumSource(IncarnationFilterKind.class)
  void aDamagedIndexPageCostsNoLookup(IncarnationFilterKind filters) throws IOException {
    BufferHashOptions options = options().filters(filters);
    try (BufferHash table = BufferHash.open(directory, options)) {
      put(table, 0, 1500);
    }
    List<Long> indexes = pagesOfKind(TablePage.INDEX);
    assertTrue(indexes.size() > 2);
    for (long page : indexes) {
      byte[] before = new byte[4096];
      flip(page, 16 + (int) page, before);
      try (BufferHash table = BufferHash.open(directory, options)) {
        assertEquals(0, table.statistics().get(BufferHashCount.LOST_INCARNATIONS));
        assertPresent(table, 0, 1500);
      }
      restore(page, before);
    }
  }

  /** Pages of another table, of another place, or of an earlier round of the ring. */
  @Test
  void pagesInAWrongPlaceAreDamaged(@TempDir Path other) throws IOException {
    for (Path one : new Path[] {other, directory}) {
      try (BufferHash table = BufferHash.open(one, options())) {
        put(table, one == other ? 10_000 : 0, one == other ? 12_000 : 1500);
      }
    }
    byte[] foreign = Files.readAllBytes(other.resolve(TableFile.NAME));
    List<Long> pages = pagesOfKind(TablePage.INDEX);
    pages.addAll(pagesOfKind(TablePage.DATA));
    for (long page : pages) {
      for (boolean own : new boolean[] {true, false}) {
        byte[] before = new byte[4096];
        byte[] from = own ? Files.readAllBytes(directory.resolve(TableFile.NAME)) : foreign;
        long source = own ? pages.get((pages.indexOf(page) + 1) % pages.size()) : page;
        read(page, before);
        restore(page, Arrays.copyOfRange(from, (int) source * 4096, (int) source * 4096 + 4096));
        try (BufferHash table = BufferHash.open(directory, options())) {
          assertFoundOrFails(table, 1500);
        }
        restore(page, before);
      }
    }
  }

  /** A drive may say that it wrote a page, or an incarnation, and leave what was there before. */
  @Test
  void whatADriveDidNotWriteIsNotSilentlyGone() throws IOException {
    long n;
    try (BufferHash table = BufferHash.open(directory, options())) {
      n = Tables.entriesOnFlash(table.layout());
      put(table, 0, n);
    }
    byte[] older = Files.readAllBytes(directory.resolve(TableFile.NAME));
    try (BufferHash table = BufferHash.open(directory, options())) {
      put(table, n, n + n / 2);
    }
    byte[] good = Files.readAllBytes(directory.resolve(TableFile.NAME));
    Map<Long, Boolean> present = new HashMap<>();
    try (BufferHash table = BufferHash.open(directory, options())) {
      for (long i = 0; i < n + n / 2; i++) {
        present.put(i, table.get(key(i)) != null);
      }
    }
    good = Files.readAllBytes(directory.resolve(TableFile.NAME));
    int slotPages = Tables.ERASE_BLOCK / 4096;
    long failed = 0;
    for (int page = slotPages; page < good.length / 4096; page++) {
      boolean all = page % slotPages == 0; // the whole incarnation, and then each of its pages
      for (int pages = all ? slotPages : 1; pages > 0; pages -= pages > 1 ? slotPages - 1 : 1) {
        byte[] bytes = good.clone();
        System.arraycopy(older, page * 4096, bytes, page * 4096, pages * 4096);
        if (Arrays.equals(bytes, good)) {
          continue;
        }
        Files.write(directory.resolve(TableFile.NAME), bytes);
        try (BufferHash table = BufferHash.open(directory, options())) {
          for (Map.Entry<Long, Boolean> key : present.entrySet()) {
            try {
              boolean found = table.get(key(key.getKey())) != null;
              assertTrue(found || !key.getValue(), "page " + page + ", key " + key.getKey());
            } catch (DamagedPageException e) {
              failed++;
            }
          }
        }
      }
    }
    assertTrue(failed > 100, "failed " + failed);
  }

  /**
   * A drive did not write the newest incarnations of a table with more super tables than a mark has
   * room for. No key is silently gone, and forgotten incarnations stay forgotten. After a crash the
   * last mark does not name the incarnations that were made safe together after it.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void newestIncarnationsThatADriveDidNotWrite(boolean crashes) throws IOException {
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(8), 256, 4).memoryBudget(64 << 20);
    long keys = 256 * 300;
    byte[] older = tableAfter(options, 0, keys, crashes);
    byte[] lost = tableAfter(options, keys, 2 * keys, crashes);
    System.arraycopy(
        older, Tables.ERASE_BLOCK, lost, Tables.ERASE_BLOCK, lost.length - Tables.ERASE_BLOCK);
    Files.write(directory.resolve(TableFile.NAME), lost);
    int unnamed = crashes ? 16 : 0;
    try (BufferHash table = BufferHash.open(directory, options)) {
      long known = table.statistics().get(BufferHashCount.LOST_INCARNATIONS);
      assertTrue(known >= 256 - unnamed && known <= 256, "lost " + known);
      long silent = 0;
      for (long i = keys; i < 2 * keys; i += 100) {
        silent += fails(table, i) ? 0 : 1;
      }
      assertEquals(256 - known, 256.0 * silent * 100 / keys, 0.75 * unnamed, "silent " + silent);
      assertTrue(table.forgetLost() > 0);
    }
    try (BufferHash table = BufferHash.open(directory, options)) {
      assertEquals(0, table.statistics().get(BufferHashCount.LOST_INCARNATIONS));
      assertPresent(table, 0, keys);
    }
  }

  /**
   * A process ended when it had written one page of an incarnation: the one before it, which no
   * mark covers yet, was safe, so a bit that has turned there is damage.
   */
  @Test
  void anIncarnationIsNotTornIfTheNextOneWasBegun() throws IOException {
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(8), 1, 4).incarnationBytes(64 << 10);
    int slotBytes = 64 << 10;
    byte[] one;
    byte[] two;
    long keys = 0;
    try (BufferHash table = BufferHash.open(directory, options)) {
      keys = putUntilWritten(table, keys, 1);
      one = Files.readAllBytes(directory.resolve(TableFile.NAME));
      putUntilWritten(table, keys, 2);
      two = Files.readAllBytes(directory.resolve(TableFile.NAME));
    }
    assertTrue(BufferHashDirectory.read(directory).indexPages > 1);
    int next = Tables.ERASE_BLOCK + slotBytes;
    System.arraycopy(two, next, one, next, 4096);
    one[next - slotBytes + 4 * 4096 + 100] ^= 1;
    Files.write(directory.resolve(TableFile.NAME), one);
    try (BufferHash table = BufferHash.open(directory, options)) {
      int failed = 0;
      for (long i = 0; i < 1000; i++) {
        failed += fails(table, i) ? 1 : 0;
        assertTrue(failed > 0 && fails(table, i) || table.get(key(i)) != null, "key " + i);
      }
      assertTrue(failed > 0 && failed < 500, failed + " lookups fail");
    }
  }

  /** Puts until so many incarnations are written; returns the next key. */
  private static long putUntilWritten(BufferHash table, long from, int incarnations)
      throws IOException {
    long next = from;
    while (table.statistics().get(BufferHashCount.INCARNATIONS_WRITTEN) < incarnations) {
      put(table, next, next + 1);
      next++;
      table.awaitWrites();
    }
    return next;
  }

  /** An older mark came back. It does not replace the higher sequences of the notes. */
  @Test
  void notesKnowMoreThanAnOlderMark() throws IOException {
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(8), 256, 4).memoryBudget(64 << 20);
    long keys = 256 * 300;
    byte[] older = tableAfter(options, 0, keys, true);
    byte[] lost = tableAfter(options, keys, 2 * keys, true);
    System.arraycopy(older, 0, lost, 0, 2 * 4096);
    System.arraycopy(
        older, Tables.ERASE_BLOCK, lost, Tables.ERASE_BLOCK, lost.length - Tables.ERASE_BLOCK);
    Files.write(directory.resolve(TableFile.NAME), lost);
    long known;
    try (BufferHash table = BufferHash.open(directory, options)) {
      known = table.statistics().get(BufferHashCount.LOST_INCARNATIONS);
      assertTrue(known > 100, "lost " + known);
    }
    Files.write(directory.resolve(TableFile.NAME), lost);
    tableAfter(options, 2 * keys, 2 * keys + 1, true);
    try (BufferHash table = BufferHash.open(directory, options)) {
      assertEquals(known, table.statistics().get(BufferHashCount.LOST_INCARNATIONS));
    }
  }

  /** The table with some more keys, all of them safe; of one that is not closed, or is. */
  private byte[] tableAfter(BufferHashOptions options, long from, long to, boolean crashes)
      throws IOException {
    byte[] table;
    try (BufferHash open = BufferHash.open(directory, options)) {
      put(open, from, to);
      open.sync();
      table = Files.readAllBytes(directory.resolve(TableFile.NAME));
    }
    if (crashes) {
      Files.write(directory.resolve(TableFile.NAME), table);
      return table;
    }
    return Files.readAllBytes(directory.resolve(TableFile.NAME));
  }

  /** Damage ends with a word of the caller, and stays away. */
  @Test
  void forgetLostEndsTheDamage() throws IOException {
    try (BufferHash table = BufferHash.open(directory, options())) {
      put(table, 0, 1500);
    }
    List<Long> pages = pagesOfKind(TablePage.INDEX);
    for (long page = pages.get(0); page < pages.get(0) + Tables.ERASE_BLOCK / 4096; page++) {
      flip(page, 100, new byte[4096]); // all of an incarnation
    }
    flip(pages.get(1) + 1, 100, new byte[4096]); // a page of another one
    for (int opening = 0; opening < 2; opening++) {
      try (BufferHash table = BufferHash.open(directory, options())) {
        assertTrue(opening == 1 || assertFoundOrFails(table, 1500) > 0);
        assertEquals(opening == 0, table.forgetLost() > 0);
        assertEquals(0, table.statistics().get(BufferHashCount.LOST_INCARNATIONS));
        for (long i = 0; i < 1500; i++) {
          assertFalse(fails(table, i));
        }
      }
    }
    try (BufferHash table = BufferHash.open(directory, options())) {
      put(table, 0, 1500);
      assertPresent(table, 0, 1500);
    }
  }

  /**
   * A page was given up, and then the index is damaged too: the other pages have all their keys.
   */
  @Test
  void anIndexIsMadeOfWhatIsLeftOfAnIncarnation() throws IOException {
    try (BufferHash table = BufferHash.open(directory, options())) {
      put(table, 0, 1500);
    }
    byte[] good = Files.readAllBytes(directory.resolve(TableFile.NAME));
    List<Long> indexes = pagesOfKind(TablePage.INDEX);
    List<Long> data = pagesOfKind(TablePage.DATA);
    long index = indexes.get(0);
    int givenUp = 0;
    for (long page = index; page < index + Tables.ERASE_BLOCK / 4096; page++) {
      if (data.contains(page)) {
        Files.write(directory.resolve(TableFile.NAME), good);
        flip(page, 100, new byte[4096]);
        Map<Long, Boolean> present = new HashMap<>();
        try (BufferHash table = BufferHash.open(directory, options())) {
          assertEquals(1, table.forgetLost());
          for (long i = 0; i < 1500; i++) {
            present.put(i, table.get(key(i)) != null);
          }
        }
        flip(index, 100, new byte[4096]);
        try (BufferHash table = BufferHash.open(directory, options())) {
          for (long i = 0; i < 1500; i++) {
            assertEquals(present.get(i), table.get(key(i)) != null, "page " + page + ", key " + i);
          }
        }
        givenUp++;
      }
    }
    assertTrue(givenUp > 3, givenUp + " pages");
  }

  /**
   * Two incarnations in a row are as they were a round of the ring before: none is believed, and
   * none of their keys is answered as absent.
   */
  @Test
  void twoIncarnationsThatADriveDidNotWriteAreBothLost() throws IOException {
    long n;
    Set<Long> present = new HashSet<>();
    byte[] older;
    try (BufferHash table = BufferHash.open(directory, options())) {
      n = Tables.entriesOnFlash(table.layout());
      put(table, 0, n);
      table.sync();
      older = Files.readAllBytes(directory.resolve(TableFile.NAME));
      for (long i = 0; i < n; i++) {
        table.put(key(i), Tables.value(n + i));
      }
      table.sync();
      for (long i = 0; i < n; i++) {
        if (table.get(key(i)) != null) {
          present.add(i);
        }
      }
    }
    byte[] good = Files.readAllBytes(directory.resolve(TableFile.NAME));
    long failed = 0;
    for (int slot = 0; slot < 2 * 8; slot++) { // of the two super tables in turn
      int next = slotAfter(slot);
      if (slot == newest(good, slot % 2) || isOldest(good, slot) || isOldest(good, next)) {
        continue; // the oldest one is the next to go
      }
      byte[] bytes = good.clone();
      for (int stale : new int[] {slot, next}) {
        int at = Tables.ERASE_BLOCK * (1 + stale);
        System.arraycopy(older, at, bytes, at, Tables.ERASE_BLOCK);
      }
      Files.write(directory.resolve(TableFile.NAME), bytes);
      try (BufferHash table = BufferHash.open(directory, options())) {
        for (long i = 0; i < n; i++) {
          try {
            byte[] value = table.get(key(i));
            String what = "slot " + slot + ", key " + i;
            assertEquals(present.contains(i), value != null, what + " is absent");
            assertTrue(value == null || Tables.number(value) == n + i, what + " is older");
          } catch (DamagedPageException e) {
            failed++;
          }
        }
      }
    }
    assertTrue(failed > 100, "failed " + failed);
  }

  /** Neighbours in the ring that nobody can read, across its end: forgotten for good. */
  @Test
  void twoLostIncarnationsInARowAreForgotten() throws IOException {
    try (BufferHash table = BufferHash.open(directory, options())) {
      put(table, 0, Tables.entriesOnFlash(table.layout()) * 3 / 2);
    }
    byte[] bytes = Files.readAllBytes(directory.resolve(TableFile.NAME));
    int superTable = newest(bytes, 0) / 2 < 6 && newest(bytes, 0) > 1 ? 0 : 1;
    int last = superTable + 7 * 2;
    assertTrue(newest(bytes, superTable) != last && !isOldest(bytes, last), "it is in between");
    for (int slot : new int[] {last, superTable}) {
      int at = Tables.ERASE_BLOCK * (1 + slot);
      Arrays.fill(bytes, at, at + Tables.ERASE_BLOCK, (byte) 1);
    }
    Files.write(directory.resolve(TableFile.NAME), bytes);
    for (int opening = 0; opening < 2; opening++) {
      try (BufferHash table = BufferHash.open(directory, options())) {
        assertEquals(
            opening == 0 ? 2 : 0, table.statistics().get(BufferHashCount.LOST_INCARNATIONS));
        table.forgetLost();
      }
    }
  }

  /** After a crash no mark names the newest incarnation, so the opening must record it. */
  @Test
  void anOpeningRecordsTheIncarnationsThatItFound() throws IOException {
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(8), 1, 6).durability(Durability.NONE);
    Path file = directory.resolve(TableFile.NAME);
    byte[] blank;
    byte[] crashed;
    long keys = 0;
    try (BufferHash table = BufferHash.open(directory, options)) {
      blank = Files.readAllBytes(file);
      while (table.statistics().get(BufferHashCount.INCARNATIONS) < 3) {
        put(table, keys, ++keys);
        table.awaitWrites();
      }
      crashed = Files.readAllBytes(file);
    }
    Files.write(file, crashed);
    byte[] opened;
    try (BufferHash table = BufferHash.open(directory, options)) {
      assertPresent(table, 0, keys - 1);
      opened = Files.readAllBytes(file);
    }
    int third = Tables.ERASE_BLOCK * 3;
    System.arraycopy(blank, third, opened, third, Tables.ERASE_BLOCK);
    Files.write(file, opened);
    try (BufferHash table = BufferHash.open(directory, options)) {
      assertEquals(1, table.statistics().get(BufferHashCount.LOST_INCARNATIONS));
      assertTrue(fails(table, keys - 2), "a key that the drive lost");
    }
  }

  /** The slot with a super table's newest incarnation, counted in both in turn. */
  private static int newest(byte[] table, int superTable) {
    int newest = superTable;
    for (int slot = superTable; slot < 2 * 8; slot += 2) {
      newest = sequence(table, slot) > sequence(table, newest) ? slot : newest;
    }
    return newest;
  }

  private static long sequence(byte[] table, int slot) {
    return ByteBuffer.wrap(table)
        .order(ByteOrder.LITTLE_ENDIAN)
        .getLong(Tables.ERASE_BLOCK * (1 + slot) + 8);
  }

  private static int slotAfter(int slot) {
    return (slot + 2) % (2 * 8);
  }

  private static boolean isOldest(byte[] table, int slot) {
    return slotAfter(newest(table, slot % 2)) == slot;
  }

  private static long assertFoundOrFails(BufferHash table, long keys) throws IOException {
    long failed = 0;
    for (long i = 0; i < keys; i++) {
      try {
        assertNotNull(table.get(key(i)), "key " + i);
      } catch (DamagedPageException e) {
        failed++;
      }
    }
    return failed;
  }

  private List<Long> pagesOfKind(int kind) throws IOException {
    byte[] table = Files.readAllBytes(directory.resolve(TableFile.NAME));
    List<Long> pages = new ArrayList<>();
    for (int page = 2; page < table.length / 4096; page++) {
      if (table[page * 4096 + 16] == kind) {
        pages.add((long) page);
      }
    }
    return pages;
  }

  private void read(long page, byte[] into) throws IOException {
    try (RandomAccessFile file =
        new RandomAccessFile(directory.resolve(TableFile.NAME).toFile(), "r")) {
      file.seek(page * 4096);
      file.readFully(into);
    }
  }

  private void flip(long page, int bit, byte[] before) throws IOException {
    read(page, before);
    byte[] after = before.clone();
    after[bit / 8 + 8] ^= (byte) (1 << bit % 8);
    restore(page, after);
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
    assertEquals(failed, table.statistics().get(BufferHashCount.FAILED_LOOKUPS));
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
      long n = Tables.entriesOnFlash(table.layout()) * 2;
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
