package io.winnow.hash;

import java.util.Arrays;

/**
 * The hashes of a filter's keys while they come in: 8 bytes each, and no more of a repeated one
 * than of a single one in the long run.
 *
 * <p>A hash equal to the one before it is dropped at once. When the array is full, a sample tells
 * whether many hashes are repeats; only then is it sorted and rid of them before it may grow. What
 * builders of filters share. Not thread-safe.
 */
public final class KeyBuffer {
  private static final int INITIAL_CAPACITY = 1024;
  private static final int MAX_CAPACITY = 1 << 30;

  /** One hash in so many is looked at, chosen by its own bits, so that repeats are all chosen. */
  private static final long SAMPLE_MASK = 63;

  private long[] hashes = new long[INITIAL_CAPACITY];
  private int count;
  private boolean distinct;

  public void add(long hash) {
    if (count > 0 && hashes[count - 1] == hash) {
      return;
    }
    if (count == hashes.length) {
      makeRoom();
    }
    hashes[count++] = hash;
    distinct = false;
  }

  public int count() {
    return count;
  }

  /** The array of the hashes, of which the first {@link #count} are meant. */
  public long[] hashes() {
    return hashes;
  }

  /** Whether repeats are known to have been dropped. */
  public boolean isDistinct() {
    return distinct;
  }

  public void clear() {
    count = 0;
    distinct = false;
  }

  /** Sorts the hashes and keeps one of each. */
  public void dropRepeats() {
    Arrays.sort(hashes, 0, count);
    count = distinctInSorted(hashes, count);
    distinct = true;
  }

  private static int distinctInSorted(long[] sorted, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (i == 0 || sorted[i] != sorted[i - 1]) {
        sorted[kept++] = sorted[i];
      }
    }
    return kept;
  }

  private void makeRoom() {
    if (repeatsInSample() > 0.25) {
      dropRepeats();
      if (count <= hashes.length / 4 * 3) {
        return;
      }
    }
    if (hashes.length == MAX_CAPACITY) {
      dropRepeats();
      if (count == hashes.length) {
        throw new IllegalStateException("a filter holds at most " + MAX_CAPACITY + " keys");
      }
      return;
    }
    hashes = Arrays.copyOf(hashes, (int) Math.min(2L * hashes.length, MAX_CAPACITY));
  }

  private double repeatsInSample() {
    long[] sample = new long[Math.max(16, hashes.length / 16)];
    int chosen = 0;
    for (int i = 0; i < count && chosen < sample.length; i++) {
      if ((KeyHash.combine(0, hashes[i]) & SAMPLE_MASK) == 0) {
        sample[chosen++] = hashes[i];
      }
    }
    if (chosen < count / (2 * (SAMPLE_MASK + 1))) {
      return 1; // so few are chosen only where a few hashes come again and again
    }
    if (chosen == 0) {
      return 0;
    }
    Arrays.sort(sample, 0, chosen);
    return 1 - distinctInSorted(sample, chosen) / (double) chosen;
  }
}
