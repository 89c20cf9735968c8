package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.drive.FaultyAccess;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.drive.ReadThreads;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LookupsTest {
  private static final int KEYS = 20_000;

  @TempDir private Path directory;

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
      access.readError = new OutOfMemoryError("injected");
      assertEquals(KEYS, filter.mightContain(keys, 0, KEYS).cardinality());
      assertTrue(filter.mightContain(keys[0]));
      access.readError = null;
      CascadeStatistics statistics = filter.statistics();
      assertEquals(KEYS + 1, statistics.get(CascadeCount.FAILED_LOOKUPS));
      assertInstanceOf(OutOfMemoryError.class, statistics.lastLookupFailure());
    }
  }

  /** Tasks that were never run, for whatever reason, leave their keys in doubt. */
  @Test
  void aTaskThatDidNotEndLeavesItsKeyPresent() throws IOException {
    SlotShape shape = new SlotShape(40, false);
    MemoryLevel memory = new MemoryLevel(shape, 1000, ended -> {});
    PageStore store = PageStore.create(directory.resolve("a-level"), PageStore.MIN_PAGE_BYTES);
    Manifest.LevelEntry entry = new Manifest.LevelEntry(1, 1, 1, 1, 0);
    CascadeLevel level = new CascadeLevel(shape, entry, new int[1], store, ended -> {});
    BitSet answers = new BitSet();
    Lookups.Batch batch =
        new Lookups.Batch(
            new View(memory, null, List.of(level), Doubt.none(shape)),
            new long[] {5, 6, 7},
            100,
            new CascadeCounters(CascadeListener.NONE));
    batch.run(0, 1);
    batch.answer(answers);
    assertTrue(answers.get(100) && answers.get(102), answers.toString());
  }

  private static int run(ReadThreads reads, int count) {
    BitSet done = new BitSet();
    reads.run(
        count,
        (thread, task) -> {
          synchronized (done) {
            done.set(task);
          }
        });
    return done.cardinality();
  }

  @Test
  void everyTaskIsRun() {
    try (ReadThreads reads = new ReadThreads("test", 4)) {
      assertEquals(1000, run(reads, 1000));
      assertEquals(3, run(reads, 3));
    }
  }

  /** A lookup may be under way when the filter is closed. */
  @Test
  void aBatchThatMeetsTheCloseIsReadAllTheSame() {
    ReadThreads reads = new ReadThreads("test", 4);
    AtomicInteger read = new AtomicInteger();
    reads.run(
        1000,
        (thread, task) -> {
          if (task == 500) {
            reads.close();
          }
          read.incrementAndGet();
        });
    assertEquals(1000, read.get(), "closed in its midst");
    assertEquals(1000, run(reads, 1000), "closed before");
  }

  /** Else a task that was not run would look like a key that is not there. */
  @Test
  void anErrorIsTheCallers() {
    OutOfMemoryError error = new OutOfMemoryError("injected");
    try (ReadThreads reads = new ReadThreads("test", 4)) {
      assertSame(
          error,
          assertThrows(
              OutOfMemoryError.class,
              () ->
                  reads.run(
                      100,
                      (thread, task) -> {
                        if (task == 50) {
                          throw error;
                        }
                      })));
      assertEquals(100, run(reads, 100));
    }
  }
}
