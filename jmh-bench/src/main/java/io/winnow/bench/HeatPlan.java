package io.winnow.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The plan of the JMH part of a run: an ordered list of heats, which are groups of contenders that
 * are compared with each other. The contenders of a heat are measured in turn, round after round,
 * so that changes of the machine affect all alike.
 */
final class HeatPlan {
  static final String LINDORM = "lindorm";
  static final String PEERS = "peers";
  static final String KERNELS = "kernels";

  private static final String ALL_LENGTHS = "keyLength=10,25,50,250,2000";
  private static final int[] TWO_SIZES = {145_000, 10_000_000};

  /**
   * A group of contenders that are compared with each other, and so measured in turns, round after
   * round.
   */
  record Heat(String part, int rounds, List<Run> runs) {}

  /** One contender in a comparison: a JMH benchmark method and its parameters. */
  record Run(String benchmark, Map<String, String> parameters) {
    /**
     * Returns the pattern by which JMH's include option selects the contender's benchmark method.
     */
    String pattern() {
      return "^" + (HeatPlan.class.getPackageName() + "." + benchmark).replace(".", "\\.") + "$";
    }
  }

  private final List<Heat> heats = new ArrayList<>();

  static List<Heat> of(Effort effort) {
    HeatPlan plan = new HeatPlan();
    plan.keys(effort == Effort.FULL, effort.rounds);
    plan.kernels(effort == Effort.FULL, Math.min(2, effort.rounds));
    return plan.heats;
  }

  private void keys(boolean full, int rounds) {
    String n = full ? "n=1000000" : "n=500000";
    for (String method : List.of("LindormConstruct.construct", "LindormQuery.query")) {
      String lengths = full ? ALL_LENGTHS : "keyLength=10,50,2000";
      add(LINDORM, rounds, method, "filter=bloom,ribbon,bumped-ribbon", lengths, n);
    }
    String peers = Stream.of(Peer.values()).map(Labels::of).collect(Collectors.joining(","));
    int fewer = Math.min(2, rounds);
    add(PEERS, fewer, "Peers.construct", "filter=" + peers, "keyLength=25", n);
    String lengths = full ? "keyLength=10,25,250" : "keyLength=25";
    add(PEERS, fewer, "Peers.query", "filter=" + peers, lengths, n);
  }

  private void kernels(boolean full, int rounds) {
    String ours = "filter=ribbon,bumped-ribbon";
    String sizes = full ? "n=10000,145000,1000000,10000000" : "n=145000";
    add(KERNELS, rounds, "KernelBuild.build", ours, sizes, "verified=true");
    add(KERNELS, rounds, "KernelBuild.build", ours, "n=145000", "verified=false");
    String counted = "KernelProbe.counted";
    for (int n : full ? new int[] {10_000, 145_000, 1_000_000, 10_000_000} : TWO_SIZES) {
      // Branches and batches: only at two sizes, in the processor's cache and out of it.
      boolean all = n == TWO_SIZES[0] || n == TWO_SIZES[1];
      String calls = counted + (all ? ",KernelProbe.branched,KernelProbe.batched" : "");
      add(KERNELS, rounds, calls, ours, "n=" + n, "mix=mixed", "buffer=heap");
      if (full) {
        add(KERNELS, rounds, counted, ours, "n=" + n, "mix=positive,negative", "buffer=heap");
      }
    }
    String buffers = "buffer=read-only,direct,split";
    add(KERNELS, rounds, counted, ours, "n=145000", "mix=mixed", buffers);
  }

  /**
   * Adds a heat for each combination of parameters.
   *
   * @param benchmarks the compared benchmark methods, with commas
   * @param contenders the parameter that the contenders of a heat differ in, such as n=1,2
   * @param others the other parameters, likewise
   */
  private void add(
      String part, int rounds, String benchmarks, String contenders, String... others) {
    List<Map<String, String>> combinations = List.of(Map.of());
    for (String other : others) {
      combinations = combined(combinations, other);
    }
    for (Map<String, String> combination : combinations) {
      List<Run> runs = new ArrayList<>();
      for (String benchmark : benchmarks.split(",")) {
        combined(List.of(combination), contenders).forEach(at -> runs.add(new Run(benchmark, at)));
      }
      heats.add(new Heat(part, rounds, runs));
    }
  }

  /** Returns each combination of parameters with each value of one more parameter. */
  private static List<Map<String, String>> combined(
      List<Map<String, String>> combinations, String parameter) {
    String[] nameAndValues = parameter.split("=");
    List<Map<String, String>> all = new ArrayList<>();
    for (Map<String, String> combination : combinations) {
      for (String value : nameAndValues[1].split(",")) {
        Map<String, String> more = new TreeMap<>(combination);
        more.put(nameAndValues[0], value);
        all.add(more);
      }
    }
    return all;
  }
}
