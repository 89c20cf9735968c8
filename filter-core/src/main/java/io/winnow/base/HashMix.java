package io.winnow.base;

/**
 * Mixes a key's hash, so that each of its bits depends on all bits of the original. A filter does
 * this before it uses parts of a hash: hashes that agree in some bits, as those of a region or a
 * shard do, then spread like any others.
 *
 * <p>A bijection: distinct hashes stay distinct. Cost: two multiplications. Schema-critical: every
 * constant and every operation here is part of {@code docs/format/quotient-v1.md}, and the step
 * "Mix" of {@code docs/format/ribbon-v1.md} is the same for seed 0.
 */
public final class HashMix {
  private static final long FACTOR_1 = 0xBF58476D1CE4E5B9L;
  private static final long FACTOR_2 = 0x94D049BB133111EBL;

  private HashMix() {}

  /**
   * Returns a hash that is mixed, so that each bit depends on all bits of the original. Its top
   * bits are the best ones, so use those.
   */
  public static long mix(long hash) {
    long x = (hash ^ (hash >>> 32)) * FACTOR_1;
    return (x ^ (x >>> 29)) * FACTOR_2;
  }
}
