package io.winnow.flash.buffered;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.flash.drive.PageChecksum;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.FlashStatistics;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged pages and heads: no key is ever denied. */
class BufferedBloomDamageTest extends BufferedBloomFaults {
  // ---- Damaged pages ----

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDamagedPageAnswersPresentAndTakesKeys(boolean reopened) throws IOException {
    BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options());
    insert(filter, 0, KEYS);
    filter.sync();
    assertTrue(denied(filter) > 950);
    if (reopened) {
      filter.close();
      filter = BufferedBloomFilter.open(directory, options());
    }
    flip(file(), (2 + 5) * 4096 + 1000); // page 5, in the second group
    assertAllPresent(filter, 0, KEYS, "damaged");
    int denied = denied(filter);
    assertTrue(denied > 895 && denied < 975, "one page of 16 denies nothing: " + denied);
    FlashStatistics<BufferedBloomCount> statistics = filter.statistics();
    assertTrue(statistics.get(BufferedBloomCount.DOUBTS) > 0);
    assertTrue(statistics.lastFailure() instanceof DamagedPageException);
    assertTrue(statistics.lastFailure().getMessage().contains("page 7"), "with two heads before");
    probe(filter, KEYS);
    filter.drain();
    assertTold(KEYS);
    assertEquals(
        0, filter.statistics().get(BufferedBloomCount.REPLACED_PAGES), "a probe changes nothing");

    insert(filter, KEYS, 2 * KEYS);
    filter.sync();
    assertEquals(1, filter.statistics().get(BufferedBloomCount.REPLACED_PAGES));
    assertAllPresent(filter, 0, 2 * KEYS, "replaced");
    filter.close();
    filter = BufferedBloomFilter.open(directory, options());
    assertTrue(filter.isWhole());
    assertAllPresent(filter, 0, 2 * KEYS, "opened again");
    assertEquals(
        0, filter.statistics().get(BufferedBloomCount.DOUBTS), "the page is good, and full");
    BitSet page = PlainBufferedBloom.read(file()).pages[5];
    assertEquals(4088 * 8, page.cardinality());
    filter.close();
  }

  @Test
  void aReaderOfADamagedPageOrOfAFilterThatIsNotWholeDeniesNoKey() throws IOException {
    byte[] crashed;
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      insert(filter, 0, KEYS);
      filter.sync();
      insert(filter, KEYS, KEYS + 1);
      crashed = Files.readAllBytes(file());
    }
    flip(file(), (2 + 5) * 4096 + 1000);
    try (BufferedBloomReader reader = BufferedBloomReader.open(directory)) {
      assertTrue(reader.isWhole());
      for (int i = 0; i <= KEYS; i++) {
        assertTrue(reader.mightContain(splitMix(1, i)), "key " + i);
      }
    }
    Files.write(file(), crashed);
    try (BufferedBloomReader reader = BufferedBloomReader.open(directory)) {
      assertFalse(reader.isWhole());
      assertTrue(reader.mightContain(splitMix(1, KEYS)), "it waited in memory");
    }
  }

  /** Any bytes of the pages, at random, again and again. */
  @Test
  void noDamageToPagesLosesAKey() throws IOException {
    for (long seed = 1; seed <= 10; seed++) {
      directory = directory.resolveSibling("bloom-" + seed);
      Random random = new Random(seed);
      BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options());
      int keys = 0;
      for (int round = 0; round < 8; round++) {
        int more = random.nextInt(1500);
        insert(filter, keys, keys + more);
        keys += more;
        switch (random.nextInt(3)) {
          case 0 -> filter.sync();
          case 1 -> {
            filter.close();
            filter = BufferedBloomFilter.open(directory, options());
          }
          default -> {}
        }
        flip(file(), 8192 + random.nextInt(16 * 4096));
        assertAllPresent(filter, 0, keys, "seed " + seed + ", round " + round);
        probe(filter, keys);
        filter.drain();
        assertTold(keys);
      }
      filter.close();
    }
  }

  /** Only a page's header knows of its writes after the last sync before a crash. */
  @Test
  void aPageFromBeforeACrashIsOlderThanTheOneThatReplacedIt() throws IOException {
    byte[] left;
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      insert(filter, 0, KEYS);
      left = Files.readAllBytes(file());
    }
    Files.write(file(), left);
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      filter.declareWhole();
      flip(file(), (2 + 5) * 4096 + 1000);
      insert(filter, KEYS, KEYS + 200);
      filter.sync();
      assertEquals(1, filter.statistics().get(BufferedBloomCount.REPLACED_PAGES));
    }
    write(2 + 5, left);
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      assertTrue(filter.isWhole());
      assertAllPresent(filter, KEYS, KEYS + 200, "it comes back");
    }
  }

  /** A drive may write a page to the place of another one, also to that of another filter's. */
  @Test
  void pagesInAWrongPlaceAreDamaged() throws IOException {
    Path other = directory.resolveSibling("other");
    BufferedBloomFilter.open(other, options()).close();
    byte[] empty = Files.readAllBytes(other.resolve("filter"));
    BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options());
    insert(filter, 0, KEYS);
    filter.close();
    byte[] good = Files.readAllBytes(file());
    for (int page = 2; page < 18; page++) {
      byte[] bytes = good.clone();
      System.arraycopy(empty, page * 4096, bytes, page * 4096, 4096);
      assertDoubted(bytes, "page " + page + " of another filter");
      System.arraycopy(good, (page == 17 ? 2 : page + 1) * 4096, bytes, page * 4096, 4096);
      assertDoubted(bytes, "another page in the place of page " + page);
    }
  }

  /** Pages near to each other are written at once, but not one between them that was not read. */
  @Test
  void aDamagedPageBetweenTwoThatAreWrittenIsLeftAsItIs() throws IOException {
    BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options());
    byte[] empty = Files.readAllBytes(file());
    insert(filter, 0, KEYS);
    filter.sync();
    write(2 + 5, empty);
    int more = KEYS;
    for (int page : new int[] {0, 2}) { // of the second group, whose page 1 this is
      while (!isOn(filter.sizing(), splitMix(1, more), 1, page)) {
        more++;
      }
      filter.insert(splitMix(1, more));
    }
    filter.sync();
    assertTrue(filter.mightContain(splitMix(1, more)));
    assertAllPresent(filter, 0, KEYS, "not written");
    filter.close();
    try (BufferedBloomFilter opened = BufferedBloomFilter.open(directory, options())) {
      assertAllPresent(opened, 0, KEYS, "opened again");
      assertEquals(0, opened.statistics().get(BufferedBloomCount.REPLACED_PAGES));
    }
  }

  private static boolean isOn(BufferedBloomSizing sizing, long hash, int group, int page) {
    long mixed = BufferedBloomSizing.mix(hash);
    return sizing.group(mixed) == group && sizing.page(sizing.entry(mixed)) == page;
  }

  /** A drive may say that it wrote a page, and leave the one there that was there before. */
  @Test
  void olderVersionsOfPagesAreDamaged() throws IOException {
    BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options());
    List<byte[]> older = new ArrayList<>();
    older.add(Files.readAllBytes(file()));
    for (int i = 0; i < 4; i++) {
      insert(filter, i * KEYS / 4, (i + 1) * KEYS / 4);
      filter.sync();
      older.add(Files.readAllBytes(file()));
    }
    byte[] good = older.remove(4);
    for (int page = 2; page < 18; page++) {
      for (byte[] stale : older) { // while it is open
        write(page, stale);
        assertAllPresent(filter, 0, KEYS, "an older version of page " + page);
        write(page, good);
      }
    }
    assertTrue(filter.statistics().get(BufferedBloomCount.DOUBTS) > 0);
    filter.close();
    good = Files.readAllBytes(file());
    for (int page = 0; page < 20; page++) {
      for (byte[] stale : older) {
        byte[] bytes = good.clone();
        System.arraycopy(stale, page * 4096, bytes, page * 4096, 4096);
        Files.write(file(), bytes);
        try (BufferedBloomFilter opened = BufferedBloomFilter.open(directory, options())) {
          assertAllPresent(opened, 0, KEYS, "an older version of page " + page);
          assertEquals(page >= 2 && page < 18, opened.statistics().lastFailure() != null);
        }
      }
    }
  }

  /** Nothing says whether a page is the newest then, so each answers "maybe", and goes on to. */
  @Test
  void pagesAreInDoubtIfBothCopiesOfTheirVersionsAreOlder() throws IOException {
    byte[] older;
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      insert(filter, 0, KEYS / 2);
      filter.sync();
      older = Files.readAllBytes(file());
      insert(filter, KEYS / 2, KEYS);
    }
    for (int page : new int[] {2, 9, 18, 19}) { // 18 and 19 are the copies
      write(page, older);
    }
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      assertAllPresent(filter, 0, KEYS, "with older versions");
      assertEquals(0, denied(filter));
      insert(filter, KEYS, 2 * KEYS);
    }
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      assertAllPresent(filter, 0, 2 * KEYS, "opened again");
      assertEquals(0, denied(filter));
    }
    try (BufferedBloomReader reader = BufferedBloomReader.open(directory)) {
      List<DamagedPageException> found = reader.verify(pages -> {});
      assertTrue(found.stream().anyMatch(damage -> damage.page() == 19), found::toString);
    }
  }

  /** Else the next opening would take those that did not change for lost. */
  @Test
  void aSyncWritesAllPagesOfVersions() throws IOException {
    BufferedBloomOptions options =
        options().pages(4096).memoryBudget(1 << 20); // three pages of versions
    for (int round = 1; round <= 2; round++) {
      try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
        insert(filter, round, round + 1);
      }
      PlainBufferedBloom.read(file()); // all are of the head's round
    }
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      assertAllPresent(filter, 1, 3, "opened again");
      assertTrue(denied(filter) > 950);
    }
  }

  private void write(int page, byte[] from) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file().toFile(), "rw")) {
      open.seek(page * 4096L);
      open.write(from, page * 4096, 4096);
    }
  }

  private void assertDoubted(byte[] bytes, String what) throws IOException {
    Files.write(file(), bytes);
    try (BufferedBloomFilter opened = BufferedBloomFilter.open(directory, options())) {
      assertAllPresent(opened, 0, KEYS, what);
      assertTrue(opened.statistics().get(BufferedBloomCount.DOUBTS) > 0, what);
    }
  }

  // ---- Heads ----

  /** It may have been the newer one, and have said anything. A new one is written over it. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void withADamagedHeadItIsNotWhole(int head) throws IOException {
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      insert(filter, 0, KEYS);
      filter.sync(77);
    }
    flip(file(), head * 4096 + 30);
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      assertFalse(filter.isWhole());
      assertEquals(0, denied(filter));
      assertEquals(head == 0 ? 0 : 77, filter.mark(), "of the one that is left");
      filter.declareWhole();
      assertTrue(denied(filter) > 950);
      assertAllPresent(filter, 0, KEYS, "declared whole");
    }
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      assertTrue(filter.isWhole());
      assertAllPresent(filter, 0, KEYS, "opened again");
    }
  }

  /** It may be read the next time, when keys have come in that it knows nothing of. */
  @Test
  void aHeadThatIsNotReadOnceIsNotBelievedTheNextTime() throws IOException {
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      insert(filter, 0, KEYS);
    }
    flip(file(), 4096 + 30); // the older one
    Path crashed = Files.createDirectory(directory.resolveSibling("crashed"));
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      insert(filter, KEYS, KEYS + 1);
      byte[] bytes = Files.readAllBytes(file());
      Files.write(crashed.resolve("filter"), bytes);
    }
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(crashed, options())) {
      assertFalse(filter.isWhole());
    }
    PlainBufferedBloom read = PlainBufferedBloom.read(crashed.resolve("filter"));
    assertFalse(read.whole, "the damaged head was written over by one that says so");
  }

  /** Its checksum matches, and its sequence is one of the other place. */
  @Test
  void aHeadWithAWrongSequenceIsDamaged() throws IOException {
    BufferedBloomFilter.open(directory, options()).close();
    byte[] bytes = Files.readAllBytes(file());
    bytes[8 + 16]++;
    stamp(bytes, 0);
    Files.write(file(), bytes);
    try (BufferedBloomReader reader = BufferedBloomReader.open(directory)) {
      assertFalse(reader.isWhole(), "it may have been the newer one");
      assertTrue(reader.mightContain(1));
      List<DamagedPageException> found = reader.verify(pages -> {});
      assertEquals(List.of(0L), found.stream().map(DamagedPageException::page).toList());
    }
  }

  /** Both are whole, and differ in the version, the hash functions, the hash of keys, or the id. */
  @ParameterizedTest
  @ValueSource(ints = {8, 52, 54, 56})
  void headsOfTwoFiltersAreRefused(int field) throws IOException {
    BufferedBloomFilter.open(directory, options()).close();
    byte[] bytes = Files.readAllBytes(file());
    bytes[8 + field] ^= 1;
    stamp(bytes, 0);
    Files.write(file(), bytes);
    assertTrue(refused().contains("different filters"), refused());
  }

  /** Every field of both heads, and the size of the file. */
  @Test
  void whatCannotBeBelievedIsRefused() throws IOException {
    BufferedBloomFilter.open(directory, options()).close();
    byte[] good = Files.readAllBytes(file());
    assertRefused(good, "", new int[] {0, 0}, 0); // both damaged
    assertRefused(good, "not a buffered Bloom filter", new int[] {}, 0);
    assertRefused(good, "version", new int[] {}, 8);
    assertRefused(good, "state", new int[] {}, 12);
    assertRefused(good, "damaged", new int[] {}, 16); // the sequence is that of the other page
    assertRefused(good, "keys", new int[] {}, 39);
    assertRefused(good, "pages", new int[] {}, 40);
    assertRefused(good, "pages", new int[] {}, 44);
    assertRefused(good, "pages", new int[] {}, 48);
    assertRefused(good, "hash functions", new int[] {}, 52);
    assertRefused(good, "entries", new int[] {}, 53);
    assertRefused(good, "hash", new int[] {}, 54);
    assertRefused(good, "round", new int[] {}, 71);
    assertRefused(good, "last field", new int[] {}, 72);
    assertRefused(good, "last field", new int[] {}, 4087);
    Files.write(file(), Arrays.copyOf(good, good.length - 4096));
    assertTrue(refused().contains("19 pages"), refused());
    Files.write(file(), Arrays.copyOf(good, good.length + 4096));
    assertTrue(refused().contains("21 pages"), refused());
    Files.write(file(), Arrays.copyOf(good, good.length - 1));
    assertTrue(refused().contains("was cut"), refused());
    Files.write(file(), new byte[4096]);
    assertTrue(refused().contains("no head"), refused());
    Files.write(file(), new byte[0]);
    assertTrue(refused().contains("no head"), refused());
    Files.write(file(), good);
    BufferedBloomFilter.open(directory, options()).close();
  }

  /** Changes a field of both heads, with checksums that match; or damages both. */
  private void assertRefused(byte[] good, String reason, int[] damage, int field)
      throws IOException {
    byte[] bytes = good.clone();
    for (int page = 0; page < 2; page++) {
      int at = page * 4096 + 8 + field;
      bytes[at] =
          (byte) (field == 39 || field == 71 ? 0x80 : field == 16 ? bytes[at] ^ 1 : bytes[at] + 93);
      if (damage.length == 0) {
        stamp(bytes, page);
      }
    }
    Files.write(file(), bytes);
    assertTrue(refused().contains(reason), refused());
  }

  private static void stamp(byte[] bytes, int page) {
    try (PageFrame frame = PageFrames.allocate(1, 4096)) {
      frame.bytes.put(0, bytes, page * 4096, 4096);
      new PageChecksum().stamp(frame, 0, page, 1);
      frame.bytes.get(0, bytes, page * 4096, 4096);
    }
  }

  private String refused() {
    return assertThrows(
            FilterFormatException.class, () -> BufferedBloomFilter.open(directory, options()))
        .getMessage();
  }
}
