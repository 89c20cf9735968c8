package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.cascade.MergePolicy.Step;
import io.winnow.cascade.MergePolicyTest.Level;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The formulas against what the policy of merges does, and the fan-outs that follow from them. */
class CascadeMixTest {
  private static final long MEMORY = 100;

  /** What became of a filter that grew to so many times its memory, with merges done. */
  private record Grown(double writes, double meanLevels) {}

  /** The levels are looked at from {@code from} memories on. */
  private static Grown grow(int fanOut, int from, int memories) {
    MergePolicy policy = new MergePolicy(MEMORY, fanOut);
    List<Level> levels = new ArrayList<>();
    long written = 0;
    long levelsSeen = 0;
    for (int flush = 1; flush <= memories; flush++) {
      long frozen = MEMORY;
      Step step = policy.next(frozen, levels, MergePolicy.NO_MERGE);
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
      levelsSeen += flush > from ? levels.size() : 0;
    }
    return new Grown(
        (double) written / (memories * MEMORY), (double) levelsSeen / (memories - from));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8, 16, 64})
  void writesAreThoseOfThePolicy(int fanOut) {
    for (int memories : new int[] {1, 10, 56, 270, 1000}) {
      double computed = CascadeMix.writes(fanOut, memories);
      double done = grow(fanOut, 0, memories).writes();
      assertTrue(done <= computed, memories + " memories: " + done + " of " + computed);
      assertTrue(done >= computed / 3, memories + " memories: " + done + " of " + computed);
    }
  }

  /** On the average over the time that the largest level has its rank. */
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8, 16})
  void pagesAreTheLevelsThatThePolicyLeaves(int fanOut) {
    int from = fanOut * fanOut;
    int to = from * fanOut;
    double levels = grow(fanOut, from, to).meanLevels();
    assertEquals(CascadeMix.pages(fanOut, to), levels, 0.35);
  }

  @Test
  void theFanOutIsTheOneThatTakesTheLeastTime() {
    for (double lookups : new double[] {0, 0.001, 0.01, 0.1, 1, 10}) {
      for (double memories : new double[] {0.1, 3, 20, 56, 270, 5000}) {
        CascadeMix mix = CascadeMix.of(lookups);
        int best = mix.fanOut(memories);
        for (int other = 2; other <= 64; other++) {
          double more = mix.secondsPerInsert(other, memories);
          assertTrue(mix.secondsPerInsert(best, memories) <= more, mix + ", " + memories);
        }
      }
    }
  }

  @Test
  void whoLooksUpMoreHasALargerFanOut() {
    int before = 2;
    for (double lookups : new double[] {0, 0.003, 0.01, 0.03, 0.1, 1, 100}) {
      double pages = CascadeMix.pages(CascadeMix.of(lookups).fanOut(56), 56);
      double pagesBefore = CascadeMix.pages(before, 56);
      assertTrue(pages <= pagesBefore, lookups + " lookups per insert");
      before = CascadeMix.of(lookups).fanOut(56);
    }
    assertTrue(CascadeMix.of(0).fanOut(56) <= 5, "writes alone");
    assertEquals(56, CascadeMix.of(1).fanOut(56), "one level holds all");
    assertTrue(CascadeMix.of(1).onDrive(200_000, 1e6).fanOut(56) < 56, "merges are slow there");
    assertEquals(2, CascadeMix.of(5).fanOut(0.5), "all of it is in memory");
  }

  @Test
  void optionsComputeItWhateverIsSetFirst() {
    CascadeMix mix = CascadeMix.of(1);
    CascadeOptions first =
        CascadeOptions.defaults().fanOutFor(mix).expectedMaximum(500_000_000).memoryBudget(1 << 26);
    CascadeOptions last =
        CascadeOptions.defaults().expectedMaximum(500_000_000).memoryBudget(1 << 26).fanOutFor(mix);
    assertEquals(first.fanOut(), last.fanOut());
    assertEquals(mix.fanOut(first.memories()), first.fanOut());
    assertTrue(first.fanOut() >= first.memories(), first.fanOut() + " of " + first.memories());
    assertEquals(4, last.fanOut(4).fanOut(), "what is set last counts");
    assertEquals(4, CascadeOptions.defaults().fanOut());
  }

  @Test
  void nonsenseIsRefused() {
    for (double wrong : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThrows(IllegalArgumentException.class, () -> CascadeMix.of(wrong));
      CascadeMix mix = CascadeMix.of(1);
      assertThrows(IllegalArgumentException.class, () -> mix.onDrive(wrong, 1));
      assertThrows(IllegalArgumentException.class, () -> mix.onDrive(1, wrong));
    }
    assertThrows(IllegalArgumentException.class, () -> CascadeMix.of(1).onDrive(0, 1));
  }
}
