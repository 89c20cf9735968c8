package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import io.winnow.flash.bloom.BitPages;
import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.bloom.ElevatorBloomFilter;
import io.winnow.flash.bloom.FlashBloomFilter;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.store.IoSnapshot;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A Bloom filter on flash that begins full: its pages have random bits, because inserting all keys
 * would take weeks. As many bits are set as all keys would set. From then on it behaves like a full
 * filter.
 */
final class FlashBloom implements Structure {
  private static final int PAGE_BYTES = 4096;

  /**
   * Number of binary digits of the share of bits that are set, which is a multiple of
   * 2<sup>-16</sup>.
   */
  private static final int SHARE_BITS = 16;

  private static final int CHECKED = 1000;

  private final PageStore store;
  private final Insert insert;
  private final Lookup lookup;
  private final Closeable filter;
  private final long warmUp;
  private final boolean isSwept;
  private final IoSnapshot made;
  private long writes;

  private interface Insert {
    void insert(long key) throws IOException;
  }

  private interface Lookup {
    boolean mightContain(long key) throws IOException;
  }

  private FlashBloom(
      PageStore store,
      Insert insert,
      Lookup lookup,
      Closeable filter,
      long warmUp,
      boolean isSwept) {
    this.store = store;
    this.insert = insert;
    this.lookup = lookup;
    this.filter = filter;
    this.warmUp = warmUp;
    this.isSwept = isSwept;
    this.made = store.counters.snapshot();
  }

  /**
   * Makes a Bloom filter on flash. All memory of a plain one is a cache of pages, and it sets a bit
   * in its page at once. The memory of an elevator one is a queue of bits that sweeps write to the
   * drive.
   *
   * @param requestPages maximum number of pages in a request of a sweep; 0 for a plain filter
   */
  static FlashBloom open(
      Path file, BloomSizing sizing, long keys, long memoryBytes, int requestPages)
      throws IOException {
    PageStore store = filled(file, sizing, keys);
    if (requestPages == 0) {
      FlashBloomFilter filter = FlashBloomFilter.open(store, sizing, memoryBytes);
      long warmUp = 2 * memoryBytes / PAGE_BYTES / sizing.hashFunctions(); // all pages are changed
      return new FlashBloom(store, filter::insert, filter::mightContain, filter, warmUp, false);
    }
    ElevatorBloomFilter filter = ElevatorBloomFilter.open(store, sizing, memoryBytes, requestPages);
    return new FlashBloom(store, filter::insert, filter::mightContain, filter, 0, true);
  }

  /**
   * Measures inserts and lookups of absent keys, and looks up some of the inserted keys. The
   * inserts end after a sweep that writes queued bits to the drive, because it is done all at once.
   */
  SetsCase.Figures measure(long keys, double seconds) throws IOException {
    long warm = Math.min(warmUp, keys / 2);
    Timed.inserting(this, 0).run(0, (int) warm);
    Timed inserts =
        new Timed(this)
            .run(1, keys - warm, time -> hasSwept() && time > seconds, Timed.inserting(this, warm));
    long checked = Math.min(inserts.operations, CHECKED);
    long stride = inserts.operations / checked;
    Timed present = Timed.lookups(this, 1, i -> Keys.present(i * stride), checked, time -> false);
    return new SetsCase.Figures(inserts, present, Timed.lookups(this, 1, Keys::absent, seconds));
  }

  @Override
  public void insert(long key) throws IOException {
    insert.insert(key);
  }

  @Override
  public boolean mightContain(long key) throws IOException {
    return lookup.mightContain(key);
  }

  /** Returns whether a sweep has ended since the last call, if the filter has sweeps. */
  private boolean hasSwept() {
    long before = writes;
    writes = state().traffic().writes();
    return !isSwept || writes > before;
  }

  @Override
  public State state() {
    return new State(store.counters.snapshot().since(made), store.pages() * PAGE_BYTES);
  }

  @Override
  public void close() throws IOException {
    filter.close();
  }

  private static PageStore filled(Path file, BloomSizing sizing, long keys) throws IOException {
    double share = -Math.expm1(-(double) sizing.hashFunctions() * keys / sizing.bits());
    int fraction = (int) Math.round(Math.scalb(share, SHARE_BITS));
    AtomicLong state = new AtomicLong(1);
    PageStore store = PageStore.create(file, PAGE_BYTES);
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
