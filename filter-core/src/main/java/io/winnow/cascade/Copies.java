package io.winnow.cascade;

/**
 * What a level knows of one fingerprint: the number of its tombstones, and of its keys, which came
 * after them, in one {@code long}.
 *
 * <p>Without deletes it is there or not. With them the filter is a multiset: two keys may share a
 * fingerprint, and the delete of one must not take the other with it. The operations on a
 * fingerprint, oldest first, are functions on the number of its copies: an insert adds one, a
 * delete takes one away if there is one. Any sequence of them comes to {@code max(copies -
 * tombstones, 0) + keys}, and two such come to one again: {@link #followedBy}. Levels are combined
 * by it, in merges and in lookups.
 *
 * <p>From {@value #MANY} keys on nobody counts any more: such a fingerprint stays. That bounds what
 * a key costs that is inserted again and again, and errs to the safe side. Tombstones above that
 * number are dropped, which does too.
 */
final class Copies {
  static final int MANY = 64;
  static final long NONE = 0;

  private Copies() {}

  static long of(int keys, int tombstones) {
    return (long) tombstones << 32 | keys;
  }

  static int keys(long copies) {
    return (int) copies;
  }

  static int tombstones(long copies) {
    return (int) (copies >>> 32);
  }

  /** What older and newer operations come to. */
  static long followedBy(long older, long newer) {
    int keys = keys(older);
    if (keys >= MANY) {
      return of(MANY, tombstones(older));
    }
    int taken = tombstones(newer);
    return taken >= keys
        ? of(Math.min(keys(newer), MANY), Math.min(tombstones(older) + taken - keys, MANY))
        : of(Math.min(keys - taken + keys(newer), MANY), tombstones(older));
  }

  /** Copies that one level has in two places. */
  static long plus(long some, long others) {
    return of(
        Math.min(keys(some) + keys(others), MANY),
        Math.min(tombstones(some) + tombstones(others), MANY));
  }

  /** One more operation: an insert, or a delete. */
  static long followedBy(long older, boolean tombstone) {
    return followedBy(older, tombstone ? of(0, 1) : of(1, 0));
  }
}
