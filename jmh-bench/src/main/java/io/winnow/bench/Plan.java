package io.winnow.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the JMH part of a run measures, in order: heats of contenders that are measured in turn,
 * round after round, so that all see the same machine.
 */
final class Plan {
  static final String SEED = "seed";
  static final String PEERS = "peers";
  static final String KERNELS = "kernels";

  /** Contenders in one situation. */
  record Heat(String part, int rounds, List<Run> runs) {}

  /** One contender: a benchmark method and its parameters. */
  record Run(String benchmark, Map<String, String> parameters) {
    /** As JMH's include option wants it. */
    String pattern() {
      return "^"
          + Plan.class.getPackageName().replace(".", "\\.")
          + "\\."
          + benchmark.replace(".", "\\.")
          + "$";
    }
  }

  private final Effort effort;
  private final List<Heat> heats = new ArrayList<>();

  private Plan(Effort effort) {
    this.effort = effort;
  }

  static List<Heat> of(Effort effort) {
    Plan plan = new Plan(effort);
    plan.seed();
    plan.peers();
    plan.kernels();
    return plan.heats;
  }

  private boolean isFull() {
    return effort == Effort.FULL;
  }

  private void seed() {
    int[] lengths = isFull() ? new int[] {10, 25, 50, 250, 2000} : new int[] {10, 50, 2000};
    for (String method : List.of("SeedConstruct.construct", "SeedQuery.query")) {
      for (int length : lengths) {
        heat(SEED, effort.rounds(), method, "filter", List.of("bloom", "ribbon", "bumped-ribbon"))
            .with("keyLength", length)
            .with("n", isFull() ? 1_000_000 : 500_000)
            .add();
      }
    }
  }

  private void peers() {
    int[] lengths = isFull() ? new int[] {10, 25, 250} : new int[] {25};
    List<String> filters = new ArrayList<>();
    for (Peer peer : Peer.values()) {
      filters.add(peer.label());
    }
    for (String method : List.of("Peers.construct", "Peers.query")) {
      for (int length : lengths) {
        heat(PEERS, Math.min(2, effort.rounds()), method, "filter", filters)
            .with("keyLength", length)
            .with("n", isFull() ? 1_000_000 : 500_000)
            .add();
      }
    }
  }

  private void kernels() {
    int rounds = Math.min(2, effort.rounds());
    List<String> filters = List.of("ribbon", "bumped-ribbon");
    int[] sizes =
        isFull() ? new int[] {10_000, 145_000, 1_000_000, 10_000_000} : new int[] {145_000};
    for (int n : sizes) {
      heat(KERNELS, rounds, "KernelBuild.build", "filter", filters)
          .with("n", n)
          .with("verified", true)
          .add();
    }
    heat(KERNELS, rounds, "KernelBuild.build", "filter", filters)
        .with("n", 145_000)
        .with("verified", false)
        .add();
    heat(KERNELS, rounds, "KernelGuard.measure", "n", List.of("145000")).add();
    List<String> calls =
        List.of("KernelProbe.counted", "KernelProbe.branched", "KernelProbe.batched");
    for (int n : isFull() ? sizes : new int[] {145_000, 10_000_000}) {
      for (String mix :
          isFull() && n == 145_000 ? List.of("positive", "negative", "mixed") : List.of("mixed")) {
        heat(KERNELS, rounds, calls, "filter", filters)
            .with("n", n)
            .with("mix", mix)
            .with("buffer", "heap")
            .add();
      }
    }
    if (isFull()) {
      for (int n : new int[] {10_000, 1_000_000, 10_000_000}) {
        for (String mix : List.of("positive", "negative")) {
          heat(KERNELS, 1, "KernelProbe.counted", "filter", filters)
              .with("n", n)
              .with("mix", mix)
              .with("buffer", "heap")
              .add();
        }
      }
    }
    for (String buffer : List.of("direct", "split")) {
      heat(KERNELS, rounds, "KernelProbe.counted", "filter", filters)
          .with("n", 145_000)
          .with("mix", "mixed")
          .with("buffer", buffer)
          .add();
    }
    for (int length : isFull() ? new int[] {10, 25, 50, 250, 2000} : new int[] {25}) {
      heat(KERNELS, 1, "Hashing.hash", "hash", List.of("xxh3", "murmur3", "hbase-murmur-twice"))
          .with("keyLength", length)
          .add();
    }
  }

  private Builder heat(
      String part, int rounds, String benchmark, String parameter, List<String> values) {
    return new Builder(part, rounds, List.of(benchmark), parameter, values);
  }

  private Builder heat(
      String part, int rounds, List<String> benchmarks, String parameter, List<String> values) {
    return new Builder(part, rounds, benchmarks, parameter, values);
  }

  /** A heat in the making. */
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
