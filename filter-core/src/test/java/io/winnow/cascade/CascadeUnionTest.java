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
import io.winnow.flash.drive.RecordLog;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Directories that are merged into one. */
class CascadeUnionTest {
  private static final long SEED = 4711;
  private static final int KEYS = 20_000;

  @TempDir private Path temporary;

  private static CascadeOptions options() {
    return CascadeOptions.defaults()
        .memoryBudget(1 << 19)
        .fanOut(2)
        .expectedMaximum(1_000_000)
        .rate(1e-7);
  }

  private static long key(int i) {
    return TestHashes.splitMix(SEED, i);
  }

  /** Random operations; adds to the model what is there. */
  private Path fill(String name, CascadeOptions options, Random random, int[] copies)
      throws IOException {
    Path directory = temporary.resolve(name);
    int[] own = new int[copies.length];
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      int low = random.nextInt(copies.length / 2);
      for (int n = 0; n < 2 * KEYS; n++) {
        int i = low + random.nextInt(copies.length / 2);
        if (options.shape().deletes && own[i] > 0 && random.nextInt(3) == 0) {
          filter.delete(key(i));
          own[i]--;
        } else {
          filter.insert(key(i));
          own[i]++;
        }
        if (options.shape().deletes && random.nextInt(50) == 0) {
          filter.delete(key(KEYS + random.nextInt(1000))); // takes nothing away, here and there
        }
      }
    }
    for (int i = 0; i < copies.length; i++) {
      copies[i] += own[i];
    }
    return directory;
  }

  private static void assertIsModel(Path directory, int[] copies, boolean deletes, String message)
      throws IOException {
    long there = 0;
    try (CascadeReader reader = CascadeReader.open(directory)) {
      assertTrue(reader.verify(pages -> {}).isEmpty(), message);
      BitSet answers = reader.mightContain(keys(copies.length), 0, copies.length);
      for (int i = 0; i < copies.length; i++) {
        assertEquals(copies[i] > 0, answers.get(i), message + ", key " + i);
        there += deletes ? copies[i] : Math.min(copies[i], 1);
      }
      try (Fingerprints fingerprints = Fingerprints.of(reader)) {
        for (long i = 0; i < there; i++) {
          assertTrue(fingerprints.next(), message);
        }
        assertFalse(fingerprints.next(), message);
      }
    }
  }

  private static long[] keys(int count) {
    return IntStream.range(0, count).mapToLong(CascadeUnionTest::key).toArray();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theUnionIsThatOfTheModels(boolean deletes) throws IOException {
    Random random = new Random(SEED);
    CascadeOptions options = options().deletes(deletes);
    for (int sources = 1; sources <= 3; sources += 2) {
      String message = "seed " + SEED + ", sources " + sources;
      int[] copies = new int[KEYS];
      List<CascadeReader> readers = new ArrayList<>();
      Map<Path, String> before = new TreeMap<>();
      for (int i = 0; i < sources; i++) {
        Path source = fill(sources + "-" + i, options, random, copies);
        readers.add(CascadeReader.open(source));
        before.put(source, state(source));
      }
      Path target = temporary.resolve("union-" + sources);
      CascadeUnion.of(target, readers);
      for (CascadeReader reader : readers) {
        Path source = reader.path();
        reader.close();
        assertEquals(before.get(source), state(source), message);
      }
      assertIsModel(target, copies, deletes, message);
      try (CascadeFilter filter = CascadeFilter.open(target, options.durability(Durability.NONE))) {
        assertEquals(1, filter.statistics().levels().size(), message);
        for (int i = 0; i < copies.length; i++) {
          filter.insert(key(i));
          copies[i]++;
        }
        filter.sync();
        filter.awaitMerges();
      }
      assertIsModel(target, copies, deletes, message + ", and inserts");
    }
  }

  private static String state(Path directory) throws IOException {
    StringBuilder state = new StringBuilder();
    try (var files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        state.append(file).append(Files.getLastModifiedTime(file));
        state.append(KeyHash.XXH3.hash(Files.readAllBytes(file))).append('\n');
      }
    }
    return state.toString();
  }

  @Test
  void aListenerThatThrowsEndsTheMergeAndLeavesNoFilter() throws IOException {
    int[] copies = new int[KEYS];
    Path source = fill("source", options(), new Random(SEED), copies);
    Path target = temporary.resolve("target");
    IllegalStateException stop = new IllegalStateException("stop");
    try (CascadeReader reader = CascadeReader.open(source)) {
      IllegalStateException thrown =
          assertThrows(
              IllegalStateException.class,
              () ->
                  CascadeUnion.of(
                      target,
                      List.of(reader),
                      options(),
                      entries -> {
                        throw stop;
                      }));
      assertEquals(stop, thrown);
    }
    assertThrows(FilterFormatException.class, () -> CascadeReader.open(target));
    assertIsModel(source, copies, false, "the source");
  }

  @Test
  void whatCannotBeMergedIsRefused() throws IOException {
    Random random = new Random(SEED);
    Path target = temporary.resolve("target");
    CascadeReader one = CascadeReader.open(fill("one", options(), random, new int[KEYS]));
    for (CascadeOptions other :
        List.of(
            options().deletes(true), options().rate(0.01), options().keyHash(KeyHash.MURMUR3))) {
      Path directory = temporary.resolve("other" + random.nextInt());
      CascadeFilter.open(directory, other).close();
      try (CascadeReader two = CascadeReader.open(directory)) {
        assertThrows(
            IllegalArgumentException.class, () -> CascadeUnion.of(target, List.of(one, two)));
      }
    }
    assertFalse(Files.exists(target));
    assertThrows(IllegalArgumentException.class, () -> CascadeUnion.of(target, List.of()));
    assertThrows(FileAlreadyExistsException.class, () -> CascadeUnion.of(one.path(), List.of(one)));
    one.close();
  }

  /** From each request on the drive is away: there is all of it, or what no filter opens. */
  @Test
  void aCrashLeavesAllOrNoFilter() throws IOException {
    Random random = new Random(SEED);
    int[] copies = new int[KEYS];
    CascadeOptions options = options().deletes(true);
    List<CascadeReader> sources = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      sources.add(CascadeReader.open(fill("source-" + i, options, random, copies)));
    }
    boolean done = false;
    int refused = 0;
    for (int requests = 1; !done; requests += requests < 10 ? 1 : 2) {
      Path target = temporary.resolve("target-" + requests);
      DyingAccess dying = new DyingAccess(requests);
      try {
        CascadeUnion.of(
            target, sources, CascadeOptions.defaults().fileAccess(dying), entries -> {});
        done = true;
      } catch (IOException e) {
        assertTrue(
            e.getMessage().contains("injected") || e.getMessage().contains("cannot sync"), "" + e);
      }
      if (Files.exists(target.resolve("MANIFEST"))) {
        assertIsModel(target, copies, true, "after " + requests);
      } else if (Files.exists(target.resolve("level-1"))) {
        refused++;
        assertThrows(
            FilterFormatException.class, () -> CascadeFilter.open(target, options).close());
      }
    }
    assertTrue(refused > 0);
    for (CascadeReader source : sources) {
      source.close();
    }
  }

  /** A power failure might take it away. */
  @Test
  void aUnionThatIsNotSafeIsRefused() throws IOException {
    Path source = fill("source", options(), new Random(SEED), new int[KEYS]);
    Path target = temporary.toAbsolutePath().resolve("target");
    FaultyAccess faults = new FaultyAccess(SEED);
    faults.failingFsyncs =
        path -> path.equals(target) && Files.exists(target.resolve(Manifest.NAME));
    try (CascadeReader reader = CascadeReader.open(source)) {
      IOException refused =
          assertThrows(
              IOException.class,
              () ->
                  CascadeUnion.of(
                      target, List.of(reader), options().fileAccess(faults), entries -> {}));
      assertTrue(refused.getMessage().contains("cannot sync"), refused.getMessage());
    }
  }

  @Test
  void aDamagedPageOfASourceIsInDoubt() throws IOException {
    int[] copies = new int[KEYS];
    Path source = fill("source", options(), new Random(SEED), copies);
    try (CascadeFilter filter = CascadeFilter.open(source, options().durability(Durability.NONE))) {
      filter.sync(); // to flash
      filter.awaitMerges();
    }
    Path level;
    try (var files = Files.list(source)) {
      level = files.filter(f -> f.toString().contains("level-")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(level);
    bytes[3 * 4096 + 99] ^= 4;
    Files.write(level, bytes);
    Path target = temporary.resolve("target");
    try (CascadeReader reader = CascadeReader.open(source)) {
      CascadeUnion.of(target, List.of(reader));
    }
    try (CascadeReader reader = CascadeReader.open(target)) {
      assertTrue(reader.statistics().doubtfulShare() > 0);
      BitSet answers = reader.mightContain(keys(KEYS), 0, KEYS);
      for (int i = 0; i < KEYS; i++) {
        assertTrue(copies[i] == 0 || answers.get(i), "key " + i);
      }
    }
  }

  /** Pages of it were lost when it was merged: nobody knows which keys they had. */
  @Test
  void whatIsInDoubtInAnySourceIsInDoubt() throws IOException {
    Random random = new Random(SEED);
    Path one = fill("one", options(), random, new int[KEYS]);
    Path two = fill("two", options(), random, new int[KEYS]);
    Manifest known = Manifest.read(two);
    known
        .with(known.nextFile, known.firstLog, known.doubt.with(5, 1 << 24), known.levels)
        .write(FileAccess.SYSTEM, two);
    Path target = temporary.resolve("target");
    try (CascadeReader certain = CascadeReader.open(one);
        CascadeReader doubtful = CascadeReader.open(two)) {
      CascadeUnion.of(target, List.of(certain, doubtful));
      try (CascadeReader union = CascadeReader.open(target)) {
        double share = doubtful.statistics().doubtfulShare();
        assertTrue(share > 0, "share " + share);
        assertEquals(share, union.statistics().doubtfulShare());
      }
    }
  }

  /** A writer ends a block between the reader's two looks at its log. */
  @Test
  void aSnapshotHasAllThatTheReaderHas() throws IOException {
    Path directory = temporary.resolve("cascade");
    Path target = temporary.resolve("snapshot");
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      Path log = RecordLog.path(directory, 1);
      Files.write(log, new byte[48]); // a block that has begun
      AtomicLong reads = new AtomicLong();
      FaultyAccess access = new FaultyAccess(SEED);
      access.failingReads =
          path -> {
            if (path.equals(log) && reads.incrementAndGet() == 2) {
              try {
                filter.insert(keys(10), 0, 10);
                filter.sync();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }
            return false;
          };
      try (CascadeReader reader = CascadeReader.open(directory, options().fileAccess(access))) {
        assertEquals(10, reader.mightContain(keys(10), 0, 10).cardinality());
        reader.snapshot(target);
      }
    }
    try (CascadeReader snapshot = CascadeReader.open(target)) {
      assertEquals(10, snapshot.mightContain(keys(10), 0, 10).cardinality());
    }
  }
}
