package io.winnow.flash.bufferhash;

/**
 * The filters in memory that say which incarnations may have a key. The ids are schema-critical.
 */
public enum IncarnationFilterKind {
  /**
   * A Bloom filter per incarnation, their bits interleaved: the bits of all incarnations at one
   * position are neighbours. A lookup reads one row for each hash function, and so asks all
   * incarnations of the super table at once. 9.6 bits per key and incarnation at 1 %.
   */
  BIT_SLICED_BLOOM(1),

  /**
   * A bumped Ribbon filter per incarnation: a third smaller at the same rate, or a lower rate in
   * the same memory, but each incarnation is asked by itself.
   */
  RIBBON(2);

  final int id;

  IncarnationFilterKind(int id) {
    this.id = id;
  }
}
