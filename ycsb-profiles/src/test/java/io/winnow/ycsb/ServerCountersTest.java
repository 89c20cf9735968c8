package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerCountersTest {

  /** Each attribute its place in the list, from 1, times a factor. */
  private static ServerCounters counters(long factor) {
    Map<String, Long> server = new HashMap<>();
    for (String attribute : ServerCounters.SERVER_ATTRIBUTES) {
      server.put(attribute, factor * (server.size() + 1));
    }
    return ServerCounters.of(
        server, Map.of("falsePositives", factor * 50), Map.of("ProcessCpuTime", factor * 100));
  }

  @Test
  void eachAttributeHasItsPlace() {
    assertEquals(new ServerCounters(1, 2, 3, 4, 5 + 6, 7 + 8, 9, 10, 50, 100), counters(1));
  }

  @Test
  void aServerWithoutTheAgentTellsNoFalseReads() {
    Map<String, Long> server = new HashMap<>();
    ServerCounters.SERVER_ATTRIBUTES.forEach(attribute -> server.put(attribute, 1L));
    assertEquals(0, ServerCounters.of(server, Map.of(), Map.of()).falseReads());
  }

  @Test
  void sumsAndDifferences() {
    assertEquals(counters(5), counters(2).plus(counters(3)));
    assertEquals(counters(3), counters(5).since(counters(2)));
  }

  @Test
  void readingsAgreeWhenOnlyTimeWentOn() {
    ServerCounters one = new ServerCounters(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    assertTrue(one.agreesWith(new ServerCounters(1, 2, 3, 4, 5, 6, 7, 8, 9, 11)));
    assertFalse(one.agreesWith(new ServerCounters(1, 2, 3, 4, 5, 6, 8, 8, 9, 10)));
    assertFalse(one.agreesWith(new ServerCounters(1, 2, 3, 5, 5, 6, 7, 8, 9, 10)));
  }

  @Test
  void ratios() {
    ServerCounters counters = new ServerCounters(30, 10, 45, 5, 5, 5, 0, 0, 0, 0);
    assertEquals(0.75, counters.dataHitRatio());
    assertEquals(0.9, counters.filterHitRatio());
    assertEquals(0.8, counters.hitRatio());
    assertEquals(20, counters.blocksRead());
    assertTrue(Double.isNaN(ServerCounters.NONE.hitRatio()));
  }

  @Test
  void anHBaseThatDoesNotCountIsRefused() {
    assertThrows(
        IllegalStateException.class, () -> ServerCounters.of(Map.of(), Map.of(), Map.of()));
  }
}
