package io.winnow.ycsb;

import java.util.SplittableRandom;

/** The finalizer of SplitMix64: a bijection of 64-bit numbers whose values look random. */
final class Mix {

  private Mix() {}

  static long of(long z) {
    return new SplittableRandom(z).nextLong();
  }
}
