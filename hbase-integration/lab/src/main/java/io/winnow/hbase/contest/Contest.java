package io.winnow.hbase.contest;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Runs the cases of a measuring command: in each round every contender has one turn, in {@link
 * Orders balanced orders}. The samples of a round were taken directly one after the other and
 * belong together; see {@link PairedRatio}.
 *
 * @param earlier results of the interrupted run that is resumed
 * @param unfinished receives the results after each case
 */
public record Contest(
    Results results, Progress progress, Optional<Results> earlier, Consumer<Results> unfinished) {
  /** Name that the number of rounds that only warmed up has in the results. */
  public static final String FIRST_ROUNDS = "firstRounds";

  /** Maximum width of a narrow interval of a ratio, as a share of the ratio. */
  private static final double NARROW = 0.1;

  /** Makes a contest that is run in one piece. */
  public Contest(Results results, Progress progress) {
    this(results, progress, Optional.empty(), all -> {});
  }

  /**
   * Returns whether the interrupted run has measured a case. If so, its samples are copied: a run
   * keeps whole cases only.
   *
   * @param benchmark the benchmark that has samples of each measured case
   * @param others further benchmarks that may have samples of it
   */
  public boolean hasRun(Case<?> one, String benchmark, String... others) {
    if (earlier.isEmpty() || !earlier.get().hasCases(benchmark, one.at())) {
      return false;
    }
    results.copyCases(earlier.get(), benchmark, one.at());
    results.copyCases(earlier.get(), FIRST_ROUNDS, one.at());
    for (String other : others) {
      results.copyCases(earlier.get(), other, one.at());
    }
    progress.step(0, one.name(), "copied from the interrupted run");
    return true;
  }

  /**
   * Returns the number of rounds that a warm-up is expected to take.
   *
   * @param compared number of newest rounds that are compared with as many before them
   */
  public static int expectedRounds(int compared) {
    return 2 * compared + 1;
  }

  /**
   * Runs rounds that do not count, until they no longer get faster. The results record their number
   * and whether the maximum ended them.
   *
   * @param compared number of newest rounds that are compared with as many before them
   * @param most maximum number of rounds
   */
  public <C extends Contender> void warmUp(Case<C> one, int compared, int most)
      throws IOException, InterruptedException {
    WarmUp warmUp = new WarmUp(compared);
    int expected = Math.min(most, expectedRounds(compared));
    boolean stands = false;
    int rounds = 0;
    while (rounds < most && !stands) {
      double cost = 0;
      rounds++;
      for (C contender : Orders.of(one.contenders(), -rounds)) {
        Case.Taken taken = one.turn(contender, -rounds);
        cost += taken.cost();
        report(rounds > expected ? 0 : one.weight(), one, "warming up, " + contender.id(), taken);
      }
      stands = warmUp.stands(1 / cost);
    }
    results.add(FIRST_ROUNDS, one.at(), "rounds", rounds);
    results.add(FIRST_ROUNDS, one.at(), "stood", stands ? 1 : 0);
    progress.step(
        Math.max(0, expected - rounds) * one.contenders().size() * one.weight(),
        one.name(),
        "%d rounds warmed up and do not count".formatted(rounds));
  }

  /** Runs a number of rounds that count. */
  public <C extends Contender> void run(Case<C> one, int rounds)
      throws IOException, InterruptedException {
    run(one, rounds, rounds, () -> null);
  }

  /**
   * Runs rounds that count, at least {@code rounds}, and then until a ratio has a narrow interval.
   *
   * @param rounds minimum number of rounds; with fewer than an interval needs, the run is a trial
   *     and stops there
   * @param most maximum number of rounds
   * @param ratio returns the ratio that the rounds so far have
   */
  public <C extends Contender> void run(
      Case<C> one, int rounds, int most, Supplier<PairedRatio> ratio)
      throws IOException, InterruptedException {
    int period = Orders.period(one.contenders().size());
    for (int round = 0;
        round < rounds
            || rounds >= PairedRatio.MIN_PAIRS
                && round < most
                && (round % period != 0 || !isNarrow(ratio.get()));
        round++) {
      for (C contender : Orders.of(one.contenders(), round)) {
        Case.Taken taken = one.turn(contender, round);
        report(one.weight(), one, "round " + (round + 1) + ", " + contender.id(), taken);
      }
    }
    unfinished.accept(results);
  }

  /** Reports a turn: at once, or at most every two seconds if it is a short one. */
  private void report(double weight, Case<?> one, String what, Case.Taken taken) {
    String name = one.name() + ", " + what;
    if (one.weight() >= 1) {
      progress.step(weight, name, taken.figures());
    } else {
      progress.part(weight, name + ": " + taken.figures());
    }
  }

  /** Returns whether the interval of a ratio is at most a tenth of the ratio wide. */
  static boolean isNarrow(PairedRatio ratio) {
    return ratio.hasInterval() && ratio.high() - ratio.low() <= NARROW * ratio.median();
  }
}
