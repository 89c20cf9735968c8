package io.winnow.flash.bloom;

import io.winnow.base.Arguments;
import io.winnow.base.FieldText;

/** The size of a Bloom filter: its number of bits, and the number of bits that a key sets. */
public final class BloomSizing {
  /** Minimum of bits in a Bloom filter. */
  public static final int MIN_BITS = 64;

  /** Maximum of bits in a Bloom filter. */
  static final long MAX_BITS = 1L << 44;

  /** Maximum of hash functions of a Bloom filter. */
  public static final int MAX_HASH_FUNCTIONS = 64;

  private final long bits;
  private final int hashFunctions;

  /**
   * Creates the size of a Bloom filter.
   *
   * @throws IllegalArgumentException if a number is out of bounds
   */
  public BloomSizing(long bits, int hashFunctions) {
    Arguments.check(
        bits >= MIN_BITS && bits <= MAX_BITS,
        bits + " bits, must be " + MIN_BITS + " to 2^44 = " + MAX_BITS);
    Arguments.check(
        hashFunctions >= 1 && hashFunctions <= MAX_HASH_FUNCTIONS,
        hashFunctions + " hash functions, must be 1 to " + MAX_HASH_FUNCTIONS);
    this.bits = bits;
    this.hashFunctions = hashFunctions;
  }

  /** Returns the number of bits in the Bloom filter: {@value #MIN_BITS} to 2^44. */
  public long bits() {
    return bits;
  }

  /**
   * Returns the number of bits of a Bloom filter that a key sets, {@code k}: 1 to {@value
   * #MAX_HASH_FUNCTIONS}.
   */
  public int hashFunctions() {
    return hashFunctions;
  }

  /**
   * Returns the size with the fewest bits at which a Bloom filter of a given number of keys keeps
   * this rate: {@code 1.44 log2(1/rate)} bits per key, with about {@code log2(1/rate)} hash
   * functions.
   *
   * @param keys at least 1
   * @param rate above 2^-64 and below 1
   */
  public static BloomSizing forRate(long keys, double rate) {
    double best = -Math.log(rate) / Math.log(2);
    int fewer = Math.max(1, (int) Math.floor(best));
    int more = Math.min(MAX_HASH_FUNCTIONS, fewer + 1);
    return bitsPerKey(rate, fewer) <= bitsPerKey(rate, more)
        ? forRate(keys, rate, fewer)
        : forRate(keys, rate, more);
  }

  /**
   * Returns the size with the fewest bits at which a Bloom filter of a given number of keys keeps
   * this rate with a given number of hash functions.
   *
   * @param keys at least 1
   * @param rate above 2^-64 and below 1
   */
  public static BloomSizing forRate(long keys, double rate, int hashFunctions) {
    Arguments.check(keys >= 1, keys + " keys, must be at least 1");
    Arguments.check(
        rate > 0x1p-64 && rate < 1,
        "false-positive rate is " + rate + ", must be above 2^-64 and below 1");
    double bits = Math.ceil(keys * bitsPerKey(rate, hashFunctions));
    return new BloomSizing((long) Math.max(MIN_BITS, bits), hashFunctions);
  }

  /**
   * Returns the bits per key that a false-positive rate needs, solved from {@code rate = (1 - e^(-k
   * / bitsPerKey))^k}.
   */
  private static double bitsPerKey(double rate, int hashFunctions) {
    return -hashFunctions / Math.log1p(-Math.pow(rate, 1.0 / hashFunctions));
  }

  /** Returns the false-positive rate of a Bloom filter of this size with a given number of keys. */
  public double expectedRate(long keys) {
    return Math.pow(-Math.expm1(-(double) hashFunctions * keys / bits), hashFunctions);
  }

  @Override
  public String toString() {
    return FieldText.of(this);
  }
}
