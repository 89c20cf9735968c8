package io.winnow.flash;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged pages, drives that fail, crashes and power cuts: no key is ever denied. */
class BufferedBloomFaultTest {
  private static final int KEYS = 6000;

  @TempDir private Path temporary;

  private final FaultyAccess drive = new FaultyAccess(20261122);
  private final BitSet absent = new BitSet();
  private final BitSet told = new BitSet();
  private Path directory;

  @BeforeEach
  void makeDirectory() throws IOException {
    directory = temporary.toRealPath().resolve("bloom");
  }

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  private BufferedBloomOptions options() {
    return BufferedBloomOptions.defaults()
        .pages(16)
        .hashFunctions(3)
        .requestBytes(4 * 4096)
        .memoryBudget(2 * 4 * 4096 + 4 * 1000)
        .maxWait(Duration.ofMinutes(9))
        .directIo(false)
        .fileAccess(drive)
        .onAnswer(
            (tag, mightContain) -> {
              told.set(tag);
              absent.set(tag, !mightContain);
            });
  }

  private Path file() {
    return directory.resolve("filter");
  }

  private static void insert(BufferedBloomFilter filter, int from, int to) throws IOException {
    for (int i = from; i < to; i++) {
      filter.insert(splitMix(1, i));
    }
  }

  private static void assertAllPresent(BufferedBloomFilter filter, int from, int to, String where) {
    for (int i = from; i < to; i++) {
      assertTrue(filter.mightContain(splitMix(1, i)), where + ": key " + i + " is lost");
    }
  }

  /** How many of 1000 other keys are denied. */
  private static int denied(BufferedBloomFilter filter) {
    int denied = 0;
    for (int i = 0; i < 1000; i++) {
      denied += filter.mightContain(splitMix(2, i)) ? 0 : 1;
    }
    return denied;
  }

  /** Probes each of the first keys later, and 1000 others. */
  private void probe(BufferedBloomFilter filter, int keys) {
    told.clear();
    absent.clear();
    for (int i = 0; i < keys; i++) {
      filter.probe(splitMix(1, i), i);
    }
    for (int i = 0; i < 1000; i++) {
      filter.probe(splitMix(2, i), keys + i);
    }
  }

  private void assertTold(int keys) {
    assertEquals(keys + 1000, told.cardinality());
    assertTrue(absent.nextSetBit(0) == -1 || absent.nextSetBit(0) >= keys, "a key was denied");
  }

  private static void flip(Path file, long at) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.seek(at);
      int was = open.read();
      open.seek(at);
      open.write(was ^ 4);
    }
  }

  // ---- Damaged pages ----

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDamagedPageAnswersPresentAndTakesKeys(boolean reopened) throws IOException {
    BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options());
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
    BufferedBloomStatistics statistics = filter.statistics();
    assertTrue(statistics.doubts() > 0);
    assertTrue(statistics.lastFailure() instanceof DamagedPageException);
    assertTrue(statistics.lastFailure().getMessage().contains("page 7"), "with two heads before");
    probe(filter, KEYS);
    filter.drain();
    assertTold(KEYS);
    assertEquals(0, filter.statistics().replacedPages(), "a probe changes nothing");

    insert(filter, KEYS, 2 * KEYS);
    filter.sync();
    assertEquals(1, filter.statistics().replacedPages());
    assertAllPresent(filter, 0, 2 * KEYS, "replaced");
    filter.close();
    filter = BufferedBloomFilter.open(directory, options());
    assertTrue(filter.isWhole());
    assertAllPresent(filter, 0, 2 * KEYS, "opened again");
    assertEquals(0, filter.statistics().doubts(), "the page is good, and full");
    BitSet page = PlainBufferedBloom.read(file()).pages[5];
    assertEquals(4088 * 8, page.cardinality());
    filter.close();
  }

  /** Any bytes of the pages, at random, again and again. */
  @Test
  void noDamageToPagesLosesAKey() throws IOException {
    for (long seed = 1; seed <= 10; seed++) {
      directory = directory.resolveSibling("bloom-" + seed);
      Random random = new Random(seed);
      BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options());
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

  // ---- Heads ----

  /** It may have been the newer one, and have said anything. A new one is written over it. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void withADamagedHeadItIsNotWhole(int head) throws IOException {
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options())) {
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
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options())) {
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

  /** Every field of both heads, and the size of the file. */
  @Test
  void whatCannotBeBelievedIsRefused() throws IOException {
    BufferedBloomFilter.create(directory, options()).close();
    byte[] good = Files.readAllBytes(file());
    assertRefused(good, "", new int[] {0, 0}, 0); // both damaged
    assertRefused(good, "no buffered Bloom filter", new int[] {}, 0);
    assertRefused(good, "version", new int[] {}, 8);
    assertRefused(good, "state", new int[] {}, 12);
    assertRefused(good, "sequence", new int[] {}, 16);
    assertRefused(good, "keys", new int[] {}, 39);
    assertRefused(good, "pages", new int[] {}, 40);
    assertRefused(good, "pages", new int[] {}, 44);
    assertRefused(good, "pages", new int[] {}, 48);
    assertRefused(good, "hash functions", new int[] {}, 52);
    assertRefused(good, "entries", new int[] {}, 53);
    assertRefused(good, "hash", new int[] {}, 54);
    assertRefused(good, "last field", new int[] {}, 56);
    assertRefused(good, "last field", new int[] {}, 4087);
    Files.write(file(), Arrays.copyOf(good, good.length - 4096));
    assertTrue(refused().contains("17 pages"), refused());
    Files.write(file(), Arrays.copyOf(good, good.length + 4096));
    assertTrue(refused().contains("19 pages"), refused());
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
      bytes[at] = (byte) (field == 39 ? 0x80 : field == 16 ? bytes[at] ^ 1 : bytes[at] + 93);
      if (damage.length == 0) {
        stamp(bytes, page);
      }
    }
    Files.write(file(), bytes);
    assertTrue(refused().contains(reason), refused());
  }

  private static void stamp(byte[] bytes, int page) {
    try (PageFrame frame = PageFrames.allocate(1, 4096)) {
      frame.bytes().put(0, bytes, page * 4096, 4096);
      new PageChecksum().stamp(frame, 0, page, 1);
      frame.bytes().get(0, bytes, page * 4096, 4096);
    }
  }

  private String refused() {
    return assertThrows(
            FilterFormatException.class, () -> BufferedBloomFilter.open(directory, options()))
        .getMessage();
  }

  // ---- Drives that fail ----

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDriveThatFailsForAWhileLosesNothing(boolean reads) throws IOException {
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options())) {
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
      assertEquals(0, filter.statistics().waitingProbes());
      drive.failingReads = path -> false;
      drive.failingWrites = path -> false;
      insert(filter, inserted, inserted + KEYS);
      filter.sync();
      assertAllPresent(filter, 0, inserted + KEYS, "afterwards");
      assertTrue(filter.isWhole());
      assertTrue(denied(filter) > 800);
      assertEquals(0, filter.statistics().replacedPages());
    }
  }

  /** The drive may have lost what was written, and the next fsync would not tell. */
  @Test
  void anFsyncThatFailedIsFailedForEver() throws IOException {
    BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options());
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
    BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options());
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
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options())) {
      drive.failingWrites = path -> true;
      assertThrows(IOException.class, () -> filter.insert(splitMix(1, 0)));
      assertEquals(0, filter.statistics().keys());
      drive.failingWrites = path -> false;
      filter.insert(splitMix(1, 0));
      assertTrue(filter.mightContain(splitMix(1, 0)));
      assertNull(filter.statistics().lastFailure());
    }
  }

  /** It was written, and perhaps is safe, that keys come in. Nobody knows until it is opened. */
  @Test
  void afterAFailedFsyncOfTheHeadNoKeyComesIn() throws IOException {
    BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options());
    drive.failingFsyncs = path -> true;
    assertThrows(IOException.class, () -> filter.insert(splitMix(1, 0)));
    drive.failingFsyncs = path -> false;
    IOException refused = assertThrows(IOException.class, () -> filter.insert(splitMix(1, 0)));
    assertTrue(refused.getMessage().contains("open it again"), refused.getMessage());
    assertEquals(0, filter.statistics().keys());
    filter.close();
    try (BufferedBloomFilter again = BufferedBloomFilter.open(directory, options())) {
      assertFalse(again.isWhole(), "it says that a key may have come in");
      again.insert(splitMix(1, 0));
      again.declareWhole();
      assertTrue(again.mightContain(splitMix(1, 0)));
      assertTrue(denied(again) > 990);
    }
  }

  @Test
  void aCloseThatFailsLeavesItNotWhole() throws IOException {
    BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options());
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
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options())) {
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
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options())) {
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
      assertEquals(1, filter.statistics().waitingKeys());
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
   * may be missing.
   */
  @ParameterizedTest
  @ValueSource(ints = {4096, 16384})
  void noPowerCutLosesAKey(int pageBytes) throws IOException {
    long seed = 42 + pageBytes;
    Random random = new Random(seed);
    Files.createDirectory(directory);
    SimulatedDrive power = new SimulatedDrive(directory, new Random(seed), () -> 0, () -> 0);
    int[] synced = new int[2]; // returned, and called with
    int[] cuts = new int[2];
    BufferedBloomOptions options =
        options().pageBytes(pageBytes).pages(8).requestBytes(4 * 4096).fileAccess(power);
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options)) {
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
    assertTrue(cuts[0] > 30 && cuts[1] > 3, "not whole: " + cuts[0] + ", whole: " + cuts[1]);
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
}
