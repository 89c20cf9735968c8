package io.winnow.cascade;

import io.winnow.flash.store.FieldText;
import io.winnow.hash.HashMix;

/**
 * What a slot is: a fingerprint of {@code fingerprintBits} bits, and below it, where there are
 * deletes, one bit that tells a tombstone (1) from a key (0). A slot as a number orders as its
 * fingerprint does.
 *
 * <p>Schema-critical, as all of {@link #fingerprint}.
 */
final class SlotShape {
  static final int MIN_FINGERPRINT_BITS = 16;
  static final int MAX_FINGERPRINT_BITS = 56;

  /** A fence has at most this many of the top bits of a fingerprint. */
  private static final int MAX_FENCE_BITS = 32;

  final int fingerprintBits;
  final boolean deletes;

  SlotShape(int fingerprintBits, boolean deletes) {
    this.fingerprintBits = fingerprintBits;
    this.deletes = deletes;
  }

  /** Bits of a slot. */
  int bits() {
    return deletes ? fingerprintBits + 1 : fingerprintBits;
  }

  /** Bits of a remainder at least: the tombstone bit is never part of the quotient. */
  int minRemainderBits() {
    return deletes ? 1 : 0;
  }

  /**
   * The top bits of the mixed hash. The mixing is a bijection: it costs two multiplications, and
   * hashes that were none (row numbers, say) spread over all levels' pages as good ones do.
   */
  long fingerprint(long keyHash) {
    return HashMix.mix(keyHash) >>> (64 - fingerprintBits);
  }

  /** The slot of a key with this hash. */
  long slotOf(long keyHash) {
    return slot(fingerprint(keyHash));
  }

  /** The slot of a key. */
  long slot(long fingerprint) {
    return deletes ? fingerprint << 1 : fingerprint;
  }

  /** The slot of a tombstone. */
  long tombstone(long fingerprint) {
    return fingerprint << 1 | 1;
  }

  long fingerprintOf(long slot) {
    return deletes ? slot >>> 1 : slot;
  }

  /** The false-positive rate with so many entries. */
  double rate(double entries) {
    return -Math.expm1(-Math.scalb(entries, -fingerprintBits));
  }

  int fenceBits() {
    return Math.min(MAX_FENCE_BITS, fingerprintBits);
  }

  /** The top bits of a slot, by which pages are told apart. */
  long fence(long slot) {
    return slot >>> (bits() - fenceBits());
  }

  /** The least slot with a fence. */
  long firstSlot(long fence) {
    return fence << (bits() - fenceBits());
  }

  boolean isLike(SlotShape other) {
    return fingerprintBits == other.fingerprintBits && deletes == other.deletes;
  }

  @Override
  public String toString() {
    return FieldText.of(this);
  }
}
