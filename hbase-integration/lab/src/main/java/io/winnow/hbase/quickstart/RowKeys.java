package io.winnow.hbase.quickstart;

import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.storefile.RowKey;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * The rows of the quickstart: distinct keys, each with a value that is computed from its key, and
 * absent keys. An absent key is between present ones, so that the filter and not a file's key range
 * must rule it out.
 */
final class RowKeys {

  /** Maximum length of a row key in HBase. */
  static final int MAX_KEY_BYTES = Short.MAX_VALUE;

  private static final int MAX_MISS_BYTES = 3;
  private static final int ROWS_PER_PREFIX = 20;
  private static final int PREFIX_BYTES = 16;
  private static final long SHUFFLE_SEED = 20261121L;

  private final byte[][] sorted;
  private final byte[][] shuffled;
  private final byte[][] arrivals;

  /**
   * Length in bytes of the prefix that rows which are written together share; 0 if it is unknown.
   */
  final int prefixBytes;

  final long duplicates;

  /** Number of empty lines in the file that the keys were read from. */
  final long emptyLines;

  /**
   * Makes the quickstart's row keys from sorted, distinct keys.
   *
   * @param arrivals the keys in the order in which they are written; null for the shuffled order
   * @param prefixBytes length of the prefix that rows which are written together share; 0 if they
   *     share none
   */
  private RowKeys(
      byte[][] sorted, long duplicates, long emptyLines, byte[][] arrivals, int prefixBytes) {
    this.sorted = sorted;
    this.duplicates = duplicates;
    this.emptyLines = emptyLines;
    this.shuffled = sorted.clone();
    Collections.shuffle(Arrays.asList(shuffled), new Random(SHUFFLE_SEED));
    this.arrivals = arrivals == null ? shuffled : arrivals;
    this.prefixBytes = prefixBytes;
  }

  /**
   * Generates a given number of row keys of 25 bytes such as {@code 3fd1c0a95e1b7720-00000042}.
   * They are events of users in random order: {@value #ROWS_PER_PREFIX} events of each user,
   * written one after another.
   */
  static RowKeys generate(int rows) {
    byte[][] keys = new byte[rows][];
    for (int i = 0; i < rows; i++) {
      keys[i] = RowKey.of(i / ROWS_PER_PREFIX, i);
    }
    byte[][] arrivals = keys.clone();
    RowKeys sorted = of(keys);
    return new RowKeys(sorted.sorted, 0, 0, arrivals, PREFIX_BYTES);
  }

  /**
   * Reads row keys from the lines of a file, byte by byte. A repeated line counts once, an empty
   * one not at all.
   *
   * @throws IOException with a message for the user, if the file cannot be read or has fewer than
   *     two keys
   */
  static RowKeys read(Path file) throws IOException {
    UserFiles.requireReadable(file);
    List<byte[]> keys = new ArrayList<>();
    long empty = 0;
    // One byte per character, because keys need not be text in any encoding.
    try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
      int number = 0;
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        number++;
        if (line.length() > MAX_KEY_BYTES) {
          throw new IOException(
              "%s, line %d: a row key of %d bytes; HBase takes %d"
                  .formatted(file, number, line.length(), MAX_KEY_BYTES));
        }
        if (line.isEmpty()) {
          empty++;
        } else {
          keys.add(line.getBytes(StandardCharsets.ISO_8859_1));
        }
      }
    }
    RowKeys result = of(empty, keys.toArray(byte[][]::new));
    if (result.size() < 2) {
      throw new IOException(
          file + " holds " + result.size() + " row keys; two distinct ones are needed");
    }
    return result;
  }

  /** Makes the quickstart's rows from their keys; the array is sorted in place. */
  static RowKeys of(byte[]... keys) {
    return of(0, keys);
  }

  private static RowKeys of(long emptyLines, byte[]... keys) {
    Arrays.sort(keys, Arrays::compareUnsigned);
    int distinct = 0;
    for (byte[] key : keys) {
      if (distinct == 0 || !Arrays.equals(keys[distinct - 1], key)) {
        keys[distinct++] = key;
      }
    }
    return new RowKeys(
        Arrays.copyOf(keys, distinct), (long) keys.length - distinct, emptyLines, null, 0);
  }

  int size() {
    return sorted.length;
  }

  /** Returns a row key by its place, from 0, in the order in which the rows are written. */
  byte[] arrival(int index) {
    return arrivals[index];
  }

  /** Returns the key of a present row, at {@code index} of a fixed shuffled order. */
  byte[] hit(int index) {
    return shuffled[index];
  }

  /**
   * Returns keys that no row has, at most a given number, in a fixed shuffled order. Each is a
   * present key with up to three more bytes, and sorts before the next present one, so it is
   * between two rows.
   */
  byte[][] misses(int limit) {
    List<byte[]> misses = new ArrayList<>();
    // Coprime to any number of gaps below it: spreads a limited number of misses over the whole
    // range.
    long stride = 2_147_483_647L;
    for (int round = 0; round < 1 << 16 && misses.size() < limit; round++) {
      int before = misses.size();
      for (int n = 0; n < sorted.length - 1 && misses.size() < limit; n++) {
        int i = (int) ((n * stride) % (sorted.length - 1));
        byte[] miss = after(sorted[i], round);
        if (miss.length <= MAX_KEY_BYTES && Arrays.compareUnsigned(miss, sorted[i + 1]) < 0) {
          misses.add(miss);
        }
      }
      if (misses.size() == before && round > 0) {
        break;
      }
    }
    Collections.shuffle(misses, new Random(SHUFFLE_SEED));
    return misses.toArray(byte[][]::new);
  }

  private static byte[] after(byte[] key, int round) {
    byte[] miss = Arrays.copyOf(key, key.length + (round == 0 ? 1 : MAX_MISS_BYTES));
    if (round > 0) {
      miss[key.length + 1] = (byte) (round >>> 8);
      miss[key.length + 2] = (byte) round;
    }
    return miss;
  }

  /** Returns the value of a row, 32 bytes that are computed from the row's key. */
  static byte[] value(byte[] key) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : key) {
      hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
    }
    return String.format(Locale.ROOT, "%016x%016x", hash, RowKey.mix(hash))
        .getBytes(StandardCharsets.US_ASCII);
  }
}
