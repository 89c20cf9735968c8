package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * A map on flash from 64-bit keys to values of one size, or a set that is a map with empty values.
 * A key's value is computed from the key, so that a wrong value is detected.
 */
abstract class FlashMap implements Structure {
  /**
   * Number of bytes in each value of the measured maps. An entry is like the record of a
   * de-duplicated chunk: 8 bytes of key, 24 of value.
   */
  static final int VALUE_BYTES = 24;

  private final Path directory;
  private final String suffix;
  private final int valueBytes;
  private final IoSnapshot before = ProcessIo.snapshot();

  /** Number of lookups so far that have returned a wrong value. */
  long wrongValues;

  /**
   * Makes a map in a directory.
   *
   * @param suffix end of the names of its files
   * @param valueBytes size of its values
   */
  FlashMap(Path directory, String suffix, int valueBytes) {
    this.directory = directory;
    this.suffix = suffix;
    this.valueBytes = valueBytes;
  }

  abstract void put(long key, byte[] value) throws IOException;

  /** Returns the value of a key, or null if the map does not have the key. */
  abstract byte[] get(long key) throws IOException;

  @Override
  public final void insert(long key) throws IOException {
    put(key, value(key));
  }

  @Override
  public final boolean mightContain(long key) throws IOException {
    byte[] found = get(key);
    if (found != null && !Arrays.equals(found, value(key))) {
      wrongValues++;
    }
    return found != null;
  }

  private byte[] value(long key) {
    ByteBuffer value = ByteBuffer.allocate(valueBytes);
    for (long i = key; value.hasRemaining(); i++) {
      value.putLong(Keys.scramble(i));
    }
    return value.array();
  }

  /**
   * Returns whether the map has evicted old entries for newer ones, so that a missing key may be
   * one of these, and does not count as lost.
   */
  boolean hasEvicted() {
    return false;
  }

  /**
   * Returns whether the first entries must be put into the map in the order of their keys, because
   * in random order they would take too long.
   */
  boolean isLoadedInOrder() {
    return false;
  }

  /**
   * Inserts the present keys of successive numbers, in random order or, if the map needs it, in the
   * order of the keys' bytes. Then it waits until the map has settled.
   *
   * @return the number of keys per second
   */
  final double load(long from, int count) throws IOException {
    long[] keys = new long[count];
    Arrays.setAll(keys, i -> Keys.present(from + i) ^ Long.MIN_VALUE);
    if (isLoadedInOrder()) {
      Arrays.sort(keys);
    }
    long start = System.nanoTime();
    for (long key : keys) {
      insert(key ^ Long.MIN_VALUE);
    }
    settle();
    return count * 1e9 / (System.nanoTime() - start);
  }

  /** Returns the map's state, with the reads and writes of the whole process. */
  @Override
  public State state() throws IOException {
    return new State(ProcessIo.snapshot().since(before), bytesIn(directory, suffix));
  }

  /** Returns the eight bytes of a key of a peer. */
  static byte[] bytes(long key) {
    return ByteBuffer.allocate(Long.BYTES).putLong(key).array();
  }

  /**
   * Returns the number of bytes in the files of a directory whose names have a suffix. Some may
   * come and go meanwhile.
   */
  static long bytesIn(Path directory, String suffix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.toString().endsWith(suffix))
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }
}
