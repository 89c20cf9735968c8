package io.winnow.build;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The hashes of a filter's keys while they come in: 8 bytes each, in segments, so that nothing is
 * copied and no more than a segment is taken in advance.
 *
 * <p>A hash equal to the one before it is dropped at once. Each time the number of hashes has
 * doubled, a sample tells whether many are repeats; if so they are sorted and each is kept once. So
 * there are 3 of each at worst, whatever comes, and however often. Not thread-safe.
 */
public final class KeyBuffer {
  private static final int SEGMENT_BITS = 12;
  private static final int SEGMENT = 1 << SEGMENT_BITS;

  /** Distinct hashes at most. */
  public static final int MAX_COUNT = 1 << 30;

  /** With fewer hashes than this, repeats are not looked for before the filter is built. */
  private static final int FIRST_CHECK = 2 * SEGMENT;

  /** More repeats than this share of all are dropped at once. */
  private static final double MANY_REPEATS = 0.25;

  /**
   * One hash in {@code 2^6} is in the sample at first: one whose product with a random odd number
   * begins with 6 zeros. It is chosen by value, so its repeats are in the sample as well; and the
   * number differs from run to run, so that nobody can craft hashes around it. Whenever the sample
   * is full, one more zero is asked for, and half of it goes.
   */
  private static final int FIRST_SAMPLE_BITS = 6;

  /** More zeros are never asked for unless a few hashes fill the sample again and again. */
  private static final int MOST_SAMPLE_BITS = 30;

  private static final int SAMPLE = 512;

  /** Fewer tell nothing. Of hashes that are all distinct there are 128 at the first check. */
  private static final int LEAST_SAMPLE = 32;

  private static final long SALT = ThreadLocalRandom.current().nextLong() | 1;

  /** Segments that are kept for the next filter: 4 MB, enough for a chunk of 128 KB at 10 %. */
  private static final int KEPT_SEGMENTS = 128;

  private long[][] segments = new long[1][];
  private long[] last = {};
  private long lastHash;
  private int count;
  private int nextCheck = FIRST_CHECK;

  // The sample of the first segments, made with the first check.
  private long[] sample;
  private int sampled;
  private int sampledSegments;
  private int sampleBits = FIRST_SAMPLE_BITS;

  /** The number of hashes when repeats were dropped last: as long as there are no more, none is. */
  private int distinctCount;

  /** Adds a hash. */
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
   * Adds {@code number} hashes.
   *
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  public void add(long[] hashes, int from, int number) {
    Objects.checkFromIndexSize(from, number, hashes.length);
    for (int i = from; i < from + number; i++) {
      add(hashes[i]);
    }
  }

  /** Sees to it that there is room for one more; answers where in the last segment. */
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

  private void dropManyRepeats() {
    if (count == MAX_COUNT || sampledRepeats() > MANY_REPEATS) {
      dropRepeats();
      if (count == MAX_COUNT) {
        throw new IllegalStateException("a filter holds at most " + MAX_COUNT + " keys");
      }
    }
    nextCheck = (int) Math.min(2L * Math.max(count, FIRST_CHECK / 2), MAX_COUNT);
  }

  /** The share of repeats among the hashes of the sample; 1 if the sample is suspiciously small. */
  private double sampledRepeats() {
    if (sample == null) {
      sample = new long[SAMPLE];
    }
    for (; sampledSegments < segments(); sampledSegments++) { // they are all full now
      for (long hash : segments[sampledSegments]) {
        if (isInSample(hash)) {
          sample[sampled++] = hash;
          while (sampled == SAMPLE) {
            if (++sampleBits > MOST_SAMPLE_BITS) {
              return 1;
            }
            thinSample();
          }
        }
      }
    }
    if (sampled < Math.max(LEAST_SAMPLE, count >>> sampleBits + 1)) {
      return 1; // a few hashes that are not in the sample come again and again
    }
    Arrays.sort(sample, 0, sampled);
    int repeats = 0;
    for (int i = 1; i < sampled; i++) {
      repeats += sample[i] == sample[i - 1] ? 1 : 0;
    }
    return repeats / (double) sampled;
  }

  private boolean isInSample(long hash) {
    return hash * SALT >>> Long.SIZE - sampleBits == 0;
  }

  private void thinSample() {
    int kept = 0;
    for (int i = 0; i < sampled; i++) {
      if (isInSample(sample[i])) {
        sample[kept++] = sample[i];
      }
    }
    sampled = kept;
  }

  private void forgetSample() {
    sampled = 0;
    sampledSegments = 0;
    sampleBits = FIRST_SAMPLE_BITS;
  }

  /** The number of hashes held; repeats are counted unless {@link #isDistinct}. */
  public int count() {
    return count;
  }

  /** Whether it is known that there are no repeats. */
  public boolean isDistinct() {
    return distinctCount == count;
  }

  /** How many segments hold hashes. */
  public int segments() {
    return (count + SEGMENT - 1) >>> SEGMENT_BITS;
  }

  /** A segment's hashes, the first {@link #segmentSize} of the array: to read, not to change. */
  public long[] segment(int i) {
    return segments[i];
  }

  /** The number of hashes in a segment: only the last one may be partly filled. */
  public int segmentSize(int i) {
    return Math.min(SEGMENT, count - (i << SEGMENT_BITS));
  }

  /** The hash at an index below {@link #count}. */
  public long get(int index) {
    return segments[index >>> SEGMENT_BITS][index & (SEGMENT - 1)];
  }

  /** Sorts the hashes and keeps one of each. */
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

  /** Forgets the hashes; memory of an ordinary size is kept. */
  public void clear() {
    count = 0;
    nextCheck = FIRST_CHECK;
    distinctCount = 0;
    forgetSample();
    if (segments.length > KEPT_SEGMENTS) {
      segments = Arrays.copyOf(segments, KEPT_SEGMENTS);
    }
  }

  /** Moves one of each hash of a sorted array to its beginning, and answers how many there are. */
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
