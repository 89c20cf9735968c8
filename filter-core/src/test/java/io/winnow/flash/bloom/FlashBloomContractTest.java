package io.winnow.flash.bloom;

import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.IoCounters;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.drive.PageStoreTest;
import io.winnow.flash.drive.SimulatedDrive;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every Bloom filter on flash keeps: it answers as one in memory does. */
abstract class FlashBloomContractTest {
  static final int PAGE_BYTES = 4096;
  static final int BITS_PER_PAGE = (PAGE_BYTES - PageStore.HEADER_BYTES) * 8;

  /** The pages before those of bits. */
  static final int HEADS = 2;

  private static final Path GOLDEN = Path.of("src/test/resources/golden/bit-pages-v1");
  private static final int GOLDEN_KEYS = 5000;

  @TempDir private Path directory;
  private int stores;

  abstract PagedBloomFilter create(PageStore store, BloomSizing sizing, long memoryBytes)
      throws IOException;

  abstract PagedBloomFilter open(PageStore store, BloomSizing sizing, long memoryBytes)
      throws IOException;

  /** An empty store. */
  PageStore store() throws IOException {
    return PageStore.create(file(), PAGE_BYTES);
  }

  /** A path where no file is yet. */
  Path file() {
    return directory.resolve("store-" + stores++);
  }

  /** Of its golden file. */
  abstract String name();

  /** The pages of a key's bits, in the order of its positions. */
  static long[] pagesOf(BloomSizing sizing, long keyHash) {
    long[] pages = new long[sizing.hashFunctions()];
    BloomPositions.of(sizing, keyHash, pages);
    for (int i = 0; i < pages.length; i++) {
      pages[i] = HEADS + pages[i] / BITS_PER_PAGE;
    }
    return pages;
  }

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  /**
   * Inserts, lookups, syncs, closing and opening again; little memory, so that pages come and go.
   */
  @Test
  void itAnswersAsAFilterInMemoryAfterAnySequenceOfOperations() throws IOException {
    for (long seed = 1; seed <= (Boolean.getBoolean("winnow.long") ? 5 : 2); seed++) {
      Random random = new Random(seed);
      BloomSizing sizing =
          new BloomSizing(1000 + random.nextInt(20 * BITS_PER_PAGE), 1 + random.nextInt(20));
      long memoryBytes = PAGE_BYTES * (1L + random.nextInt(8));
      BloomModel model = new BloomModel(sizing);
      Path file = directory.resolve("bits-" + seed);
      PagedBloomFilter filter = create(PageStore.create(file, PAGE_BYTES), sizing, memoryBytes);
      long inserted = 0;
      for (int step = 0; step < 6000; step++) {
        String where = "seed " + seed + ", step " + step;
        int what = random.nextInt(1000);
        if (what < 500) {
          long keyHash = splitMix(seed, inserted++);
          filter.insert(keyHash);
          model.insert(keyHash);
        } else if (what < 995) {
          boolean present = inserted > 0 && random.nextBoolean();
          long keyHash =
              present ? splitMix(seed, (long) (random.nextDouble() * inserted)) : random.nextLong();
          assertEquals(model.mightContain(keyHash), filter.mightContain(keyHash), where);
        } else if (what < 998) {
          filter.sync();
        } else {
          filter.close();
          filter = open(PageStore.open(file, PAGE_BYTES), sizing, memoryBytes);
        }
      }
      filter.close();
      filter.close();
    }
  }

  @Test
  void noKeyIsLostAndTheRateIsTheExpectedOne() throws IOException {
    int keys = 50_000;
    int probes = 200_000;
    BloomSizing sizing = BloomSizing.forRate(keys, 0.01);
    long[] hashes = distinct(1, keys);
    try (PagedBloomFilter filter = create(store(), sizing, 10 * PAGE_BYTES)) {
      for (long hash : hashes) {
        filter.insert(hash);
      }
      for (int synced = 0; synced < 2; synced++) {
        for (long hash : hashes) {
          assertTrue(filter.mightContain(hash));
        }
        filter.sync();
      }
      int positives = 0;
      for (int i = 0; i < probes; i++) {
        positives += filter.mightContain(splitMix(~1, i)) ? 1 : 0;
      }
      double expected = sizing.expectedRate(keys);
      double sigma = Math.sqrt(expected * (1 - expected) / probes);
      assertEquals(expected, positives / (double) probes, 5 * sigma + spread(sizing, keys));
    }
  }

  /** What the number of set bits, which differs from its mean, may do to the rate: 5 sigma. */
  private static double spread(BloomSizing sizing, long keys) {
    double k = sizing.hashFunctions();
    double empty = Math.exp(-k * keys / sizing.bits());
    double sigma = Math.sqrt(empty * (1 - empty) / sizing.bits());
    return 5 * k * Math.pow(1 - empty, k - 1) * sigma;
  }

  /** Every key that looks at the damaged page first is present, and all that was inserted. */
  @Test
  void aDamagedPageIsAnsweredWithPresent() throws IOException {
    BloomSizing sizing = new BloomSizing(10 * BITS_PER_PAGE, 4);
    PageStore store = store();
    try (PagedBloomFilter filter = create(store, sizing, PAGE_BYTES)) {
      long[] hashes = distinct(3, 1000);
      for (long hash : hashes) {
        filter.insert(hash);
      }
      filter.sync();
      filter.mightContain(hashWithFirstPage(sizing, 9, 3)); // page 7 is in no cache of one page
      PageStoreTest.flipBit(store, 7, 800);
      for (long hash : hashes) {
        assertTrue(filter.mightContain(hash));
      }
      for (int from = 0; from < 100; from++) {
        assertTrue(filter.mightContain(hashWithFirstPage(sizing, 7, from)));
      }
      int absent = 0;
      for (int from = 0; from < 100; from++) {
        absent += filter.mightContain(hashWithFirstPage(sizing, 2, from)) ? 0 : 1;
      }
      assertTrue(absent > 90, "still a filter: " + absent);
      PageStoreTest.flipBit(store, 7, 800);
    }
  }

  /**
   * The inserts go on. Nobody knows which keys the page had, so it denies none from then on; even
   * if the damage was that of a read, and the page is as it was.
   */
  @Test
  void aDamagedPageThatIsChangedDeniesNoKey() throws IOException {
    BloomSizing sizing = new BloomSizing(10 * BITS_PER_PAGE, 4);
    Path file = directory.resolve("bits");
    PageStore store = PageStore.create(file, PAGE_BYTES);
    long[] before = distinct(5, 1000);
    long[] after = new long[10];
    byte[] good;
    try (PagedBloomFilter filter = create(store, sizing, PAGE_BYTES)) {
      for (long hash : before) {
        filter.insert(hash);
      }
      filter.sync();
      filter.mightContain(hashWithFirstPage(sizing, 9, 3)); // page 7 is in no cache of one page
      good = Files.readAllBytes(file);
      PageStoreTest.flipBit(store, 7, 800);
      for (int i = 0; i < after.length; i++) {
        after[i] = hashWithFirstPage(sizing, 7, i);
        filter.insert(after[i]);
        filter.sync();
      }
    }
    byte[] bytes = Files.readAllBytes(file);
    for (int i = 7 * PAGE_BYTES + PageStore.HEADER_BYTES; i < 8 * PAGE_BYTES; i++) {
      assertEquals(-1, bytes[i]);
    }
    look(file, 0, sizing, "written anew", before);
    look(file, 0, sizing, "written anew", after);
    System.arraycopy(good, 7 * PAGE_BYTES, bytes, 7 * PAGE_BYTES, PAGE_BYTES);
    Files.write(file, bytes);
    look(file, 0, sizing, "it comes back", before);
    assertTrue(look(file, 0, sizing, "it comes back", after) > 200, "still a filter");
  }

  /** Only a page's header knows of its writes after the last sync before a crash. */
  @Test
  void aVersionFromBeforeACrashIsOlderThanTheOneThatReplacesADamagedOne() throws IOException {
    BloomSizing sizing = new BloomSizing(10 * BITS_PER_PAGE, 4);
    Path file = file();
    Path left = file();
    try (PagedBloomFilter filter = create(PageStore.create(file, PAGE_BYTES), sizing, PAGE_BYTES)) {
      for (long hash : distinct(5, 300)) {
        filter.insert(hash);
      }
      Files.copy(file, left); // no sync, and page 7 was written some times
    }
    byte[] good = Files.readAllBytes(left);
    long[] after = distinct(6, 50); // the elevator reads adjacent pages for them
    PageStore store = PageStore.open(left, PAGE_BYTES);
    try (PagedBloomFilter filter = open(store, sizing, PAGE_BYTES)) {
      PageStoreTest.flipBit(store, 7, 800);
      for (long hash : after) {
        filter.insert(hash);
      }
    }
    byte[] bytes = Files.readAllBytes(left);
    for (int page = HEADS; page < HEADS + 10; page++) {
      assertEquals(page == 7, bytes[(page + 1) * PAGE_BYTES - 1] == -1, "page " + page);
    }
    System.arraycopy(good, 7 * PAGE_BYTES, bytes, 7 * PAGE_BYTES, PAGE_BYTES);
    Files.write(left, bytes);
    look(left, 0, sizing, "it comes back", after);
  }

  /**
   * What was synced is there after a power cut; a page that it tore answers "present". {@code
   * -Dwinnow.crash.kills=200} for a thousand cuts.
   */
  @Test
  void noPowerCutLosesAKeyThatWasSynced() throws IOException {
    int cuts = 0;
    int denied = 0;
    for (long next = 1; cuts < 5 * Integer.getInteger("winnow.crash.kills", 8); next++) {
      long seed = next;
      Random random = new Random(seed);
      BloomSizing sizing = new BloomSizing(12 * BITS_PER_PAGE, 4);
      Path place = Files.createDirectory(directory.resolve("seed-" + seed));
      long[] synced = new long[1];
      long id = seed;
      SimulatedDrive drive = new SimulatedDrive(place, new Random(seed), () -> synced[0], () -> 0);
      try (PagedBloomFilter filter =
          create(store(drive, place.resolve("bits"), id, true), sizing, 3 * PAGE_BYTES)) {
        filter.sync();
        drive.forceDirectory(place);
        for (int i = 0; i < 10_000; i++) {
          if (!drive.isCutAhead()) {
            drive.cutAfter(1 + random.nextInt(3000));
          }
          filter.insert(splitMix(seed, i));
          if (random.nextInt(300) == 0) {
            filter.sync();
            synced[0] = i + 1;
          }
          SimulatedDrive.Image image = drive.takeImage();
          if (image != null) {
            Path left = directory.resolve("left");
            image.writeTo(left);
            long[] known = new long[(int) image.acknowledged()];
            Arrays.setAll(known, key -> splitMix(seed, key));
            denied += look(left.resolve("bits"), id, sizing, "seed " + seed, known);
            cuts++;
          }
        }
      }
    }
    assertTrue(denied > 100 * cuts, "still a filter: " + denied + " in " + cuts);
  }

  /**
   * The drive does some writes elsewhere, or not at all, and says nothing. Those of the heads are
   * spared: with both, and both copies of the versions, and a page, nobody can know.
   */
  @Test
  void wrongWritesLoseNoKeyInSilence() throws IOException {
    long wrongWrites = 0;
    int refused = 0;
    int denied = 0;
    for (long seed = 1; seed <= 40; seed++) {
      BloomSizing sizing = new BloomSizing(12 * BITS_PER_PAGE, 4);
      Path place = Files.createDirectory(directory.resolve("wrong-" + seed));
      SimulatedDrive drive = new SimulatedDrive(place, new Random(seed), () -> 0, () -> 0);
      long[] hashes = distinct(seed, 6000);
      int inserted = 0;
      try (PagedBloomFilter filter =
          create(store(drive, place.resolve("bits"), 0, true), sizing, 3 * PAGE_BYTES)) {
        while (inserted < 3000) {
          filter.insert(hashes[inserted++]);
        }
        filter.sync();
        drive.spareWritesBefore(HEADS * PAGE_BYTES);
        long wrongFrom = 6000 - 15 * seed * seed / 8; // of the first ones, little but the sync's
        while (inserted < 6000) {
          if (inserted == wrongFrom) {
            drive.setWrongWrites(100_000, 100_000);
          }
          filter.insert(hashes[inserted]);
          inserted++;
        }
        filter.sync();
        drive.setWrongWrites(0, 0);
      }
      wrongWrites += drive.wrongWrites();
      try {
        denied += look(place.resolve("bits"), 0, sizing, "seed " + seed, hashes);
      } catch (FilterFormatException e) { // pages went where the heads are
        assertTrue(e.getMessage().contains("heads"), e.getMessage());
        refused++;
      }
    }
    assertTrue(refused < 10, "refused: " + refused);
    assertTrue(wrongWrites >= 40, "wrong writes: " + wrongWrites);
    assertTrue(denied > 1000, "still a filter: " + denied);
  }

  /** As long as one copy of the versions is torn, as after a power cut, the other one is spared. */
  @Test
  void oneCopyOfTheVersionsIsWholeAtEachMoment() throws IOException {
    BloomSizing sizing = new BloomSizing(2 * BITS_PER_PAGE, 4);
    int first = HEADS + 2; // the first copy
    int spared = 0;
    for (int torn = 0; torn < 2; torn++) {
      for (int requests = 1; requests <= 8; requests++) {
        Path place = Files.createDirectory(directory.resolve(torn + "-torn-" + requests));
        Path file = place.resolve("bits");
        PageStore store = PageStore.create(file, PAGE_BYTES);
        create(store, sizing, 1 << 20).close();
        PageStoreTest.flipBit(store, first + torn, 300);
        byte[] before = Files.readAllBytes(file);
        SimulatedDrive drive = new SimulatedDrive(place, new Random(1), () -> 0, () -> 0);
        PagedBloomFilter filter = open(store(drive, file, 0, false), sizing, 1 << 20);
        filter.insert(1);
        drive.stopIn(requests);
        assertThrows(IOException.class, filter::close);
        byte[] after = Files.readAllBytes(file);
        if (samePage(before, after, first + torn)) {
          assertTrue(samePage(before, after, first + 1 - torn), "requests: " + requests);
          spared++;
        }
      }
    }
    assertTrue(spared > 4 && spared < 14, "spared: " + spared);
  }

  /** A sync that failed in any of its writes: the next one leaves a file as the format has it. */
  @Test
  void aSyncAfterAFailedWriteWritesAllThatIsMissing() throws IOException {
    BloomSizing sizing = new BloomSizing(2 * BITS_PER_PAGE, 4);
    Path place = Files.createDirectory(directory.resolve("failing"));
    Path file = place.resolve("bits");
    SimulatedDrive drive = new SimulatedDrive(place, new Random(1), () -> 0, () -> 0);
    int failed = 0;
    try (PagedBloomFilter filter = create(store(drive, file, 0, true), sizing, 1 << 20)) {
      for (int failing = 1; failing <= 6; failing++) {
        for (int i = 0; i < 100; i++) {
          filter.insert(splitMix(failing, i));
        }
        int[] left = {failing};
        drive.failingWrites = path -> --left[0] == 0;
        try {
          filter.sync();
        } catch (IOException e) {
          failed++;
        }
        drive.failingWrites = path -> false;
        filter.sync();
        PlainBitPages plain = PlainBitPages.read(file);
        assertTrue(plain.mightContain(splitMix(failing, 0)));
      }
    }
    assertTrue(failed >= 4, "failed: " + failed); // pages, two copies of versions, a head
  }

  private static boolean samePage(byte[] a, byte[] b, int page) {
    int from = page * PAGE_BYTES;
    return Arrays.equals(a, from, from + PAGE_BYTES, b, from, from + PAGE_BYTES);
  }

  /** A page of another filter of the same size, in its place, is no page of this one. */
  @Test
  void aPageOfAnotherFilterIsAnsweredWithPresent() throws IOException {
    BloomSizing sizing = new BloomSizing(4 * BITS_PER_PAGE, 4);
    Path file = directory.resolve("bits");
    Path other = directory.resolve("other");
    for (Path each : new Path[] {file, other}) {
      long first = each == file ? 1 : 1000; // all pages are of one version, then
      try (PagedBloomFilter filter = create(PageStore.create(each, PAGE_BYTES), sizing, 1 << 20)) {
        for (long key = first; key < first + 100; key++) {
          filter.insert(key);
        }
      }
    }
    byte[] bytes = Files.readAllBytes(file);
    byte[] others = Files.readAllBytes(other);
    System.arraycopy(others, HEADS * PAGE_BYTES, bytes, HEADS * PAGE_BYTES, 4 * PAGE_BYTES);
    Files.write(file, bytes);
    try (PagedBloomFilter filter = open(PageStore.open(file, PAGE_BYTES), sizing, 1 << 20)) {
      assertTrue(filter.mightContain(1));
    }
    System.arraycopy(others, PAGE_BYTES, bytes, PAGE_BYTES, PAGE_BYTES);
    Files.write(file, bytes);
    assertRefused(file, sizing, "different filters");
  }

  private void assertRefused(Path file, BloomSizing sizing, String why) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> open(PageStore.open(file, PAGE_BYTES), sizing, 1 << 20));
    assertTrue(e.getMessage().contains(why), e.getMessage());
  }

  /** One head is enough; a file of anything else, or of another size, is none of this filter. */
  @Test
  void headsSayWhatItIs() throws IOException {
    BloomSizing sizing = new BloomSizing(2 * BITS_PER_PAGE, 4);
    Path file = directory.resolve("bits");
    PageStore store = PageStore.create(file, PAGE_BYTES);
    try (PagedBloomFilter filter = create(store, sizing, 1 << 20)) {
      filter.insert(1);
    }
    assertRefused(file, new BloomSizing(2 * BITS_PER_PAGE, 5), "5");
    assertRefused(file, new BloomSizing(2 * BITS_PER_PAGE - 1, 4), "bits");
    assertRefused(file, new BloomSizing(9 * BITS_PER_PAGE, 4), "bits");
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, whole.length - PAGE_BYTES));
    assertRefused(file, sizing, "pages, must have");
    FilterFormatException cut =
        assertThrows(FilterFormatException.class, () -> BitPages.openToRead(file));
    assertTrue(cut.getMessage().contains("insert the keys into a new filter"), cut.getMessage());
    Files.write(file, whole);
    for (int head = 0; head < HEADS; head++) {
      PageStoreTest.flipBit(store, head, 300);
      try (PagedBloomFilter filter = open(PageStore.open(file, PAGE_BYTES), sizing, 1 << 20)) {
        assertTrue(filter.mightContain(1));
        assertFalse(filter.mightContain(2));
      }
      PageStoreTest.flipBit(store, head, 300);
    }
    PageStoreTest.flipBit(store, 0, 300);
    PageStoreTest.flipBit(store, 1, 300);
    assertRefused(file, sizing, "both of its heads");
    PageStore zeros = store();
    BitPages.append(zeros, Files.size(file) / PAGE_BYTES, () -> 0);
    zeros.close();
    assertRefused(Path.of(zeros.name()), sizing, "both of its heads");
  }

  /** Each field of both heads, with checksums that match. */
  @Test
  void aHeadThatCannotBeBelievedIsRefused() throws IOException {
    BloomSizing sizing = new BloomSizing(2 * BITS_PER_PAGE, 4);
    Path file = directory.resolve("bits");
    create(PageStore.create(file, PAGE_BYTES), sizing, 1 << 20).close();
    byte[] good = Files.readAllBytes(file);
    assertFieldRefused(good, file, sizing, 0, "not a Bloom filter");
    assertFieldRefused(good, file, sizing, 8, "version");
    assertFieldRefused(good, file, sizing, 12, "a head has 133 hash functions");
    assertFieldRefused(good, file, sizing, 16, "both of its heads"); // it is of the other page
    assertFieldRefused(good, file, sizing, 24, "bits");
    assertFieldRefused(good, file, sizing, 31, "a head has");
    assertFieldRefused(good, file, sizing, 47, "a head has round");
    assertFieldRefused(good, file, sizing, 48, "after its last field");
    assertFieldRefused(good, file, sizing, 4087, "after its last field");
  }

  private void assertFieldRefused(byte[] good, Path file, BloomSizing sizing, int field, String why)
      throws IOException {
    Files.write(file, good);
    try (PageStore store = PageStore.open(file, PAGE_BYTES);
        PageFrame frame = PageFrames.allocate(1, PAGE_BYTES)) {
      for (int head = 0; head < HEADS; head++) {
        store.read(head, frame);
        int at = frame.payloadOffset(0) + field;
        frame.bytes.put(at, (byte) (frame.bytes.get(at) ^ 0x81));
        store.write(head, 1, frame);
      }
    }
    assertRefused(file, sizing, why);
  }

  /** {@code -Dwinnow.golden.write=true} writes the file if it does not exist. */
  @Test
  void theGoldenFileIsWrittenAndReadEqual() throws IOException {
    BloomSizing sizing = new BloomSizing(3 * BITS_PER_PAGE - 100, 3);
    Path file = directory.resolve(name());
    BitPages.create(PageStore.create(file, PAGE_BYTES), sizing, 0x0123_4567_89AB_CDEFL, () -> 0)
        .close();
    try (PagedBloomFilter filter = open(PageStore.open(file, PAGE_BYTES), sizing, 2 * PAGE_BYTES)) {
      for (int i = 0; i < GOLDEN_KEYS; i++) {
        filter.insert(splitMix(0, i));
        if (i == GOLDEN_KEYS / 2) {
          filter.sync();
        }
      }
    }
    Path golden = GOLDEN.resolve(name());
    if (Boolean.getBoolean("winnow.golden.write") && Files.notExists(golden)) {
      Files.copy(file, golden);
    }
    assertArrayEquals(Files.readAllBytes(golden), Files.readAllBytes(file));
    PlainBitPages plain = PlainBitPages.read(golden);
    for (int i = 0; i < GOLDEN_KEYS; i++) {
      assertTrue(plain.mightContain(splitMix(0, i)));
    }
    try (PagedBloomFilter filter = open(PageStore.open(file, PAGE_BYTES), sizing, 2 * PAGE_BYTES)) {
      for (int i = 0; i < GOLDEN_KEYS; i++) {
        assertEquals(plain.mightContain(splitMix(1, i)), filter.mightContain(splitMix(1, i)));
      }
    }
  }

  static PageStore store(FileAccess access, Path file, long id, boolean isNew) throws IOException {
    return isNew
        ? PageStore.create(access, file, PAGE_BYTES, id, false, new IoCounters())
        : PageStore.open(access, file, PAGE_BYTES, id, false, true, new IoCounters());
  }

  /** All of the keys are there; how many of a thousand others are not. */
  private int look(Path bits, long id, BloomSizing sizing, String where, long[] hashes)
      throws IOException {
    int denied = 0;
    try (PagedBloomFilter filter =
        open(store(FileAccess.SYSTEM, bits, id, false), sizing, 3 * PAGE_BYTES)) {
      for (int i = 0; i < hashes.length; i++) {
        assertTrue(filter.mightContain(hashes[i]), where + ", key " + i);
      }
      for (int i = 0; i < 1000; i++) {
        denied += filter.mightContain(splitMix(-1, i)) ? 0 : 1;
      }
    }
    return denied;
  }

  /** It answers, and can be synced and closed. */
  @Test
  void aStoreThatIsOnlyReadIsEnoughToAsk() throws IOException {
    BloomSizing sizing = new BloomSizing(2 * BITS_PER_PAGE, 4);
    Path file = directory.resolve("bits");
    try (PagedBloomFilter filter = create(PageStore.create(file, PAGE_BYTES), sizing, 1 << 20)) {
      filter.insert(1);
    }
    PageStore store =
        PageStore.open(FileAccess.SYSTEM, file, PAGE_BYTES, 0, false, false, new IoCounters());
    try (PagedBloomFilter filter = open(store, sizing, 1 << 20)) {
      assertTrue(filter.mightContain(1));
      assertFalse(filter.mightContain(2));
      filter.sync();
    }
  }

  /** Its pages may have any length, and one of its heads may be damaged. */
  @Test
  void aFileThatIsLookedAtSaysWhatItIs() throws IOException {
    BloomSizing sizing = new BloomSizing(5 * BITS_PER_PAGE, 4);
    for (int times = 1; times <= 256; times *= 4) {
      int pageBytes = times * PAGE_BYTES;
      Path file = file();
      create(PageStore.create(file, pageBytes), sizing, 1 << 24).close();
      try (PageStore damaged = PageStore.open(file, pageBytes)) {
        PageStoreTest.flipBit(damaged, 0, 300);
      }
      BitPages seen = BitPages.openToRead(file);
      assertEquals(pageBytes, seen.pageBytes());
      assertEquals(sizing.toString(), seen.sizing().toString());
      assertEquals(Files.size(file) / pageBytes, seen.pages());
      assertEquals(1, seen.verify(pages -> {}).size());
      seen.close();
      seen.close();
      assertThrows(IllegalStateException.class, seen::sizing);
      assertThrows(IllegalStateException.class, () -> seen.verify(pages -> {}));
    }
    Path other = file();
    create(PageStore.create(other, PAGE_BYTES), sizing, 1 << 24).close();
    byte[] good = Files.readAllBytes(other);
    for (byte[] bytes :
        new byte[][] {
          {},
          new byte[100],
          new byte[10 * PAGE_BYTES],
          Arrays.copyOf(good, good.length - 1),
          Arrays.copyOf(good, good.length - PAGE_BYTES),
          Arrays.copyOf(good, good.length + PAGE_BYTES)
        }) {
      Files.write(other, bytes);
      FilterFormatException e =
          assertThrows(FilterFormatException.class, () -> BitPages.openToRead(other));
      assertTrue(e.getMessage().contains(other + " cannot be used"), e.getMessage());
    }
  }

  static long hashWithFirstPage(BloomSizing sizing, long page, long from) {
    long i = from * 1000;
    while (pagesOf(sizing, splitMix(99, i))[0] != page) {
      i++;
    }
    return splitMix(99, i);
  }

  @Test
  void misuseIsRefused() throws IOException {
    BloomSizing sizing = new BloomSizing(2 * BITS_PER_PAGE, 4);
    assertThrows(IllegalArgumentException.class, () -> create(store(), sizing, 10));
    assertThrows(FilterFormatException.class, () -> open(store(), sizing, 1 << 20));
    PageStore used = store();
    create(used, new BloomSizing(BITS_PER_PAGE + 1, 4), 1 << 20).close();
    assertThrows(IllegalArgumentException.class, () -> create(used, sizing, 1 << 20));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            open(
                PageStore.open(Path.of(used.name()), PAGE_BYTES),
                new BloomSizing(2 * BITS_PER_PAGE + 1, 4),
                1 << 20));
    PageStore refused = PageStore.open(Path.of(used.name()), PAGE_BYTES);
    assertThrows(IllegalArgumentException.class, () -> open(refused, new BloomSizing(64, 4), 4096));
    assertThrows(ClosedChannelException.class, refused::force);
  }
}
