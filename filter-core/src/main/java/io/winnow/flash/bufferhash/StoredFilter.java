package io.winnow.flash.bufferhash;

/** A filter of one incarnation, as stored in its index for the next opening. */
final class StoredFilter {
  /** No filter. */
  static final StoredFilter NONE = new StoredFilter(0, 0, 0, new byte[0]);

  /** Id of the kind of filter, or 0 if there is no filter. */
  final int kind;

  /** Number of bits of a Bloom filter, otherwise 0. */
  final long bits;

  /** Number of hash functions of a Bloom filter, otherwise 0. */
  final int hashFunctions;

  final byte[] bytes;

  StoredFilter(int kind, long bits, int hashFunctions, byte[] bytes) {
    this.kind = kind;
    this.bits = bits;
    this.hashFunctions = hashFunctions;
    this.bytes = bytes;
  }
}
