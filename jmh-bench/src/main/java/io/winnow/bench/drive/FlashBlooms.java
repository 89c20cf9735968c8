package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import io.winnow.flash.bloom.BitPages;
import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.bloom.ElevatorBloomFilter;
import io.winnow.flash.bloom.FlashBloomFilter;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Maker of Bloom filters on flash that begin full: their pages have random bits, because inserting
 * all keys would take weeks. As many bits are set as all keys would set. From then on they behave
 * like a full filter.
 */
public final class FlashBlooms {
  private static final int PAGE_BYTES = 4096;

  /**
   * Number of binary digits of the share of bits that are set in a Bloom filter, which is a
   * multiple of 2<sup>-16</sup>.
   */
  private static final int SHARE_BITS = 16;

  private FlashBlooms() {}

  /**
   * Makes a plain Bloom filter on flash, which sets a bit in its page at once. All its memory is a
   * cache of pages.
   */
  public static FlashContender plain(Path file, BloomSizing sizing, long keys, long memoryBytes)
      throws IOException {
    PageStore store = filled(file, sizing, keys);
    FlashBloomFilter filter = FlashBloomFilter.open(store, sizing, memoryBytes);
    IoSnapshot made = store.counters.snapshot();
    return new FlashContender() {
      @Override
      public void insert(long keyHash) throws IOException {
        filter.insert(keyHash);
      }

      @Override
      public boolean mightContain(long keyHash) throws IOException {
        return filter.mightContain(keyHash);
      }

      /** Returns the number of inserts after which the filter's cache is full of changed pages. */
      @Override
      public long warmUp() {
        return 2 * memoryBytes / PAGE_BYTES / sizing.hashFunctions();
      }

      @Override
      public void sync() throws IOException {
        filter.sync();
      }

      @Override
      public IoSnapshot traffic() {
        return filter.counters().snapshot().since(made);
      }

      @Override
      public long flashBytes() {
        return store.pages() * PAGE_BYTES;
      }

      @Override
      public void close() throws IOException {
        filter.close();
      }
    };
  }

  /**
   * Makes an elevator Bloom filter on flash, whose memory is a queue of bits that sweeps write to
   * the drive. Its sweeps have requests of at most {@code requestPages} pages.
   */
  public static FlashContender elevator(
      Path file, BloomSizing sizing, long keys, long memoryBytes, int requestPages)
      throws IOException {
    PageStore store = filled(file, sizing, keys);
    ElevatorBloomFilter filter = ElevatorBloomFilter.open(store, sizing, memoryBytes, requestPages);
    IoSnapshot made = store.counters.snapshot();
    return new FlashContender() {
      private long writes = made.writes();

      @Override
      public void insert(long keyHash) throws IOException {
        filter.insert(keyHash);
      }

      @Override
      public boolean mightContain(long keyHash) throws IOException {
        return filter.mightContain(keyHash);
      }

      /**
       * Returns whether a sweep that writes queued bits to the drive has ended since the last call.
       */
      @Override
      public boolean mayStop() {
        long before = writes;
        writes = filter.counters().snapshot().writes();
        return writes > before;
      }

      @Override
      public void sync() throws IOException {
        filter.sync();
      }

      @Override
      public IoSnapshot traffic() {
        return filter.counters().snapshot().since(made);
      }

      @Override
      public long flashBytes() {
        return store.pages() * PAGE_BYTES;
      }

      @Override
      public void close() throws IOException {
        filter.close();
      }
    };
  }

  private static PageStore filled(Path file, BloomSizing sizing, long keys) throws IOException {
    double share = -Math.expm1(-(double) sizing.hashFunctions() * keys / sizing.bits());
    int fraction = (int) Math.round(Math.scalb(share, SHARE_BITS));
    PageStore store = PageStore.create(file, PAGE_BYTES);
    AtomicLong state = new AtomicLong(1);
    BitPages made =
        BitPages.create(store, sizing, 1, () -> word(state.getAndIncrement(), fraction));
    try (made) {
      store.force();
    }
    return PageStore.open(file, PAGE_BYTES);
  }

  /**
   * Returns a random 64-bit word in which each bit is set with a probability of {@code fraction} /
   * 2<sup>16</sup>.
   */
  static long word(long state, int fraction) {
    long word = 0;
    int from = Math.min(SHARE_BITS, Integer.numberOfTrailingZeros(fraction));
    for (int bit = from; bit < SHARE_BITS; bit++) {
      long random = Keys.scramble(state * SHARE_BITS + bit);
      word = (fraction >>> bit & 1) != 0 ? word | random : word & random;
    }
    return word;
  }
}
