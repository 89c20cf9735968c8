package io.winnow.bench;

import io.winnow.ByteAccess;
import io.winnow.FilterHeader;
import io.winnow.FilterLayout;
import io.winnow.KeyHash;
import io.winnow.hbase.format.ChunkIndex;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.read.WinnowFilterReader;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A filter that only {@link QueryBench} has: plain Bloom chunks with one XXH3 hash per key, queried
 * by Winnow's reader and its short cut. A comparison with Ribbon chunks shows the gain of these,
 * and a comparison with HBase's own filter shows the gain of hash and short cut together.
 *
 * <p>Winnow's reader reads no Bloom filters, and is not changed for this. So the file has
 * bumped-ribbon chunks with the rate {@link #RATE}, which take as many bits per key as a Bloom
 * filter of 1 %. When all chunks are in the block cache, each is overwritten in place with the
 * Bloom bits of the same keys, and the reader's record of the chunk gets the Bloom layout. The
 * reader verifies a block's checksum only when the block is newly loaded; {@link QueryWorker} fails
 * if one ever is.
 */
final class BloomInPlace extends FilterLayout {
  /**
   * The configured false-positive rate at which bumped-ribbon filters take about 9.6 bits per key.
   */
  static final String RATE = "0.00144";

  /**
   * Number of bits of a Bloom filter that are set for one key: the best number for 9.6 bits per
   * key.
   */
  private static final int BITS_OF_KEY = 7;

  /**
   * Maximum share of absent keys for which a Bloom filter of 9.6 bits per key may answer
   * <i>maybe</i>. 1.02 % are expected of these keys; a tenth is added.
   */
  private static final double MAX_POSITIVES = 0.0115;

  private static final int ABSENT_KEYS = 200_000;

  private BloomInPlace(FilterHeader header) {
    super(header);
  }

  /** Replaces all chunks that a filter's reader has opened by Bloom chunks. */
  static void replace(WinnowFilterReader reader, long[] present, int keyLength) {
    ChunkIndex index = (ChunkIndex) value(reader, "index");
    KeyHash hash = ((FilterMeta) value(reader, "meta")).hash;
    AtomicReferenceArray<?> seen = (AtomicReferenceArray<?>) value(value(reader, "chunks"), "seen");
    BloomInPlace[] layouts = new BloomInPlace[index.size()];
    byte[][] bytes = new byte[index.size()][];
    int[] offsets = new int[index.size()];
    for (int chunk = 0; chunk < index.size(); chunk++) {
      Object image = seen.get(chunk);
      if (image == null) {
        throw new IllegalStateException("chunk " + chunk + " was not queried yet");
      }
      layouts[chunk] = new BloomInPlace(((FilterLayout) value(image, "layout")).header());
      bytes[chunk] = (byte[]) ((WeakReference<?>) image).get();
      offsets[chunk] = (int) value(image, "offset");
      Arrays.fill(bytes[chunk], offsets[chunk], offsets[chunk] + layouts[chunk].size(), (byte) 0);
      try {
        field(image, "layout").set(image, layouts[chunk]);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
    byte[] key = new byte[keyLength];
    for (long number : present) {
      Keys.write(number, key, 0, keyLength);
      int chunk = index.chunkOf(key, 0, keyLength);
      layouts[chunk].add(bytes[chunk], offsets[chunk], hash.hash(key, 0, keyLength));
    }
    check(reader, present, keyLength);
  }

  private static void check(WinnowFilterReader reader, long[] present, int keyLength) {
    FilterCheck filter = new FilterCheck(reader, keyLength);
    filter.requirePresent(present);
    long positives = filter.falsePositives(ABSENT_KEYS);
    if (positives > MAX_POSITIVES * ABSENT_KEYS) {
      throw new IllegalStateException(positives + " of " + ABSENT_KEYS + " absent keys pass");
    }
  }

  private int size() {
    return (int) sizeInBytes();
  }

  private void add(byte[] image, int offset, long keyHash) {
    for (int i = 0; i < BITS_OF_KEY; i++) {
      int bit = bit(keyHash, i);
      image[offset + (bit >>> 3)] |= (byte) (1 << (bit & 7));
    }
  }

  @Override
  public <T> boolean mightContain(ByteAccess<T> access, T image, int imageOffset, long keyHash) {
    for (int i = 0; i < BITS_OF_KEY; i++) {
      int bit = bit(keyHash, i);
      if ((access.getByte(image, imageOffset + (bit >>> 3)) & 1 << (bit & 7)) == 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns the index of the i-th bit of a key, which needs no division. */
  private int bit(long keyHash, int i) {
    long place = (int) keyHash + i * (int) (keyHash >>> 32) & 0xFFFFFFFFL;
    return (int) (place * (8 * size()) >>> 32);
  }

  @Override
  public String describe() {
    return "plain Bloom, " + BITS_OF_KEY + " bits";
  }

  private static Object value(Object of, String name) {
    try {
      return field(of, name).get(of);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Field field(Object of, String name) throws NoSuchFieldException {
    Field field = of.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }
}
