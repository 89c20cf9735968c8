package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerCountersTest {
  private static final String[] NAMES = {
    "blockCacheDataHitCount",
    "blockCacheDataMissCount",
    "blockCacheBloomChunkHitCount",
    "blockCacheBloomChunkMissCount",
    "blockCacheLeafIndexHitCount",
    "blockCacheLeafIndexMissCount",
    "blockCacheIntermediateIndexHitCount",
    "blockCacheIntermediateIndexMissCount",
    "bloomFilterRequestsCount",
    "bloomFilterNegativeResultsCount"
  };

  /** The attributes of HBase's bean: each has its place in the list, from 1, times a factor. */
  private static Map<String, Long> server(long factor) {
    Map<String, Long> server = new HashMap<>();
    for (String attribute : NAMES) {
      server.put(attribute, factor * (server.size() + 1));
    }
    server.put("totalRequestCount", 1_000L);
    return server;
  }

  private static ServerCounters counters(long factor) {
    return ServerCounters.of(
        server(factor),
        Map.of("falsePositives", factor * 50),
        Map.of("Reads", factor * 7, "Bytes", factor * 9),
        factor * 100);
  }

  @Test
  void eachAttributeIsCounted() {
    ServerCounters counters = counters(1);
    assertEquals(2, counters.dataMisses());
    assertEquals(4, counters.filterMisses());
    assertEquals(2 + 4 + 6 + 8, counters.blocksRead());
    assertEquals(9, counters.filterRequests());
    assertEquals(10, counters.filterNegatives());
    assertEquals(50, counters.falseReads());
    assertEquals(7, counters.fileReads());
    assertEquals(9, counters.fileBytes());
    assertEquals(100, counters.cpuNanos());
    assertEquals(1 / 3.0, counters.dataHitRatio());
    assertEquals(3 / 7.0, counters.filterHitRatio());
    assertEquals(16 / 36.0, counters.hitRatio());
    assertTrue(Double.isNaN(ServerCounters.NONE.hitRatio()));
  }

  @Test
  void serverWithoutTheAgentReportsNoFalseReads() {
    assertEquals(0, ServerCounters.of(server(1), Map.of(), Map.of(), 0).falseReads());
  }

  @Test
  void sumsAndDifferences() {
    assertEquals(counters(5), counters(2).plus(counters(3)));
    assertEquals(counters(3), counters(5).since(counters(2)));
    assertEquals(counters(2), ServerCounters.NONE.plus(counters(2)));
  }

  @Test
  void readingsAgreeWhenOnlyTimeWentOn() {
    ServerCounters one = counters(1);
    assertTrue(
        one.agreesWith(
            ServerCounters.of(
                server(1), Map.of("falsePositives", 50L), Map.of("Reads", 7L, "Bytes", 9L), 101)));
    assertFalse(
        one.agreesWith(
            ServerCounters.of(
                server(1), Map.of("falsePositives", 51L), Map.of("Reads", 7L, "Bytes", 9L), 100)));
    assertFalse(
        one.agreesWith(
            ServerCounters.of(
                server(1), Map.of("falsePositives", 50L), Map.of("Reads", 8L, "Bytes", 9L), 100)));
    for (String attribute : NAMES) {
      Map<String, Long> other = server(1);
      other.merge(attribute, 1L, Long::sum);
      assertFalse(
          one.agreesWith(
              ServerCounters.of(
                  other, Map.of("falsePositives", 50L), Map.of("Reads", 7L, "Bytes", 9L), 100)));
    }
  }

  @Test
  void hbaseThatDoesNotCountIsRefused() {
    for (String attribute : NAMES) {
      Map<String, Long> server = server(1);
      server.remove(attribute);
      assertThrows(
          IllegalStateException.class,
          () -> ServerCounters.of(server, Map.of(), Map.of(), 0),
          attribute);
    }
  }
}
