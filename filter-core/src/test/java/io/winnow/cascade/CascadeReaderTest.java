package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import io.winnow.TestHashes;
import io.winnow.flash.drive.FaultyAccess;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.IoCounters;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.drive.RecordLog;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Directories that are read, alone and beside the filter that writes them. */
class CascadeReaderTest {
  private static final long SEED = 416;

  @TempDir private Path temporary;

  private static CascadeOptions options() {
    return CascadeOptions.defaults().memoryBudget(1 << 19).fanOut(2).expectedMaximum(1_000_000);
  }

  private static long key(long i) {
    return TestHashes.splitMix(SEED, i);
  }

  private static long[] keys(long from, long to) {
    return LongStream.range(from, to).map(CascadeReaderTest::key).toArray();
  }

  private Path filled(String name, int onFlash, int logged) throws IOException {
    Path directory = temporary.resolve(name);
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      filter.insert(keys(0, onFlash), 0, onFlash);
      filter.snapshot(temporary.resolve(name + "-flushes")); // it writes all to flash
      filter.awaitMerges();
      filter.insert(keys(onFlash, onFlash + logged), 0, logged);
    }
    return directory;
  }

  // ---- Beside a writer ----

  /** What a filter had at one moment. */
  private static final class Moment {
    private final CascadeReader reader;
    private final int[] copies;

    Moment(CascadeReader reader, int[] copies) {
      this.reader = reader;
      this.copies = copies.clone();
    }

    void check(String message) throws IOException {
      BitSet answers = reader.mightContain(keys(0, copies.length), 0, copies.length);
      long all = 0;
      for (int i = 0; i < copies.length; i++) {
        assertTrue(copies[i] == 0 || answers.get(i), message + ", key " + i);
        all += copies[i];
      }
      try (Fingerprints fingerprints = Fingerprints.of(reader)) {
        for (long i = 0; i < all; i++) {
          assertTrue(fingerprints.next(), message);
        }
        assertFalse(fingerprints.next(), message);
      }
      assertEquals(0, reader.statistics().get(CascadeCount.FAILED_LOOKUPS), message);
    }
  }

  /** Each reader keeps what there was at its opening, whatever becomes of the files. */
  @Test
  void readersHaveTheModelOfTheirMoment() throws IOException {
    Path directory = temporary.resolve("cascade");
    Random random = new Random(SEED);
    int[] copies = new int[40_000];
    List<Moment> moments = new ArrayList<>();
    try (CascadeFilter filter = CascadeFilter.open(directory, options().deletes(true).rate(1e-6))) {
      for (int round = 0; round < 6; round++) {
        for (int n = 0; n < 8000; n++) {
          int i = random.nextInt(copies.length);
          if (copies[i] > 0 && random.nextInt(3) == 0) {
            filter.delete(key(i));
            copies[i]--;
          } else {
            filter.insert(key(i));
            copies[i]++;
          }
        }
        filter.sync();
        moments.add(new Moment(CascadeReader.open(directory), copies));
        moments.get(round).check("round " + round);
      }
      filter.awaitMerges();
      for (int round = 0; round < moments.size(); round++) {
        moments.get(round).check("round " + round + ", later");
      }
    }
    Moment last = new Moment(CascadeReader.open(directory), copies);
    last.check("closed");
    for (Moment moment : moments) {
      moment.reader.close();
    }
    last.reader.close();
  }

  @Test
  void whatWasSyncedBeforeTheOpeningIsThereWhileAFilterMerges() throws Exception {
    Path directory = temporary.resolve("cascade");
    AtomicLong synced = new AtomicLong();
    AtomicBoolean end = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (CascadeFilter filter = CascadeFilter.open(directory, options().mergeThreads(2))) {
      Thread writer =
          new Thread(
              () -> {
                try {
                  for (long i = 0; !end.get(); i += 5000) {
                    filter.insert(keys(i, i + 5000), 0, 5000);
                    filter.sync();
                    synced.set(i + 5000);
                  }
                } catch (IOException | RuntimeException | Error e) {
                  failure.set(e);
                }
              });
      writer.start();
      try {
        long enough = 2 * filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
        for (int i = 0; i < 20 || synced.get() < enough && failure.get() == null; i++) {
          long before = synced.get();
          try (CascadeReader reader = CascadeReader.open(directory)) {
            int step = (int) Math.max(1, before / 1000);
            for (long k = before - 1; k >= 0; k -= step) {
              assertTrue(reader.mightContain(key(k)), "key " + k + " of " + before);
            }
            assertEquals(0, reader.statistics().get(CascadeCount.FAILED_LOOKUPS));
          }
        }
      } finally {
        end.set(true);
        writer.join();
      }
      assertEquals(null, failure.get());
      assertFalse(filter.statistics().levels().isEmpty(), "it merged meanwhile");
    }
  }

  /**
   * Between two steps of an opening a filter writes the log to a level and deletes it. That looks
   * as if there had been no log.
   */
  @Test
  void aLogThatBecomesALevelMeanwhileIsNotMissed() throws IOException {
    Path directory = filled("cascade", 9000, 500);
    Manifest.read(directory).closed(Map.of()).write(FileAccess.SYSTEM, directory); // a crash
    Path level = level(directory);
    AtomicBoolean first = new AtomicBoolean(true);
    FaultyAccess access = new FaultyAccess(SEED);
    access.failingReads =
        path -> {
          if (path.equals(level) && first.getAndSet(false)) {
            writeLogs(directory);
          }
          return false;
        };
    try (CascadeReader reader = CascadeReader.open(directory, options().fileAccess(access))) {
      assertFalse(first.get());
      assertEquals(9500, reader.mightContain(keys(0, 9500), 0, 9500).cardinality());
      assertEquals(0, reader.statistics().get(CascadeCount.FAILED_LOOKUPS));
    }
  }

  private static void writeLogs(Path directory) {
    try (CascadeFilter filter =
        CascadeFilter.open(directory, options().durability(Durability.NONE))) {
      filter.sync();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // ---- Alone ----

  private static Map<String, List<Object>> state(Path directory) throws IOException {
    Map<String, List<Object>> state = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        state.put(
            file.getFileName().toString(),
            List.of(Files.getLastModifiedTime(file), KeyHash.XXH3.hash(Files.readAllBytes(file))));
      }
    }
    return state;
  }

  @Test
  void nothingIsChangedAndNothingIsNeeded() throws IOException {
    Path directory = filled("cascade", 9000, 500);
    Files.delete(directory.resolve("LOCK"));
    Files.write(directory.resolve("level-999"), new byte[4096]); // a leftover
    Map<String, List<Object>> before = state(directory);
    try (CascadeReader reader = CascadeReader.open(directory)) {
      assertEquals(9500, reader.mightContain(keys(0, 9500), 0, 9500).cardinality());
      assertTrue(reader.verify(pages -> {}).isEmpty());
      CascadeStatistics statistics = reader.statistics();
      assertEquals(500, statistics.get(CascadeCount.MEMORY_ENTRIES));
      assertEquals(2, statistics.get(CascadeCount.FAN_OUT));
      assertEquals(9000, statistics.levels().stream().mapToLong(level -> level.entries()).sum());
      assertEquals(9000, statistics.get(CascadeCount.FLASH_ENTRIES));
      long bytes = 0;
      for (CascadeStatistics.Level level : statistics.levels()) {
        bytes += Files.size(directory.resolve("level-" + level.file()));
      }
      assertEquals(bytes, statistics.get(CascadeCount.FLASH_BYTES));
      assertEquals(500, reader.logs().stream().mapToLong(log -> log.records()).sum());
      assertEquals(before, state(directory));
      try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
        assertEquals(
            filter.statistics().get(CascadeCount.MEMORY_CAPACITY),
            statistics.get(CascadeCount.MEMORY_CAPACITY));
        assertEquals(filter.fingerprintBits(), reader.fingerprintBits());
        filter.insert(keys(0, 100_000), 0, 100_000); // a reader keeps nobody out
      }
      assertEquals(9500, reader.mightContain(keys(0, 9500), 0, 9500).cardinality());
      assertEquals(0, reader.statistics().get(CascadeCount.FAILED_LOOKUPS));
    }
  }

  @Test
  void aDirectoryThatIsNoneIsRefused() throws IOException {
    FilterFormatException e =
        assertThrows(FilterFormatException.class, () -> CascadeReader.open(temporary));
    assertTrue(e.getMessage().contains("MANIFEST"), e.getMessage());
    Path directory = filled("cascade", 9000, 500);
    Path log = RecordLog.path(directory, 1);
    for (long number = 1; !Files.exists(log); number++) {
      log = RecordLog.path(directory, number);
    }
    long number = Long.parseLong(log.getFileName().toString().substring(4));
    Files.copy(log, RecordLog.path(directory, number + 5));
    e = assertThrows(FilterFormatException.class, () -> CascadeReader.open(directory));
    assertTrue(e.getMessage().contains("missing"), e.getMessage());
    Files.delete(RecordLog.path(directory, number + 5));
    CascadeReader.open(directory).close();
    Path level = level(directory);
    Files.delete(level);
    e = assertThrows(FilterFormatException.class, () -> CascadeReader.open(directory));
    assertTrue(e.getMessage().contains(level.toString()), e.getMessage());
  }

  @Test
  void aClosedOneAnswersNobody() throws IOException {
    CascadeReader reader = CascadeReader.open(filled("cascade", 3000, 10));
    reader.close();
    reader.close();
    assertThrows(IllegalStateException.class, () -> reader.mightContain(1));
    assertThrows(IllegalStateException.class, reader::holdView);
  }

  // ---- Damage ----

  private static Path level(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("level-"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static List<DamagedPageException> verify(Path directory) throws IOException {
    AtomicLong pages = new AtomicLong();
    try (CascadeReader reader = CascadeReader.open(directory)) {
      List<DamagedPageException> found = reader.verify(pages::addAndGet);
      long there = reader.statistics().levels().stream().mapToLong(l -> l.pages()).sum();
      assertEquals(there, pages.get());
      return found;
    }
  }

  @Test
  void eachDamagedPageIsFound() throws IOException {
    Path directory = filled("cascade", 60_000, 10);
    Path level = level(directory);
    byte[] whole = Files.readAllBytes(level);
    assertEquals(List.of(), verify(directory));
    byte[] bytes = whole.clone();
    bytes[3 * 4096 + 1000] ^= 16;
    System.arraycopy(whole, 5 * 4096, bytes, 9 * 4096, 4096); // misdirected
    Files.write(level, bytes);
    List<DamagedPageException> found = verify(directory);
    assertEquals(List.of(3L, 9L), found.stream().map(DamagedPageException::page).toList());
    assertEquals(level.toString(), found.get(0).file());
    bytes = whole.clone();
    bytes[bytes.length - 4000] ^= 1;
    Files.write(level, bytes);
    assertLevelIsRefused(directory, level);
    Files.write(level, Arrays.copyOf(whole, whole.length - 10));
    assertLevelIsRefused(directory, level);
    Files.write(level, Arrays.copyOf(whole, whole.length - 4096));
    assertLevelIsRefused(directory, level);
  }

  /** A filter and a reader refuse the directory, and say what is wrong and what to do. */
  private static void assertLevelIsRefused(Path directory, Path level) {
    for (Executable opening :
        List.<Executable>of(
            () -> CascadeReader.open(directory), () -> CascadeFilter.open(directory))) {
      DamagedPageException e = assertThrows(DamagedPageException.class, opening);
      assertTrue(e.getMessage().contains(level.toString()), e.getMessage());
      assertTrue(e.getMessage().endsWith(Manifest.REMEDY), e.getMessage());
    }
  }

  /** Pages that are each right, and are not together. */
  @Test
  void whatIsOutOfOrderOrTooMuchIsFound() throws IOException {
    SlotShape shape = new SlotShape(40, false);
    for (long last : new long[] {99, 150}) {
      for (long entries : new long[] {4, 5}) {
        Path directory = Files.createDirectory(temporary.resolve(last + "-" + entries));
        writeLevel(directory, shape, last << 8, entries);
        List<DamagedPageException> found = verify(directory);
        boolean isRight = last == 99 && entries == 4;
        assertEquals(isRight, found.isEmpty(), found.toString());
      }
    }
  }

  /** Two pages: one up to {@code last}, and one from 100 << 8 on. */
  private static void writeLevel(Path directory, SlotShape shape, long last, long entries)
      throws IOException {
    int[] fences = new int[2];
    try (PageStore store =
        PageStore.create(
            FileAccess.SYSTEM, directory.resolve("level-1"), 4096, 7, true, new IoCounters())) {
      long[][] pages = {{1 << 8, last}, {100 << 8, 200 << 8}};
      for (int i = 0; i < 2; i++) {
        SlotBuffer slots = new SlotBuffer();
        slots.ensure(2);
        System.arraycopy(pages[i], 0, slots.slots, 0, 2);
        slots.size = 2;
        try (CodedPages coded = CodedPages.of(shape, slots, 20, 4096)) {
          coded.appendTo(store);
          fences[i] = coded.fences[0];
        }
      }
      LevelFile.append(store, 1, entries, fences);
    }
    new Manifest(5, shape, KeyHash.XXH3, 4096)
        .with(2, 1, Doubt.none(shape), List.of(new Manifest.LevelEntry(1, 1, entries, 2, 7)))
        .write(FileAccess.SYSTEM, directory);
  }
}
