package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.cascade.MergePolicy.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is merged when, with levels that are nothing but sizes. Memory holds 100 entries. */
class MergePolicyTest {
  /** A level of such a size. */
  record Level(int rank, long entries) implements MergePolicy.Level {}

  private static final long MEMORY = 100;

  private final MergePolicy policy = new MergePolicy(MEMORY, 4);

  private static void assertStep(Step expected, Step actual) {
    assertStep(expected, actual, "");
  }

  private static void assertStep(Step expected, Step actual, String message) {
    assertEquals(expected.toString(), String.valueOf(actual), message); // it has all fields
  }

  private Step next(long frozen, Level... idle) {
    return policy.next(frozen, List.of(idle), MergePolicy.NO_MERGE);
  }

  @Test
  void aFrozenLevelGoesIntoTheFirstOneIfThatHasRoom() {
    assertStep(new Step(true, 0, 1), next(100));
    assertStep(new Step(true, 0, 1), next(100, new Level(2, 900)));
    assertStep(new Step(true, 1, 1), next(100, new Level(1, 300)));
  }

  @Test
  void aFullFirstLevelIsMergedWithAllUpToARankThatHoldsThem() {
    Level first = new Level(1, 301);
    assertStep(new Step(false, 2, 2), next(100, first, new Level(2, 1299)));
    assertStep(new Step(false, 3, 3), next(100, first, new Level(2, 1300), new Level(3, 4000)));
    Step alone = next(MergePolicy.NOTHING_FROZEN, first, new Level(3, 4000));
    assertStep(new Step(false, 1, 2), alone);
    assertFalse(alone.isMerge());
  }

  @Test
  void whatIsNewerThanARunningMergeStaysBelowItsRank() {
    List<Level> idle = List.of(new Level(1, 400), new Level(2, 1600));
    assertNull(policy.next(100, idle, 3));
    assertStep(new Step(false, 2, 3), policy.next(100, idle, 4));
    assertNull(policy.next(100, List.of(), 1), "the newest level is changing");
    assertStep(new Step(true, 0, 1), policy.next(100, List.of(), 2));
  }

  @Test
  void twoOfARankAreMerged() {
    Level[] idle = {new Level(1, 10), new Level(3, 4000), new Level(3, 5000), new Level(4, 15_000)};
    assertStep(new Step(false, 3, 4), next(MergePolicy.NOTHING_FROZEN, idle));
    assertNull(next(MergePolicy.NOTHING_FROZEN, new Level(1, 10), new Level(3, 6400)));
  }

  @Test
  void smallLevelsFillTheFirstRankTogether() {
    Level[] small = {new Level(1, 50), new Level(1, 150), new Level(1, 160), new Level(2, 900)};
    assertStep(new Step(true, 2, 1), next(100, small));
    assertStep(new Step(true, 3, 1), next(40, small));
    assertStep(new Step(false, 3, 1), next(MergePolicy.NOTHING_FROZEN, small));
  }

  @Test
  void theSmallestMergeThatLeavesFewerLevelsIsFirst() {
    Level full = new Level(1, 400);
    Level large = new Level(3, 6000);
    assertStep(
        new Step(false, 4, 2),
        next(MergePolicy.NOTHING_FROZEN, full, full, full, full, full, large, large));
    assertStep(
        new Step(false, 2, 3),
        next(MergePolicy.NOTHING_FROZEN, new Level(2, 1500), new Level(2, 1500), large));
    assertStep(
        new Step(false, 2, 2),
        next(100, full, new Level(2, 500), new Level(2, 1500), new Level(2, 1500)),
        "what is in order before the others is merged as ever");
    policy.fanOut = 8;
    Level[] many = new Level[12];
    Arrays.fill(many, new Level(1, 750));
    assertStep(
        new Step(false, 4, 2), next(100, many), "of eight that there is room for, two at least");
    Level[] tiny = new Level[100];
    Arrays.fill(tiny, new Level(1, 1));
    assertStep(
        new Step(false, MergePolicy.MAX_OUT_OF_ORDER, 1), next(MergePolicy.NOTHING_FROZEN, tiny));
    assertStep(new Step(true, MergePolicy.MAX_OUT_OF_ORDER, 1), next(100, tiny));
  }

  /**
   * A crash after every fourth flush, with time for a few merges before: what is merged is enough
   * for few levels, and the largest merge of all would never be done.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void levelsStayFewThoughTheLargestMergeIsNeverDone(int fanOut) {
    policy.fanOut = fanOut;
    List<Level> levels = new ArrayList<>();
    levels.add(new Level(policy.rankOf(100_000), 100_000));
    int most = 0;
    for (int session = 0; session < 100; session++) {
      long slots = 30_000;
      for (int flush = 0; flush < 4; flush++) {
        long frozen = MEMORY;
        Step step = policy.next(frozen, levels, MergePolicy.NO_MERGE);
        while (step != null && slots > 0) {
          List<Level> merged = levels.subList(0, step.levels);
          long sum = merged.stream().mapToLong(Level::entries).sum();
          sum += step.withFrozen ? frozen : 0;
          slots -= sum;
          if (slots > 0 || step.withFrozen) {
            merged.clear();
            levels.add(0, new Level(step.rank, sum));
            frozen = step.withFrozen ? MergePolicy.NOTHING_FROZEN : frozen;
          }
          step = policy.next(frozen, levels, MergePolicy.NO_MERGE);
        }
      }
      levels.replaceAll(level -> new Level(policy.rankOf(level.entries()), level.entries()));
      most = Math.max(most, levels.size());
    }
    assertTrue(levels.get(levels.size() - 1).entries() == 100_000, "the largest was merged");
    assertTrue(most <= 12, most + " levels");
  }

  @Test
  void aFrozenLevelThatIsLargerThanMemoryFindsAPlace() {
    assertStep(new Step(false, 1, 2), next(350, new Level(1, 100)));
    assertStep(new Step(true, 0, 1), next(350, new Level(2, 100)));
  }

  @Test
  void capacitiesAndRanks() {
    assertEquals(6400, policy.capacity(3));
    assertEquals(3, policy.rankOf(6400));
    assertEquals(4, policy.rankOf(6401));
    assertTrue(policy.capacity(100) > 1L << 60, "as many as there can be");
    assertEquals(40, policy.operationsFor(1, 60));
    assertEquals(1600, policy.operationsFor(3, 60));
    policy.fanOut = 8;
    assertEquals(2, policy.rankOf(6400));
  }

  /**
   * From any levels there may be, after a crash or changes of fan-out and memory, a frozen level
   * finds a place in few steps, and what is then left is in order.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anyLevelsComeIntoOrder(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      policy.fanOut = 2 + random.nextInt(7);
      List<Level> levels = new ArrayList<>();
      for (int i = random.nextInt(8); i > 0; i--) {
        long entries = 1 + (long) Math.pow(2, 20 * random.nextDouble());
        int rank = random.nextInt(4) == 0 ? 1 + random.nextInt(6) : policy.rankOf(entries);
        levels.add(new Level(rank, entries));
      }
      String message = "seed " + seed + ", fan-out " + policy.fanOut + ", levels " + levels;
      long frozen = 1 + random.nextInt(1000);
      int steps = 0;
      while (true) {
        Step step = policy.next(frozen, levels, MergePolicy.NO_MERGE);
        if (step == null) {
          break;
        }
        assertTrue(++steps <= 30, message);
        List<Level> merged = levels.subList(0, step.levels);
        long sum = merged.stream().mapToLong(Level::entries).sum();
        assertTrue(step.rank == 1 || sum <= policy.capacity(step.rank), message);
        merged.clear();
        levels.add(0, new Level(step.rank, step.withFrozen ? sum + frozen : sum));
        frozen = step.withFrozen ? MergePolicy.NOTHING_FROZEN : frozen;
      }
      assertEquals(MergePolicy.NOTHING_FROZEN, frozen, message);
      for (int i = 1; i < levels.size(); i++) {
        assertTrue(levels.get(i - 1).rank() < levels.get(i).rank(), message);
      }
    }
  }

  /** Each rank writes an entry (fan-out + 1) / 2 times: what pacing reckons with. */
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void writeAmplificationIsAsReckoned(int fanOut) {
    policy.fanOut = fanOut;
    List<Level> levels = new ArrayList<>();
    long written = 0;
    int flushes = 5000;
    for (int i = 0; i < flushes; i++) {
      long frozen = MEMORY;
      Step step = policy.next(frozen, levels, MergePolicy.NO_MERGE);
      assertNotNull(step);
      while (step != null) {
        List<Level> merged = levels.subList(0, step.levels);
        long sum = merged.stream().mapToLong(Level::entries).sum();
        sum += step.withFrozen ? frozen : 0;
        merged.clear();
        levels.add(0, new Level(step.rank, sum));
        written += step.isMerge() ? sum : 0;
        frozen = step.withFrozen ? MergePolicy.NOTHING_FROZEN : frozen;
        step = policy.next(frozen, levels, MergePolicy.NO_MERGE);
      }
    }
    int ranks = levels.get(levels.size() - 1).rank();
    double most = ranks * policy.writesPerRank();
    double amplification = (double) written / (flushes * MEMORY);
    assertTrue(amplification <= most, amplification + " of " + most);
    assertTrue(amplification >= most / 3, amplification + " of " + most);
  }
}
