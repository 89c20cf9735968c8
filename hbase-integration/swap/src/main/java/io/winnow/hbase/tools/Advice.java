package io.winnow.hbase.tools;

import io.winnow.hbase.settings.StorePlan;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * What came of the stores of a family, or of several families together; where only some stores were
 * read, for all of them. Immutable.
 */
final class Advice {
  final long files;

  /** In the filters of all files. */
  final double keys;

  final long stores;
  final long readStores;

  /** Each key of a store once. */
  final double distinct;

  final Sum now;

  /** If each file were written again beside the others. */
  final Map<Choice, Sum> asFilesLie = new EnumMap<>(Choice.class);

  /** After a major compaction. */
  final Map<Choice, Sum> afterCompaction = new EnumMap<>(Choice.class);

  /** Of a family: the keys of each store that was read. */
  private final double[] keysOfStores;

  /** Of a family: by which what was read is multiplied. */
  private final double scale;

  /** What is known of one family's stores before any is read. */
  static final class Known {
    final long files;
    final long stores;
    final double keys;

    Known(long files, long stores, double keys) {
      this.files = files;
      this.stores = stores;
      this.keys = keys;
    }
  }

  /** A sum over filters, for all stores. */
  static final class Sum {
    final double bytes;

    /** Of the bytes, since only some stores were read; NaN if it is not known. */
    final double bytesVariance;

    /** Unnecessary file reads per Get of an absent row, times {@link #weight}. */
    final double falseReads;

    /** The false reads variance as of the bytes. */
    final double falseReadsVariance;

    /** A Get asks one store, and more often one that has more keys: the keys. */
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

    /** Unnecessary file reads per Get of an absent row. */
    double falseReadsPerGet() {
      return weight == 0 ? 0 : falseReads / weight;
    }

    /** A standard error, as a part of the bytes. */
    double bytesError() {
      return bytes == 0 ? 0 : Math.sqrt(bytesVariance) / bytes;
    }

    /** A standard error, as a part of the false reads. */
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
   * Of a family.
   *
   * @param known of all stores
   * @param knownKeys the keys of those that were read, as far as they were known before
   * @param read what came of them
   */
  static Advice of(Known known, double knownKeys, List<StoreAdvice.Outcome> read) {
    boolean isAll = read.size() == known.stores;
    double scale = isAll || knownKeys == 0 ? 1 : known.keys / knownKeys;
    double part = isAll ? 1 : Math.min(1, knownKeys / Math.max(1, known.keys));
    Function<Function<StoreAdvice.Outcome, StoreAdvice.Sum>, Sum> sum =
        of -> sum(read, of, scale, part);
    Advice advice =
        new Advice(
            known.files,
            scale * read.stream().mapToLong(store -> store.keysInFiles).sum(),
            known.stores,
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

  /** Of several families. */
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
   * The standard error of the ratio of two sums, as a part of it; not a number if fewer than two
   * stores were read.
   *
   * @param part how much of all was read
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

  /** The family's recommended filters after a compaction, with another memory of its stores. */
  Sum expected(FamilySettings family, double memory) {
    double bytes = 0;
    double falseReads = 0;
    double weight = 0;
    for (double keysOfStore : keysOfStores) {
      StorePlan.PlannedFile file = family.onlyFile(keysOfStore, memory);
      bytes += scale * file.bytes();
      falseReads += scale * keysOfStore * file.rate();
      weight += scale * keysOfStore;
    }
    return new Sum(bytes, Double.NaN, falseReads, Double.NaN, weight, 0);
  }
}
