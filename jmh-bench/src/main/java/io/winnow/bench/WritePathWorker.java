package io.winnow.bench;

import io.winnow.hbase.cli.QuietEnd;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.regionserver.KeyValueHeap;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;

/**
 * The program that writes store files on request, for one contender of {@link WritePath} in a JVM
 * of its own. It has the rows of one key length in memory and in two files, and writes them to a
 * file on each request. A line of input has a piece of work, a filter and a rate; the line of
 * output that answers it has the nanoseconds of wall time and of CPU time of the whole process. The
 * JVM ends with its input.
 */
final class WritePathWorker {
  static final String FLUSH = "flush";
  static final String COMPACTION = "compaction";

  private static final int SHIPPED_EVERY = 10_000;

  private final WritePath.Shape shape;
  private final List<Cell> cells = new ArrayList<>();
  private final LocalStoreFile even;
  private final LocalStoreFile odd;

  WritePathWorker(int keyLength, int rows, WritePath.Shape shape) throws IOException {
    this.shape = shape;
    for (long number : Keys.presentInOrder(rows)) {
      for (int column = 0; column < shape.columns(); column++) {
        cells.add(
            LocalStoreFile.cell(
                Keys.key(number, keyLength),
                column,
                Keys.key(number + column, shape.valueLength())));
      }
    }
    even = LocalStoreFile.write(null, 0.01, shape.format(), writer -> flush(half(0), writer));
    odd = LocalStoreFile.write(null, 0.01, shape.format(), writer -> flush(half(1), writer));
  }

  /**
   * Writes store files as each line of input requests, until the input ends.
   *
   * @param arguments the length of keys, the number of rows, the shape
   */
  public static void main(String[] arguments) throws IOException {
    QuietEnd.install();
    PrintStream out = System.out;
    System.setOut(System.err); // standard output has answers only
    WritePathWorker worker =
        new WritePathWorker(
            Integer.parseInt(arguments[0]),
            Integer.parseInt(arguments[1]),
            WritePath.Shape.valueOf(arguments[2]));
    try {
      out.println("ready");
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ");
        HBaseFilter filter = words[1].equals(WritePath.NONE) ? null : HBaseFilter.ofLabel(words[1]);
        out.println(worker.turn(words[0], filter, Double.parseDouble(words[2])));
      }
    } finally {
      worker.close();
    }
    System.exit(0); // HBase leaves threads behind
  }

  /**
   * Writes a store file in the way of a flush or of a compaction. Returns the nanoseconds of wall
   * time and of CPU time.
   */
  String turn(String work, HBaseFilter filter, double rate) throws IOException {
    LocalStoreFile.Content content =
        work.equals(FLUSH) ? writer -> flush(cells, writer) : this::compact;
    System.gc();
    long self = ProcessHandle.current().pid();
    Map<String, Long> before = ProcessCpu.threads(self);
    long wall = System.nanoTime();
    LocalStoreFile file = LocalStoreFile.write(filter, rate, shape.format(), content);
    wall = System.nanoTime() - wall;
    long cpu = ProcessCpu.between(before, ProcessCpu.threads(self));
    file.close();
    return wall + " " + cpu;
  }

  /** Returns the cells of every second one of the rows that are held in memory. */
  private List<Cell> half(int first) {
    List<Cell> half = new ArrayList<>();
    for (int i = 0; i < cells.size(); i++) {
      if (i / shape.columns() % 2 == first) {
        half.add(cells.get(i));
      }
    }
    return half;
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

  void close() throws IOException {
    even.close();
    odd.close();
  }
}
