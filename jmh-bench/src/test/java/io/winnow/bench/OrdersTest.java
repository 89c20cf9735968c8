package io.winnow.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrdersTest {
  @ParameterizedTest
  @ValueSource(ints = {3, 4})
  void eachHasEachPlaceAndFollowsEachOtherEquallyOften(int count) {
    List<String> contenders = List.of("a", "b", "c", "d").subList(0, count);
    Map<String, Integer> places = new HashMap<>();
    Map<String, Integer> neighbours = new HashMap<>();
    for (int round = 0; round < Orders.period(count); round++) {
      List<String> order = Orders.of(contenders, round);
      for (int i = 0; i < count; i++) {
        places.merge(order.get(i) + i, 1, Integer::sum);
        if (i > 0) {
          neighbours.merge(order.get(i - 1) + order.get(i), 1, Integer::sum);
        }
      }
    }
    assertEquals(count * count, places.size());
    assertEquals(1, places.values().stream().distinct().count());
    assertEquals(count * (count - 1), neighbours.size());
    assertEquals(1, neighbours.values().stream().distinct().count());
  }
}
