package io.winnow.hbase.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScheduleTest {
  private static final int ROWS = 1000;

  private static Schedule schedule(String... more) {
    String[] args = Arrays.copyOf(more, more.length + 2);
    args[more.length] = "--rows-per-flush";
    args[more.length + 1] = String.valueOf(ROWS);
    return Schedule.of(Program.read(new Rates(), args).workload());
  }

  @Test
  void flushesDifferAndAreOfTheSizeThatWasAskedForOnAverage() {
    Schedule schedule = schedule("--flushes", "1000");
    int[] rows = IntStream.rangeClosed(1, 1000).map(schedule::rowsOf).toArray();
    assertEquals(1000, schedule.flushes());
    int least = Arrays.stream(rows).min().orElseThrow();
    int most = Arrays.stream(rows).max().orElseThrow();
    assertTrue(least >= 300 && least < 330, least + " rows at least");
    assertTrue(most <= 1700 && most > 1670, most + " rows at most");
    // Uniform: the standard deviation of the mean of 1000 is 12.8 rows.
    assertEquals(ROWS, Arrays.stream(rows).average().orElseThrow(), 5 * 12.8);
    assertEquals(80 * ROWS + Arrays.stream(rows).asLongStream().sum(), schedule.rows());
  }

  @Test
  void theSeedDecides() {
    assertEquals(schedule().rowsOf(7), schedule().rowsOf(7));
    Set<Integer> sizes = new HashSet<>();
    for (int seed = 0; seed < 10; seed++) {
      sizes.add(schedule("--seed", String.valueOf(seed)).rowsOf(7));
    }
    assertTrue(sizes.size() > 5, sizes.toString());
  }

  @Test
  void theLargeFileIsCountedInFlushes() {
    assertEquals(160 * ROWS, schedule("--large", "160").large());
    assertEquals(0, schedule("--large", "0").large());
  }

  @Test
  void aMajorCompactionComesOnceIfAtAll() {
    Schedule without = schedule();
    Schedule with = schedule("--major-at", "50");
    for (int flush = 1; flush <= 100; flush++) {
      assertFalse(without.isMajorAfter(flush));
      assertEquals(flush == 50, with.isMajorAfter(flush));
    }
  }
}
