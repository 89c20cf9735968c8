package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.DamagedPageException;
import io.winnow.flash.Durability;
import io.winnow.flash.FaultyAccess;
import io.winnow.flash.MemoryPageStore;
import io.winnow.flash.PageFrames;
import io.winnow.flash.PageStore;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a drive can do to a filter while it runs. */
class CascadeFaultTest {
  private static final long SEED = 20261121;

  @TempDir private Path directory;
  private final FaultyAccess faults = new FaultyAccess(SEED);

  private CascadeOptions options() {
    return CascadeOptions.defaults()
        .memoryBudget(1 << 19)
        .fanOut(2)
        .expectedMaximum(1_000_000)
        .fileAccess(faults);
  }

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  private static long key(long i) {
    return TestHashes.splitMix(SEED, i);
  }

  private static void insert(CascadeFilter filter, long from, long to) throws IOException {
    for (long i = from; i < to; i++) {
      filter.insert(key(i));
    }
  }

  /** Of many keys the last thousand, and a few thousand of the others. */
  private static void assertPresent(CascadeFilter filter, long from, long to) {
    long step = Math.max(1, (to - from) / 2000);
    long[] keys =
        LongStream.range(from, to)
            .filter(i -> i >= to - 1000 || i % step == 0)
            .map(CascadeFaultTest::key)
            .toArray();
    assertEquals(keys.length, filter.mightContain(keys, 0, keys.length).cardinality());
    assertEquals(0, filter.statistics().failedLookups());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shortReadsAndWritesMakeNoDifference(boolean direct) throws IOException {
    faults.shortTransfers = true;
    CascadeOptions options = options().directIo(direct);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      insert(filter, 0, 300_000);
      filter.awaitMerges();
      assertTrue(filter.statistics().entriesMerged() > 0);
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      assertPresent(filter, 0, 300_000);
    }
  }

  @Test
  void aFullDriveIsAClearErrorAndNothingIsLost() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      insert(filter, 0, 200_000);
      filter.awaitMerges();
      faults.freeBytes.set(600_000);
      long taken = 200_000;
      IOException full = null;
      while (full == null) {
        try {
          filter.insert(key(taken));
          taken++;
        } catch (IOException e) {
          full = e;
        }
        assertTrue(taken < 10_000_000, "it never got full");
      }
      assertTrue(full.getMessage().contains("No space left"), full.getMessage());
      assertTrue(full.getMessage().contains(directory.toString()), full.getMessage());
      assertPresent(filter, 0, taken);
      faults.freeBytes.set(Long.MAX_VALUE);
      insert(filter, taken, taken + 200_000);
      filter.awaitMerges();
      assertPresent(filter, 0, taken + 200_000);
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      assertPresent(filter, 0, 400_000);
    }
  }

  /** Who goes on after a failure, goes on after the keys that are in. */
  @Test
  void aBatchThatFailsSaysHowManyKeysAreIn() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options().deletes(true))) {
      long[] keys = LongStream.range(0, 300_000).map(CascadeFaultTest::key).toArray();
      int count = keys.length - 100;
      faults.freeBytes.set(400_000);
      IOException full = assertThrows(IOException.class, () -> filter.insert(keys, 100, count));
      Matcher said =
          Pattern.compile("the first (\\d+) of 299900 keys are in: .*").matcher(full.getMessage());
      assertTrue(said.matches(), full.getMessage());
      int in = Integer.parseInt(said.group(1));
      assertEquals(filter.statistics().operations(), in);
      faults.freeBytes.set(Long.MAX_VALUE);
      filter.insert(keys, 100 + in, count - in);
      filter.awaitMerges();
      assertPresent(filter, 100, keys.length);
      try (Fingerprints fingerprints = filter.fingerprints()) {
        for (int i = 0; i < count; i++) {
          assertTrue(fingerprints.next());
        }
        assertFalse(fingerprints.next(), "one is in twice");
      }
    }
  }

  /** The manifest is the new one by then, and names the file that the merge wrote. */
  @Test
  void anErrorAfterTheManifestWasRenamedLosesNoLevel() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      faults.failingFsyncs =
          path -> {
            if (path.equals(directory) && faults.replaced) {
              throw new OutOfMemoryError("injected");
            }
            return false;
          };
      faults.replaced = false;
      long capacity = filter.statistics().memoryCapacity();
      insert(filter, 0, capacity + capacity / 2);
      while (filter.statistics().lastMergeFailure() == null) {
        Thread.onSpinWait();
      }
      faults.failingFsyncs = path -> false;
      filter.sync();
      assertPresent(filter, 0, capacity + capacity / 2);
    }
    faults.failingFsyncs = path -> false;
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      long capacity = filter.statistics().memoryCapacity();
      assertPresent(filter, 0, capacity + capacity / 2);
    }
  }

  /** An old failure is no reason to fail: what is waited for is tried again. */
  @Test
  void whatFailedOnAFullDriveIsTriedAgain() throws IOException {
    CascadeOptions options = options().durability(Durability.NONE);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      insert(filter, 0, 1000);
      faults.freeBytes.set(0);
      assertThrows(IOException.class, filter::sync);
      assertThrows(IOException.class, filter::awaitMerges);
      faults.freeBytes.set(Long.MAX_VALUE);
      filter.awaitMerges();
      assertEquals(0, filter.statistics().frozenEntries());
      assertEquals(1, filter.statistics().levels().size());
      insert(filter, 1000, 2000);
      faults.freeBytes.set(0);
      assertThrows(IOException.class, filter::sync);
      faults.freeBytes.set(Long.MAX_VALUE);
      filter.sync();
      assertPresent(filter, 0, 2000);
    }
  }

  @Test
  void afterAFailedFsyncOfTheLogNothingIsPromisedAnyMore() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      insert(filter, 0, 5000);
      filter.sync();
      insert(filter, 5000, 6000);
      faults.failingFsyncs = path -> path.getFileName().toString().startsWith("log-");
      assertThrows(IOException.class, filter::sync);
      faults.failingFsyncs = path -> false;
      IOException refused = assertThrows(IOException.class, () -> filter.insert(key(6000)));
      assertTrue(refused.getMessage().contains("fsync"), refused.getMessage());
      assertPresent(filter, 0, 6000);
      assertThrows(IOException.class, filter::close);
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      assertPresent(filter, 0, 5000);
      insert(filter, 5000, 6000);
    }
  }

  /** The operating system tells of a lost write once, and an interrupt shall not hide that. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFailedFsyncIsFailedForEverWhateverInterruptsCome(boolean interrupted) throws IOException {
    AtomicInteger failures = new AtomicInteger();
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      insert(filter, 0, 5000);
      filter.sync();
      insert(filter, 5000, 6000);
      faults.failingFsyncs =
          path ->
              path.getFileName().toString().startsWith("log-") && failures.getAndIncrement() == 0;
      for (int i = 0; i < 3; i++) {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        assertThrows(IOException.class, filter::sync);
        assertEquals(interrupted, Thread.interrupted());
      }
      assertThrows(IOException.class, () -> filter.insert(key(6000)));
      assertEquals(1, failures.get(), "nobody asked again");
      assertThrows(IOException.class, filter::close);
    }
  }

  @Test
  void anInterruptIsNoFailureOfAnFsync() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      for (int i = 0; i < 100; i++) {
        insert(filter, i, i + 1);
        Thread.currentThread().interrupt();
        filter.sync();
        assertTrue(Thread.interrupted());
      }
      assertPresent(filter, 0, 100);
    }
  }

  /** Whatever fails, and whenever: what a sync acknowledged is there at the next opening. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void failingFsyncsLoseNothingThatWasAcknowledged(long seed) throws IOException {
    Random random = new Random(seed);
    Durability[] durabilities = {Durability.NONE, Durability.ON_SYNC, Durability.everyN(20_000)};
    long safe = 0;
    long next = 0;
    int failures = 0;
    for (int opening = 0; opening < 6 || failures == 0; opening++) {
      faults.failingFsyncs = path -> false;
      CascadeOptions options = options().durability(durabilities[random.nextInt(3)]);
      CascadeFilter filter = CascadeFilter.open(directory, options);
      try {
        assertPresent(filter, 0, safe);
        next = safe; // what was not acknowledged may be there or not: insert it again
        faults.failingFsyncs =
            path -> {
              synchronized (random) {
                return random.nextInt(25) == 0;
              }
            };
        for (int step = 0; step < 8; step++) {
          long until = next + random.nextInt(30_000);
          while (next < until) {
            filter.insert(key(next));
            next++;
          }
          filter.sync();
          safe = next;
        }
      } catch (IOException e) {
        failures++;
      } finally {
        try {
          filter.close();
          safe = next;
        } catch (IOException e) {
          failures++;
        }
      }
    }
    faults.failingFsyncs = path -> false;
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      assertPresent(filter, 0, safe);
    }
  }

  /** A level of some thirty pages, by itself. */
  private Path oneLevel(CascadeFilter filter) throws IOException {
    insert(filter, 0, 40_000);
    filter.sync();
    filter.awaitMerges();
    return directory.resolve("level-" + filter.statistics().levels().get(0).file());
  }

  private static void damage(Path level, int firstPage, int step, long pages) throws IOException {
    byte[] bytes = Files.readAllBytes(level);
    for (int page = firstPage; page < pages; page += step) {
      bytes[page * 4096 + 1234] ^= 16;
    }
    Files.write(level, bytes);
  }

  @Test
  void aDriveThatLosesAThirdOfALevelIsNoPlaceForAMerge() throws IOException {
    CascadeOptions options = options().durability(Durability.NONE);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      Path level = oneLevel(filter);
      damage(level, 0, 3, filter.statistics().levels().get(0).pages());
      int positives = 0;
      for (long i = 0; i < 40_000; i += 20) {
        assertTrue(filter.mightContain(key(i)));
        positives += filter.mightContain(key(-1 - i)) ? 1 : 0;
      }
      assertTrue(positives > 2000 / 4, "a damaged page has to answer present: " + positives);
      CascadeStatistics statistics = filter.statistics();
      assertTrue(statistics.failedLookups() > 0);
      assertInstanceOf(DamagedPageException.class, statistics.lastLookupFailure());
      assertTrue(statistics.lastLookupFailure().getMessage().contains(level.toString()));
      insert(filter, 40_000, 40_010);
      IOException failure = assertThrows(IOException.class, filter::sync);
      assertTrue(
          failure.getMessage().matches("(?s).*page \\d+ of .*level-.*"), failure::getMessage);
      for (long i = 0; i < 40_010; i += 10) {
        assertTrue(filter.mightContain(key(i)));
      }
      assertEquals(0, filter.statistics().doubtfulShare());
      assertThrows(IOException.class, filter::close);
    }
  }

  /** What a page had is in doubt from then on, for good; everything else goes on as ever. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPageThatIsLostCostsItsRangeAndNoInserts(boolean deletes) throws IOException {
    CascadeOptions options = options().durability(Durability.NONE).deletes(deletes);
    double share;
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      Path level = oneLevel(filter);
      long pages = filter.statistics().levels().get(0).pages();
      damage(level, 7, 1000, pages);
      insert(filter, 40_000, 400_000);
      filter.awaitMerges();
      assertInstanceOf(DamagedPageException.class, filter.statistics().lastMergeFailure());
      share = filter.statistics().doubtfulShare();
      assertTrue(share > 0 && share < 2.0 / pages, share + " of " + pages + " pages");
      assertPresent(filter, 0, 400_000);
      if (deletes) {
        filter.delete(key(3));
      }
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      assertEquals(share, filter.statistics().doubtfulShare());
      assertPresent(filter, 4, 400_000);
      long[] absent = LongStream.range(1, 20_001).map(i -> key(-i)).toArray();
      int positives = filter.mightContain(absent, 0, absent.length).cardinality();
      double expected = absent.length * (share + filter.statistics().expectedRate());
      assertEquals(expected, positives, 5 * Math.sqrt(expected));
    }
  }

  /**
   * A drive may write a page to another place, or not at all, or bring an old one back: none of
   * these is the page that was meant, though its checksum is right where it belongs.
   */
  @ParameterizedTest
  @ValueSource(strings = {"another file's", "another place's", "an old one", "zeros"})
  void aPageThatIsNotTheOneThatWasMeantIsDoubt(String what) throws IOException {
    CascadeOptions options = options().durability(Durability.NONE).fanOut(4);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      Path first = oneLevel(filter);
      byte[] old = Files.readAllBytes(first);
      insert(filter, 40_000, 150_000);
      filter.sync();
      filter.awaitMerges();
      CascadeStatistics.Level level = filter.statistics().levels().get(0);
      Path path = directory.resolve("level-" + level.file());
      byte[] bytes = Files.readAllBytes(path);
      byte[] other = what.equals("another place's") ? bytes.clone() : old;
      for (int page = 0; page < Math.min(level.pages(), 20); page++) {
        int from = what.equals("another place's") ? page + 1 : page;
        byte[] source = what.equals("zeros") ? new byte[other.length] : other;
        System.arraycopy(source, from * 4096, bytes, page * 4096, 4096);
      }
      Files.write(path, bytes);
      long[] keys = LongStream.range(0, 150_000).map(CascadeFaultTest::key).toArray();
      assertEquals(keys.length, filter.mightContain(keys, 0, keys.length).cardinality());
      assertTrue(filter.statistics().failedLookups() > 0);
    }
  }

  /** Which is right for its file and place by its checksum, and begins with another fence. */
  @Test
  void aPageThatTheFencesDoNotMeanIsDamaged() throws IOException {
    SlotShape shape = new SlotShape(40, false);
    SlotBuffer slots = new SlotBuffer();
    slots.ensure(3);
    slots.slots[0] = 5L << 8;
    slots.slots[1] = 6L << 8;
    slots.slots[2] = 7L << 8;
    slots.size = 3;
    PageStore store = MemoryPageStore.create("a level", 4096);
    try (CodedPages pages = CodedPages.of(shape, slots, 30, 4096)) {
      store.append(1, pages.frames().get(0));
    }
    for (int fence : new int[] {5, 4}) {
      CascadeLevel level =
          new CascadeLevel(shape, 1, 0, 1, 3, new int[] {fence}, store, ended -> {});
      if (fence == 5) {
        assertEquals(1, Copies.keys(level.find(6L << 8, new Counters(CascadeListener.NONE))));
      } else {
        assertThrows(
            DamagedPageException.class,
            () -> level.find(6L << 8, new Counters(CascadeListener.NONE)));
      }
    }
  }

  @Test
  void aReadThatFailsIsAnsweredPresent() throws IOException {
    CascadeFilter filter = CascadeFilter.open(directory, options().durability(Durability.NONE));
    try (filter) {
      insert(filter, 0, 20_000);
      filter.sync();
      filter.awaitMerges();
      Path level = directory.resolve("level-" + filter.statistics().levels().get(0).file());
      try (var channel =
          java.nio.channels.FileChannel.open(level, java.nio.file.StandardOpenOption.WRITE)) {
        channel.truncate(0);
      }
      long[] keys = new long[200];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = key(i);
        assertTrue(filter.mightContain(keys[i]));
      }
      assertEquals(200, filter.mightContain(keys, 0, keys.length).cardinality());
      assertEquals(400, filter.statistics().failedLookups());
    }
    assertFalse(Files.exists(directory.resolve("MANIFEST.new")));
  }

  /** The caller was told that it is not in, and deletes again: both would be one too many. */
  @Test
  void anOperationThatCouldNotBeLoggedIsNotInTheLogEither() throws IOException {
    Path path = directory.resolve("cascade");
    CascadeOptions options = options().deletes(true).durability(Durability.everyN(1));
    try (CascadeFilter filter = CascadeFilter.open(path, options)) {
      filter.insert(key(1));
      filter.insert(key(1));
      faults.freeBytes.set(0);
      assertThrows(IOException.class, () -> filter.delete(key(1)));
      faults.freeBytes.set(Long.MAX_VALUE);
      filter.delete(key(1));
      assertTrue(filter.mightContain(key(1)));
      try (CascadeFilter afterACrash = CascadeFilter.open(copy(path), options)) {
        assertTrue(afterACrash.mightContain(key(1)));
      }
    }
  }

  /** A part of a level in memory, taken away and put back. */
  private static final class Hole {
    private final Object[] partitions;
    private final int number;
    private final Object taken;

    /** Where the next operation on a key has to make room first. */
    Hole(CascadeFilter filter, long key) throws Exception {
      SlotShape shape = field(filter, "shape", SlotShape.class);
      MemoryLevel active = field(filter, "levels", Levels.class).openView().active;
      int spanBits = field(active, "spanBits", Integer.class);
      Arrivals arrivals = field(active, "arrivals", Arrivals.class);
      partitions = field(active, "partitions", Object[].class);
      number = (int) (shape.slot(shape.fingerprint(key)) >>> spanBits);
      long[] others =
          LongStream.range(1000, 1_000_000)
              .map(CascadeFaultTest::key)
              .filter(k -> shape.slot(shape.fingerprint(k)) >>> spanBits == number)
              .limit(arrivals.room(number))
              .toArray();
      filter.insert(others, 0, others.length);
      assertTrue(arrivals.isFull(number));
      taken = partitions[number];
      partitions[number] = null;
    }

    void close() {
      partitions[number] = taken;
    }

    private static <T> T field(Object of, String name, Class<T> type) throws Exception {
      Field field = of.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return type.cast(field.get(of));
    }
  }

  /** It needs room in memory, and making that fails: it is neither in the log nor in memory. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anOperationThatMemoryCannotTakeIsNotInTheLogEither(boolean together) throws Exception {
    Path path = directory.resolve("cascade");
    CascadeOptions options =
        options()
            .deletes(true)
            .durability(together ? Durability.everyN(1) : Durability.everyN(1000));
    try (CascadeFilter filter = CascadeFilter.open(path, options)) {
      filter.insert(key(1));
      filter.insert(key(1));
      Hole hole = new Hole(filter, key(1));
      assertThrows(NullPointerException.class, () -> filter.delete(key(1)));
      hole.close();
      filter.delete(key(1));
      assertTrue(filter.mightContain(key(1)));
      filter.sync();
      try (CascadeFilter afterACrash = CascadeFilter.open(copy(path), options)) {
        assertTrue(afterACrash.mightContain(key(1)));
      }
    }
  }

  /** A delete whose fsync failed did not happen: who tries again takes one copy, not two. */
  @Test
  void anOperationWhoseFsyncFailedIsNotThereAtTheNextOpening() throws IOException {
    CascadeOptions options = options().deletes(true).durability(Durability.everyN(1));
    CascadeFilter filter = CascadeFilter.open(directory, options);
    filter.insert(key(1));
    filter.insert(key(1));
    faults.failingFsyncs = path -> path.getFileName().toString().startsWith("log-");
    assertThrows(IOException.class, () -> filter.delete(key(1)));
    faults.failingFsyncs = path -> false;
    assertThrows(IOException.class, () -> filter.delete(key(1)), "nothing more is taken in");
    assertThrows(IOException.class, filter::close);
    try (CascadeFilter again = CascadeFilter.open(directory, options)) {
      again.delete(key(1));
      assertTrue(again.mightContain(key(1)));
      again.delete(key(1));
      assertFalse(again.mightContain(key(1)));
    }
  }

  /** The volume is others' too: a merge that has no room is not begun. */
  @Test
  void aMergeThatHasNoRoomIsNotBegun() throws IOException {
    CascadeOptions options = options().durability(Durability.NONE);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      insert(filter, 0, 100_000);
      filter.awaitMerges();
      faults.tellsOfSpace = true;
      faults.freeBytes.set(3 << 20);
      long taken = 100_000;
      IOException full = null;
      while (full == null) {
        try {
          filter.insert(key(taken));
          taken++;
        } catch (IOException e) {
          full = e;
        }
        assertTrue(taken < 10_000_000, "it never got full");
      }
      assertTrue(full.getMessage().contains("No space left for a merge"), full.getMessage());
      assertTrue(faults.freeBytes.get() >= 1 << 20, "left: " + faults.freeBytes.get());
      assertPresent(filter, 0, taken);
      faults.freeBytes.set(Long.MAX_VALUE);
      insert(filter, taken, taken + 100_000);
      filter.awaitMerges();
      assertPresent(filter, 0, taken + 100_000);
    }
  }

  /** The mark is for noticing damage; that it cannot be written is no reason to refuse a key. */
  @Test
  void anOperationThatIsSafeIsInThoughTheMarkIsNot() throws IOException {
    Path path = directory.resolve("cascade");
    CascadeOptions options = options().durability(Durability.everyN(1));
    try (CascadeFilter filter = CascadeFilter.open(path, options)) {
      faults.freeBytes.set(40); // a block of one operation, and no more
      filter.insert(key(1));
      assertEquals(0, faults.freeBytes.get());
      faults.freeBytes.set(Long.MAX_VALUE);
      filter.insert(key(2));
      try (CascadeFilter afterACrash = CascadeFilter.open(copy(path), options)) {
        assertPresent(afterACrash, 1, 3);
      }
    }
  }

  /** What a kill leaves. */
  private Path copy(Path path) throws IOException {
    Path copy = Files.createDirectory(directory.resolve("copy"));
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy;
  }

  @Test
  void aCloseThatFailsAfterTheLastReadHarmsNobody() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      faults.failingCloses = path -> path.getFileName().toString().startsWith("level-");
      insert(filter, 0, 400_000);
      filter.awaitMerges();
      assertTrue(filter.statistics().entriesMerged() > filter.statistics().entriesFlushed());
      assertEquals(null, filter.statistics().lastMergeFailure());
      assertPresent(filter, 0, 400_000);
    }
  }

  /** No answer, rather than "not there". */
  @Test
  void anErrorInABatchIsTheCallers() throws IOException {
    try (CascadeFilter filter =
        CascadeFilter.open(directory, options().durability(Durability.NONE))) {
      insert(filter, 0, 20_000);
      filter.sync();
      filter.awaitMerges();
      long[] keys = LongStream.range(0, 500).map(CascadeFaultTest::key).toArray();
      faults.readError = new InternalError("injected");
      assertThrows(InternalError.class, () -> filter.mightContain(keys, 0, keys.length));
      assertThrows(InternalError.class, () -> filter.mightContain(keys[0]));
      faults.readError = null;
      assertEquals(500, filter.mightContain(keys, 0, keys.length).cardinality());
    }
  }

  /** An interrupt closes the files that are read, and merges have deleted them by then. */
  @Test
  void fingerprintsOutliveMergesAndInterrupts() throws IOException {
    CascadeOptions options = options().durability(Durability.NONE);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      insert(filter, 0, 150_000);
      filter.sync();
      filter.awaitMerges();
      int found = 0;
      try (Fingerprints fingerprints = filter.fingerprints()) {
        insert(filter, 150_000, 600_000);
        filter.awaitMerges();
        while (fingerprints.next()) {
          if (found++ % 1000 == 0) {
            Thread.currentThread().interrupt();
          }
        }
        assertTrue(Thread.interrupted());
      }
      assertEquals(150_000, found, 20.0);
      try (Stream<Path> files = Files.list(directory)) {
        assertEquals(
            filter.statistics().levels().size(),
            files.filter(file -> file.getFileName().toString().startsWith("level-")).count());
      }
    }
  }

  @Test
  void fingerprintsAreAllThereAfterAReadThatFailed() throws IOException {
    try (CascadeFilter filter =
        CascadeFilter.open(directory, options().durability(Durability.NONE))) {
      insert(filter, 0, 40_000);
      filter.sync();
      filter.awaitMerges();
      insert(filter, 40_000, 50_000);
      Random random = new Random(SEED);
      faults.failingReads = path -> random.nextInt(3) == 0;
      int failures = 0;
      int fingerprints = 0;
      try (Fingerprints all = filter.fingerprints()) {
        for (boolean more = true; more; ) {
          try {
            more = all.next();
            fingerprints += more ? 1 : 0;
          } catch (IOException e) {
            failures++;
          }
        }
      }
      faults.failingReads = path -> false;
      assertTrue(failures > 0);
      assertEquals(filter.statistics().levels().get(0).entries() + 10_000, fingerprints, 5);
    }
  }
}
