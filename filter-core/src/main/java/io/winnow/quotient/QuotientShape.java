package io.winnow.quotient;

import static io.winnow.quotient.QuotientScheme.RANK_SELECT;

import io.winnow.hash.HashMix;
import java.math.BigInteger;

/**
 * The size of a quotient filter, and how a hash becomes a fingerprint, a quotient and a remainder.
 *
 * <p>A hash is mixed first ({@link HashMix}), so that it does not matter which bits of it the keys
 * of a region have in common. A <em>fingerprint</em> says in which of {@code universe} equal pieces
 * of the range of all numbers of 64 bits the mixed hash is: {@code floor(mixed * universe / 2^64)}.
 * With a universe of {@code 2^p} these are the top p bits of the mixed hash.
 *
 * <p>The table has any number of {@code slots} m and remainders of r bits, the fewest with {@code m
 * * 2^r >= universe}. A fingerprint's <em>place</em> is the fingerprint scaled up to the {@code m *
 * 2^r} that the table can tell apart, which keeps the order. The high part of the place is the
 * <em>quotient</em>, which is a slot, its low r bits are the <em>remainder</em>. So the number of
 * slots can change while fingerprints stay what they are.
 *
 * <p>Immutable and thread-safe.
 */
public final class QuotientShape {
  /** Bits of a remainder at most: schema-critical, what one unaligned read of 64 bits can give. */
  public static final int MAX_REMAINDER_BITS = 56;

  /** Possible fingerprints at most. */
  static final long MAX_UNIVERSE = 1L << 62;

  static final int BLOCK_SLOTS = 64;

  /** Zero bytes after the last block, so that every remainder can be read as 64 bits. */
  static final int PADDING_BYTES = 8;

  static final int MAX_SLOTS = 1 << 30;

  private final QuotientScheme scheme;
  private final long universe;
  private final int slots;
  private final int remainderBits;

  /** {@code floor(2^63 * places / universe)} as an unsigned number, from 2^63 to below 2^64. */
  private final long spread;

  /** {@code floor(2^64 * universe / places)}; unused where these are equal. */
  private final long gather;

  private QuotientShape(QuotientScheme scheme, long universe, int slots) {
    this.scheme = scheme;
    this.universe = universe;
    this.slots = slots;
    this.remainderBits = remainderBits(universe, slots);
    BigInteger places = BigInteger.valueOf(slots).shiftLeft(remainderBits);
    BigInteger all = BigInteger.valueOf(universe);
    this.spread = places.shiftLeft(63).divide(all).longValue();
    this.gather = all.shiftLeft(64).divide(places).longValue();
  }

  /**
   * Of a universe of {@code slots * 2^remainderBits}: no remainder is wasted, and the rate at load
   * {@code a} is {@code 1 - e^(-a / 2^remainderBits)}. Merges with what it was doubled or halved
   * from.
   *
   * @throws IllegalArgumentException if there are no slots or too many, if remainders are not of 1
   *     to 56 bits, or if there would be more than 2^62 fingerprints
   */
  public static QuotientShape ofSlots(int slots, int remainderBits) {
    if (remainderBits < 1
        || remainderBits > MAX_REMAINDER_BITS
        || slots > MAX_UNIVERSE >>> remainderBits) {
      throw new IllegalArgumentException(
          String.format(
              "%d slots with remainders of %d bits, must be 1 to %d, and 2^62 fingerprints at most",
              slots, remainderBits, MAX_REMAINDER_BITS));
    }
    return ofUniverse(RANK_SELECT, (long) slots << remainderBits, slots);
  }

  /**
   * Of a universe of {@code 2^bits}, in these slots: merges with every other such filter. Where the
   * slots are no power of two, up to one bit of a remainder is wasted.
   *
   * @throws IllegalArgumentException if bits are not 2 to 62, or if they leave less than one or
   *     more than 56 to the remainders
   */
  public static QuotientShape ofFingerprintBits(int bits, int slots) {
    if (bits < 2 || bits > 62) {
      throw new IllegalArgumentException("fingerprints of " + bits + " bits, must be 2 to 62");
    }
    return ofUniverse(RANK_SELECT, 1L << bits, slots);
  }

  static QuotientShape ofUniverse(QuotientScheme scheme, long universe, int slots) {
    if (!fits(universe, slots)) {
      throw new IllegalArgumentException(
          String.format(
              "%d fingerprints in %d slots: slots must be 1 to %d, remainders 1 to %d bits",
              universe, slots, MAX_SLOTS, MAX_REMAINDER_BITS));
    }
    return new QuotientShape(scheme, universe, slots);
  }

  /** The smallest in which this number of fingerprints keeps to the scheme's highest load. */
  static QuotientShape forUniverse(QuotientScheme scheme, long universe, long count) {
    long least = (universe - 1 >>> MAX_REMAINDER_BITS) + 1; // leaves 56 bits to the remainders
    long slots = Math.min(universe - 1, Math.max(least, scheme.slotsFor(count)));
    return ofUniverse(scheme, universe, (int) Math.min(slots, Integer.MAX_VALUE));
  }

  /** Whether a universe leaves 1 to 56 bits to the remainders in a number of slots. */
  static boolean fits(long universe, long slots) {
    return slots >= 1
        && slots <= MAX_SLOTS
        && universe > slots
        && universe <= MAX_UNIVERSE
        && remainderBits(universe, slots) <= MAX_REMAINDER_BITS;
  }

  /** The fewest bits with {@code slots * 2^bits >= universe}. */
  private static int remainderBits(long universe, long slots) {
    return Long.SIZE - Long.numberOfLeadingZeros((universe - 1) / slots);
  }

  /** The same fingerprints and slots under another scheme. */
  public QuotientShape with(QuotientScheme newScheme) {
    return new QuotientShape(newScheme, universe, slots);
  }

  /**
   * The same fingerprints in another number of slots.
   *
   * @throws IllegalArgumentException if they leave no or too many bits to the remainders
   */
  public QuotientShape withSlots(int newSlots) {
    return ofUniverse(scheme, universe, newSlots);
  }

  public QuotientScheme scheme() {
    return scheme;
  }

  /** How many fingerprints are possible: each is from 0 to below this. */
  public long universe() {
    return universe;
  }

  public int slots() {
    return slots;
  }

  public int remainderBits() {
    return remainderBits;
  }

  /** How many fingerprints fill the table to the scheme's highest load. */
  public int capacity() {
    return scheme.capacity(slots);
  }

  /** The false-positive rate of this number of random hashes: {@code 1 - e^(-count / universe)}. */
  public double expectedRate(long count) {
    return -Math.expm1(-(double) count / universe);
  }

  /** The fingerprint of a hash. */
  public long fingerprint(long hash) {
    return fingerprintOfMixed(HashMix.mix(hash));
  }

  private long fingerprintOfMixed(long mixed) {
    return Math.multiplyHigh(mixed, universe) + (mixed >> 63 & universe);
  }

  /** Quotient and remainder of a hash, side by side. */
  long place(long hash) {
    return placeOfMixed(HashMix.mix(hash));
  }

  /** {@link #place} of a hash that was mixed before; grows with it as an unsigned number. */
  long placeOfMixed(long mixed) {
    return placeOf(fingerprintOfMixed(mixed));
  }

  /** Quotient and remainder of a fingerprint, side by side; grows with the fingerprint. */
  long placeOf(long fingerprint) {
    if (spread == Long.MIN_VALUE) {
      return fingerprint;
    }
    long twice = fingerprint << 1; // spread is unsigned with its top bit set
    return Math.multiplyHigh(twice, spread) + twice;
  }

  /**
   * The fingerprint at a place of this table, which is one of a quotient below {@code slots}: the
   * inverse of {@link #placeOf}; -1 if it is no fingerprint's place.
   */
  long fingerprintAt(long place) {
    if (spread == Long.MIN_VALUE) {
      return place;
    }
    long fingerprint = Math.multiplyHigh(place, gather) + (gather >> 63 & place);
    long found = placeOf(fingerprint);
    while (found < place && fingerprint < universe - 1) { // twice at most
      fingerprint++;
      found = placeOf(fingerprint);
    }
    return found == place ? fingerprint : -1;
  }

  int blockBytes() {
    return scheme.blockBytes(remainderBits);
  }

  /** Blocks that the slots alone take; runs that reach beyond the last slot may add some. */
  int baseBlocks() {
    return (slots + BLOCK_SLOTS - 1) / BLOCK_SLOTS;
  }

  @Override
  public String toString() {
    return String.format(
        "%s, %d slots, remainders of %d bits, universe %d",
        scheme.label(), slots, remainderBits, universe);
  }
}
