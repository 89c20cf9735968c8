package io.winnow.ribbon;

/**
 * Results of an attempt to eliminate the rows of a set of keys from a Ribbon filter's linear
 * system.
 */
enum Elimination {
  /**
   * Success of an elimination of keys' rows: every row occupies a slot, or depends on others and
   * agrees.
   */
  DONE,

  /**
   * Failure of an elimination of keys' rows because a hash is repeated: repeats must be dropped
   * before the next attempt.
   */
  REPEATED,

  /**
   * Failure of an elimination of keys' rows that was abandoned, because rows took many times the
   * usual steps or a layer bumped many times the usual keys. This happens only with hashes that
   * were chosen to start close together under this seed.
   */
  CROWDED
}
