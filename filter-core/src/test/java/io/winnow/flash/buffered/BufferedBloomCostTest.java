package io.winnow.flash.buffered;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.Allocation;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What keys and probes cost: requests, bytes, and memory. */
class BufferedBloomCostTest {
  @TempDir private Path directory;

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  /** Figure 4 of the paper: bytes per key are in inverse proportion to the buffer. */
  @Test
  void largerBuffersCostLessPerKey() throws IOException {
    int keys = 300_000;
    double[] perKey = new double[3];
    double[] perProbe = new double[3];
    for (int i = 0; i < 3; i++) {
      long blocks = 50_000L << i;
      BufferedBloomOptions options =
          BufferedBloomOptions.defaults()
              .pages(64)
              .hashFunctions(4)
              .requestBytes(1 << 16)
              .memoryBudget(2 * (1 << 16) + 2 * 64 + blocks)
              .maxWait(BufferedBlooms.LONG)
              .onAnswer((tag, mightContain) -> {});
      try (BufferedBloomFilter filter =
          BufferedBloomFilter.open(directory.resolve("" + i), options)) {
        assertEquals(4, filter.sizing().groups());
        IoSnapshot opened = filter.statistics().io();
        for (int key = 0; key < keys; key++) {
          filter.insert(splitMix(1, key));
        }
        IoSnapshot built = filter.statistics().io().since(opened);
        double capacity = (blocks / 4 - 96) / 4.0; // of a block, in keys
        assertEquals(keys / capacity, built.writes(), 6 + 0.001 * built.writes());
        assertEquals(built.reads(), built.writes());
        assertEquals(built.reads() << 16, built.readBytes(), "whole groups");
        assertEquals(built.writes() << 16, built.writtenBytes());
        perKey[i] = (built.readBytes() + built.writtenBytes()) / (double) keys;
        filter.drain();
        IoSnapshot drained = filter.statistics().io();
        for (int key = 0; key < keys; key++) {
          filter.probe(splitMix(2, key), key);
        }
        IoSnapshot probed = filter.statistics().io().since(drained);
        assertEquals(0, probed.writes());
        perProbe[i] = probed.readBytes() / (double) keys;
      }
    }
    for (int i = 1; i < 3; i++) {
      assertEquals(2, perKey[i - 1] / perKey[i], 0.2);
      assertEquals(2, perProbe[i - 1] / perProbe[i], 0.2);
    }
    assertEquals(perKey[0], perProbe[0], 0.05 * perKey[0]); // twice the room, half of the I/O
  }

  @Test
  void anImmediateProbeReadsOnePage() throws IOException {
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, BufferedBlooms.small())) {
      filter.insert(1);
      filter.sync();
      IoSnapshot before = filter.statistics().io();
      for (int i = 0; i < 100; i++) {
        filter.mightContain(splitMix(3, i));
      }
      IoSnapshot read = filter.statistics().io().since(before);
      assertEquals(new IoSnapshot(100, 100 * 4096, 0, 0), read);
      filter.insert(2);
      before = filter.statistics().io();
      assertTrue(filter.mightContain(2)); // it waits: no look at its page
      assertEquals(before, filter.statistics().io());
    }
  }

  /** A few probes read the pages that they need, and those between only if they are few. */
  @Test
  void aSparseSweepReadsWhatItNeeds() throws IOException {
    BufferedBloomOptions options =
        BufferedBloomOptions.defaults()
            .pages(256)
            .hashFunctions(2)
            .memoryBudget(4 << 20)
            .requestBytes(1 << 20)
            .maxWait(BufferedBlooms.LONG);
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      assertEquals(1, filter.sizing().groups());
      IoSnapshot opened = filter.statistics().io();
      BitSet needed = new BitSet();
      for (int i = 0; i < 5; i++) {
        filter.probe(splitMix(5, i));
        needed.set(
            filter.sizing().page(filter.sizing().entry(BufferedBloomSizing.mix(splitMix(5, i)))));
      }
      filter.drain();
      long requests = 0;
      long pages = 0;
      for (int first = needed.nextSetBit(0); first >= 0; ) {
        int last = first;
        for (int next = needed.nextSetBit(last + 1);
            next >= 0 && next - last <= 17;
            next = needed.nextSetBit(last + 1)) {
          last = next;
        }
        requests++;
        pages += last - first + 1;
        first = needed.nextSetBit(last + 1);
      }
      assertTrue(requests > 1, "requests: " + requests);
      IoSnapshot io = filter.statistics().io().since(opened);
      assertEquals(new IoSnapshot(requests, pages * 4096, 0, 0), io);
    }
  }

  /** The room of a block goes to keys, and probes are answered without a write. */
  @Test
  void probesThatFillABlockLeaveItsKeysThere() throws IOException {
    AtomicInteger delivered = new AtomicInteger();
    BufferedBloomOptions options =
        BufferedBlooms.small()
            .pages(4)
            .onAnswer((tag, mightContain) -> delivered.incrementAndGet());
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      for (int i = 0; i < 100; i++) {
        filter.insert(splitMix(1, i));
      }
      for (int i = 0; i < 5000; i++) {
        filter.probe(splitMix(1, i % 100), i);
      }
      FlashStatistics<BufferedBloomCount> statistics = filter.statistics();
      assertEquals(100, statistics.get(BufferedBloomCount.WAITING_KEYS));
      assertEquals(0, statistics.io().writes());
      assertTrue(delivered.get() > 4000);
      assertTrue(statistics.get(BufferedBloomCount.SWEEPS) > 5, statistics.toString());
    }
    assertEquals(5000, delivered.get());
  }

  @Test
  void insertsAllocateNothing() throws IOException {
    BufferedBloomOptions options = BufferedBlooms.small().memoryBudget(8 << 20);
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      int[] next = new int[1];
      Runnable inserts =
          () -> {
            for (int i = 0; i < 10_000; i++) {
              try {
                filter.insert(splitMix(1, next[0]++));
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            }
          };
      inserts.run();
      assertEquals(0, Allocation.bytesOf(inserts));
    }
  }
}
