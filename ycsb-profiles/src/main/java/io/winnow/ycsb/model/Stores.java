package io.winnow.ycsb.model;

import io.winnow.ycsb.TableFilter;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Stores of several files, and what is asked of them.
 *
 * @param keys of a store's files, oldest first
 * @param stores how many, all alike
 * @param rate asked of a file
 * @param memory {@code winnow.store.memory}; empty for the default
 * @param present the share of Gets that find their row
 * @param wishedBytes of a store's filters
 * @param wishedFalseReads per Get
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

  /** What {@code winnow.store.memory} may be. */
  static final double LEAST_MEMORY = 0.1;

  static final double MOST_MEMORY = 1.25;

  /** The filters that the settings give. */
  ModelFilters filters() {
    return ModelFilters.byStore(TableFilter.BUMPED_RIBBON, keys, rate, memory, chunkBytes);
  }

  /** The filters of another {@code winnow.store.memory}. */
  ModelFilters filters(double otherMemory) {
    return ModelFilters.byStore(
        TableFilter.BUMPED_RIBBON, keys, rate, OptionalDouble.of(otherMemory), chunkBytes);
  }
}
