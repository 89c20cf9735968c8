package io.winnow.ycsb;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The rows of the store of {@code --scale}: events of entities. A key has 25 bytes: the entity in
 * 8, the time in milliseconds in 8, and 9 that distinguish events.
 *
 * <p>An entity has its events in sessions of {@value #SESSION_ROWS} rows, a second apart. Each
 * store file has the events of some hours: the first one of {@code HOURS[0]}, the last four of one
 * hour each. A small file has sessions of few entities, the first one of all. Everything is
 * computed from numbers of entity, file, session and row, so that a read can be checked. Immutable.
 *
 * @param entities number of entities
 */
record ScaleRows(int entities) {
  static final int KEY_BYTES = 25;

  /** Number of bytes of the entity, which is the prefix of its events. */
  static final int ENTITY_BYTES = 8;

  /** Number of rows in a session of an entity. */
  static final int SESSION_ROWS = 20;

  /** Mean number of rows of an entity. */
  static final int ROWS_PER_ENTITY = 100;

  /** Shares of the rows that the store files have, the oldest file first. */
  static final double[] SHARES = {0.85, 0.08, 0.04, 0.01, 0.01, 0.004, 0.004};

  /** Number of store files. */
  static final int FILES = SHARES.length;

  /** Hours whose events each store file has. */
  private static final int[] HOURS = {85, 8, 4, 1, 1, 1, 1};

  private static final long HOUR = TimeUnit.HOURS.toMillis(1);

  /** Time of the first hour, in milliseconds since 1970. */
  private static final long FIRST = 1_790_000_000_000L;

  static ScaleRows of(long rows) {
    return new ScaleRows((int) Math.max(1, rows / ROWS_PER_ENTITY));
  }

  /**
   * Returns the time at which the hours of a store file begin, in milliseconds since 1970; for
   * {@link #FILES}, the end of the last hour.
   */
  static long begin(int file) {
    long hours = 0;
    for (int before = 0; before < file; before++) {
      hours += HOURS[before];
    }
    return FIRST + hours * HOUR;
  }

  /** Returns the number of sessions of an entity in a store file. */
  int sessions(int entity, int file) {
    double mean = SHARES[file] * ROWS_PER_ENTITY / SESSION_ROWS;
    return (int) (mean + unit(Mix.of(Mix.of(entity) + file)));
  }

  /** Returns the key of a row that the store has. Keys are in the order of their numbers. */
  byte[] key(int entity, int file, int session, int row) {
    int sessions = sessions(entity, file);
    long seed = Mix.of(Mix.of(entity) ^ Mix.of((long) file << 32 | session));
    double slot = (double) (begin(file + 1) - begin(file)) / sessions;
    double room = slot - TimeUnit.SECONDS.toMillis(SESSION_ROWS);
    long start = begin(file) + (long) (session * slot + unit(seed) * room);
    long time = start + TimeUnit.SECONDS.toMillis(row);
    return key(entity, time, Mix.of(seed + row), (byte) 1);
  }

  /** Returns the key of an event that the store does not have, in the hour after all others. */
  byte[] newKey(int entity, long random) {
    long time = begin(FILES) + Math.floorMod(random, HOUR);
    return key(entity, time, Mix.of(random), (byte) 0);
  }

  /** Returns the keys of an entity in a store file, in their order. */
  List<byte[]> keys(int entity, int file) {
    List<byte[]> keys = new ArrayList<>();
    int sessions = sessions(entity, file);
    for (int session = 0; session < sessions; session++) {
      for (int row = 0; row < SESSION_ROWS; row++) {
        keys.add(key(entity, file, session, row));
      }
    }
    return keys;
  }

  /** Returns the first key that an entity can have at a time. */
  byte[] first(int entity, long millis) {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(prefix(entity)).putLong(millis).array();
  }

  private byte[] key(int entity, long millis, long id, byte kind) {
    return ByteBuffer.allocate(KEY_BYTES)
        .putLong(prefix(entity))
        .putLong(millis)
        .putLong(id)
        .put(kind)
        .array();
  }

  /** Returns the first 8 bytes of an entity's keys: evenly spread, in the order of the entities. */
  private long prefix(int entity) {
    long step = Long.divideUnsigned(-1, entities);
    return entity * step + Long.remainderUnsigned(Mix.of(entity), step);
  }

  private static double unit(long bits) {
    return (bits >>> 11) * 0x1p-53;
  }
}
