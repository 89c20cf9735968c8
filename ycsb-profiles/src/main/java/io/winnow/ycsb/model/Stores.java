package io.winnow.ycsb.model;

import io.winnow.ycsb.TableFilter;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Stores of several files, and the user's targets for their filters.
 *
 * @param keys numbers of keys of a store's files, oldest first
 * @param stores number of stores, which are all alike
 * @param rate configured rate of a file
 * @param memory {@code winnow.store.memory}; empty for the default
 * @param present share of Gets that find their row
 * @param wishedBytes target for the bytes of a store's filters
 * @param wishedFalseReads target for unnecessary file reads per Get
 */
record Stores(
    List<Long> keys,
    long stores,
    double rate,
    int chunkBytes,
    OptionalDouble memory,
    double present,
    OptionalDouble wishedBytes,
    OptionalDouble wishedFalseReads) {

  /** Minimum value of {@code winnow.store.memory}; {@code MAX_MEMORY} is its maximum. */
  static final double MIN_MEMORY = 0.1;

  static final double MAX_MEMORY = 1.25;

  /**
   * Returns the filters that Winnow writes for a store's files with the {@code winnow.store.memory}
   * of the options.
   */
  ModelFilters filters() {
    return ModelFilters.byStore(TableFilter.BUMPED_RIBBON, keys, rate, memory, chunkBytes);
  }

  /**
   * Returns the filters that Winnow writes for a store's files with another {@code
   * winnow.store.memory}.
   */
  ModelFilters filters(double otherMemory) {
    return ModelFilters.byStore(
        TableFilter.BUMPED_RIBBON, keys, rate, OptionalDouble.of(otherMemory), chunkBytes);
  }
}
