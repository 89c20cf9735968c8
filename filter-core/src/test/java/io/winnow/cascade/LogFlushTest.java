package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.drive.FaultyAccess;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs with more operations than memory has room for: each of them is in once, whatever comes. */
@Tag("long")
class LogFlushTest {
  private static final long SEED = 20261123;
  private static final int SMALL = 1 << 19;
  private static final int KEYS = 150_000;

  @TempDir private Path temporary;
  private final FaultyAccess faults = new FaultyAccess(SEED);
  private Path directory;

  /** The fingerprints that are in, each as often as it is. */
  private long[] expected;

  private static CascadeOptions options(long memoryBytes) {
    return CascadeOptions.defaults()
        .memoryBudget(memoryBytes)
        .expectedMaximum(4_000_000)
        .deletes(true);
  }

  private static long key(long i) {
    return TestHashes.splitMix(SEED, i);
  }

  /** A level, and two logs of a large memory: keys inserted once or twice, and deleted, or not. */
  @BeforeEach
  void makeDirectory() throws IOException {
    directory = temporary.resolve("cascade");
    Random random = new Random(SEED);
    Map<Long, Integer> copies = new TreeMap<>();
    try (CascadeFilter filter =
        CascadeFilter.open(directory, options(SMALL).durability(Durability.NONE))) {
      for (int i = 1; i <= 1000; i++) {
        filter.insert(key(-i));
        copies.merge(filter.shape.fingerprint(key(-i)), 1, Integer::sum);
      }
    }
    for (int half = 0; half < 2; half++) {
      try (CascadeFilter filter = CascadeFilter.open(directory, options(16 * SMALL))) {
        for (int i = half * KEYS / 2; i < (half + 1) * KEYS / 2; i++) {
          for (int n = i % 3 == 0 ? 2 : 1; n > 0; n--) {
            filter.insert(key(i));
            copies.merge(filter.shape.fingerprint(key(i)), 1, Integer::sum);
          }
          if (i % 2 == 1) {
            long earlier = Math.max(i - random.nextInt(50_000), -1000);
            filter.delete(key(earlier));
            copies.computeIfPresent(
                filter.shape.fingerprint(key(earlier)), (f, n) -> n == 1 ? null : n - 1);
          }
        }
      }
    }
    expected =
        copies.entrySet().stream()
            .flatMapToLong(e -> LongStream.range(0, e.getValue()).map(i -> e.getKey()))
            .toArray();
  }

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  private static void assertFingerprints(CascadeFilter filter, long[] expected, String message)
      throws IOException {
    long[] found = new long[expected.length];
    int count = 0;
    try (Fingerprints fingerprints = Fingerprints.of(filter)) {
      while (fingerprints.next()) {
        if (count < found.length) {
          found[count] = fingerprints.fingerprint();
        }
        count++;
      }
    }
    assertEquals(expected.length, count, message);
    assertArrayEquals(expected, found, message);
  }

  private void assertAllThereIn(Path where, String message) throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(where, options(SMALL))) {
      assertFingerprints(filter, expected, message);
    }
  }

  private static List<Path> files(Path where, String prefix) throws IOException {
    try (Stream<Path> files = Files.list(where)) {
      return files.filter(file -> file.getFileName().toString().startsWith(prefix)).toList();
    }
  }

  private static long logBytes(Path where) throws IOException {
    return files(where, "log-").stream().mapToLong(file -> file.toFile().length()).sum();
  }

  @Test
  void asMuchAsMemoryHasRoomForIsInMemory() throws IOException {
    assertTrue(logBytes(directory) > 8L * KEYS);
    try (CascadeFilter filter = CascadeFilter.open(directory, options(SMALL))) {
      CascadeStatistics statistics = filter.statistics();
      assertTrue(
          statistics.get(CascadeCount.MEMORY_CAPACITY) < expected.length / 2,
          statistics.toString());
      assertEquals(
          0,
          statistics.get(CascadeCount.MEMORY_ENTRIES)
              + statistics.get(CascadeCount.FROZEN_ENTRIES));
      filter.awaitMerges(); // one of them deletes the logs
      assertEquals(0, logBytes(directory));
      filter.insert(key(KEYS));
      filter.awaitMerges();
      assertTrue(filter.mightContain(key(KEYS)));
      filter.delete(key(KEYS));
      assertFingerprints(filter, expected, "after all merges");
    }
    assertAllThereIn(directory, "after another opening");
  }

  /** The same memory: what fits stays in the logs, and nothing is written. */
  @Test
  void whatFitsStaysInTheLogs() throws IOException {
    long bytes = logBytes(directory);
    try (CascadeFilter filter = CascadeFilter.open(directory, options(16 * SMALL))) {
      assertTrue(filter.statistics().get(CascadeCount.MEMORY_ENTRIES) > KEYS / 2);
      assertEquals(1, files(directory, "level-").size());
    }
    assertEquals(bytes, logBytes(directory));
  }

  /** What a kill leaves before each change of the directory, and in the middle of each file. */
  @Test
  void aKillAtAnyMomentLeavesEachOperationOnce() throws IOException {
    List<Path> left = new ArrayList<>();
    List<String> did = new ArrayList<>();
    AtomicBoolean isOpen = new AtomicBoolean();
    FileAccess killed = // one change at a time, so that no copy has half of one
        new FileAccess() {
          private void moment(String what) throws IOException {
            if (isOpen.get()) {
              return; // a merge, after the opening
            }
            Path copy = temporary.resolve("kill-" + left.size());
            copy(directory, copy);
            left.add(copy);
            did.add(what);
          }

          @Override
          public synchronized FileChannel open(Path file, Set<? extends OpenOption> options)
              throws IOException {
            moment("open " + file.getFileName());
            return FileAccess.SYSTEM.open(file, options);
          }

          @Override
          public synchronized void replace(Path from, Path to) throws IOException {
            moment("replace " + to.getFileName());
            FileAccess.SYSTEM.replace(from, to);
          }

          @Override
          public synchronized void delete(Path file) throws IOException {
            moment("delete " + file.getFileName());
            FileAccess.SYSTEM.delete(file);
          }

          @Override
          public synchronized void forceDirectory(Path path) throws IOException {
            moment("force " + path.getFileName());
            FileAccess.SYSTEM.forceDirectory(path);
          }
        };
    try (CascadeFilter filter = CascadeFilter.open(directory, options(SMALL).fileAccess(killed))) {
      isOpen.set(true);
      assertFingerprints(filter, expected, "after the opening");
    }
    // The same manifest before leftovers are deleted, and then the one that names no log.
    int again = did.indexOf("replace MANIFEST");
    int switched = again + 1 + did.subList(again + 1, did.size()).indexOf("replace MANIFEST");
    assertTrue(switched > again, did.toString());
    assertTrue(
        did.subList(again, switched).stream().filter(what -> what.startsWith("open level-")).count()
            > 3,
        did.toString());
    assertFalse(did.subList(0, switched).contains("delete log-1"), did.toString());
    for (int i = 0; i < left.size(); i++) {
      assertAllThereIn(left.get(i), "killed before " + did.get(i));
      assertAllThereIn(left.get(i), "killed before " + did.get(i) + ", opened again");
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (Path file : files(from, "")) {
      try {
        Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      } catch (NoSuchFileException e) {
        // a merge has deleted it since
      }
    }
  }

  /** It opens with more in memory than it should have, and writes it when there is room again. */
  @ParameterizedTest
  @ValueSource(longs = {0, 50_000, 200_000, 500_000})
  void aDriveThatFillsMeanwhileCanBeRead(long freeBytes) throws IOException {
    faults.freeBytes.set(freeBytes);
    CascadeOptions options = options(SMALL).fileAccess(faults);
    long bytes = logBytes(directory);
    Set<Path> needed = new TreeSet<>(files(directory, "level-"));
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      assertEquals(bytes, logBytes(directory), "the drive was to fill");
      filter
          .statistics()
          .levels()
          .forEach(level -> needed.add(directory.resolve("level-" + level.file())));
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
      while (files(directory, "level-").size() > needed.size() && System.nanoTime() < end) {
        Thread.onSpinWait(); // until the merges have deleted theirs
      }
      assertEquals(needed, new TreeSet<>(files(directory, "level-")), "the others make room");
      assertFingerprints(filter, expected, "on a full drive");
    }
    faults.freeBytes.set(freeBytes);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      assertEquals(bytes, logBytes(directory), "the drive was to fill again");
      assertFingerprints(filter, expected, "on a full drive, opened again");
      faults.freeBytes.set(Long.MAX_VALUE);
      filter.insert(key(KEYS));
      filter.delete(key(KEYS));
      filter.awaitMerges();
      assertFingerprints(filter, expected, "with room again");
    }
    assertAllThereIn(directory, "after another opening");
  }

  /** The first new level is written, the second one is not, and half of a third is in memory. */
  @Test
  void aDriveThatFillsMeanwhileTakesInsertsIntoMemory() throws IOException {
    Path other = temporary.resolve("other");
    CascadeOptions options = options(SMALL).fileAccess(faults);
    long capacity;
    try (CascadeFilter filter = CascadeFilter.open(other, options)) {
      capacity = filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
    }
    long keys = capacity * 5 / 2;
    try (CascadeFilter filter = CascadeFilter.open(other, options(16 * SMALL))) {
      for (long i = 0; i < keys; i++) {
        filter.insert(key(i));
      }
    }
    assertEquals(List.of(), files(other, "level-"), "all keys were to be in logs");
    AtomicReference<Path> first = new AtomicReference<>();
    faults.failingWrites =
        path ->
            path.getFileName().toString().startsWith("level-")
                && !first.updateAndGet(was -> was == null ? path : was).equals(path);
    try (CascadeFilter filter = CascadeFilter.open(other, options)) {
      assertEquals(1, filter.statistics().levels().size(), "the second flush was to fail");
      filter.insert(key(keys));
      for (long i = 0; i <= keys; i++) {
        assertTrue(filter.mightContain(key(i)), "key " + i);
      }
    }
    faults.failingWrites = path -> false;
    try (CascadeFilter filter = CascadeFilter.open(other, options)) {
      for (long i = 0; i <= keys; i++) {
        assertTrue(filter.mightContain(key(i)), "key " + i + ", opened again");
      }
    }
  }

  /** More memory than planned may be too much then. */
  @Test
  void anOpeningWhoseMergesHaveNoMemoryFails() throws IOException {
    FileAccess access =
        new FileAccess() {
          @Override
          public FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
            if (file.getFileName().toString().startsWith("level-") && !Files.exists(file)) {
              throw new OutOfMemoryError("injected");
            }
            return FileAccess.SYSTEM.open(file, options);
          }
        };
    assertThrows(
        OutOfMemoryError.class,
        () -> CascadeFilter.open(directory, options(SMALL).fileAccess(access)).close());
    assertAllThereIn(directory, "with memory again");
  }

  @Test
  void aLimitOfMergesDoesNotDelayAnOpening() {
    CascadeOptions options = options(SMALL).mergeBytesPerSecond(1);
    assertTimeoutPreemptively(
        Duration.ofMinutes(1),
        () -> {
          try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
            assertFingerprints(filter, expected, "with a limit");
          }
        });
  }

  /** The switch may be taken back by a power failure: nothing may be deleted by then. */
  @ParameterizedTest
  @ValueSource(strings = {"\nmemory-entries ", "\nfirst-log "})
  void aSwitchThatIsNotSafeFailsTheOpeningAndDeletesNothing(String changed) throws IOException {
    Path manifest = directory.resolve("MANIFEST");
    byte[] before = Files.readAllBytes(manifest);
    String line = lineOf(Files.readString(manifest), changed);
    faults.failingFsyncs =
        path -> {
          try {
            return path.equals(directory)
                && !line.equals(lineOf(Files.readString(manifest), changed));
          } catch (IOException e) {
            return false;
          }
        };
    CascadeOptions options = options(SMALL).fileAccess(faults);
    IOException refused =
        assertThrows(IOException.class, () -> CascadeFilter.open(directory, options));
    assertTrue(refused.getMessage().contains("fsync of " + directory), refused.getMessage());
    Path takenBack = temporary.resolve("taken-back");
    copy(directory, takenBack);
    Files.write(takenBack.resolve("MANIFEST"), before);
    assertAllThereIn(takenBack, "the old manifest");
    assertAllThereIn(directory, "the new manifest");
  }

  private static String lineOf(String manifest, String key) {
    int at = manifest.indexOf(key) + 1;
    return manifest.substring(at, manifest.indexOf('\n', at));
  }

  @Test
  void manyOpeningsLeaveFewLogs() throws IOException {
    for (int i = 0; i < 150; i++) {
      CascadeFilter.open(directory, options(16 * SMALL)).close();
      assertTrue(files(directory, "log-").size() <= 65);
    }
    assertAllThereIn(directory, "after 150 openings");
  }
}
