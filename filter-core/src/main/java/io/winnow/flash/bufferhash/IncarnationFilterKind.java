package io.winnow.flash.bufferhash;

/**
 * Kinds of the filters in memory by which lookups find the incarnations that may have a key. The
 * ids are schema-critical.
 */
public enum IncarnationFilterKind {
  /**
   * Kind with a Bloom filter per incarnation, and interleaved bits: the bits of all incarnations at
   * one position are adjacent. A lookup reads one row for each hash function, which probes all
   * incarnations of the super table together. 9.6 bits per key and incarnation at 1 %.
   */
  BIT_SLICED_BLOOM(1),

  /**
   * Kind with a bumped Ribbon filter per incarnation: a third smaller at the same rate, or a lower
   * rate in the same memory, but each incarnation is probed separately.
   */
  RIBBON(2);

  final int id;

  IncarnationFilterKind(int id) {
    this.id = id;
  }
}
