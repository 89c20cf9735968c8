package io.winnow.flash.buffered;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.flash.drive.DirectoryLock;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.SimulatedDrive;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Drives that fail, crashes and power cuts: no key is ever denied. */
class BufferedBloomFaultTest extends BufferedBloomFaults {
  private static final int CUTS = 5 * Integer.getInteger("winnow.crash.kills", 8);

  // ---- Drives that fail ----

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDriveThatFailsForAWhileLosesNothing(boolean reads) throws IOException {
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      insert(filter, 0, KEYS);
      drive.failingReads = path -> reads;
      drive.failingWrites = path -> !reads;
      int inserted = KEYS;
      IOException failure = null;
      while (failure == null) {
        try {
          filter.insert(splitMix(1, inserted));
          inserted++;
        } catch (IOException e) {
          failure = e;
        }
      }
      assertTrue(failure.getMessage().contains("(injected)"), failure.getMessage());
      assertThrows(IOException.class, filter::sync);
      assertThrows(IOException.class, filter::drain);
      assertAllPresent(filter, 0, inserted, "while it fails");
      assertEquals(reads ? 0 : 1, Math.min(1, denied(filter)));
      probe(filter, KEYS);
      assertThrows(IOException.class, filter::drain);
      assertTold(KEYS);
      assertEquals(0, filter.statistics().get(BufferedBloomCount.WAITING_PROBES));
      drive.failingReads = path -> false;
      drive.failingWrites = path -> false;
      insert(filter, inserted, inserted + KEYS);
      filter.sync();
      assertAllPresent(filter, 0, inserted + KEYS, "afterwards");
      assertTrue(filter.isWhole());
      assertTrue(denied(filter) > 800);
      assertEquals(0, filter.statistics().get(BufferedBloomCount.REPLACED_PAGES));
    }
  }

  /** The drive may have lost what was written, and the next fsync would not tell. */
  @Test
  void anFsyncThatFailedIsFailedForEver() throws IOException {
    BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options());
    insert(filter, 0, KEYS);
    filter.sync(5);
    insert(filter, KEYS, 2 * KEYS);
    drive.failingFsyncs = path -> true;
    assertThrows(IOException.class, () -> filter.sync(6));
    drive.failingFsyncs = path -> false;
    assertFalse(filter.isWhole());
    assertEquals(0, denied(filter));
    probe(filter, KEYS);
    filter.drain();
    assertTrue(absent.isEmpty());
    insert(filter, KEYS, 2 * KEYS); // again
    assertThrows(IOException.class, () -> filter.sync(7));
    IOException refused = assertThrows(IOException.class, filter::declareWhole);
    assertTrue(refused.getMessage().contains("open it again"), refused.getMessage());
    assertFalse(filter.isWhole());
    assertEquals(5, filter.mark());
    assertThrows(IOException.class, filter::close);

    try (BufferedBloomFilter again = BufferedBloomFilter.open(directory, options())) {
      assertFalse(again.isWhole());
      assertEquals(5, again.mark());
      insert(again, KEYS, 2 * KEYS);
      again.declareWhole();
      assertTrue(again.isWhole());
      assertTrue(denied(again) > 900);
      again.sync(7);
    }
    try (BufferedBloomFilter again = BufferedBloomFilter.open(directory, options())) {
      assertTrue(again.isWhole());
      assertEquals(7, again.mark());
      assertAllPresent(again, 0, 2 * KEYS, "opened again");
    }
  }

  /** An interrupt closes a channel, and would hide what an fsync says, which is said once. */
  @Test
  void anInterruptDoesNotHideAFailedFsync() throws IOException {
    BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options());
    insert(filter, 0, KEYS);
    boolean[] failed = new boolean[1];
    drive.failingFsyncs =
        path -> {
          boolean first = !failed[0];
          failed[0] = true;
          return first;
        };
    Thread.currentThread().interrupt();
    assertThrows(IOException.class, filter::sync);
    assertTrue(Thread.interrupted(), "the thread is told all the same");
    assertFalse(filter.isWhole());
    assertThrows(IOException.class, filter::close);
  }

  /** The first insert after a sync has to be written down. */
  @Test
  void anInsertThatCannotBeWrittenDownIsNoInsert() throws IOException {
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      drive.failingWrites = path -> true;
      assertThrows(IOException.class, () -> filter.insert(splitMix(1, 0)));
      assertEquals(0, filter.statistics().get(BufferedBloomCount.KEYS));
      drive.failingWrites = path -> false;
      filter.insert(splitMix(1, 0));
      assertTrue(filter.mightContain(splitMix(1, 0)));
      assertNull(filter.statistics().lastFailure());
    }
  }

  /** It was written, and perhaps is safe, that keys come in. Nobody knows until it is opened. */
  @Test
  void afterAFailedFsyncOfTheHeadNoKeyComesIn() throws IOException {
    BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options());
    drive.failingFsyncs = path -> true;
    assertThrows(IOException.class, () -> filter.insert(splitMix(1, 0)));
    drive.failingFsyncs = path -> false;
    IOException refused = assertThrows(IOException.class, () -> filter.insert(splitMix(1, 0)));
    assertTrue(refused.getMessage().contains("open it again"), refused.getMessage());
    assertEquals(0, filter.statistics().get(BufferedBloomCount.KEYS));
    filter.close();
    try (BufferedBloomFilter again = BufferedBloomFilter.open(directory, options())) {
      assertFalse(again.isWhole(), "it says that a key may have come in");
      again.insert(splitMix(1, 0));
      again.declareWhole();
      assertTrue(again.mightContain(splitMix(1, 0)));
      assertTrue(denied(again) > 990);
    }
  }

  /** Its name, that is: an opening would find it, and take it for safe. */
  @Test
  void aFilterThatCannotBeMadeSafeIsNotThere() throws IOException {
    for (int seed = 0; seed < 8; seed++) {
      directory = directory.resolveSibling("made-" + seed);
      Files.createDirectory(directory);
      SimulatedDrive power = new SimulatedDrive(directory, new Random(seed), () -> 0, () -> 0);
      BufferedBloomOptions options = options().fileAccess(power);
      power.failingFsyncs = path -> Files.exists(file());
      assertThrows(IOException.class, () -> BufferedBloomFilter.open(directory, options));
      power.failingFsyncs = path -> false;
      Path left = directory.resolveSibling("left-" + seed);
      try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
        insert(filter, 0, KEYS);
        filter.sync();
        power.cutNow().writeTo(left);
      }
      try (BufferedBloomFilter filter = BufferedBloomFilter.open(left, options())) {
        assertAllPresent(filter, 0, KEYS, "after a cut");
      }
    }
  }

  /** As after a crash: its name is there, and its directory was not made safe. */
  @Test
  void anOpeningMakesTheNameSafe() throws IOException {
    Files.createDirectory(directory);
    SimulatedDrive power = new SimulatedDrive(directory, new Random(1), () -> 0, () -> 0);
    BufferedBloomFilter.open(directory, options().fileAccess(power)).close();
    Path before = directory.resolve("filter.new");
    power.replace(file(), before);
    power.forceDirectory(directory);
    power.replace(before, file());
    try (BufferedBloomFilter filter =
        BufferedBloomFilter.open(directory, options().fileAccess(power))) {
      insert(filter, 0, KEYS);
      filter.sync();
      for (int cut = 0; cut < 8; cut++) {
        assertTrue(power.cutNow().files().containsKey("filter"));
      }
    }
  }

  /** All of its pages are safe before it gets its name. */
  @Test
  void aNewFilterSurvivesAPowerCut() throws IOException {
    for (int seed = 0; seed < 8; seed++) {
      directory = directory.resolveSibling("new-" + seed);
      Files.createDirectory(directory);
      SimulatedDrive power = new SimulatedDrive(directory, new Random(seed), () -> 0, () -> 0);
      Path left = directory.resolveSibling("left-" + seed);
      try (BufferedBloomFilter filter =
          BufferedBloomFilter.open(directory, options().fileAccess(power))) {
        assertTrue(filter.isWhole());
        power.cutNow().writeTo(left);
      }
      try (BufferedBloomFilter filter = BufferedBloomFilter.open(left, options())) {
        assertTrue(filter.isWhole());
        assertEquals(1000, denied(filter));
      }
    }
  }

  /** Another process takes the directory over while pages are being synced. */
  @Test
  void aSyncDuringWhichTheDirectoryIsLostPromisesNothing() throws IOException {
    BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options());
    insert(filter, 0, KEYS);
    drive.afterFsync =
        () -> {
          try {
            Files.writeString(directory.resolve(DirectoryLock.NAME), "another owner's");
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    assertThrows(IOException.class, filter::sync);
    assertThrows(IOException.class, filter::close);
  }

  @Test
  void aCloseThatFailsLeavesItNotWhole() throws IOException {
    BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options());
    insert(filter, 0, KEYS);
    drive.failingWrites = path -> true;
    assertThrows(IOException.class, filter::close);
    drive.failingWrites = path -> false;
    try (BufferedBloomFilter again = BufferedBloomFilter.open(directory, options())) {
      assertFalse(again.isWhole());
      assertAllPresent(again, 0, KEYS, "not whole");
      insert(again, 0, KEYS);
      again.declareWhole();
      assertAllPresent(again, 0, KEYS, "whole");
      assertTrue(denied(again) > 950);
    }
  }

  // ---- Crashes ----

  /** As a process that dies leaves it: what was written is there, and what waited is not. */
  @Test
  void afterACrashItSaysMaybeUntilItIsWholeAgain() throws IOException {
    Path copy = Files.createDirectory(directory.resolveSibling("copy"));
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      insert(filter, 0, KEYS);
      filter.sync(KEYS);
      Files.copy(file(), copy.resolve("filter"));
      try (BufferedBloomFilter whole = BufferedBloomFilter.open(copy, options())) {
        assertTrue(whole.isWhole(), "nothing has come in since the sync");
      }
      insert(filter, KEYS, KEYS + 1);
      Files.delete(copy.resolve("filter"));
      Files.copy(file(), copy.resolve("filter"));
    }
    for (int opening = 0; opening < 2; opening++) { // to close it makes it no more whole
      try (BufferedBloomFilter filter = BufferedBloomFilter.open(copy, options())) {
        assertFalse(filter.isWhole());
        assertEquals(0, denied(filter));
        assertEquals(KEYS, filter.mark());
        assertTrue(filter.mightContain(splitMix(1, KEYS)));
        probe(filter, KEYS + 1);
        assertTold(KEYS + 1);
        assertTrue(absent.isEmpty());
        assertTrue(filter.probe(splitMix(2, 0)).getNow(false), "nothing to wait for");
        insert(filter, KEYS + 1, KEYS + 2);
      }
    }
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(copy, options())) {
      insert(filter, KEYS, KEYS + 1);
      filter.declareWhole();
      assertTrue(filter.isWhole());
      assertAllPresent(filter, 0, KEYS + 2, "whole again");
      assertTrue(denied(filter) > 950);
    }
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(copy, options())) {
      assertTrue(filter.isWhole());
      assertAllPresent(filter, 0, KEYS + 2, "opened again");
    }
  }

  /** The sync has been through its block then, and must not say that the filter is whole. */
  @Test
  void aKeyThatComesInDuringASyncIsNotForgotten() throws IOException {
    Path crashed = Files.createDirectory(directory.resolveSibling("crashed"));
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      insert(filter, 0, KEYS);
      drive.afterFsync =
          () -> {
            try {
              insert(filter, KEYS, KEYS + 1);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          };
      filter.sync(KEYS);
      assertEquals(1, filter.statistics().get(BufferedBloomCount.WAITING_KEYS));
      Files.copy(file(), crashed.resolve("filter"));
      filter.sync(KEYS + 1);
    }
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(crashed, options())) {
      assertFalse(filter.isWhole());
      assertEquals(KEYS, filter.mark());
      assertTrue(filter.mightContain(splitMix(1, KEYS)));
    }
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options())) {
      assertTrue(filter.isWhole());
      assertTrue(filter.mightContain(splitMix(1, KEYS)));
    }
  }

  /**
   * The power is cut at random, with any sectors of what was written since the last fsync on the
   * drive, or none. What is then opened has every key that it should have, and knows whether others
   * may be missing. {@code -Dwinnow.crash.kills=200} for a thousand cuts.
   */
  @ParameterizedTest
  @ValueSource(ints = {4096, 16384})
  void noPowerCutLosesAKey(int pageBytes) throws IOException {
    int[] cuts = new int[2];
    for (long seed = 42 + pageBytes; cuts[0] + cuts[1] < CUTS; seed++) {
      directory = directory.resolveSibling("seed-" + seed);
      cutPower(pageBytes, seed, cuts);
    }
    assertTrue(cuts[0] > 30 && cuts[1] > 3, "not whole: " + cuts[0] + ", whole: " + cuts[1]);
  }

  private void cutPower(int pageBytes, long seed, int... cuts) throws IOException {
    Random random = new Random(seed);
    Files.createDirectory(directory);
    SimulatedDrive power = new SimulatedDrive(directory, new Random(seed), () -> 0, () -> 0);
    int[] synced = new int[2]; // returned, and called with
    BufferedBloomOptions options =
        options().pageBytes(pageBytes).pages(8).requestBytes(4 * 4096).fileAccess(power);
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      for (int i = 0; i < 5000; i++) {
        if (!power.isCutAhead()) {
          power.cutAfter(1 + random.nextInt(2));
        }
        filter.insert(splitMix(1, i));
        check(power, options, i, synced, random, cuts);
        if (random.nextInt(100) == 0) {
          synced[1] = i + 1;
          filter.sync(i + 1);
          check(power, options, i + 1, synced, random, cuts);
          synced[0] = i + 1;
        }
      }
    }
    Path closed = directory.resolveSibling("closed");
    power.cutNow().writeTo(closed);
    assertTrue(check(closed, options, 5000, synced, random), "it was closed");
  }

  /** If the power was cut: looks at what that left. */
  private void check(
      SimulatedDrive power,
      BufferedBloomOptions options,
      int inserted,
      int[] synced,
      Random random,
      int[] cuts)
      throws IOException {
    SimulatedDrive.Image image = power.takeImage();
    if (image != null) {
      Path after = directory.resolveSibling("after");
      image.writeTo(after);
      cuts[check(after, options, inserted, synced, random) ? 1 : 0]++;
    }
  }

  private boolean check(
      Path after, BufferedBloomOptions options, int inserted, int[] synced, Random random)
      throws IOException {
    BufferedBloomOptions sound = options.fileAccess(FileAccess.SYSTEM);
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(after, sound)) {
      int mark = (int) filter.mark();
      assertTrue(mark == synced[0] || mark == synced[1], mark + " of " + synced[0]);
      assertAllPresent(filter, 0, inserted, "after a cut");
      boolean whole = filter.isWhole();
      if (!whole) {
        if (random.nextBoolean()) {
          insert(filter, mark, inserted);
          filter.declareWhole();
          assertAllPresent(filter, 0, inserted, "inserted again");
        } else {
          filter.declareWhole();
          assertAllPresent(filter, 0, mark, "synced");
        }
      }
      return whole;
    }
  }

  private static LongStream fortySeeds() {
    return LongStream.rangeClosed(1, 40);
  }

  /**
   * The drive does some writes elsewhere, or not at all, and says nothing. Those of the heads are
   * spared: if both since the last sync are lost, and both copies of the versions and a page,
   * nobody can know.
   */
  @ParameterizedTest
  @MethodSource("fortySeeds")
  void wrongWritesLoseNoKeyInSilence(long seed) throws IOException {
    Files.createDirectory(directory);
    SimulatedDrive wrong = new SimulatedDrive(directory, new Random(seed), () -> 0, () -> 0);
    BufferedBloomOptions options = options().requestBytes(4096).fileAccess(wrong);
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      insert(filter, 0, KEYS / 2);
      filter.sync();
      wrong.spareWritesBefore(BufferedBloomHead.BYTES);
      wrong.setWrongWrites(150_000, 150_000);
      insert(filter, KEYS / 2, KEYS);
      filter.sync();
      assertAllPresent(filter, 0, KEYS, "while it is open");
      wrong.setWrongWrites(0, 0);
    }
    try (BufferedBloomFilter filter =
        BufferedBloomFilter.open(directory, options.fileAccess(FileAccess.SYSTEM))) {
      assertAllPresent(filter, 0, KEYS, wrong.wrongWrites() + " wrong writes");
    } catch (FilterFormatException e) {
      assertTrue(e.getMessage().contains("heads"), e.getMessage());
    }
  }
}
