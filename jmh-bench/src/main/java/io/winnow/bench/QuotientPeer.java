package io.winnow.bench;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.winnow.flash.bloom.BloomSizing;
import io.winnow.quotient.QuotientFilter;
import io.winnow.quotient.QuotientScheme;
import io.winnow.quotient.QuotientShape;
import io.winnow.quotient.QuotientSizing;

/**
 * Filters in memory that take keys one by one: both kinds of quotient filter, and classic Bloom
 * filters for as many keys at the same rate.
 */
enum QuotientPeer {
  RANK_SELECT("rank-select", 95, (n, rate) -> quotient(QuotientScheme.RANK_SELECT, n, rate)),

  /**
   * A quotient filter that takes as much memory as the Bloom filter: shorter remainders, more
   * slots, the same rate.
   */
  RANK_SELECT_80("rank-select-80", 80, QuotientPeer::rankSelect80),
  THREE_BIT("three-bit", 75, (n, rate) -> quotient(QuotientScheme.THREE_BIT, n, rate)),
  BLOOM("bloom", 95, QuotientPeer::bloom),
  GUAVA("guava", 95, QuotientPeer::guava);

  private final String label;
  private final int fullPercent;
  private final Maker maker;

  QuotientPeer(String label, int fullPercent, Maker maker) {
    this.label = label;
    this.fullPercent = fullPercent;
    this.maker = maker;
  }

  /** A function that makes an empty filter that reaches the given rate when it holds n keys. */
  private interface Maker {
    Filling make(int n, double rate);
  }

  /**
   * A filter with loops of its own over batches of hashes, so that the JIT compiles the loops of
   * each kind separately.
   */
  interface Filling {
    void insert(long[] hashes, int count);

    /** Returns the number of looked-up hashes for which the answer is <i>maybe</i>. */
    int lookup(long[] hashes, int count);

    /** Returns the number of hashes that were found and deleted. */
    int delete(long[] hashes, int count);

    long sizeInBits();
  }

  /** Returns the name of the filter in benchmark results. */
  String label() {
    return label;
  }

  /**
   * Returns the percentage of the filter's slots that n keys fill. Bloom filters have no slots;
   * they count as having those of the rank-and-select filter of as many keys.
   */
  int fullPercent() {
    return fullPercent;
  }

  boolean deletes() {
    return this != BLOOM && this != GUAVA;
  }

  Filling make(int n, double rate) {
    return maker.make(n, rate);
  }

  private static Filling quotient(QuotientScheme scheme, int n, double rate) {
    return quotient(QuotientSizing.forRate(rate, scheme).shape(n));
  }

  private static Filling rankSelect80(int n, double rate) {
    int slots = (int) (n / 0.80) + 1;
    int remainderBits = (int) Math.ceil(-Math.log(rate / 0.80) / Math.log(2));
    return quotient(QuotientShape.ofSlots(slots, remainderBits));
  }

  private static Filling quotient(QuotientShape shape) {
    QuotientFilter filter = QuotientFilter.of(shape);
    return new Filling() {
      @Override
      public void insert(long[] hashes, int count) {
        filter.insert(hashes, 0, count);
      }

      @Override
      public int lookup(long[] hashes, int count) {
        int positives = 0;
        for (int i = 0; i < count; i += Long.SIZE) {
          int size = Math.min(Long.SIZE, count - i);
          positives += Long.bitCount(filter.mightContain(hashes, i, size));
        }
        return positives;
      }

      @Override
      public int delete(long[] hashes, int count) {
        int deleted = 0;
        for (int i = 0; i < count; i++) {
          deleted += filter.delete(hashes[i]) ? 1 : 0;
        }
        return deleted;
      }

      @Override
      public long sizeInBits() {
        return 8 * filter.sizeInBytes();
      }
    };
  }

  private static Filling bloom(int n, double rate) {
    io.winnow.flash.bloom.BloomFilter filter = io.winnow.flash.bloom.BloomFilter.forRate(n, rate);
    return new Filling() {
      @Override
      public void insert(long[] hashes, int count) {
        for (int i = 0; i < count; i++) {
          filter.insert(hashes[i]);
        }
      }

      @Override
      public int lookup(long[] hashes, int count) {
        int positives = 0;
        for (int i = 0; i < count; i++) {
          positives += filter.mightContain(hashes[i]) ? 1 : 0;
        }
        return positives;
      }

      @Override
      public int delete(long[] hashes, int count) {
        throw new UnsupportedOperationException("a Bloom filter cannot delete");
      }

      @Override
      public long sizeInBits() {
        return 8 * filter.sizeInBytes();
      }
    };
  }

  @SuppressWarnings("UnstableApiUsage")
  private static Filling guava(int n, double rate) {
    BloomFilter<Long> filter = BloomFilter.create(Funnels.longFunnel(), n, rate);
    return new Filling() {
      @Override
      public void insert(long[] hashes, int count) {
        for (int i = 0; i < count; i++) {
          filter.put(hashes[i]);
        }
      }

      @Override
      public int lookup(long[] hashes, int count) {
        int positives = 0;
        for (int i = 0; i < count; i++) {
          positives += filter.mightContain(hashes[i]) ? 1 : 0;
        }
        return positives;
      }

      @Override
      public int delete(long[] hashes, int count) {
        throw new UnsupportedOperationException("a Bloom filter cannot delete");
      }

      @Override
      public long sizeInBits() {
        return BloomSizing.forRate(n, rate).bits(); // its own formula gives the same to 0.1 %
      }
    };
  }
}
