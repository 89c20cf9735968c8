package io.winnow.hbase.contest;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * A condition under which contenders are measured: for example, one workload on tables of one size.
 *
 * @param <C> the contenders
 */
public interface Case<C extends Contender> {
  /** Returns the name of the case in lines of progress. */
  String name();

  /** Returns the parameters that all samples of the case have in the results. */
  Map<String, String> at();

  /** Returns the compared contenders. */
  List<C> contenders();

  /** Returns the expected seconds of one turn. */
  double weight();

  /**
   * Measures one contender, and records its samples if the round counts.
   *
   * @param round number of the round from 0; negative if the round only warms up, and no sample may
   *     be recorded
   */
  Taken turn(C contender, int round) throws IOException, InterruptedException;

  /**
   * The outcome of one turn of a contender.
   *
   * @param cost time for a unit of work, by which rounds are compared to find out whether the
   *     warm-up is over
   * @param figures the measured figures in words
   */
  record Taken(double cost, String figures) {}

  /** The measurement of a turn, as {@link Case#turn}. */
  interface Measure<C> {
    Taken take(C contender, int round) throws IOException, InterruptedException;
  }

  /** A case whose turns are measured by a function. */
  record Plain<C extends Contender>(
      String name, Map<String, String> at, List<C> contenders, double weight, Measure<C> measured)
      implements Case<C> {
    @Override
    public Taken turn(C contender, int round) throws IOException, InterruptedException {
      return measured.take(contender, round);
    }
  }
}
