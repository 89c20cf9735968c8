/**
 * The command {@code ./winnow cascade bench}: the cascade filter beside Bloom filters in memory and
 * on flash, on one drive, with the same memory. The package also has the part that all benchmarks
 * on a drive share.
 */
package io.winnow.bench.cascade;
