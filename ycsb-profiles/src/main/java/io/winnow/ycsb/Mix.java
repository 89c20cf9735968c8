package io.winnow.ycsb;

/** The finalizer of SplitMix64: a bijection of 64-bit numbers whose values look random. */
final class Mix {

  private Mix() {}

  static long of(long z) {
    z += 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
