/**
 * The benchmarks and what runs them.
 *
 * <p>Three layers. The <em>JMH classes</em> ({@code Lindorm*}, {@code Peer*}, {@code Kernel*},
 * {@link io.winnow.bench.Hashing}) measure times, and run as they are with {@code java -jar
 * benchmarks.jar}. The <em>programs</em> ({@link io.winnow.bench.ChunkRates}, {@link
 * io.winnow.bench.Space}, {@link io.winnow.bench.WritePath}, {@link io.winnow.bench.Quotients})
 * measure what is not a time per operation, or not the same time for each operation. {@link
 * io.winnow.bench.Bench}, which {@code ./winnow bench} starts, runs both by a {@link
 * io.winnow.bench.HeatPlan} that alternates between the contenders in short forks, so that a drift
 * of the machine hits all of them alike, keeps every sample in a {@link
 * io.winnow.hbase.report.Results} file, and makes tables, plots and {@code docs/benchmarks.md} from
 * it.
 *
 * <p>Times are medians over the samples of all forks. A ratio is that of two medians.
 */
package io.winnow.bench;
