package io.winnow.bench;

import io.winnow.FilterLayout;
import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;
import io.winnow.hash.KeyHash;
import io.winnow.hbase.format.ChunkIndex;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.read.WinnowFilterReader;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A contender of {@link Ask} that nobody has in a store: plain Bloom chunks with one XXH3 hash for
 * a key, asked by Winnow's reader and its short cut. Beside it shows what Ribbon chunks gain, and
 * beside HBase's own filter what hash and short cut gain together.
 *
 * <p>Winnow's reader reads no Bloom filters, and is not changed for this. So the file has
 * bumped-ribbon chunks of {@link #RATE}, which take as many bits for a key as a Bloom filter of 1 %
 * does. Once all chunks are in the block cache, each is overwritten where it lies with the Bloom
 * bits of the same keys, and what the reader remembers of it is told to be these. The reader takes
 * a block's checksum only when it was loaded anew; {@link AskWorker} ends if one ever is.
 */
record BloomInPlace(FilterHeader header) implements FilterLayout {
  /** At which bumped-ribbon filters take about 9.6 bits for a key. */
  static final double RATE = 0.00144;

  /** The best number for 9.6 bits for a key. */
  private static final int BITS_OF_KEY = 7;

  /** A tenth to spare: 1.02 % are to be expected, of these keys. */
  private static final double MOST_POSITIVES = 0.0115;

  private static final int ABSENT_KEYS = 200_000;

  /** Puts Bloom chunks in the place of those that this reader has met, which must be all. */
  static void replace(WinnowFilterReader reader, long[] present, int keyLength) {
    Object chunks = value(WinnowFilterReader.class, "chunks", reader);
    ChunkIndex index = (ChunkIndex) value(WinnowFilterReader.class, "index", reader);
    KeyHash hash = ((FilterMeta) value(WinnowFilterReader.class, "meta", reader)).hash();
    AtomicReferenceArray<?> seen =
        (AtomicReferenceArray<?>) value(chunks.getClass(), "seen", chunks);
    Object[] images = new Object[index.size()];
    BloomInPlace[] layouts = new BloomInPlace[index.size()];
    byte[][] bytes = new byte[index.size()][];
    int[] offsets = new int[index.size()];
    for (int chunk = 0; chunk < index.size(); chunk++) {
      images[chunk] = seen.get(chunk);
      if (images[chunk] == null) {
        throw new IllegalStateException("chunk " + chunk + " was not asked yet");
      }
      Class<?> type = images[chunk].getClass();
      FilterLayout ribbon = (FilterLayout) value(type, "layout", images[chunk]);
      layouts[chunk] = new BloomInPlace(ribbon.header());
      bytes[chunk] = (byte[]) ((WeakReference<?>) images[chunk]).get();
      offsets[chunk] = (int) value(type, "offset", images[chunk]);
      Arrays.fill(bytes[chunk], offsets[chunk], offsets[chunk] + layouts[chunk].size(), (byte) 0);
      set(type, "layout", images[chunk], layouts[chunk]);
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
    for (long number : present) {
      if (!reader.contains(Keys.key(number, keyLength), 0, keyLength, null)) {
        throw new IllegalStateException("a key was lost");
      }
    }
    int positives = 0;
    for (int i = 0; i < ABSENT_KEYS; i++) {
      positives += reader.contains(Keys.key(Keys.absent(i), keyLength), 0, keyLength, null) ? 1 : 0;
    }
    if (positives > MOST_POSITIVES * ABSENT_KEYS) {
      throw new IllegalStateException(positives + " of " + ABSENT_KEYS + " absent keys pass");
    }
  }

  private int size() {
    return (int) sizeInBytes();
  }

  private void add(byte[] image, int offset, long keyHash) {
    int bits = 8 * size();
    int step = (int) (keyHash >>> 32);
    int place = (int) keyHash;
    for (int i = 0; i < BITS_OF_KEY; i++) {
      int bit = bit(place, bits);
      image[offset + (bit >>> 3)] |= (byte) (1 << (bit & 7));
      place += step;
    }
  }

  @Override
  public <T> boolean mightContain(ByteAccess<T> access, T image, int imageOffset, long keyHash) {
    int bits = 8 * size();
    int step = (int) (keyHash >>> 32);
    int place = (int) keyHash;
    for (int i = 0; i < BITS_OF_KEY; i++) {
      int bit = bit(place, bits);
      if ((access.getByte(image, imageOffset + (bit >>> 3)) & 1 << (bit & 7)) == 0) {
        return false;
      }
      place += step;
    }
    return true;
  }

  /** Of [0, bits), without a division. */
  private static int bit(int place, int bits) {
    return (int) ((place & 0xFFFFFFFFL) * bits >>> 32);
  }

  @Override
  public String describe() {
    return "plain Bloom, " + BITS_OF_KEY + " bits";
  }

  private static Object value(Class<?> type, String name, Object of) {
    try {
      return field(type, name).get(of);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void set(Class<?> type, String name, Object of, Object to) {
    try {
      field(type, name).set(of, to);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Field field(Class<?> type, String name) throws NoSuchFieldException {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }
}
