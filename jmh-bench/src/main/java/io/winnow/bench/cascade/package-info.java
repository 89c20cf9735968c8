/**
 * {@code ./winnow cascade bench}: the cascade filter beside Bloom filters in memory and on flash,
 * on one drive, with the same memory; and what all benches on a drive share.
 */
package io.winnow.bench.cascade;
