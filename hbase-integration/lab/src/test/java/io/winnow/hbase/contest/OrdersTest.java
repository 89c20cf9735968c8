package io.winnow.hbase.contest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrdersTest {
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8})
  void eachHasEachPlaceAndFollowsEachOtherEquallyOften(int count) {
    List<Integer> contenders = IntStream.range(0, count).boxed().toList();
    int period = Orders.period(count);
    assertEquals(count % 2 == 0 ? count : 2 * count, period);
    Map<List<Integer>, Integer> places = new HashMap<>();
    Map<List<Integer>, Integer> neighbours = new HashMap<>();
    for (int round = -period; round < period; round++) {
      List<Integer> order = Orders.of(contenders, round);
      assertEquals(Set.copyOf(contenders), Set.copyOf(order));
      for (int i = 0; i < count; i++) {
        places.merge(List.of(i, order.get(i)), 1, Integer::sum);
        if (i > 0) {
          neighbours.merge(order.subList(i - 1, i + 1), 1, Integer::sum);
        }
      }
    }
    assertEquals(count * count, places.size());
    assertEquals(Set.of(2 * period / count), Set.copyOf(places.values()));
    assertEquals(count * (count - 1), neighbours.size());
    assertEquals(Set.of(2 * period / count), Set.copyOf(neighbours.values()));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void eachSecondRoundIsTheReverseOfTheOneBefore(int count) {
    List<Integer> contenders = IntStream.range(0, count).boxed().toList();
    for (int round = 0; round < Orders.period(count); round += 2) {
      List<Integer> order = Orders.of(contenders, round);
      List<Integer> next = Orders.of(contenders, round + 1);
      assertEquals(
          order, IntStream.range(0, count).mapToObj(i -> next.get(count - 1 - i)).toList());
    }
  }
}
