package io.winnow.cascade;

/**
 * The inserts and deletes of one fingerprint that a level records: a number of tombstones, and a
 * number of keys that came after them, in one {@code long}.
 *
 * <p>Without deletes a fingerprint is in a level or not. With deletes the filter is a multiset: two
 * keys may share a fingerprint, and the delete of one must not remove the other. The operations on
 * a fingerprint, oldest first, are functions on the number of its copies: an insert adds one, a
 * delete takes one away if there is one. Any sequence of them equals {@code max(copies -
 * tombstones, 0) + keys}, and two such functions combine to one of the same form: {@link
 * #followedBy}. Merges and lookups combine levels in this way.
 *
 * <p>Counting stops at {@value #MANY} keys: such a fingerprint can no longer be deleted. This
 * bounds the space of a key that is inserted again and again, and loses no key. Tombstones above
 * that number are dropped, which loses no key either.
 */
final class Copies {
  /** Number of keys of one fingerprint at which counting stops. */
  static final int MANY = 64;

  /**
   * Count of inserts and deletes of a fingerprint of which a level has neither keys nor tombstones.
   */
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

  /** Combines the counts of older and newer inserts and deletes of a fingerprint. */
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

  /** Adds the counts of inserts and deletes of a fingerprint that one level has in two places. */
  static long plus(long some, long others) {
    return of(
        Math.min(keys(some) + keys(others), MANY),
        Math.min(tombstones(some) + tombstones(others), MANY));
  }

  /**
   * Adds one newer operation to the counts of inserts and deletes of a fingerprint: a delete if
   * {@code tombstone}, otherwise an insert.
   */
  static long followedBy(long older, boolean tombstone) {
    return followedBy(older, tombstone ? of(0, 1) : of(1, 0));
  }
}
