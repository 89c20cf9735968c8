package io.winnow.quotient;

import io.winnow.KeyHash;
import java.util.List;

/**
 * Merges streams of fingerprints in ascending order, from any number of sources, and keeps only the
 * next fingerprint of each source.
 *
 * <p>The sources may differ in slots, remainder widths and schemes. Their universes must be equal
 * or differ by powers of two; finer fingerprints lose their low bits, so that all become those of
 * the coarsest source. A fingerprint occurs as often as in all sources together.
 *
 * <p>Two sources are merged like two sorted lists. More are divided into halves, each of which is a
 * merge, so a fingerprint costs at most {@code ceil(log2(sources))} comparisons.
 */
final class QuotientMerge implements FingerprintCursor {
  private final FingerprintCursor left;
  private final FingerprintCursor right;
  private final long universe;
  private final KeyHash keyHash;
  private final int leftShift;
  private final int rightShift;

  /**
   * Next fingerprint of the left one of two merged sources, or {@link Long#MAX_VALUE} at its end.
   */
  private long nextLeft;

  private long nextRight;
  private long fingerprint = -1;

  private QuotientMerge(FingerprintCursor left, FingerprintCursor right) {
    KeyHash leftHash = left.keyHash();
    KeyHash rightHash = right.keyHash();
    if (leftHash != null && rightHash != null && !leftHash.equals(rightHash)) {
      throw new IllegalArgumentException(differ(leftHash, rightHash));
    }
    this.keyHash = leftHash != null ? leftHash : rightHash;
    this.left = left;
    this.right = right;
    this.universe = Math.min(left.universe(), right.universe());
    this.leftShift = coarseningShift(left.universe(), universe);
    this.rightShift = coarseningShift(right.universe(), universe);
    this.nextLeft = nextOf(left, leftShift);
    this.nextRight = nextOf(right, rightShift);
  }

  /**
   * Returns the fingerprints of all sources, merged in ascending order. The sources must not be
   * used elsewhere meanwhile.
   *
   * @throws IllegalArgumentException if there are no sources, if two were hashed by different
   *     functions or with different seeds, or if two universes do not differ by a power of two
   */
  public static FingerprintCursor of(List<FingerprintCursor> sources) {
    if (sources.isEmpty()) {
      throw new IllegalArgumentException("nothing to merge");
    }
    if (sources.size() == 1) {
      return sources.get(0);
    }
    int half = sources.size() / 2;
    return new QuotientMerge(
        of(sources.subList(0, half)), of(sources.subList(half, sources.size())));
  }

  /**
   * Returns the number of low bits that fingerprints lose when they are reduced to a smaller number
   * of possible ones.
   *
   * @throws IllegalArgumentException if the finer is not the coarser times a power of two
   */
  static int coarseningShift(long finer, long coarser) {
    int bits = Long.numberOfLeadingZeros(coarser) - Long.numberOfLeadingZeros(finer);
    if (coarser < 1 || bits < 0 || coarser << bits != finer) {
      throw new IllegalArgumentException(
          finer + " fingerprints are not " + coarser + " times a power of two");
    }
    return bits;
  }

  /** Returns a message that says why filters with these two hash functions cannot be merged. */
  static String differ(KeyHash one, KeyHash other) {
    boolean differInSeeds = one != null && other != null && one.id() == other.id();
    return String.format(
        "keys hashed by %s%s: a key's hashes differ, so that these filters cannot be merged%s",
        one,
        differInSeeds ? " with different seeds" : " and by " + other,
        differInSeeds ? "; use one seed, with KeyHash.seeded(seed)" : "");
  }

  private static long nextOf(FingerprintCursor source, int shift) {
    return source.next() ? source.fingerprint() >>> shift : Long.MAX_VALUE;
  }

  @Override
  public boolean next() {
    long next = Math.min(nextLeft, nextRight);
    if (next == Long.MAX_VALUE) {
      return false;
    }
    fingerprint = next;
    if (nextLeft == next) {
      nextLeft = nextOf(left, leftShift);
    } else {
      nextRight = nextOf(right, rightShift);
    }
    return true;
  }

  @Override
  public KeyHash keyHash() {
    return keyHash;
  }

  @Override
  public long universe() {
    return universe;
  }

  @Override
  public long fingerprint() {
    return fingerprint;
  }
}
