package io.winnow.bench;

import io.winnow.hbase.report.Progress;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.regionserver.KeyValueHeap;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;

/**
 * Writing store files through HBase's writer, the same rows with each filter in turn: from memory
 * as a flush does, and merged from two files as a compaction does. Wall and CPU time of the thread.
 */
final class WritePath {
  static final String NAME = "write-path";
  private static final int KEY_LENGTH = 25;
  private static final int VALUE_LENGTH = 75;
  private static final int SHIPPED_EVERY = 10_000;
  private static final HBaseFilter[] FILTERS = {
    HBaseFilter.BLOOM, HBaseFilter.RIBBON, HBaseFilter.BUMPED_RIBBON
  };

  private final Effort effort;
  private final Results results;
  private final Progress progress;

  WritePath(Effort effort, Results results, Progress progress) {
    this.effort = effort;
    this.results = results;
    this.progress = progress;
  }

  private static int rows(Effort effort) {
    return switch (effort) {
      case SMOKE -> 2000;
      case QUICK -> 300_000;
      case FULL -> 1_000_000;
    };
  }

  private static int rounds(Effort effort) {
    return switch (effort) {
      case SMOKE -> 1;
      case QUICK -> 3;
      case FULL -> 9;
    };
  }

  static double weight(Effort effort) {
    return effort == Effort.FULL ? 50 : 10;
  }

  void run() throws IOException {
    List<Cell> cells = new ArrayList<>();
    long[] numbers = Keys.presentInOrder(rows(effort));
    for (long number : numbers) {
      cells.add(StoreFile.cell(Keys.key(number, KEY_LENGTH), Keys.key(number, VALUE_LENGTH)));
    }
    heat("flush", writer -> flush(cells, writer));
    try (StoreFile even = StoreFile.write(null, 0.01, writer -> flush(half(cells, 0), writer));
        StoreFile odd = StoreFile.write(null, 0.01, writer -> flush(half(cells, 1), writer))) {
      heat("compaction", writer -> compact(even, odd, writer));
    }
  }

  /** Rounds that are not counted come first: the code is compiled in them. */
  private void heat(String work, StoreFile.Content content) throws IOException {
    int warmups = Math.max(1, rounds(effort) / 3);
    List<HBaseFilter> order = new ArrayList<>(List.of(FILTERS));
    double weight = weight(effort) / (2.0 * (warmups + rounds(effort)) * FILTERS.length);
    for (int round = -warmups; round < rounds(effort); round++) {
      Collections.rotate(order, 1);
      for (HBaseFilter filter : order) {
        System.gc();
        long cpu = cpuNanos();
        long wall = System.nanoTime();
        StoreFile file = StoreFile.write(filter, 0.01, content);
        wall = System.nanoTime() - wall;
        cpu = cpuNanos() - cpu;
        file.close();
        double wallPerRow = (double) wall / rows(effort);
        if (round >= 0) {
          Map<String, String> parameters = Map.of("filter", filter.label(), "work", work);
          results.add(NAME, parameters, "wallNsPerRow", wallPerRow);
          results.add(NAME, parameters, "cpuNsPerRow", (double) cpu / rows(effort));
        }
        progress.step(
            weight,
            work + " with " + filter.label() + (round < 0 ? ", warming up" : ""),
            String.format(Locale.ROOT, "%.0f ns per row", wallPerRow));
      }
    }
  }

  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static List<Cell> half(List<Cell> cells, int first) {
    List<Cell> half = new ArrayList<>();
    for (int i = first; i < cells.size(); i += 2) {
      half.add(cells.get(i));
    }
    return half;
  }

  private static void flush(List<Cell> cells, StoreFileWriter writer) throws IOException {
    for (Cell cell : cells) {
      writer.append(cell);
    }
  }

  private void compact(StoreFile first, StoreFile second, StoreFileWriter writer)
      throws IOException {
    List<StoreFileScanner> scanners =
        StoreFileScanner.getScannersForCompaction(
            List.of(first.open(), second.open()), false, Long.MAX_VALUE);
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
      if (count != rows(effort)) {
        throw new IllegalStateException("compacted " + count + " rows of " + rows(effort));
      }
    }
  }
}
