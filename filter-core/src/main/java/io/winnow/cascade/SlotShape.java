package io.winnow.cascade;

import io.winnow.base.FieldText;
import io.winnow.base.HashMix;

/**
 * Layout of a slot of a cascade filter: a fingerprint of {@code fingerprintBits} bits and, if there
 * are deletes, one lowest bit that distinguishes a tombstone (1) from a key (0). Slots sort as
 * their fingerprints do.
 *
 * <p>Schema-critical, including {@link #fingerprint}.
 */
final class SlotShape {
  static final int MIN_FINGERPRINT_BITS = 16;
  static final int MAX_FINGERPRINT_BITS = 56;

  /** Maximum of bits in a fence, the top bits of a fingerprint that find its page. */
  private static final int MAX_FENCE_BITS = 32;

  final int fingerprintBits;
  final boolean deletes;

  SlotShape(int fingerprintBits, boolean deletes) {
    this.fingerprintBits = fingerprintBits;
    this.deletes = deletes;
  }

  /** Returns the number of bits in a slot: fingerprint and tombstone bit. */
  int bits() {
    return deletes ? fingerprintBits + 1 : fingerprintBits;
  }

  /**
   * Returns the minimum of remainder bits in a coded slot: the tombstone bit is never part of the
   * quotient.
   */
  int minRemainderBits() {
    return deletes ? 1 : 0;
  }

  /**
   * Returns the fingerprint of a key's hash: the top bits of the mixed hash. The mixing is a
   * bijection and costs two multiplications. It spreads poor hashes (row numbers, for example) over
   * all pages.
   */
  long fingerprint(long keyHash) {
    return HashMix.mix(keyHash) >>> (64 - fingerprintBits);
  }

  /** Returns the slot of a key with this hash. */
  long slotOf(long keyHash) {
    return slot(fingerprint(keyHash));
  }

  /** Returns the slot of a key with this fingerprint. */
  long slot(long fingerprint) {
    return deletes ? fingerprint << 1 : fingerprint;
  }

  /** Returns the slot of a tombstone (a delete) with this fingerprint. */
  long tombstone(long fingerprint) {
    return fingerprint << 1 | 1;
  }

  /** Returns the fingerprint in a slot. */
  long fingerprintOf(long slot) {
    return deletes ? slot >>> 1 : slot;
  }

  /** Returns the false-positive rate of a filter with a given number of fingerprints. */
  double rate(double entries) {
    return -Math.expm1(-Math.scalb(entries, -fingerprintBits));
  }

  /** Returns the number of bits in a fence, the top bits of a fingerprint that find its page. */
  int fenceBits() {
    return Math.min(MAX_FENCE_BITS, fingerprintBits);
  }

  /** Returns the fence of a slot: its top bits, by which a lookup finds the page. */
  long fence(long slot) {
    return slot >>> (bits() - fenceBits());
  }

  /** Returns the smallest slot that has the given fence (top bits). */
  long firstSlot(long fence) {
    return fence << (bits() - fenceBits());
  }

  /**
   * Returns the number of remainder bits with which coded fingerprint slots take the least room, if
   * they are spread evenly over a range of {@code 2^spanBits} values.
   */
  static int bestRemainderBits(int spanBits, long count, int atLeast) {
    int quotientBits = 64 - Long.numberOfLeadingZeros(Math.max(count, 1) - 1);
    return Math.max(spanBits - quotientBits, atLeast);
  }

  /**
   * Returns the bits that a fingerprint slot takes on average when coded, if the slots are spread
   * evenly over a range of {@code 2^spanBits} values.
   */
  static double bitsPerSlot(int spanBits, double count, int atLeast) {
    int r = bestRemainderBits(spanBits, (long) count, atLeast);
    return r + 1 + Math.scalb(1.0, spanBits - r) / count;
  }

  /** Returns the bytes that a number of evenly spread fingerprint slots take when coded. */
  double bytes(double count) {
    return count * bitsPerSlot(bits(), count, minRemainderBits()) / Byte.SIZE;
  }

  /** Returns whether fingerprint slots of two layouts have the same bits. */
  boolean isLike(SlotShape other) {
    return fingerprintBits == other.fingerprintBits && deletes == other.deletes;
  }

  @Override
  public String toString() {
    return FieldText.of(this);
  }
}
