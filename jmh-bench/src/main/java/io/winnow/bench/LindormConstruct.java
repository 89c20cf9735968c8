package io.winnow.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A benchmark of the time to build the filter of a file through HBase's chunk writers, with
 * hashing, solving and writing to memory: table 1 of Ribbon in Lindorm, section 3.2.
 *
 * <p>An invocation builds the filter of a whole file; the counter {@code key} is the time of one
 * key.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
    value = 3,
    jvmArgsAppend = {
      "-Xms3g",
      "-Xmx3g",
      "-XX:+UseParallelGC",
      WorkerJvm.OPEN_NIO,
      WorkerJvm.OPEN_LANG
    })
public class LindormConstruct {
  @Param({"bloom", "ribbon", "bumped-ribbon"})
  public String filter;

  @Param({"10", "25", "50", "250", "2000"})
  public int keyLength;

  /**
   * Number of keys in the filter; fewer if they are so long that they would take more than {@link
   * Bench#MAX_SLAB} bytes.
   */
  @Param("1000000")
  public int n;

  private ChunkDrive drive;
  private List<Cell> cells;

  @Setup(Level.Trial)
  public void setUp() {
    drive = new ChunkDrive(HBaseFilter.ofLabel(filter), 0.01);
    int count = Bench.keysThatFit(n, keyLength);
    cells = new ArrayList<>(count);
    for (long number : Keys.presentInOrder(count)) {
      cells.add(LocalStoreFile.cell(Keys.key(number, keyLength), new byte[0]));
    }
  }

  @Benchmark
  public long construct(JmhCounters.Work work, JmhCounters.Figures figures) {
    drive.write(cells, keyLength, (bytes, length) -> {});
    work.key += cells.size();
    figures.space(8 * (drive.chunkBytes() + drive.metaBytes()), cells.size());
    return drive.chunkBytes();
  }
}
