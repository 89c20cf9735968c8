package io.winnow.bench;

/** The amount of work in a run of the benchmarks. */
enum Effort {
  /** The smallest run of the benchmarks, for tests. */
  SMOKE(1, 0, 1, 1, 1),
  /** A quick run of the benchmarks: a few minutes, few sizes, wide spreads. */
  QUICK(1, 3, 250, 2, 200),
  /** The run of the benchmarks whose results are published. */
  FULL(3, 5, 300, 3, 250);

  /** Number of JMH forks of each contender, which take turns with the others' forks. */
  final int rounds;

  final int warmups;
  final int warmupMillis;
  final int iterations;
  final int iterationMillis;

  Effort(int rounds, int warmups, int warmupMillis, int iterations, int iterationMillis) {
    this.rounds = rounds;
    this.warmups = warmups;
    this.warmupMillis = warmupMillis;
    this.iterations = iterations;
    this.iterationMillis = iterationMillis;
  }

  /** Returns that one of three values which belongs to this effort. */
  <T> T choose(T smoke, T quick, T full) {
    return this == SMOKE ? smoke : this == QUICK ? quick : full;
  }
}
