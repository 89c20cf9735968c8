package io.winnow.bench;

import io.winnow.flash.bloom.BloomSizing;
import io.winnow.quotient.QuotientFilter;
import io.winnow.quotient.QuotientScheme;
import io.winnow.quotient.QuotientShape;
import io.winnow.quotient.QuotientSizing;
import java.util.function.BiFunction;

/**
 * Filters in memory that take keys one by one: both kinds of quotient filter, and classic Bloom
 * filters for as many keys at the same rate.
 */
enum QuotientPeer {
  RANK_SELECT(95, quotient(QuotientScheme.RANK_SELECT)),
  /**
   * A quotient filter that takes as much memory as the Bloom filter: shorter remainders, more
   * slots, the same rate.
   */
  RANK_SELECT_80(80, QuotientPeer::rankSelect80),
  THREE_BIT(75, quotient(QuotientScheme.THREE_BIT)),
  BLOOM(95, QuotientPeer::bloom);

  /**
   * Percentage of the filter's slots that n keys fill. Bloom filters have no slots; they count as
   * having those of the rank-and-select filter of as many keys.
   */
  final int fullPercent;

  private final BiFunction<Integer, Double, Filling> maker;

  QuotientPeer(int fullPercent, BiFunction<Integer, Double, Filling> maker) {
    this.fullPercent = fullPercent;
    this.maker = maker;
  }

  /** An operation on a batch of hashes that is timed, such as inserting or looking up. */
  @FunctionalInterface
  interface Operation {
    /**
     * Runs the operation on a batch of hashes. Returns the number of hashes for which it succeeded
     * or the answer was <i>maybe</i>.
     */
    int run(long[] hashes, int count);
  }

  /**
   * A filter with loops of its own over batches of hashes, so that the JIT compiles the loops of
   * each kind separately.
   *
   * @param delete null if the filter cannot delete
   */
  record Filling(Operation insert, Operation lookup, Operation delete, long sizeInBits) {}

  /** Makes an empty filter that reaches the given rate when it holds n keys. */
  Filling make(int n, double rate) {
    return maker.apply(n, rate);
  }

  private static BiFunction<Integer, Double, Filling> quotient(QuotientScheme scheme) {
    return (n, rate) -> quotient(QuotientSizing.forRate(rate, scheme).shape(n));
  }

  private static Filling rankSelect80(int n, double rate) {
    int slots = (int) (n / 0.80) + 1;
    int remainderBits = (int) Math.ceil(-Math.log(rate / 0.80) / Math.log(2));
    return quotient(QuotientShape.ofSlots(slots, remainderBits));
  }

  private static Filling quotient(QuotientShape shape) {
    QuotientFilter filter = QuotientFilter.of(shape);
    return new Filling(
        (hashes, count) -> {
          filter.insert(hashes, 0, count);
          return count;
        },
        (hashes, count) -> {
          int positives = 0;
          for (int i = 0; i < count; i += Long.SIZE) {
            int size = Math.min(Long.SIZE, count - i);
            positives += Long.bitCount(filter.mightContain(hashes, i, size));
          }
          return positives;
        },
        (hashes, count) -> {
          int deleted = 0;
          for (int i = 0; i < count; i++) {
            deleted += filter.delete(hashes[i]) ? 1 : 0;
          }
          return deleted;
        },
        8 * filter.sizeInBytes());
  }

  private static Filling bloom(int n, double rate) {
    PlainBloomFilter filter = new PlainBloomFilter(BloomSizing.forRate(n, rate));
    return new Filling(
        (hashes, count) -> {
          for (int i = 0; i < count; i++) {
            filter.insert(hashes[i]);
          }
          return count;
        },
        (hashes, count) -> {
          int positives = 0;
          for (int i = 0; i < count; i++) {
            positives += filter.mightContain(hashes[i]) ? 1 : 0;
          }
          return positives;
        },
        null,
        8 * filter.sizeInBytes());
  }
}
