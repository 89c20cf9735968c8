package io.winnow.base;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The hashes of a filter's keys before the filter is built: 8 bytes each, in segments, so that
 * nothing is copied and at most one segment is allocated in advance.
 *
 * <p>A hash equal to the one before it is dropped at once. Each time the number of hashes has
 * doubled, a sample shows whether many are repeats; if so, they are sorted and repeats are dropped.
 * So each hash is held at most 3 times on average, for any input. Not thread-safe.
 */
public final class KeyBuffer {
  private static final int SEGMENT_BITS = 12;
  private static final int SEGMENT = 1 << SEGMENT_BITS;

  /** Maximum of distinct hashes of keys that the buffer holds. */
  public static final int MAX_COUNT = 1 << 30;

  /** Number of hashes from which on repeats are searched before the filter is built. */
  private static final int FIRST_CHECK = 2 * SEGMENT;

  /** Fraction of repeated hashes above which they are dropped at once. */
  private static final double MANY_REPEATS = 0.25;

  /**
   * Initial number of zero bits that select the sample of hashes: one hash in {@code 2^6}, whose
   * product with a random odd number begins with 6 zeros. A hash is selected by its value, so its
   * repeats are in the sample too. The random number differs from run to run, so hashes cannot be
   * crafted to avoid the sample. Whenever the sample is full, one more zero is required, which
   * halves it.
   */
  private static final int FIRST_SAMPLE_BITS = 6;

  /**
   * Maximum of zero bits that select a hash for the sample in which repeats are counted; more are
   * needed only if a few hashes fill the sample again and again.
   */
  private static final int MAX_SAMPLE_BITS = 30;

  private static final int SAMPLE = 512;

  /**
   * Minimum of hashes in a sample from which the share of repeats is estimated. At the first check,
   * distinct hashes fill it with 128.
   */
  private static final int MIN_SAMPLE = 32;

  private static final long SALT = ThreadLocalRandom.current().nextLong() | 1;

  /**
   * Maximum of segments of hashes that are kept for the next filter: 4 MB, enough for a chunk of
   * 128 KB at 10 %.
   */
  private static final int KEPT_SEGMENTS = 128;

  private long[][] segments = new long[1][];
  private long[] last = {};
  private long lastHash;
  private int count;
  private int nextCheck = FIRST_CHECK;

  // The sample, from the first segments; allocated at the first check.
  private long[] sample;
  private int sampled;
  private int sampledSegments;
  private int sampleBits = FIRST_SAMPLE_BITS;

  /**
   * Number of hashes when repeats were last dropped: if the buffer has no more now, none is a
   * repeat.
   */
  private int distinctCount;

  /** Adds the hash of a key to the buffer. */
  public void add(long hash) {
    if (hash == lastHash && count > 0) {
      return;
    }
    int at = count & (SEGMENT - 1);
    if (at == 0) {
      at = openSegment();
    }
    last[at] = hash;
    lastHash = hash;
    count++;
  }

  /**
   * Adds the hashes of several keys to the buffer.
   *
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  public void add(long[] hashes, int from, int number) {
    Objects.checkFromIndexSize(from, number, hashes.length);
    for (int i = from; i < from + number; i++) {
      add(hashes[i]);
    }
  }

  /**
   * Makes room for one more hash in the buffer.
   *
   * @return its index in the last segment
   */
  private int openSegment() {
    if (count >= nextCheck || count == MAX_COUNT) {
      dropManyRepeats();
    }
    int segment = count >>> SEGMENT_BITS;
    if (segment == segments.length) {
      segments = Arrays.copyOf(segments, 2 * segment);
    }
    if (segments[segment] == null) {
      segments[segment] = new long[SEGMENT];
    }
    last = segments[segment];
    return count & (SEGMENT - 1);
  }

  /**
   * Drops repeated hashes if there are many.
   *
   * @throws IllegalStateException if there are too many distinct hashes
   */
  private void dropManyRepeats() {
    if (count == MAX_COUNT || sampledRepeats() > MANY_REPEATS) {
      dropRepeats();
      if (count == MAX_COUNT) {
        throw new IllegalStateException("a filter holds at most " + MAX_COUNT + " keys");
      }
    }
    nextCheck = (int) Math.min(2L * Math.max(count, FIRST_CHECK / 2), MAX_COUNT);
  }

  /**
   * Returns the fraction of repeated hashes in the sample, or 1 if the sample is suspiciously
   * small.
   */
  private double sampledRepeats() {
    if (sample == null) {
      sample = new long[SAMPLE];
    }
    for (; sampledSegments < segments(); sampledSegments++) { // all of them are full now
      for (long hash : segments[sampledSegments]) {
        if (isInSample(hash)) {
          sample[sampled++] = hash;
          while (sampled == SAMPLE) {
            if (++sampleBits > MAX_SAMPLE_BITS) {
              return 1;
            }
            thinSample();
          }
        }
      }
    }
    if (sampled < Math.max(MIN_SAMPLE, count >>> sampleBits + 1)) {
      return 1; // a few hashes that are not in the sample are repeated
    }
    Arrays.sort(sample, 0, sampled);
    int repeats = 0;
    for (int i = 1; i < sampled; i++) {
      repeats += sample[i] == sample[i - 1] ? 1 : 0;
    }
    return repeats / (double) sampled;
  }

  /** Returns whether a hash belongs to the sample in which repeats are counted. */
  private boolean isInSample(long hash) {
    return hash * SALT >>> Long.SIZE - sampleBits == 0;
  }

  /**
   * Removes those hashes from the sample in which repeats are counted that no longer belong to it.
   */
  private void thinSample() {
    int kept = 0;
    for (int i = 0; i < sampled; i++) {
      if (isInSample(sample[i])) {
        sample[kept++] = sample[i];
      }
    }
    sampled = kept;
  }

  /** Begins a new sample of hashes, in which repeats are counted. */
  private void forgetSample() {
    sampled = 0;
    sampledSegments = 0;
    sampleBits = FIRST_SAMPLE_BITS;
  }

  /** Returns the number of hashes in the buffer; it includes repeats unless {@link #isDistinct}. */
  public int count() {
    return count;
  }

  /** Returns whether there are certainly no repeated hashes in the buffer. */
  public boolean isDistinct() {
    return distinctCount == count;
  }

  /** Returns the number of segments of the buffer that have hashes. */
  public int segments() {
    return (count + SEGMENT - 1) >>> SEGMENT_BITS;
  }

  /**
   * Returns one of the arrays that make up the buffer; its first {@link #segmentSize} elements are
   * hashes of keys. The caller must not change it.
   */
  public long[] segment(int i) {
    return segments[i];
  }

  /**
   * Returns the number of hashes in a segment of the buffer; only the last segment may be partly
   * filled.
   */
  public int segmentSize(int i) {
    return Math.min(SEGMENT, count - (i << SEGMENT_BITS));
  }

  /** Returns the hash of a key by its index in the buffer, from 0. */
  public long get(int index) {
    return segments[index >>> SEGMENT_BITS][index & (SEGMENT - 1)];
  }

  /** Sorts the hashes in the buffer and drops repeats. */
  public void dropRepeats() {
    long[] sorted = new long[count];
    for (int segment = 0; segment < segments(); segment++) {
      System.arraycopy(segments[segment], 0, sorted, segment << SEGMENT_BITS, segmentSize(segment));
    }
    Arrays.sort(sorted);
    count = distinctInSorted(sorted, count);
    for (int segment = 0; segment < segments(); segment++) {
      System.arraycopy(sorted, segment << SEGMENT_BITS, segments[segment], 0, segmentSize(segment));
    }
    last = segments[Math.max(0, segments() - 1)];
    distinctCount = count;
    forgetSample();
  }

  /** Removes all hashes from the buffer, and keeps memory of an ordinary size. */
  public void clear() {
    count = 0;
    nextCheck = FIRST_CHECK;
    distinctCount = 0;
    forgetSample();
    if (segments.length > KEPT_SEGMENTS) {
      segments = Arrays.copyOf(segments, KEPT_SEGMENTS);
    }
  }

  /** Moves the distinct hashes of a sorted array to its beginning, and returns their number. */
  public static int distinctInSorted(long[] sorted, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (i == 0 || sorted[i] != sorted[i - 1]) {
        sorted[kept++] = sorted[i];
      }
    }
    return kept;
  }
}
