package io.winnow.bench;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.Map;
import java.util.stream.Stream;
import org.openjdk.jmh.runner.RunnerException;

/**
 * A part of the benchmarks that can be run alone, such as the queries of HBase's filters. An
 * interrupted run keeps whole parts.
 */
abstract class Part {
  static final String NS_PER_KEY = "nsPerKey";
  static final String BITS_PER_KEY = "bitsPerKey";
  static final String FALSE_POSITIVE_RATE = "falsePositiveRate";

  final Effort effort;
  final Results results;
  final Progress progress;

  Part(Effort effort, Results results, Progress progress) {
    this.effort = effort;
    this.results = results;
    this.progress = progress;
  }

  /** Returns the expected seconds of the part. */
  abstract double weight();

  /** Returns the samples of a metric that have the given parameters. */
  static double[] samples(
      Results results, String benchmark, String metric, Map<String, String> at) {
    return results.samples(
        benchmark,
        metric,
        at.entrySet().stream().flatMap(e -> Stream.of(e.getKey(), e.getValue())).toArray());
  }

  abstract void run() throws IOException, InterruptedException, RunnerException;
}
