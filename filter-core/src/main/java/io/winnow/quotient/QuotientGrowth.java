package io.winnow.quotient;

import java.util.function.LongUnaryOperator;

/** Reactions of a quotient filter to another key when it is filled to its scheme's highest load. */
public enum QuotientGrowth {
  /** Refuses a key with an {@link IllegalStateException} if the filter is full. */
  NONE(slots -> Long.MAX_VALUE),

  /**
   * Doubles the slots of a full quotient filter, so the space per key is twice as large just
   * afterwards. In the long run each key is moved about once.
   */
  DOUBLING(slots -> 2 * slots),

  /**
   * Adds a sixteenth of the slots to a full quotient filter, so the space per key grows by no more
   * than that and a block of 64 slots: by less than a tenth from 2048 slots on. In the long run
   * each key is moved about 16 times.
   */
  STEPS(slots -> slots + (slots + 15) / 16);

  /**
   * Returns the number of slots of a full quotient filter after its growth, or more than possible
   * if the filter must not grow.
   */
  final LongUnaryOperator next;

  QuotientGrowth(LongUnaryOperator next) {
    this.next = next;
  }
}
