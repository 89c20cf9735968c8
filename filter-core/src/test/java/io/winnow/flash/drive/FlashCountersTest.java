package io.winnow.flash.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.winnow.flash.store.FlashStatistics;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FlashCountersTest {
  private enum What {
    WAITING,
    DONE,
    BYTES
  }

  private static FlashStatistics<What> statistics(FlashCounters<What> counters, long waiting) {
    Map<What, Long> now = new EnumMap<>(What.class);
    now.put(What.WAITING, waiting);
    return counters.statistics(now, new IoCounters().snapshot(), false);
  }

  @Test
  void countsOfManyThreadsAndWhatIsSoNow() {
    FlashCounters<What> counters = new FlashCounters<>(What.class);
    FlashStatistics<What> before = statistics(counters, 5);
    assertNull(before.lastFailure());
    IntStream.range(0, 1000)
        .parallel()
        .forEach(
            i -> {
              counters.count(What.DONE);
              counters.add(What.BYTES, i);
            });
    IOException failure = new IOException("torn");
    counters.recordFailure(failure);
    FlashStatistics<What> after = statistics(counters, 7);
    assertEquals(1000, counters.sum(What.DONE));
    assertEquals(1000, after.get(What.DONE));
    assertEquals(499_500, after.get(What.BYTES));
    assertEquals(7, after.get(What.WAITING));
    assertSame(failure, after.lastFailure());
    assertFalse(after.isDirect());
    assertEquals(0, before.get(What.DONE), "it is of its moment");
    assertEquals(
        "FlashStatistics[numbers={WAITING=5, DONE=0, BYTES=0}, lastFailure=null, io="
            + before.io()
            + ", direct=false]",
        before.toString());
  }
}
