package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log ends where its level does, and that is not only where the level is full. */
class CascadeLogTest {
  private static final long SEED = 61;
  private static final int BLOCK_BYTES = 32 + 8192 * 8;

  @TempDir private Path directory;

  private static CascadeOptions options() {
    return CascadeOptions.defaults().memoryBudget(1 << 19).expectedMaximum(1_000_000);
  }

  private static long key(long i) {
    return TestHashes.splitMix(SEED, i);
  }

  private long logBytes() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> logs =
          files.filter(file -> file.getFileName().toString().startsWith("log-")).toList();
      return logs.stream().mapToLong(log -> log.toFile().length()).sum();
    }
  }

  /** Two operations per entry of the memory level, in as many logs as there are levels. */
  private void assertBounded(CascadeFilter filter, int levels) throws IOException {
    long blocks = 1 + filter.statistics().memoryCapacity() * 2 * Long.BYTES / (BLOCK_BYTES - 32);
    assertTrue(logBytes() <= levels * (blocks + 1) * BLOCK_BYTES, logBytes() + " bytes of logs");
  }

  @Test
  void repeatsLeaveABoundedLog() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      for (int i = 0; i < 1_000_000; i++) {
        filter.insert(key(i % 1000));
        if (i % 50_000 == 0) {
          assertBounded(filter, 2); // one may not be written yet
        }
      }
      filter.sync();
      filter.awaitMerges();
      assertBounded(filter, 1);
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      for (int i = 0; i < 1000; i++) {
        assertTrue(filter.mightContain(key(i)));
      }
      assertEquals(1000, fingerprints(filter));
    }
  }

  /** Levels with nothing in them, in the end. */
  @Test
  void whatIsInsertedAndDeletedLeavesABoundedLog() throws IOException {
    CascadeOptions options = options().deletes(true);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      filter.insert(key(-1));
      for (int i = 0; i < 300_000; i++) {
        filter.insert(key(i));
        filter.delete(key(i));
      }
      filter.sync();
      filter.awaitMerges();
      assertBounded(filter, 1);
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      assertTrue(filter.mightContain(key(-1)));
      assertFalse(filter.mightContain(key(7)));
      assertEquals(1, fingerprints(filter));
    }
  }

  private static int fingerprints(CascadeFilter filter) throws IOException {
    int count = 0;
    try (Fingerprints fingerprints = filter.fingerprints()) {
      while (fingerprints.next()) {
        count++;
      }
    }
    return count;
  }

  /** A drive fills up in the middle of a mark, or of a block: what got there is no loss. */
  @Test
  void aPartOfABlockAtTheEndOfALogIsNotTakenForALoss() throws IOException {
    FaultyAccess faults = new FaultyAccess(SEED);
    for (int free = 0; free < 100; free++) {
      Path path = directory.resolve("free-" + free);
      Files.createDirectories(path);
      faults.freeBytes.set(Long.MAX_VALUE);
      OperationLog first = OperationLog.create(faults, path, 1);
      first.append(key(1) >>> 8);
      faults.freeBytes.set(free);
      faults.writesInParts = true;
      try {
        first.force();
      } catch (IOException e) {
        first.takeBack();
      }
      faults.freeBytes.set(Long.MAX_VALUE);
      OperationLog second = OperationLog.create(faults, path, 2);
      second.append(key(2) >>> 8);
      second.force();
      first.close();
      second.close();
      LogRecovery logs = LogRecovery.survey(faults, path, 1, 2, new SlotShape(56, false));
      assertEquals(2, logs.logs());
    }
  }
}
