package io.winnow;

import com.dynatrace.hash4j.hashing.ByteAccess;
import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.winnow.base.Buffers;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.commons.codec.digest.MurmurHash3;

/**
 * A hash function from a key to the 64 bits that every filter works on. A key is hashed once.
 *
 * <p>An attacker who chooses keys can find many with the same hash under {@link #XXH3} or {@link
 * #MURMUR3}, which have no secret; if one of them is in the set, each other one is a false
 * positive. Under {@link #seeded}, collisions that were computed before the seed was drawn do not
 * work. This is the only promise; it does not hold against an attacker who reads the seed, or who
 * learns it from many answers. A caller that passes its own hashes is responsible for their
 * collisions.
 *
 * <p>Immutable and thread-safe. The ids and the functions are schema-critical: a file records by
 * id, and by seed if there is one, which function its filters were built with, and a test pins
 * known results. Cost on 25-byte keys: XXH3, seeded or not, about 5 ns, MurmurHash3 about 13 ns.
 */
public final class KeyHash {
  private static final int SEEDED_ID = 3;
  private static final String SEEDED_LABEL = "xxh3-seeded";
  private static final SecureRandom SEEDS = new SecureRandom();

  /** Hash function XXH3-64 with seed 0: fast at every key length. Allocates nothing. */
  public static final KeyHash XXH3 = new KeyHash(1, "xxh3", 0, Hashing.xxh3_64());

  /**
   * Hash function MurmurHash3 x64-128 with seed 0, of which the low half (the first word) is used.
   * It allocates two words per key, and a copy of a key that is not in an array, because
   * commons-codec needs that.
   */
  public static final KeyHash MURMUR3 = new KeyHash(2, "murmur3", 0, null);

  private static final List<KeyHash> WITHOUT_SEED = List.of(XXH3, MURMUR3);

  /**
   * Length in bytes from which on keys are fetched from memory before they are hashed. The hash
   * works through one cache line after the other, too slowly for the processor to see far ahead, so
   * for a key that is in no cache it waits at each line. Fetching all lines first makes a key of
   * 2000 bytes in memory a third faster, and one in cache no slower.
   */
  private static final int LONG_KEY = 512;

  private static final int CACHE_LINE = 64;

  private final int id;
  private final String label;
  private final long seed;

  /** Implementation of XXH3, or null for MurmurHash3. */
  private final Hasher64 xxh3;

  private KeyHash(int id, String label, long seed, Hasher64 xxh3) {
    this.id = id;
    this.label = label;
    this.seed = seed;
    this.xxh3 = xxh3;
  }

  /** Returns the hash function XXH3-64 with this seed. It allocates nothing when it hashes. */
  public static KeyHash seeded(long seed) {
    return new KeyHash(SEEDED_ID, SEEDED_LABEL, seed, Hashing.xxh3_64(seed));
  }

  /** Returns the hash function XXH3-64 with a new random seed, which cannot be predicted. */
  public static KeyHash seeded() {
    return seeded(SEEDS.nextLong());
  }

  /** Returns the id of the hash function in files: schema-critical, never reused, never 0. */
  public int id() {
    return id;
  }

  /** Returns the name of the hash function that users write, for example in {@code winnow.hash}. */
  public String label() {
    return label;
  }

  /**
   * Returns whether the hash function has a seed, which a file must record in addition to the id.
   */
  public boolean isSeeded() {
    return id == SEEDED_ID;
  }

  /** Returns the seed of the hash function, or 0 if it has none. */
  public long seed() {
    return seed;
  }

  /** Returns the hash of a key, given as a part of an array. */
  public long hash(byte[] key, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, key.length);
    if (xxh3 == null) {
      return MurmurHash3.hash128x64(key, offset, length, 0)[0];
    }
    long nothing = length < LONG_KEY ? 0 : fetch(key, offset, length);
    return xxh3.hashBytesToLong(key, offset, length) + nothing;
  }

  /** Returns the hash of a key. */
  public long hash(byte[] key) {
    return hash(key, 0, key.length);
  }

  /**
   * Returns the hash of a key, given as a part of a buffer by its absolute index: that of the same
   * bytes in an array, for any kind, position and byte order of the buffer.
   *
   * @throws IndexOutOfBoundsException if they are not all below the buffer's limit
   */
  public long hash(ByteBuffer key, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, key.limit());
    if (key.hasArray()) {
      return hash(key.array(), key.arrayOffset() + offset, length);
    }
    if (xxh3 != null) {
      return xxh3.hashBytesToLong(key, offset, length, ByteAccess.forByteBuffer(key.order()));
    }
    byte[] copy = new byte[length];
    Buffers.get(key, offset, copy);
    return hash(copy, 0, length);
  }

  /** Returns the hash of the key between the buffer's position and limit, which do not change. */
  public long hash(ByteBuffer key) {
    return hash(key, key.position(), key.remaining());
  }

  /**
   * Reads one byte of each cache line of a key, so that all lines are fetched before the hash needs
   * them.
   *
   * @return 0, since a sum of bytes never reaches the top bit. The compiler cannot know that, and
   *     so must do the reads
   */
  private static long fetch(byte[] key, int offset, int length) {
    long sum = 0;
    for (int i = offset; i < offset + length; i += CACHE_LINE) {
      sum += key[i] & 0xFF;
    }
    return sum >>> 63;
  }

  /**
   * Returns the hash of a key of two parts, such as (row, qualifier), from the hashes of the parts.
   * It is not symmetric, and another split of the same bytes has the same hash only by chance.
   */
  public static long combine(long first, long second) {
    long x = Long.rotateLeft(first, 32) ^ (second * 0x9E3779B97F4A7C15L);
    x = (x ^ (x >>> 29)) * 0xBF58476D1CE4E5B9L;
    return x ^ (x >>> 32);
  }

  /**
   * Returns the hash function without a seed that has this id.
   *
   * @throws FilterFormatException if there is none
   */
  public static KeyHash ofId(int id) {
    for (KeyHash hash : WITHOUT_SEED) {
      if (hash.id == id) {
        return hash;
      }
    }
    throw new FilterFormatException(
        id == SEEDED_ID
            ? "key hash id " + id + " (" + SEEDED_LABEL + ") needs a seed, but has none"
            : "unknown key hash id " + id);
  }

  /**
   * Returns the hash function with this id and seed, as a file records them.
   *
   * @throws FilterFormatException if the function with that id has no seed
   */
  public static KeyHash ofId(int id, long seed) {
    if (id != SEEDED_ID) {
      throw new FilterFormatException("key hash id " + id + " with a seed, must be " + SEEDED_ID);
    }
    return seeded(seed);
  }

  /** Returns the labels of all hash functions; the first one is the default for new files. */
  public static List<String> labels() {
    List<String> labels = new ArrayList<>(List.of(SEEDED_LABEL));
    WITHOUT_SEED.forEach(hash -> labels.add(hash.label));
    return List.copyOf(labels);
  }

  /**
   * Returns the hash function with this label, with a new random seed if it has one.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static KeyHash ofLabel(String label) {
    if (label.equals(SEEDED_LABEL)) {
      return seeded();
    }
    for (KeyHash hash : WITHOUT_SEED) {
      if (hash.label.equals(label)) {
        return hash;
      }
    }
    throw new IllegalArgumentException(
        "hash is '" + label + "', must be one of " + String.join(", ", labels()));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyHash && ((KeyHash) other).id == id && ((KeyHash) other).seed == seed;
  }

  @Override
  public int hashCode() {
    return 31 * id + Long.hashCode(seed);
  }

  /**
   * Returns the label of the hash function, without the seed: the seed is useful only as long as it
   * is secret, so it must not be logged.
   */
  @Override
  public String toString() {
    return label;
  }
}
