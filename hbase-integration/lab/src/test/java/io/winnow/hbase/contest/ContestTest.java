package io.winnow.hbase.contest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleBiFunction;
import org.junit.jupiter.api.Test;

class ContestTest {
  /** A contender that computes nothing: each turn has a cost that the test sets. */
  private enum Letter implements Contender {
    A,
    B,
    C;

    @Override
    public String id() {
      return name();
    }
  }

  /** A case that records the costs of its turns, and the order in which they were taken. */
  private final class Letters implements Case<Letter> {
    private final ToDoubleBiFunction<Letter, Integer> cost;
    private final List<String> turns = new ArrayList<>();

    Letters(ToDoubleBiFunction<Letter, Integer> cost) {
      this.cost = cost;
    }

    @Override
    public String name() {
      return "letters";
    }

    @Override
    public Map<String, String> at() {
      return Map.of("case", "letters");
    }

    @Override
    public List<Letter> contenders() {
      return List.of(Letter.values());
    }

    @Override
    public double weight() {
      return 1;
    }

    @Override
    public Taken turn(Letter letter, int round) {
      turns.add(letter.id() + round);
      double its = cost.applyAsDouble(letter, round);
      if (round >= 0) {
        results.add("cost", Map.of("case", "letters", "letter", letter.id()), "ns", its);
      }
      return new Taken(its, its + " ns");
    }

    PairedRatio ratio() {
      return PairedRatio.of(samples(Letter.C), samples(Letter.A));
    }

    double[] samples(Letter letter) {
      return results.samples("cost", "ns", "letter", letter.id());
    }
  }

  private final Results results = new Results(Machine.setting("test"));
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  private Progress progress(double total) {
    return new Progress(new PrintStream(printed, true, StandardCharsets.UTF_8), total);
  }

  private double firstRounds(String metric) {
    return results.median(Contest.FIRST_ROUNDS, metric, "case", "letters").orElseThrow();
  }

  @Test
  void roundsAreInBalancedOrdersAndEachTurnIsReported() throws Exception {
    Letters letters = new Letters((letter, round) -> 1);
    new Contest(results, progress(6)).run(letters, 2);
    assertEquals(List.of("A0", "B0", "C0", "C1", "B1", "A1"), letters.turns);
    List<String> lines =
        printed
            .toString(StandardCharsets.UTF_8)
            .lines()
            .filter(line -> !line.contains(" goes on after ")) // said in a pause of some seconds
            .toList();
    assertEquals(6, lines.size());
    assertTrue(lines.get(5).startsWith("[100 %"), lines.get(5));
    assertTrue(lines.get(5).endsWith("letters, round 2, A: 1.0 ns"), lines.get(5));
  }

  @Test
  void warmUpEndsWhenRoundsNoLongerGetFaster() throws Exception {
    // Rounds 1 to 3 get faster, later ones are as fast as the third.
    Letters letters = new Letters((letter, round) -> 10 - Math.min(3, -round));
    new Contest(results, progress(30)).warmUp(letters, 2, 12);
    assertEquals(6, firstRounds("rounds"));
    assertEquals(1, firstRounds("stood"));
    assertEquals(18, letters.turns.size());
    assertTrue(letters.turns.stream().allMatch(turn -> turn.contains("-")), "none counts");
    assertFalse(results.has("cost"));
    String lines = printed.toString(StandardCharsets.UTF_8);
    assertTrue(lines.lines().reduce("", (one, next) -> next).startsWith("[ 50 %"), lines);
  }

  @Test
  void shortWarmUpHasItsWholeWeight() throws Exception {
    new Contest(results, progress(15)).warmUp(new Letters((letter, round) -> 1), 2, 12);
    assertEquals(4, firstRounds("rounds"));
    assertTrue(printed.toString(StandardCharsets.UTF_8).contains("[100 %"), "all of its weight");
  }

  @Test
  void warmUpThatReachesItsMaximumIsRecorded() throws Exception {
    Letters letters = new Letters((letter, round) -> Math.pow(0.5, -round));
    new Contest(results, progress(15)).warmUp(letters, 2, 5);
    assertEquals(5, firstRounds("rounds"));
    assertEquals(0, firstRounds("stood"));
  }

  /** The ratio wavers by a half in the first six rounds, and then by a hundredth. */
  @Test
  void roundsEndWhenTheIntervalIsNarrow() throws Exception {
    Letters letters =
        new Letters(
            (letter, round) ->
                letter == Letter.A ? 1 : round < 6 && round % 2 == 0 ? 1.5 : 1 + round % 2 / 100.0);
    new Contest(results, progress(1)).run(letters, 6, 60, letters::ratio);
    int rounds = letters.samples(Letter.A).length;
    assertTrue(Contest.isNarrow(letters.ratio()));
    assertTrue(rounds > 6 && rounds < 60, rounds + " rounds");
    assertEquals(0, rounds % 6, "whole periods");
  }

  @Test
  void roundsEndAtTheirMaximum() throws Exception {
    Letters letters = new Letters((letter, round) -> letter == Letter.A ? 1 : 1 + round % 2);
    new Contest(results, progress(1)).run(letters, 6, 12, letters::ratio);
    assertEquals(12, letters.samples(Letter.A).length);
  }

  @Test
  void trialOfFewRoundsIsNotProlonged() throws Exception {
    Letters letters = new Letters((letter, round) -> letter == Letter.A ? 1 : 1 + round % 2);
    new Contest(results, progress(1)).run(letters, 2, 12, letters::ratio);
    assertEquals(2, letters.samples(Letter.A).length);
  }

  @Test
  void intervalIsNarrowIfItIsWithinTenPercent() {
    assertTrue(Contest.isNarrow(new PairedRatio(1, 0.96, 1.05)));
    assertFalse(Contest.isNarrow(new PairedRatio(1, 0.94, 1.05)));
    assertFalse(Contest.isNarrow(new PairedRatio(1, 1, 1, 5)), "of too few rounds");
  }

  @Test
  void caseOfAnInterruptedRunIsCopied() throws Exception {
    List<Results> unfinished = new ArrayList<>();
    Letters letters = new Letters((letter, round) -> 1);
    Contest first = new Contest(results, progress(1), Optional.empty(), unfinished::add);
    assertFalse(first.hasRun(letters, "cost"), "nothing is resumed");
    first.warmUp(letters, 1, 3);
    assertEquals(List.of(), unfinished, "a case that is not whole");
    first.run(letters, 1);
    results.add("also", letters.at(), "n", 7);
    results.add("cost", Map.of("case", "others"), "ns", 2);

    Results resumed = new Results(Machine.setting("test"));
    Contest second =
        new Contest(resumed, progress(1), Optional.of(unfinished.get(0)), unfinished::add);
    assertFalse(second.hasRun(letters, "missing", "cost"));
    assertFalse(resumed.has("cost"));
    assertTrue(second.hasRun(letters, "cost", "also"));
    assertEquals(1, resumed.samples("cost", "ns", "letter", "C").length);
    assertEquals(7, resumed.median("also", "n").orElse(0));
    assertEquals(2, resumed.median(Contest.FIRST_ROUNDS, "rounds").orElse(0));
    assertEquals(List.of("letters"), resumed.values("cost", "case"), "no other case");
  }
}
