package io.winnow.quotient;

import static io.winnow.quotient.QuotientScheme.RANK_SELECT;

import io.winnow.base.HashMix;
import java.math.BigInteger;

/**
 * The size of a quotient filter, and the conversion of a hash to a fingerprint, a quotient and a
 * remainder.
 *
 * <p>A hash is mixed first ({@link HashMix}), so it does not matter which bits of it the keys of a
 * region have in common. The range of 64-bit numbers is divided into {@code universe} equal parts,
 * and the <em>fingerprint</em> is the number of the part that has the mixed hash: {@code
 * floor(mixed * universe / 2^64)}. With a universe of {@code 2^p} these are the top p bits of the
 * mixed hash.
 *
 * <p>The table has any number of {@code slots} m and remainders of r bits, the fewest with {@code m
 * * 2^r >= universe}. A fingerprint's <em>place</em> is the fingerprint scaled up to the {@code m *
 * 2^r} values that the table can distinguish, which keeps the order. The high part of the place is
 * the <em>quotient</em>, which is a slot, its low r bits are the <em>remainder</em>. So the number
 * of slots can change while fingerprints stay the same.
 *
 * <p>Immutable and thread-safe.
 */
public final class QuotientShape {
  /**
   * Maximum of bits in a quotient filter's remainder: schema-critical, since one unaligned read of
   * 64 bits can return no more.
   */
  public static final int MAX_REMAINDER_BITS = 56;

  /** Maximum of the number of fingerprints that are possible in a quotient filter. */
  static final long MAX_UNIVERSE = 1L << 62;

  /** Number of slots in a block of a quotient filter. */
  static final int BLOCK_SLOTS = 64;

  /**
   * Number of zero bytes after a quotient filter's last block, so that each remainder can be read
   * as 64 bits.
   */
  static final int PADDING_BYTES = 8;

  /** Maximum of slots in a quotient filter. */
  static final int MAX_SLOTS = 1 << 30;

  private final QuotientScheme scheme;
  private final long universe;
  private final int slots;
  private final int remainderBits;

  /**
   * Factor that maps a fingerprint to its place (quotient and remainder): {@code floor(2^63 *
   * places / universe)} as an unsigned number, from 2^63 to below 2^64.
   */
  private final long spread;

  /**
   * Factor that maps a place (quotient and remainder) to its fingerprint: {@code floor(2^64 *
   * universe / places)}; unused if the numbers of both are equal.
   */
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
   * Returns the shape (slots, remainder bits and scheme) of quotient filters with {@code slots *
   * 2^remainderBits} possible fingerprints: no remainder is wasted, and the rate at load {@code a}
   * is {@code 1 - e^(-a / 2^remainderBits)}. Its filters can be merged with those that were doubled
   * or halved from the same shape.
   *
   * @throws IllegalArgumentException if there are no slots or too many, if remainders do not have 1
   *     to 56 bits, or if there would be more than 2^62 fingerprints
   */
  public static QuotientShape ofSlots(int slots, int remainderBits) {
    if (remainderBits < 1
        || remainderBits > MAX_REMAINDER_BITS
        || slots > MAX_UNIVERSE >>> remainderBits) {
      throw new IllegalArgumentException(
          String.format(
              "%d slots with remainders of %d bits, must be 1 to %d, and at most 2^62 fingerprints",
              slots, remainderBits, MAX_REMAINDER_BITS));
    }
    return ofUniverse(RANK_SELECT, (long) slots << remainderBits, slots);
  }

  /**
   * Returns the shape (slots, remainder bits and scheme) of quotient filters with {@code 2^bits}
   * possible fingerprints, in a given number of slots: they can be merged with all others of as
   * many possible fingerprints. If the slots are not a power of two, up to one bit of a remainder
   * is wasted.
   *
   * @throws IllegalArgumentException if bits are not 2 to 62, or if they leave less than one or
   *     more than 56 for the remainders
   */
  public static QuotientShape ofFingerprintBits(int bits, int slots) {
    if (bits < 2 || bits > 62) {
      throw new IllegalArgumentException("fingerprints of " + bits + " bits, must be 2 to 62");
    }
    return ofUniverse(RANK_SELECT, 1L << bits, slots);
  }

  /**
   * Returns the shape (slots, remainder bits and scheme) of quotient filters with any number of
   * possible fingerprints that fits into the slots.
   *
   * @throws IllegalArgumentException if it does not
   */
  static QuotientShape ofUniverse(QuotientScheme scheme, long universe, int slots) {
    if (!fits(universe, slots)) {
      throw new IllegalArgumentException(
          String.format(
              "%d fingerprints in %d slots: slots must be 1 to %d, remainders 1 to %d bits",
              universe, slots, MAX_SLOTS, MAX_REMAINDER_BITS));
    }
    return new QuotientShape(scheme, universe, slots);
  }

  /**
   * Returns the shape of the smallest quotient filter in which a given number of fingerprints is
   * within the scheme's highest load.
   */
  static QuotientShape forUniverse(QuotientScheme scheme, long universe, long count) {
    long min = (universe - 1 >>> MAX_REMAINDER_BITS) + 1; // leaves 56 bits for the remainders
    long slots = Math.min(universe - 1, Math.max(min, scheme.slotsFor(count)));
    return ofUniverse(scheme, universe, (int) Math.min(slots, Integer.MAX_VALUE));
  }

  /**
   * Returns whether a number of possible fingerprints leaves 1 to 56 bits for the remainders in a
   * number of slots.
   */
  static boolean fits(long universe, long slots) {
    return slots >= 1
        && slots <= MAX_SLOTS
        && universe > slots
        && universe <= MAX_UNIVERSE
        && remainderBits(universe, slots) <= MAX_REMAINDER_BITS;
  }

  /**
   * Returns the smallest number of remainder bits with which a number of slots distinguish all
   * possible fingerprints.
   */
  private static int remainderBits(long universe, long slots) {
    return Long.SIZE - Long.numberOfLeadingZeros((universe - 1) / slots);
  }

  /**
   * Returns the shape of quotient filters with the slots and possible fingerprints of this one in
   * another scheme.
   */
  public QuotientShape with(QuotientScheme newScheme) {
    return new QuotientShape(newScheme, universe, slots);
  }

  /**
   * Returns the shape of quotient filters with the possible fingerprints of this one in another
   * number of slots.
   *
   * @throws IllegalArgumentException if they leave too few or too many bits for the remainders
   */
  public QuotientShape withSlots(int newSlots) {
    return ofUniverse(scheme, universe, newSlots);
  }

  /** Returns the quotient filter's scheme, which encodes the runs of remainders. */
  public QuotientScheme scheme() {
    return scheme;
  }

  /**
   * Returns the number of possible fingerprints of the quotient filter; each is from 0 up to this
   * number, exclusive.
   */
  public long universe() {
    return universe;
  }

  /** Returns the number of slots of the quotient filter. */
  public int slots() {
    return slots;
  }

  /** Returns the number of bits in a quotient filter's remainder. */
  public int remainderBits() {
    return remainderBits;
  }

  /**
   * Returns the number of fingerprints that fill a quotient filter to the scheme's highest load.
   */
  public int capacity() {
    return scheme.capacity(slots);
  }

  /**
   * Returns the false-positive rate of a filter of this number of random hashes: {@code 1 -
   * e^(-count / universe)}.
   */
  public double expectedRate(long count) {
    return -Math.expm1(-(double) count / universe);
  }

  /** Returns the fingerprint of a key's hash. */
  public long fingerprint(long hash) {
    return fingerprintOfMixed(HashMix.mix(hash));
  }

  private long fingerprintOfMixed(long mixed) {
    return Math.multiplyHigh(mixed, universe) + (mixed >> 63 & universe);
  }

  /** Returns the place of a hash: its quotient, and below it its remainder. */
  long place(long hash) {
    return placeOfMixed(HashMix.mix(hash));
  }

  /**
   * Returns the {@link #place} (quotient and remainder) of a hash that is mixed already; it
   * increases with the hash as an unsigned number.
   */
  long placeOfMixed(long mixed) {
    return placeOf(fingerprintOfMixed(mixed));
  }

  /**
   * Returns the place of a fingerprint (its quotient, and below it its remainder), which increases
   * with the fingerprint.
   */
  long placeOf(long fingerprint) {
    if (spread == Long.MIN_VALUE) {
      return fingerprint;
    }
    long twice = fingerprint << 1; // spread is unsigned, and its top bit is set
    return Math.multiplyHigh(twice, spread) + twice;
  }

  /**
   * Returns the fingerprint at a place (quotient and remainder), or -1 if no fingerprint has this
   * place. The quotient must be below the number of slots. The inverse of {@link #placeOf}.
   */
  long fingerprintAt(long place) {
    if (spread == Long.MIN_VALUE) {
      return place;
    }
    long fingerprint = Math.multiplyHigh(place, gather) + (gather >> 63 & place);
    long found = placeOf(fingerprint);
    while (found < place && fingerprint < universe - 1) { // at most twice
      fingerprint++;
      found = placeOf(fingerprint);
    }
    return found == place ? fingerprint : -1;
  }

  /** Returns the size in bytes of a block of 64 slots, with their metadata and remainders. */
  int blockBytes() {
    return scheme.blockBytes(remainderBits);
  }

  /**
   * Returns the number of blocks that the slots of a quotient filter take; runs that extend beyond
   * the last slot may add some.
   */
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
