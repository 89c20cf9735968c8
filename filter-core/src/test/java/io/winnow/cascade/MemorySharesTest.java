package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemorySharesTest {
  private static final SlotShape SHAPE = new SlotShape(41, false);

  @TempDir private Path directory;

  private static MemoryShares memory(long budget, int threads, int pageBytes) {
    CascadeOptions options =
        CascadeOptions.defaults().memoryBudget(budget).mergeThreads(threads).pageBytes(pageBytes);
    return new MemoryShares(options, SHAPE);
  }

  @ParameterizedTest
  @CsvSource({
    "67108864, 1, 4096", "67108864, 2, 4096", "67108864, 64, 4096", "67108864, 1, 65536",
    "4194304, 3, 4096", "524288, 1, 4096", "524288, 64, 4096", "524288, 1, 65536",
  })
  void threadsShareAQuarterDownToTwoPagesEach(long budget, int threads, int pageBytes) {
    MemoryShares memory = memory(budget, threads, pageBytes);
    assertTrue(memory.mergeBytes <= budget / 4);
    assertTrue(2 * MemoryLayout.bytesFor(SHAPE, memory.levelEntries) <= budget);
    for (int count : new int[] {1, threads, 64}) {
      int chunkBytes = memory.chunkBytes(count);
      assertTrue(chunkBytes >= 2 * pageBytes && chunkBytes <= 256 << 10, chunkBytes + " bytes");
      assertTrue(
          chunkBytes == 2 * pageBytes || count * chunkBytes * 20L <= memory.mergeBytes,
          count + " threads with " + chunkBytes + " bytes each");
    }
  }

  @Test
  void chunksOfTheDefaultBudgetAreOf256KiB() {
    assertEquals(256 << 10, memory(64 << 20, 1, 4096).chunkBytes(1));
    assertEquals(256 << 10, memory(64 << 20, 2, 4096).chunkBytes(2));
  }

  @Test
  void framesAreAsLargeAsTheirPages() {
    SlotBuffer slots = new SlotBuffer();
    for (int count : new int[] {1, 1000, 5000, 300_000}) {
      slots.ensure(count);
      slots.size = count;
      for (int i = 0; i < count; i++) {
        slots.slots[i] = i * ((1L << SHAPE.bits()) / count);
      }
      try (CodedPages coded = CodedPages.of(SHAPE, slots, 12, 4096)) {
        int room = 0;
        for (PageFrame frame : coded.frames) {
          room += frame.pages();
          assertTrue(frame.pages() <= 64);
        }
        assertTrue(room >= coded.pages && room <= coded.pages + 1, room + " for " + coded.pages);
      }
    }
    assertEquals(0, PageFrames.liveFrames());
  }

  /** Chunks that are smaller than a page would leave most of each page empty. */
  @Test
  void pagesAreFullWithTheSmallestBudgetToo() throws IOException {
    CascadeOptions options =
        CascadeOptions.defaults().memoryBudget(1 << 19).expectedMaximum(1_000_000);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      for (int i = 0; i < 500_000; i++) {
        filter.insert(TestHashes.splitMix(3, i));
      }
      filter.awaitMerges();
      for (CascadeStatistics.Level level : filter.statistics().levels()) {
        double bits = SlotShape.bitsPerSlot(filter.fingerprintBits(), level.entries(), 0);
        double full = level.entries() * bits / 8 / 4096;
        assertTrue(level.pages() < 1.5 * full + 2, level + ", and " + full + " would do");
      }
    }
  }
}
