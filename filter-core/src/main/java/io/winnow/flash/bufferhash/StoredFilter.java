package io.winnow.flash.bufferhash;

/**
 * A filter of one incarnation, as the incarnation's index keeps it for the next opening.
 *
 * @param kind {@link FilterKind#id}, or 0 for none
 * @param bits of a Bloom filter, else 0
 * @param hashFunctions of a Bloom filter, else 0
 */
record StoredFilter(int kind, long bits, int hashFunctions, byte[] bytes) {
  static final StoredFilter NONE = new StoredFilter(0, 0, 0, new byte[0]);
}
