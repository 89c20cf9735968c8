package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.MemoryPageStore;
import io.winnow.flash.PageStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BatchReadsTest {
  private static final int KEYS = 20_000;

  @TempDir private Path directory;

  /** A batch that is under way when its filter is closed is answered like any other. */
  @Test
  void aBatchIsReadWhereTheThreadsAreGone() {
    BatchReads reads = new BatchReads("test", 4);
    reads.close();
    AtomicInteger sum = new AtomicInteger();
    reads.run(1000, sum::addAndGet);
    assertEquals(999 * 1000 / 2, sum.get());
  }

  @Test
  void aReadThatRunsOutOfMemoryIsPresent() throws IOException {
    FaultyAccess access = new FaultyAccess(1);
    CascadeOptions options =
        CascadeOptions.defaults()
            .memoryBudget(1 << 19)
            .expectedMaximum(KEYS)
            .durability(Durability.NONE)
            .fileAccess(access);
    long[] keys = TestHashes.distinct(1, KEYS);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      filter.insert(keys, 0, KEYS);
      filter.sync();
      filter.awaitMerges();
      access.outOfMemory = true;
      assertEquals(KEYS, filter.mightContain(keys, 0, KEYS).cardinality());
      access.outOfMemory = false;
      CascadeStatistics statistics = filter.statistics();
      assertEquals(KEYS, statistics.failedLookups());
      assertInstanceOf(OutOfMemoryError.class, statistics.lastLookupFailure());
    }
  }

  /** Tasks that were never run, for whatever reason, leave their keys in doubt. */
  @Test
  void aTaskThatDidNotEndLeavesItsKeyPresent() {
    SlotShape shape = new SlotShape(40, false);
    MemoryLevel memory = new MemoryLevel(shape, 1000, ended -> {});
    PageStore store = MemoryPageStore.create("a level", PageStore.MIN_PAGE_BYTES);
    CascadeLevel level = new CascadeLevel(shape, 1, 1, 1, new int[1], store, ended -> {});
    BitSet answers = new BitSet();
    BatchLookup batch =
        new BatchLookup(
            new View(memory, null, List.of(level)),
            new long[] {5, 6, 7},
            answers,
            new ReadCounters());
    batch.run(1);
    batch.answer(answers);
    assertTrue(answers.get(0) && answers.get(2), answers.toString());
  }
}
