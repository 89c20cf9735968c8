package io.winnow.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The plan of the JMH part of a run: an ordered list of heats, which are groups of contenders that
 * are compared with each other. The contenders of a heat are measured in turn, round after round,
 * so that changes of the machine affect all alike.
 */
final class HeatPlan {
  static final String LINDORM = "lindorm";
  static final String PEERS = "peers";
  static final String KERNELS = "kernels";

  private static final List<String> KERNEL_FILTERS = List.of("ribbon", "bumped-ribbon");
  private static final int[] SIZES = {10_000, 145_000, 1_000_000, 10_000_000};

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
      return "^"
          + HeatPlan.class.getPackageName().replace(".", "\\.")
          + "\\."
          + benchmark.replace(".", "\\.")
          + "$";
    }
  }

  private final Effort effort;
  private final List<Heat> heats = new ArrayList<>();

  private HeatPlan(Effort effort) {
    this.effort = effort;
  }

  static List<Heat> of(Effort effort) {
    HeatPlan plan = new HeatPlan(effort);
    plan.lindorm();
    plan.peers();
    plan.kernels();
    return plan.heats;
  }

  private boolean isFull() {
    return effort == Effort.FULL;
  }

  private void lindorm() {
    int[] lengths = isFull() ? new int[] {10, 25, 50, 250, 2000} : new int[] {10, 50, 2000};
    for (String method : List.of("LindormConstruct.construct", "LindormQuery.query")) {
      for (int length : lengths) {
        heat(
                LINDORM,
                effort.rounds(),
                method,
                "filter",
                List.of("bloom", "ribbon", "bumped-ribbon"))
            .with("keyLength", length)
            .with("n", isFull() ? 1_000_000 : 500_000)
            .add();
      }
    }
  }

  private void peers() {
    List<String> filters = new ArrayList<>();
    for (Peer peer : Peer.values()) {
      filters.add(peer.label());
    }
    peers("Peers.construct", filters, 25);
    peers("Peers.query", filters, isFull() ? new int[] {10, 25, 250} : new int[] {25});
  }

  private void peers(String method, List<String> filters, int... keyLengths) {
    for (int length : keyLengths) {
      heat(PEERS, Math.min(2, effort.rounds()), method, "filter", filters)
          .with("keyLength", length)
          .with("n", isFull() ? 1_000_000 : 500_000)
          .add();
    }
  }

  private void kernels() {
    for (int n : isFull() ? SIZES : new int[] {145_000}) {
      build(n, true);
    }
    build(145_000, false);
    List<String> calls =
        List.of("KernelProbe.counted", "KernelProbe.branched", "KernelProbe.batched");
    List<String> counted = calls.subList(0, 1);
    for (int n : isFull() ? SIZES : new int[] {145_000, 10_000_000}) {
      // Branches and batches: only at two sizes, in the processor's cache and out of it.
      probe(n == 145_000 || n == 10_000_000 ? calls : counted, n, "mixed", "heap");
      if (isFull()) {
        probe(counted, n, "positive", "heap");
        probe(counted, n, "negative", "heap");
      }
    }
    for (String buffer : Kernel.BUFFERS) {
      probe(counted, 145_000, "mixed", buffer);
    }
    for (int length : isFull() ? new int[] {10, 25, 50, 250, 2000} : new int[] {25}) {
      heat(KERNELS, 1, "Hashing.hash", "hash", List.of("xxh3", "murmur3", "hbase-murmur-twice"))
          .with("keyLength", length)
          .add();
    }
  }

  private int kernelRounds() {
    return Math.min(2, effort.rounds());
  }

  private void build(int n, boolean verified) {
    heat(KERNELS, kernelRounds(), "KernelBuild.build", "filter", KERNEL_FILTERS)
        .with("n", n)
        .with("verified", verified)
        .add();
  }

  private void probe(List<String> calls, int n, String mix, String buffer) {
    heat(KERNELS, kernelRounds(), calls, "filter", KERNEL_FILTERS)
        .with("n", n)
        .with("mix", mix)
        .with("buffer", buffer)
        .add();
  }

  private Builder heat(
      String part, int rounds, String benchmark, String parameter, List<String> values) {
    return new Builder(part, rounds, List.of(benchmark), parameter, values);
  }

  private Builder heat(
      String part, int rounds, List<String> benchmarks, String parameter, List<String> values) {
    return new Builder(part, rounds, benchmarks, parameter, values);
  }

  /** A builder of a group of contenders from benchmark methods and the values of a parameter. */
  private final class Builder {
    private final String part;
    private final int rounds;
    private final List<String> benchmarks;
    private final String parameter;
    private final List<String> values;
    private final Map<String, String> common = new TreeMap<>();

    Builder(
        String part, int rounds, List<String> benchmarks, String parameter, List<String> values) {
      this.part = part;
      this.rounds = rounds;
      this.benchmarks = benchmarks;
      this.parameter = parameter;
      this.values = values;
    }

    Builder with(String name, Object value) {
      common.put(name, String.valueOf(value));
      return this;
    }

    void add() {
      List<Run> runs = new ArrayList<>();
      for (String benchmark : benchmarks) {
        for (String value : values) {
          Map<String, String> parameters = new TreeMap<>(common);
          parameters.put(parameter, value);
          runs.add(new Run(benchmark, parameters));
        }
      }
      heats.add(new Heat(part, rounds, runs));
    }
  }
}
