package io.winnow.flash.bufferhash;

/** A filter of one incarnation, as it is stored in the incarnation's index for the next opening. */
final class StoredFilter {
  /** Value that stands for "no filter is stored in the index of an incarnation". */
  static final StoredFilter NONE = new StoredFilter(0, 0, 0, new byte[0]);

  /** Id of the kind of a stored filter, or 0 if there is none. */
  final int kind;

  /** Number of bits of the stored Bloom filter; 0 for another kind. */
  final long bits;

  /** Number of hash functions of the stored Bloom filter; 0 for another kind. */
  final int hashFunctions;

  final byte[] bytes;

  StoredFilter(int kind, long bits, int hashFunctions, byte[] bytes) {
    this.kind = kind;
    this.bits = bits;
    this.hashFunctions = hashFunctions;
    this.bytes = bytes;
  }
}
