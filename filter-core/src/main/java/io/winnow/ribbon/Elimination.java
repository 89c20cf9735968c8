package io.winnow.ribbon;

/** Results of an attempt to eliminate the rows of a set of keys. */
enum Elimination {
  /** Success of an elimination: every row occupies a slot, or depends on others and agrees. */
  DONE,

  /**
   * Failure of an elimination because the hash of a key is repeated: repeats must be dropped before
   * the next attempt.
   */
  REPEATED,

  /**
   * Failure of an elimination that was abandoned, because rows took many times the usual steps or a
   * layer bumped many times the usual keys. This happens only with hashes that were chosen to start
   * close together under this seed.
   */
  CROWDED
}
