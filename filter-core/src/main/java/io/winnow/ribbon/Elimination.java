package io.winnow.ribbon;

/** How an attempt to eliminate a set's rows ended. */
enum Elimination {
  /** Every row has its place, or needs none. */
  DONE,

  /** A hash came twice: the repeats must be dropped before the next attempt. */
  REPEATED,

  /**
   * The attempt was given up, because rows had to move much further than those of ordinary hashes
   * do. Only hashes that were chosen to start close together do that, and under another seed they
   * are ordinary again. Without this, such hashes would take time that grows with their square.
   */
  CROWDED
}
