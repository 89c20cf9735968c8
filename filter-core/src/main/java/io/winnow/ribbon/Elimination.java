package io.winnow.ribbon;

/** Results of an attempt to eliminate the rows of a set of keys. */
enum Elimination {
  /** Success: every row occupies a slot, or depends on others and agrees. */
  DONE,

  /** A hash of a key is repeated: repeats must be dropped before the next attempt. */
  REPEATED,

  /**
   * The attempt to eliminate was abandoned, because rows took many times the usual steps or a layer
   * bumped many times the usual keys. This happens only with hashes that were chosen to start close
   * together under this seed.
   */
  CROWDED
}
