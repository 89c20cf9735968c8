package io.winnow.hash;

/**
 * The mixing that a filter does before it looks at parts of a hash: afterwards each bit depends on
 * the whole hash, so that hashes which agree in some bits, as those of a region or a shard do,
 * spread like any others.
 *
 * <p>A bijection: distinct hashes stay distinct. Cost: two multiplications. Schema-critical: every
 * constant and every operation here is part of {@code docs/format/quotient-v1.md}, and the step
 * "Mix" of {@code docs/format/ribbon-v1.md} does the same for seed 0.
 */
public final class HashMix {
  private static final long FACTOR_1 = 0xBF58476D1CE4E5B9L;
  private static final long FACTOR_2 = 0x94D049BB133111EBL;

  private HashMix() {}

  /** The mixed hash. Its top bits are the best ones: take those. */
  public static long mix(long hash) {
    long x = (hash ^ (hash >>> 32)) * FACTOR_1;
    return (x ^ (x >>> 29)) * FACTOR_2;
  }
}
