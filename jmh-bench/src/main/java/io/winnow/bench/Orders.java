package io.winnow.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * The orders in which three or four contenders take their turns, round after round. Over a whole
 * number of {@link #period periods} each has every place equally often, and comes directly after
 * each other one equally often.
 */
final class Orders {
  /** All permutations of three contenders. */
  private static final int[][] OF_THREE = {
    {0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {2, 0, 1}, {1, 2, 0}, {0, 2, 1}
  };

  /** A balanced Latin square of four contenders, by the method of Williams. */
  private static final int[][] OF_FOUR = {{0, 1, 3, 2}, {1, 2, 0, 3}, {2, 3, 1, 0}, {3, 0, 2, 1}};

  private Orders() {}

  private static int[][] all(int contenders) {
    return switch (contenders) {
      case 3 -> OF_THREE;
      case 4 -> OF_FOUR;
      default -> throw new IllegalArgumentException("no orders of " + contenders + " contenders");
    };
  }

  /** Returns the number of rounds after which the orders of the contenders repeat. */
  static int period(int contenders) {
    return all(contenders).length;
  }

  /**
   * Returns the three or four compared contenders in the order in which they take their turns in a
   * round.
   */
  static <T> List<T> of(List<T> contenders, int round) {
    int[][] orders = all(contenders.size());
    List<T> order = new ArrayList<>();
    for (int place : orders[Math.floorMod(round, orders.length)]) {
      order.add(contenders.get(place));
    }
    return order;
  }
}
