package io.winnow.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.regionserver.KeyValueHeap;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;

/**
 * The program that writes store files for one contender of {@link WritePath} in a JVM of its own.
 * It has the rows of one key length in memory and in two files, and writes them to a file for each
 * piece of work of a turn.
 */
final class WritePathWorker implements WorkerJvm.Worker {
  private static final int SHIPPED_EVERY = 10_000;

  private final WritePath.Pair pair;
  private final WritePath.Shape shape;
  private final List<Cell> cells = new ArrayList<>();
  private final LocalStoreFile even;
  private final LocalStoreFile odd;

  /**
   * Makes the rows.
   *
   * @param arguments the contender, the shape, the length of keys, the number of rows
   */
  WritePathWorker(String... arguments) throws IOException {
    pair = WritePath.Pair.valueOf(arguments[0]);
    shape = WritePath.Shape.valueOf(arguments[1]);
    int keyLength = Integer.parseInt(arguments[2]);
    for (long number : Keys.presentInOrder(0, Integer.parseInt(arguments[3]))) {
      for (int column = 0; column < shape.data.columns(); column++) {
        byte[] value = Keys.key(number + column, shape.data.valueLength());
        cells.add(LocalStoreFile.cell(Keys.key(number, keyLength), column, value));
      }
    }
    even = write(HBaseFilter.NONE, WritePath.RATE, writer -> flush(half(0), writer));
    odd = write(HBaseFilter.NONE, WritePath.RATE, writer -> flush(half(1), writer));
  }

  /** Writes a store file for each piece of work, in the way of a flush or of a compaction. */
  @Override
  public double[] turn(double... request) throws IOException, InterruptedException {
    List<double[]> times = new ArrayList<>();
    for (WritePath.Work work : shape.works) {
      boolean merges = work == WritePath.Work.COMPACTION;
      LocalStoreFile[] file = new LocalStoreFile[1];
      System.gc();
      times.add(
          ProcessCpu.measure(
              ProcessHandle.current().pid(),
              () ->
                  file[0] =
                      write(
                          pair.filter(work),
                          pair.rate(work),
                          merges ? this::compact : writer -> flush(cells, writer))));
      file[0].close();
    }
    return times.stream().flatMapToDouble(Arrays::stream).toArray();
  }

  private LocalStoreFile write(HBaseFilter filter, double rate, LocalStoreFile.Content content)
      throws IOException {
    return LocalStoreFile.write(
        filter, rate, shape.data.compression(), shape.data.encoding(), content);
  }

  /** Returns the cells of every second one of the rows that are held in memory. */
  private List<Cell> half(int first) {
    return IntStream.range(0, cells.size())
        .filter(i -> i / shape.data.columns() % 2 == first)
        .mapToObj(cells::get)
        .toList();
  }

  private static void flush(List<Cell> cells, StoreFileWriter writer) throws IOException {
    for (Cell cell : cells) {
      writer.append(cell);
    }
  }

  private void compact(StoreFileWriter writer) throws IOException {
    List<StoreFileScanner> scanners =
        StoreFileScanner.getScannersForCompaction(
            List.of(even.open(), odd.open()), false, Long.MAX_VALUE);
    for (StoreFileScanner scanner : scanners) {
      scanner.seek(KeyValue.LOWESTKEY);
    }
    try (KeyValueHeap heap = new KeyValueHeap(scanners, CellComparator.getInstance())) {
      int count = 0;
      for (Cell cell = heap.next(); cell != null; cell = heap.next()) {
        writer.append(cell);
        if (++count % SHIPPED_EVERY == 0) {
          writer.beforeShipped();
          heap.shipped();
        }
      }
      if (count != cells.size()) {
        throw new IllegalStateException("compacted " + count + " cells of " + cells.size());
      }
    }
  }

  @Override
  public void close() throws IOException {
    even.close();
    odd.close();
  }
}
