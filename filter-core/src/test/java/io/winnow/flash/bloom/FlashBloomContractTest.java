package io.winnow.flash.bloom;

import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.IoCounters;
import io.winnow.flash.store.PageFrames;
import io.winnow.flash.store.PageStore;
import io.winnow.flash.store.PageStoreTest;
import io.winnow.flash.store.SimulatedDrive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every Bloom filter on flash keeps: it answers as one in memory does. */
abstract class FlashBloomContractTest {
  static final int PAGE_BYTES = 4096;
  static final int BITS_PER_PAGE = (PAGE_BYTES - PageStore.HEADER_BYTES) * 8;

  @TempDir private Path directory;
  private int stores;

  abstract PagedBloomFilter create(PageStore store, BloomSizing sizing, long memoryBytes)
      throws IOException;

  abstract PagedBloomFilter open(PageStore store, BloomSizing sizing, long memoryBytes)
      throws IOException;

  /** An empty store. */
  PageStore store() throws IOException {
    return PageStore.create(directory.resolve("store-" + stores++), PAGE_BYTES);
  }

  /** The pages of a key's bits, in the order of its positions. */
  static long[] pagesOf(BloomSizing sizing, long keyHash) {
    long[] pages = new long[sizing.hashFunctions()];
    BloomPositions.of(sizing, keyHash, pages);
    for (int i = 0; i < pages.length; i++) {
      pages[i] /= BITS_PER_PAGE;
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
      BloomFilter model = BloomFilter.of(sizing);
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

  /** The change of a damaged page is refused by name, and nothing is lost by that. */
  @Test
  void aDamagedPageIsNeverWritten() throws IOException {
    BloomSizing sizing = new BloomSizing(10 * BITS_PER_PAGE, 4);
    PageStore store = store();
    try (PagedBloomFilter filter = create(store, sizing, PAGE_BYTES)) {
      long before = splitMix(5, 0);
      filter.insert(before);
      filter.sync();
      filter.mightContain(hashWithFirstPage(sizing, 9, 3));
      PageStoreTest.flipBit(store, 7, 800);
      DamagedPageException e =
          assertThrows(
              DamagedPageException.class,
              () -> {
                for (int i = 0; i < 10; i++) {
                  filter.insert(hashWithFirstPage(sizing, 7, i));
                  filter.sync();
                }
              });
      assertEquals(7, e.page());
      assertEquals(store.name(), e.file());
      assertTrue(filter.mightContain(before));
      assertTrue(filter.mightContain(hashWithFirstPage(sizing, 7, 0)));
      PageStoreTest.flipBit(store, 7, 800);
      filter.insert(hashWithFirstPage(sizing, 7, 0));
      filter.sync();
      assertTrue(filter.mightContain(hashWithFirstPage(sizing, 7, 0)));
    }
  }

  /**
   * What was synced is there after a power cut; a page that it tore answers "present". {@code
   * -Dwinnow.crash.kills=200} for a thousand cuts.
   */
  @Test
  void noPowerCutLosesAKeyThatWasSynced() throws IOException {
    int cuts = 0;
    int denied = 0;
    for (long seed = 1; cuts < 5 * Integer.getInteger("winnow.crash.kills", 8); seed++) {
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
            denied += look(left.resolve("bits"), id, sizing, seed, image.acknowledged());
            cuts++;
          }
        }
      }
    }
    assertTrue(denied > 100 * cuts, "still a filter: " + denied + " in " + cuts);
  }

  private static PageStore store(FileAccess access, Path file, long id, boolean isNew)
      throws IOException {
    return isNew
        ? PageStore.create(access, file, PAGE_BYTES, id, false, new IoCounters())
        : PageStore.open(access, file, PAGE_BYTES, id, false, true, new IoCounters());
  }

  private int look(Path bits, long id, BloomSizing sizing, long seed, long synced)
      throws IOException {
    int denied = 0;
    try (PagedBloomFilter filter =
        open(store(FileAccess.SYSTEM, bits, id, false), sizing, 3 * PAGE_BYTES)) {
      for (int i = 0; i < synced; i++) {
        assertTrue(filter.mightContain(splitMix(seed, i)), "seed " + seed + ", key " + i);
      }
      for (int i = 0; i < 1000; i++) {
        denied += filter.mightContain(splitMix(~seed, i)) ? 0 : 1;
      }
    }
    return denied;
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
    assertThrows(IllegalArgumentException.class, () -> open(store(), sizing, 1 << 20));
    PageStore used = store();
    create(used, new BloomSizing(BITS_PER_PAGE + 1, 4), 1 << 20).close();
    assertThrows(IllegalArgumentException.class, () -> create(used, sizing, 1 << 20));
    assertThrows(
        IllegalArgumentException.class,
        () -> open(used, new BloomSizing(2 * BITS_PER_PAGE + 1, 4), 1 << 20));
  }
}
