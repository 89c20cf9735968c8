package io.winnow.flash.buffered;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.drive.FaultyAccess;
import io.winnow.flash.drive.PageFrames;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What tests of damage and of faults have in common: a small filter on a drive with faults. */
abstract class BufferedBloomFaults {
  static final int KEYS = 6000;

  @TempDir private Path temporary;

  final FaultyAccess drive = new FaultyAccess(20261122);
  final BitSet absent = new BitSet();
  final BitSet delivered = new BitSet();
  Path directory;

  @BeforeEach
  void makeDirectory() throws IOException {
    directory = temporary.toRealPath().resolve("bloom");
  }

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  BufferedBloomOptions options() {
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
              delivered.set(tag);
              absent.set(tag, !mightContain);
            });
  }

  Path file() {
    return directory.resolve("filter");
  }

  static void insert(BufferedBloomFilter filter, int from, int to) throws IOException {
    for (int i = from; i < to; i++) {
      filter.insert(splitMix(1, i));
    }
  }

  static void assertAllPresent(BufferedBloomFilter filter, int from, int to, String where) {
    for (int i = from; i < to; i++) {
      assertTrue(filter.mightContain(splitMix(1, i)), where + ": key " + i + " is lost");
    }
  }

  /** How many of 1000 other keys are denied. */
  static int denied(BufferedBloomFilter filter) {
    int denied = 0;
    for (int i = 0; i < 1000; i++) {
      denied += filter.mightContain(splitMix(2, i)) ? 0 : 1;
    }
    return denied;
  }

  /** Probes each of the first keys later, and 1000 others. */
  void probe(BufferedBloomFilter filter, int keys) {
    delivered.clear();
    absent.clear();
    for (int i = 0; i < keys; i++) {
      filter.probe(splitMix(1, i), i);
    }
    for (int i = 0; i < 1000; i++) {
      filter.probe(splitMix(2, i), keys + i);
    }
  }

  void assertTold(int keys) {
    assertEquals(keys + 1000, delivered.cardinality());
    assertTrue(absent.nextSetBit(0) == -1 || absent.nextSetBit(0) >= keys, "a key was denied");
  }

  static void flip(Path file, long at) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.seek(at);
      int was = open.read();
      open.seek(at);
      open.write(was ^ 4);
    }
  }
}
