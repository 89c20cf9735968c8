package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.TestHashes;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A batch takes its share of the waits: else it would meet a full memory, and wait for a merge. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PacedBatchTest {
  @TempDir private Path directory;

  /** Merges go so slowly that each insert has the longest of the short waits. */
  @ParameterizedTest
  @ValueSource(longs = {16, 1000}) // with shared syncs and without
  void aBatchWaitsAsOftenAsItsKeysOneByOne(long every) throws IOException {
    AtomicInteger waits = new AtomicInteger();
    CascadeOptions options =
        CascadeOptions.defaults()
            .memoryBudget(1 << 19)
            .expectedMaximum(1_000_000)
            .durability(Durability.everyN(every))
            .mergeBytesPerSecond(1)
            .listener(
                new CascadeListener() {
                  @Override
                  public void insertWaited(long nanos, boolean stalled) {
                    waits.addAndGet(stalled ? 1_000_000 : 1);
                  }
                });
    long[] keys = TestHashes.distinct(9, 1_000_000);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      int taken = (int) filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
      filter.insert(keys, 0, taken);
      while (waits.get() == 0) {
        filter.insert(keys, taken, 1);
        taken++;
      }
      assertEquals(1, waits.get());
      filter.insert(keys, taken, 10);
      assertEquals(11, waits.get());
    }
  }
}
