package io.winnow.flash.bloom;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.flash.drive.PageStore;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FlashBloomFilterTest extends FlashBloomContractTest {

  @Override
  PagedBloomFilter create(PageStore store, BloomSizing sizing, long memoryBytes)
      throws IOException {
    return FlashBloomFilter.create(store, sizing, memoryBytes);
  }

  @Override
  PagedBloomFilter open(PageStore store, BloomSizing sizing, long memoryBytes) throws IOException {
    return FlashBloomFilter.open(store, sizing, memoryBytes);
  }

  @Override
  String name() {
    return "plain";
  }

  /** A plain list of the pages in memory, the least recently used first, agrees on each request. */
  @Test
  void pagesAreReadAndWrittenAsALeastRecentlyUsedCacheHasTo() throws IOException {
    long seed = 7;
    Random random = new Random(seed);
    BloomSizing sizing = new BloomSizing(12 * BITS_PER_PAGE, 3);
    PageStore store = store();
    BitSet bits = new BitSet();
    List<Long> cached = new ArrayList<>();
    Set<Long> dirty = new HashSet<>();
    boolean written = false; // since the last sync
    long reads = 0;
    long writes = 0;
    try (FlashBloomFilter filter = FlashBloomFilter.create(store, sizing, 4 * PAGE_BYTES)) {
      IoSnapshot made = filter.counters().snapshot();
      // two heads, 12 pages of bits, two of versions; the heads again; the versions are read
      assertEquals(new IoSnapshot(2, 2L * PAGE_BYTES, 5, 18L * PAGE_BYTES), made);
      long[] positions = new long[3];
      for (int step = 0; step < 3000; step++) {
        long keyHash = splitMix(seed, random.nextInt(1500));
        boolean insert = random.nextBoolean();
        if (insert) {
          filter.insert(keyHash);
        } else {
          filter.mightContain(keyHash);
        }
        BloomPositions.of(sizing, keyHash, positions);
        for (long position : positions) {
          Long page = position / BITS_PER_PAGE;
          if (!cached.remove(page)) {
            reads++;
            if (cached.size() == 4 && dirty.remove(cached.remove(0))) {
              writes++;
              written = true;
            }
          }
          cached.add(page);
          boolean set = bits.get((int) position);
          if (insert && !set) {
            bits.set((int) position);
            dirty.add(page);
          } else if (!insert && !set) {
            break;
          }
        }
        assertEquals(
            new IoSnapshot(reads, reads * PAGE_BYTES, writes, writes * PAGE_BYTES),
            filter.counters().snapshot().since(made),
            "seed " + seed + ", step " + step);
        if (step % 500 == 0) {
          filter.sync();
          writes += dirty.size();
          written |= !dirty.isEmpty();
          writes += written ? 3 : 0; // two pages of versions, and a head
          dirty.clear();
          written = false;
        }
      }
    }
  }
}
