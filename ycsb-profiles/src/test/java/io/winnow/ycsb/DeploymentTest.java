package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Connection;
import org.junit.jupiter.api.Test;

/** When counters are taken for settled. */
class DeploymentTest {

  /** A server whose every counter has the value that belongs to the number of the reading. */
  private static Deployment serverThatCounts(IntToLongFunction counter) {
    ServerBeans beans =
        new ServerBeans() {
          private int reading;

          @Override
          public Map<String, Long> read(String bean, List<String> attributes) {
            reading += bean.equals(ServerCounters.SERVER_BEAN) ? 1 : 0;
            Map<String, Long> values = new HashMap<>();
            // The process's time goes on in any case.
            long value =
                bean.equals(ServerCounters.PROCESS_BEAN)
                    ? System.nanoTime()
                    : counter.applyAsLong(reading);
            attributes.forEach(attribute -> values.put(attribute, value));
            return values;
          }

          @Override
          public void close() {
            // Nothing stays open.
          }
        };
    return new Deployment() {
      @Override
      public Connection connection() {
        throw new UnsupportedOperationException();
      }

      @Override
      public Path staging() {
        throw new UnsupportedOperationException();
      }

      @Override
      public List<ServerBeans> servers() {
        return List.of(beans);
      }

      @Override
      public void restart(ServerCache cache) {
        throw new UnsupportedOperationException();
      }

      @Override
      public boolean outlivesRun() {
        return false;
      }

      @Override
      public void awaitCounters() {
        // They are there.
      }

      @Override
      public void close() {
        // Nothing was started.
      }
    };
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
