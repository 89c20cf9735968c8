package io.winnow.flash.bloom;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.drive.FaultyAccess;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.util.BitSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ElevatorBloomFilterTest extends FlashBloomContractTest {

  @Override
  PagedBloomFilter create(PageStore store, BloomSizing sizing, long memoryBytes)
      throws IOException {
    return ElevatorBloomFilter.create(store, sizing, memoryBytes, 3);
  }

  @Override
  PagedBloomFilter open(PageStore store, BloomSizing sizing, long memoryBytes) throws IOException {
    return ElevatorBloomFilter.open(store, sizing, memoryBytes, 3);
  }

  @Override
  String name() {
    return "elevator";
  }

  /**
   * No request until the queue is full; then one read and one write for each page, or for each row
   * of adjacent ones; lookups read pages for bits that do not wait alone.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 256})
  void pagesAreReadAndWrittenOnceASweep(int requestPages) throws IOException {
    BloomSizing sizing = new BloomSizing(100 * BITS_PER_PAGE, 3);
    int room = 60; // of 80 slots
    BitSet onFlash = new BitSet();
    TreeSet<Long> waiting = new TreeSet<>();
    long reads = 0;
    long readPages = 0;
    long writes = 0;
    long writtenPages = 0;
    int sweeps = 0;
    try (ElevatorBloomFilter filter =
        ElevatorBloomFilter.create(store(), sizing, 80 * Long.BYTES, requestPages)) {
      IoSnapshot made = filter.counters().snapshot();
      long[] positions = new long[3];
      for (int i = 0; i < 500; i++) {
        filter.insert(splitMix(1, i));
        if (room - waiting.size() < 3) {
          long[] pages = waiting.stream().mapToLong(p -> p / BITS_PER_PAGE).distinct().toArray();
          int requests = requests(pages, requestPages);
          reads += requests;
          readPages += pages.length;
          writes += requests;
          writtenPages += pages.length;
          waiting.forEach(position -> onFlash.set(position.intValue()));
          waiting.clear();
          sweeps++;
        }
        BloomPositions.of(sizing, splitMix(1, i), positions);
        for (long position : positions) {
          waiting.add(position);
        }
        filter.mightContain(splitMix(2, i));
        BloomPositions.of(sizing, splitMix(2, i), positions);
        for (long position : positions) {
          if (!waiting.contains(position)) {
            reads++;
            readPages++;
            if (!onFlash.get((int) position)) {
              break;
            }
          }
        }
        assertEquals(
            new IoSnapshot(reads, readPages * PAGE_BYTES, writes, writtenPages * PAGE_BYTES),
            filter.counters().snapshot().since(made),
            "key " + i);
      }
      assertTrue(sweeps > 20, "sweeps: " + sweeps);
    }
  }

  private static int requests(long[] pages, int requestPages) {
    int requests = 0;
    long first = -1;
    for (int i = 0; i < pages.length; i++) {
      if (i == 0 || pages[i] > pages[i - 1] + 1 || pages[i] >= first + requestPages) {
        first = pages[i];
        requests++;
      }
    }
    return requests;
  }

  /** The store stays empty, so that the caller can try again. */
  @Test
  void requestsThatNoFrameHasRoomForAreRefusedBeforeThePagesAreMade() throws IOException {
    BloomSizing sizing = new BloomSizing(2 * BITS_PER_PAGE, 3);
    PageStore store = store();
    for (int requestPages : new int[] {0, 1 << 19}) {
      assertThrows(
          IllegalArgumentException.class,
          () -> ElevatorBloomFilter.create(store, sizing, 800, requestPages));
    }
    ElevatorBloomFilter.create(store, sizing, 800, 1).close();
  }

  /** A sweep that cannot read a page keeps every bit, and goes through once the drive works. */
  @Test
  void aFailedSweepKeepsWhatWaits() throws IOException {
    BloomSizing sizing = new BloomSizing(10 * BITS_PER_PAGE, 3);
    FaultyAccess access = new FaultyAccess(1);
    try (ElevatorBloomFilter filter =
        ElevatorBloomFilter.create(store(access, file(), 0, true), sizing, 800, 1)) {
      for (int i = 0; i < 25; i++) {
        filter.insert(splitMix(1, i));
      }
      access.failingReads = path -> true;
      for (int attempt = 0; attempt < 2; attempt++) {
        assertThrows(IOException.class, () -> filter.insert(splitMix(1, 25)));
      }
      IoSnapshot before = filter.counters().snapshot();
      for (int i = 0; i < 25; i++) {
        assertTrue(filter.mightContain(splitMix(1, i)));
      }
      assertEquals(before, filter.counters().snapshot()); // all of them wait, sorted
      access.failingReads = path -> false;
      int absent = 0;
      for (int i = 0; i < 1000; i++) {
        absent += filter.mightContain(splitMix(2, i)) ? 0 : 1;
      }
      assertTrue(absent > 990, "absent: " + absent);
      filter.insert(splitMix(1, 25));
      for (int i = 0; i < 26; i++) {
        assertTrue(filter.mightContain(splitMix(1, i)));
      }
    }
  }

  @Test
  void aQueueIsASetBeforeAndAfterItIsSorted() {
    PositionQueue queue = new PositionQueue(1000 * Long.BYTES);
    TreeSet<Long> model = new TreeSet<>();
    for (int round = 0; round < 3; round++) {
      assertEquals(0, queue.size);
      assertEquals(750, queue.room());
      for (int i = 0; queue.room() > 0; i++) {
        long position = splitMix(round, i) >>> 54; // 1024 of them: many come again
        queue.add(position);
        model.add(position);
        assertEquals(750 - model.size(), queue.room());
      }
      for (int sorted = 0; sorted < 2; sorted++) {
        for (long position = 0; position < 1100; position++) {
          assertEquals(model.contains(position), queue.contains(position));
        }
        queue.sort();
        assertEquals(0, queue.room());
      }
      int i = 0;
      for (long position : model) {
        assertEquals(position, queue.sorted(i++));
      }
      assertEquals(i, queue.size);
      queue.clear();
      model.clear();
      assertFalse(queue.contains(0));
    }
  }

  @Test
  void requestsOfNoPageAreRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () -> ElevatorBloomFilter.create(store(), new BloomSizing(1000, 3), 1 << 20, 0));
  }
}
