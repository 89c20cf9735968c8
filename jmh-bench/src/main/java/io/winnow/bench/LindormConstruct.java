package io.winnow.bench;

import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;

/**
 * A benchmark of the time to build the filter of a file through HBase's chunk writers, with
 * hashing, solving and writing to memory: table 1 of Ribbon in Lindorm, section 3.2. An invocation
 * builds the filter of a whole file.
 */
public class LindormConstruct extends KeyBenchmark {
  private ChunkDrive drive;
  private List<Cell> cells;

  @Setup(Level.Trial)
  public void setUp() {
    drive = new ChunkDrive(Labels.parse(HBaseFilter.class, filter), 0.01);
    cells = LocalStoreFile.cells(Keys.presentInOrder(0, keyCount()), keyLength);
  }

  @Benchmark
  public long construct(Work work, Figures figures) {
    drive.write(cells, keyLength, chunk -> {});
    work.key += cells.size();
    figures.bitsPerKey = 8.0 * (drive.chunkBytes + drive.meta().length) / cells.size();
    return drive.chunkBytes;
  }
}
