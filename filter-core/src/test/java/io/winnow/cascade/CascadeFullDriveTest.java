package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A drive that gets full, or moves less than it was asked to. */
class CascadeFullDriveTest extends FaultyCascade {
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shortReadsAndWritesMakeNoDifference(boolean direct) throws IOException {
    faults.shortTransfers = true;
    CascadeOptions options = options().directIo(direct);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      insert(filter, 0, 300_000);
      filter.awaitMerges();
      assertTrue(filter.statistics().get(CascadeCount.ENTRIES_MERGED) > 0);
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
      Full end = insertUntilItThrows(filter, 200_000);
      long taken = end.taken();
      String said = end.reason().getMessage();
      assertTrue(said.contains("No space left"), said);
      assertTrue(said.contains(directory.toString()), said);
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
      long[] keys = LongStream.range(0, 300_000).map(FaultyCascade::key).toArray();
      int count = keys.length - 100;
      faults.freeBytes.set(400_000);
      IOException full = assertThrows(IOException.class, () -> filter.insert(keys, 100, count));
      Matcher said =
          Pattern.compile("the first (\\d+) of 299900 keys are inserted: .*")
              .matcher(full.getMessage());
      assertTrue(said.matches(), full.getMessage());
      int in = Integer.parseInt(said.group(1));
      assertEquals(filter.statistics().get(CascadeCount.OPERATIONS), in);
      faults.freeBytes.set(Long.MAX_VALUE);
      filter.insert(keys, 100 + in, count - in);
      filter.awaitMerges();
      assertPresent(filter, 100, keys.length);
      try (Fingerprints fingerprints = Fingerprints.of(filter)) {
        for (int i = 0; i < count; i++) {
          assertTrue(fingerprints.next());
        }
        assertFalse(fingerprints.next(), "one is in twice");
      }
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
      assertEquals(0, filter.statistics().get(CascadeCount.FROZEN_ENTRIES));
      assertEquals(1, filter.statistics().levels().size());
      insert(filter, 1000, 2000);
      faults.freeBytes.set(0);
      assertThrows(IOException.class, filter::sync);
      faults.freeBytes.set(Long.MAX_VALUE);
      filter.sync();
      assertPresent(filter, 0, 2000);
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
      Full end = insertUntilItThrows(filter, 100_000);
      long taken = end.taken();
      String said = end.reason().getMessage();
      assertTrue(said.contains("No space left for a merge"), said);
      assertTrue(faults.freeBytes.get() >= 1 << 20, "left: " + faults.freeBytes.get());
      assertPresent(filter, 0, taken);
      faults.freeBytes.set(Long.MAX_VALUE);
      insert(filter, taken, taken + 100_000);
      filter.awaitMerges();
      assertPresent(filter, 0, taken + 100_000);
    }
  }
}
