package io.winnow.hbase.tools;

import io.winnow.hbase.settings.StorePlan;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Size and unnecessary file reads of filters, with each filter that can be chosen, summed over the
 * stores of one or several column families. If only some stores were read, the sums are scaled up
 * to all stores. Immutable.
 */
final class Advice {
  final long files;

  /**
   * Number of keys in the filters of all store files: a key that several files have counts once for
   * each.
   */
  final double keys;

  final long stores;
  final long readStores;

  /**
   * Number of distinct keys of the stores: a key that several files of a store have counts once.
   */
  final double distinct;

  final Sum now;

  /**
   * Sizes and unnecessary file reads for each choice of a filter, summed over all stores, if each
   * store file were rewritten with it and none were compacted.
   */
  final Map<Choice, Sum> asFilesLie = new EnumMap<>(Choice.class);

  /**
   * Sizes and unnecessary file reads for each choice of a filter, summed over all stores, if each
   * store had a major compaction.
   */
  final Map<Choice, Sum> afterCompaction = new EnumMap<>(Choice.class);

  /** Number of distinct keys of each store that was read; empty in a sum over several families. */
  private final double[] keysOfStores;

  /**
   * Factor by which sums over the sampled stores are multiplied to estimate the sums over all
   * stores of the family.
   */
  private final double scale;

  /** Size, unnecessary file reads and build time of filters, summed over stores. */
  static final class Sum {
    final double bytes;

    /**
     * Variance of the estimated bytes, because only a sample of the stores was read; NaN if it is
     * unknown.
     */
    final double bytesVariance;

    /**
     * Unnecessary file reads per Get of an absent row, multiplied by the weight of the store and
     * summed over stores: divide by {@link #weight}.
     */
    final double falseReads;

    /**
     * Variance of the estimated sum of unnecessary file reads, because only a sample of the stores
     * was read; NaN if it is unknown.
     */
    final double falseReadsVariance;

    /**
     * Sum of the weights of stores, by which unnecessary file reads are averaged. A Get goes to one
     * store, and more often to a store with more keys, so a store's weight is its number of keys.
     */
    final double weight;

    final double buildNanos;

    Sum(
        double bytes,
        double bytesVariance,
        double falseReads,
        double falseReadsVariance,
        double weight,
        double buildNanos) {
      this.bytes = bytes;
      this.bytesVariance = bytesVariance;
      this.falseReads = falseReads;
      this.falseReadsVariance = falseReadsVariance;
      this.weight = weight;
      this.buildNanos = buildNanos;
    }

    private Sum plus(Sum other) {
      return new Sum(
          bytes + other.bytes,
          bytesVariance + other.bytesVariance,
          falseReads + other.falseReads,
          falseReadsVariance + other.falseReadsVariance,
          weight + other.weight,
          buildNanos + other.buildNanos);
    }

    /**
     * Returns the number of unnecessary file reads per Get of an absent row, averaged over stores.
     */
    double falseReadsPerGet() {
      return weight == 0 ? 0 : falseReads / weight;
    }

    /** Returns the standard error of the estimated bytes of filters, as a share of these bytes. */
    double bytesError() {
      return bytes == 0 ? 0 : Math.sqrt(bytesVariance) / bytes;
    }

    /**
     * Returns the standard error of the estimated number of unnecessary file reads, as a share of
     * this number.
     */
    double falseReadsError() {
      return falseReads == 0 ? 0 : Math.sqrt(falseReadsVariance) / falseReads;
    }
  }

  private Advice(
      long files,
      double keys,
      long stores,
      long readStores,
      double distinct,
      Sum now,
      double[] keysOfStores,
      double scale) {
    this.files = files;
    this.keys = keys;
    this.stores = stores;
    this.readStores = readStores;
    this.distinct = distinct;
    this.now = now;
    this.keysOfStores = keysOfStores;
    this.scale = scale;
  }

  /**
   * Returns size and unnecessary file reads of the filters of one family, estimated from the stores
   * that were read.
   *
   * @param family all stores of the family
   * @param knownKeys keys of the stores that were read, as far as they were known before the read
   * @param read outcomes of the stores that were read
   */
  static Advice of(FamilyFiles family, double knownKeys, List<StoreAdvice.Outcome> read) {
    int stores = family.stores().size();
    boolean isAll = read.size() == stores;
    double scale = isAll || knownKeys == 0 ? 1 : family.keys() / knownKeys;
    double part = isAll ? 1 : Math.min(1, knownKeys / Math.max(1, family.keys()));
    Function<Function<StoreAdvice.Outcome, StoreAdvice.Sum>, Sum> sum =
        of -> sum(read, of, scale, part);
    Advice advice =
        new Advice(
            family.files(),
            scale * read.stream().mapToLong(store -> store.keysInFiles).sum(),
            stores,
            read.size(),
            scale * read.stream().mapToLong(store -> store.keys).sum(),
            sum.apply(store -> store.now),
            read.stream().mapToDouble(store -> store.keys).toArray(),
            scale);
    for (Choice choice : Choice.values()) {
      advice.asFilesLie.put(choice, sum.apply(store -> store.asFilesLie.get(choice)));
      advice.afterCompaction.put(choice, sum.apply(store -> store.afterCompaction.get(choice)));
    }
    return advice;
  }

  /** Returns size and unnecessary file reads of the filters of several families together. */
  static Advice of(List<Advice> families) {
    Advice sum =
        new Advice(
            families.stream().mapToLong(one -> one.files).sum(),
            families.stream().mapToDouble(one -> one.keys).sum(),
            families.stream().mapToLong(one -> one.stores).sum(),
            families.stream().mapToLong(one -> one.readStores).sum(),
            families.stream().mapToDouble(one -> one.distinct).sum(),
            families.stream().map(one -> one.now).reduce(Sum::plus).orElseThrow(),
            new double[0],
            1);
    for (Advice family : families) {
      family.asFilesLie.forEach((choice, one) -> sum.asFilesLie.merge(choice, one, Sum::plus));
      family.afterCompaction.forEach(
          (choice, one) -> sum.afterCompaction.merge(choice, one, Sum::plus));
    }
    return sum;
  }

  private static Sum sum(
      List<StoreAdvice.Outcome> read,
      Function<StoreAdvice.Outcome, StoreAdvice.Sum> of,
      double scale,
      double part) {
    double bytes = 0;
    double falseReads = 0;
    double nanos = 0;
    double weight = 0;
    for (StoreAdvice.Outcome store : read) {
      StoreAdvice.Sum one = of.apply(store);
      bytes += scale * one.bytes;
      falseReads += scale * store.keys * one.falseReads;
      nanos += scale * one.buildNanos;
      weight += scale * store.keys;
    }
    double bytesError =
        error(read, store -> of.apply(store).bytes, store -> store.keysInFiles, part);
    double falseReadsError =
        error(read, store -> store.keys * of.apply(store).falseReads, store -> store.keys, part);
    return new Sum(
        bytes,
        square(bytesError * bytes),
        falseReads,
        square(falseReadsError * falseReads),
        weight,
        nanos);
  }

  /**
   * Returns the standard error of the ratio of two sums over sampled stores, as a share of that
   * ratio.
   *
   * @param part share of all keys that was read
   * @return the error; 0 if everything was read, NaN if fewer than two stores were read
   */
  private static double error(
      List<StoreAdvice.Outcome> read,
      ToDoubleFunction<StoreAdvice.Outcome> value,
      ToDoubleFunction<StoreAdvice.Outcome> size,
      double part) {
    if (part == 1) {
      return 0;
    }
    int n = read.size();
    double values = read.stream().mapToDouble(value).sum();
    double sizes = read.stream().mapToDouble(size).sum();
    if (n < 2 || sizes == 0) {
      return Double.NaN;
    }
    if (values == 0) {
      return 0;
    }
    double squares = 0;
    for (StoreAdvice.Outcome store : read) {
      squares += square(value.applyAsDouble(store) - values / sizes * size.applyAsDouble(store));
    }
    return Math.sqrt(squares * n / (n - 1) * (1 - part)) / values;
  }

  private static double square(double x) {
    return x * x;
  }

  boolean isSample() {
    return readStores < stores;
  }

  /**
   * Returns the bytes and the unnecessary file reads that the family's recommended filters would
   * have after a major compaction.
   *
   * @param memory value of {@code winnow.store.memory}
   */
  Sum expected(FamilySettings family, double memory) {
    double bytes = 0;
    double falseReads = 0;
    double weight = 0;
    for (double keysOfStore : keysOfStores) {
      StorePlan.PlannedFile file = family.onlyFile(keysOfStore, memory);
      bytes += scale * file.bytes();
      falseReads += scale * keysOfStore * file.rate;
      weight += scale * keysOfStore;
    }
    return new Sum(bytes, Double.NaN, falseReads, Double.NaN, weight, 0);
  }
}
