/**
 * The benchmarks of filters, alone and in HBase's files and servers, and the command {@code
 * ./winnow bench} that runs them.
 *
 * <p>JMH classes measure times, and run as they are with {@code java -jar benchmarks.jar}; programs
 * measure the rest. {@link io.winnow.bench.Bench}, which {@code ./winnow bench} starts, runs both
 * by a {@link io.winnow.bench.HeatPlan}: contenders take turns in short forks, so that a drift of
 * the machine affects all alike. It keeps every sample in a {@link io.winnow.hbase.report.Results}
 * file and makes {@code docs/benchmarks.md} from it.
 */
package io.winnow.bench;
