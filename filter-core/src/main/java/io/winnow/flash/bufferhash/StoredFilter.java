package io.winnow.flash.bufferhash;

/** A filter of one incarnation, as the incarnation's index keeps it for the next opening. */
final class StoredFilter {
  static final StoredFilter NONE = new StoredFilter(0, 0, 0, new byte[0]);

  /** {@link IncarnationFilterKind#id}, or 0 for none. */
  final int kind;

  /** Of a Bloom filter, else 0. */
  final long bits;

  /** Of a Bloom filter, else 0. */
  final int hashFunctions;

  final byte[] bytes;

  StoredFilter(int kind, long bits, int hashFunctions, byte[] bytes) {
    this.kind = kind;
    this.bits = bits;
    this.hashFunctions = hashFunctions;
    this.bytes = bytes;
  }
}
