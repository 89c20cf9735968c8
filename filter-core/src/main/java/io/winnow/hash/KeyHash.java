package io.winnow.hash;

import com.dynatrace.hash4j.hashing.ByteAccess;
import com.dynatrace.hash4j.hashing.Hashing;
import io.winnow.FilterFormatException;
import io.winnow.bits.Buffers;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.apache.commons.codec.digest.MurmurHash3;

/**
 * The functions that turn a key into the 64 bits that every filter works on. A key is hashed once.
 *
 * <p>Thread-safe. The ids and the functions are schema-critical: a file says by id which one its
 * filters were built with, and known answers are pinned by a test. Cost on 25-byte keys: XXH3 about
 * 5 ns, MurmurHash3 about 13 ns.
 */
public enum KeyHash {
  /** XXH3-64, seed 0: the default, fast at every key length. Allocates nothing. */
  XXH3(1, "xxh3") {
    @Override
    public long hash(byte[] key, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, key.length);
      long nothing = length < LONG_KEY ? 0 : fetch(key, offset, length);
      return Hashing.xxh3_64().hashBytesToLong(key, offset, length) + nothing;
    }

    @Override
    long hashBuffer(ByteBuffer key, int offset, int length) {
      return Hashing.xxh3_64()
          .hashBytesToLong(key, offset, length, ByteAccess.forByteBuffer(key.order()));
    }
  },

  /**
   * The low half (the first word) of MurmurHash3 x64-128, seed 0. Allocates its two words per key,
   * and a copy of a key that is in no array: commons-codec has it so.
   */
  MURMUR3(2, "murmur3") {
    @Override
    public long hash(byte[] key, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, key.length);
      return MurmurHash3.hash128x64(key, offset, length, 0)[0];
    }

    @Override
    long hashBuffer(ByteBuffer key, int offset, int length) {
      byte[] copy = new byte[length];
      Buffers.get(key, offset, copy);
      return hash(copy, 0, length);
    }
  };

  /**
   * Keys from here on are fetched before they are hashed. The hash works through one line after the
   * other, too slowly for the processor to see far ahead, so that for a key that is in no cache it
   * waits at each. Fetching all lines first makes a key of 2000 bytes in memory a third faster, and
   * one in cache no slower.
   */
  private static final int LONG_KEY = 512;

  private static final int CACHE_LINE = 64;

  private final int id;
  private final String label;

  KeyHash(int id, String label) {
    this.id = id;
    this.label = label;
  }

  /** The id in files: schema-critical, never reused, never 0. */
  public int id() {
    return id;
  }

  /** The name that a user writes, as in {@code winnow.hash}. */
  public String label() {
    return label;
  }

  /** Hashes {@code length} bytes from {@code offset}. */
  public abstract long hash(byte[] key, int offset, int length);

  public final long hash(byte[] key) {
    return hash(key, 0, key.length);
  }

  /**
   * Hashes {@code length} bytes from the absolute index {@code offset}; the same answer as for the
   * same bytes in an array, whatever the buffer's byte order, position and kind.
   *
   * @throws IndexOutOfBoundsException if they are not all below the buffer's limit
   */
  public final long hash(ByteBuffer key, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, key.limit());
    if (key.hasArray()) {
      return hash(key.array(), key.arrayOffset() + offset, length);
    }
    return hashBuffer(key, offset, length);
  }

  /** Hashes the bytes between position and limit; neither is moved. */
  public final long hash(ByteBuffer key) {
    return hash(key, key.position(), key.remaining());
  }

  /**
   * Reads one byte of each cache line of the key, so that all lines are on their way before the
   * hash needs them.
   *
   * @return 0: a sum of bytes never reaches the top bit. The compiler cannot know that, and so must
   *     do the reads
   */
  private static long fetch(byte[] key, int offset, int length) {
    long sum = 0;
    for (int i = offset; i < offset + length; i += CACHE_LINE) {
      sum += key[i] & 0xFF;
    }
    return sum >>> 63;
  }

  abstract long hashBuffer(ByteBuffer key, int offset, int length);

  /**
   * The hash of a key of two parts, such as (row, qualifier), from the hashes of the parts. Not
   * symmetric, and no other split of the same bytes gives the same answer but by chance.
   */
  public static long combine(long first, long second) {
    long x = Long.rotateLeft(first, 32) ^ (second * 0x9E3779B97F4A7C15L);
    x = (x ^ (x >>> 29)) * 0xBF58476D1CE4E5B9L;
    return x ^ (x >>> 32);
  }

  /**
   * The function with this id.
   *
   * @throws FilterFormatException if there is none
   */
  public static KeyHash ofId(int id) {
    for (KeyHash hash : values()) {
      if (hash.id == id) {
        return hash;
      }
    }
    throw new FilterFormatException("unknown key hash id " + id);
  }

  /**
   * The function with this label.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static KeyHash ofLabel(String label) {
    for (KeyHash hash : values()) {
      if (hash.label.equals(label)) {
        return hash;
      }
    }
    throw new IllegalArgumentException("hash is '" + label + "', must be xxh3 or murmur3");
  }
}
