package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.TestHashes;
import io.winnow.flash.drive.FaultyAccess;
import io.winnow.flash.drive.PageFrames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A small filter on a drive that fails on demand. */
abstract class FaultyCascade {
  static final long SEED = 20261121;

  @TempDir Path directory;
  final FaultyAccess faults = new FaultyAccess(SEED);

  final CascadeOptions options() {
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

  static long key(long i) {
    return TestHashes.splitMix(SEED, i);
  }

  static void insert(CascadeFilter filter, long from, long to) throws IOException {
    for (long i = from; i < to; i++) {
      filter.insert(key(i));
    }
  }

  /** Of many keys the last thousand, and a few thousand of the others. */
  static void assertPresent(CascadeFilter filter, long from, long to) {
    long step = Math.max(1, (to - from) / 2000);
    long[] keys =
        LongStream.range(from, to)
            .filter(i -> i >= to - 1000 || i % step == 0)
            .map(FaultyCascade::key)
            .toArray();
    assertEquals(keys.length, filter.mightContain(keys, 0, keys.length).cardinality());
    assertEquals(0, filter.statistics().get(CascadeCount.FAILED_LOOKUPS));
  }

  /** What a kill leaves. */
  final Path copy(Path path) throws IOException {
    Path copy = Files.createDirectory(directory.resolve("copy"));
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy;
  }

  /** What a drive said that got full, and how many keys are in by then. */
  record Full(long taken, IOException reason) {}

  /** Inserts keys from this one on, until it throws. */
  static Full insertUntilItThrows(CascadeFilter filter, long from) {
    for (long taken = from; taken < 10_000_000; taken++) {
      try {
        filter.insert(key(taken));
      } catch (IOException e) {
        return new Full(taken, e);
      }
    }
    throw new AssertionError("it never got full");
  }
}
