package io.winnow.quotient;

/** What a filter does when it is filled to its scheme's highest load and another key comes. */
public enum QuotientGrowth {
  /** It refuses the key with an {@link IllegalStateException}. */
  NONE,

  /**
   * It doubles its slots, so that space per key is twice as large just after. Each key is moved
   * about once in the long run.
   */
  DOUBLING,

  /**
   * It takes a sixteenth more slots, so that space per key grows by no more than that and a block
   * of 64 slots: by less than a tenth, from 2048 slots on. Each key is moved about 16 times in the
   * long run.
   */
  STEPS;

  /** The slots to go on with; more than there can be if it does not grow. */
  long next(long slots) {
    switch (this) {
      case NONE:
        return Long.MAX_VALUE;
      case DOUBLING:
        return 2 * slots;
      case STEPS:
        return slots + (slots + 15) / 16;
      default:
        throw new AssertionError(this);
    }
  }
}
