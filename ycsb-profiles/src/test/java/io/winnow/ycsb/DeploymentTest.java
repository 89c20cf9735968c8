package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** When counters are taken for settled. */
class DeploymentTest {

  /** A server whose every counter has the value that belongs to the number of the reading. */
  private static Deployment serverThatCounts(IntToLongFunction counter) {
    AtomicInteger reading = new AtomicInteger();
    return new StillServers(
        () -> {
          Map<String, Long> values = new HashMap<>();
          long value = counter.applyAsLong(reading.incrementAndGet());
          ServerCounters.SERVER_ATTRIBUTES.forEach(attribute -> values.put(attribute, value));
          // The process's time goes on in any case.
          return ServerCounters.of(values, Map.of(), Map.of(), System.nanoTime());
        });
  }

  @Test
  void countersThatLagAreReadTillTheyStandStill() throws Exception {
    Deployment.Reading reading = serverThatCounts(number -> Math.min(number, 5)).settledCounters();
    assertTrue(reading.settled());
    assertEquals(5, reading.counters().filterRequests());
  }

  @Test
  void countersThatNeverStandStillAreToldApart() throws Exception {
    assertFalse(serverThatCounts(number -> number).settledCounters().settled());
  }
}
