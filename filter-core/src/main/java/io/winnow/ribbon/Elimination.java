package io.winnow.ribbon;

/** How an attempt to eliminate a set's rows ended. */
enum Elimination {
  /** Every row has its place, or needs none. */
  DONE,

  /** A hash came twice: the repeats must be dropped before the next attempt. */
  REPEATED,

  /**
   * The attempt was given up: rows took many times the usual steps, or a layer bumped many times
   * the usual keys. Only hashes that were chosen to start close together do that, under one seed.
   */
  CROWDED
}
