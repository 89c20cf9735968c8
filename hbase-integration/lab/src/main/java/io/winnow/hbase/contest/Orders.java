package io.winnow.hbase.contest;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The orders in which contenders take their turns, round after round. Over a whole number of {@link
 * #period periods} each contender has every place equally often, and comes directly after each
 * other one equally often. Each second round is the reverse of the one before, so that an even
 * number of rounds has no contender early on the whole.
 *
 * <p>E. J. Williams: Experimental designs balanced for the estimation of residual effects of
 * treatments, Australian Journal of Scientific Research A 2, 1949.
 */
public final class Orders {
  private Orders() {}

  /** Returns the number of rounds after which the orders of the contenders repeat. */
  public static int period(int contenders) {
    return contenders % 2 == 0 ? contenders : 2 * contenders;
  }

  /**
   * Returns the contenders in the order in which they take their turns in a round.
   *
   * @param round any number of a round; rounds that only warm up may have negative ones
   */
  public static <T> List<T> of(List<T> contenders, int round) {
    int count = contenders.size();
    int row = Math.floorMod(round, period(count)) / 2;
    List<T> order = new ArrayList<>(count);
    for (int place = 0; place < count; place++) {
      // The first row is 0, 1, n - 1, 2, n - 2 and so on: no two neighbours differ by the same.
      int first = place % 2 == 1 ? (place + 1) / 2 : count - place / 2;
      order.add(contenders.get((first + row) % count));
    }
    if (Math.floorMod(round, 2) == 1) {
      Collections.reverse(order);
    }
    return order;
  }
}
