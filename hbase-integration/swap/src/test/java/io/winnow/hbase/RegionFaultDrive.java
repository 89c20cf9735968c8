package io.winnow.hbase;

import static io.winnow.hbase.StoreFiles.FAMILY;
import static io.winnow.hbase.StoreFiles.row;

import io.winnow.hbase.metrics.Fallback;
import io.winnow.hbase.metrics.TestRegion;
import io.winnow.hbase.read.WinnowFilterReader;
import io.winnow.hbase.write.WinnowMetricsDoor;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Flushes, compacts, opens and reads a region with a fault each; in the class loader of the test.
 *
 * <p>Whatever fails, each row that is there is found and no other one. And it does not fail in
 * silence: where a file is without its filter, or a filter lets more through than it did without
 * the fault, the counter of that is up.
 */
final class RegionFaultDrive {
  private static final int ROWS = 60;
  private static final byte[] COLUMN = Bytes.toBytes("a");

  private final BlockCache cache;
  private final TestRegion region;
  private long time = 1;

  /** How often a filter spared a read of its file, since the trial began. */
  private long spared;

  /** What was counted when the trial began. */
  private Counts before;

  private RegionFaultDrive(Path dir, String filter, BloomType type) throws IOException {
    cache = new LruBlockCache(8 << 20, 4096, false, new Configuration());
    region =
        new TestRegion(
            dir.resolve(filter),
            "faults-" + filter,
            ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                .setBloomFilterType(type)
                .setConfiguration("winnow.filter", filter)
                .build(),
            Map.of(
                "io.storefile.bloom.block.size", "128", "fs.file.impl", LocalFiles.class.getName()),
            cache);
  }

  /** The number of faults, and after it whatever went wrong. */
  static String[] run(String dir) throws Exception {
    FaultTrials trials = new FaultTrials();
    new RegionFaultDrive(Path.of(dir), "ribbon", BloomType.ROW).all(trials, 0);
    new RegionFaultDrive(Path.of(dir), "bumped-ribbon", BloomType.ROWCOL).all(trials, 1);
    return trials.results();
  }

  /**
   * The calls of a flush and of a compaction are the same ones, and {@link FaultDrive} tries them
   * all: here every eighth one; of an open every fourth, of Gets and scans every second.
   *
   * @param from 0 or 1: which ones
   */
  private void all(FaultTrials trials, int from) throws Exception {
    try (region) {
      fill();
      flush();
      readAll(); // what is done once in a JVM is done
      trials.trySome(flushing(), 1, 8, from);
      trials.trySome(compacting(), 1, 8, from + 4);
      trials.trySome(opening(), 1, 4, from);
      trials.trySome(reading(), 1, 2, from);
    }
  }

  private Step flushing() {
    return new Step() {
      @Override
      public void run() throws IOException {
        flush();
      }
    };
  }

  private Step compacting() {
    return new Step() {
      @Override
      void begin() throws IOException {
        flush();
      }

      @Override
      public void run() throws IOException {
        region.region().compact(true);
        require(region.files().size() == 1, region.files().size() + " files");
      }
    };
  }

  private Step opening() {
    return new Step() {
      @Override
      void begin() throws IOException {
        flush();
        region.region().close();
      }

      @Override
      public void run() throws IOException {
        region.open();
      }
    };
  }

  private Step reading() {
    return new Step() {
      @Override
      void begin() throws IOException {
        flush();
        for (HStoreFile file : region.files()) {
          cache.evictBlocksByHfileName(file.getPath().getName());
        }
      }

      @Override
      public void run() throws IOException {
        readAll();
      }
    };
  }

  /** A trial: what comes before the step that has the fault, and after it. */
  private abstract class Step implements FaultTrials.Trial {
    /** How it went without a fault. */
    private Counts undisturbed;

    @Override
    public final void prepare() throws IOException {
      region.region().compact(true);
      region.store().closeAndArchiveCompactedFiles(); // or each compaction tells of all before it
      fill();
      begin();
      spared = 0;
      before = Counts.of(region);
    }

    void begin() throws IOException {}

    @Override
    public final void check(Throwable fault) throws IOException {
      readAll();
      Counts counts = Counts.of(region).minus(before, spared);
      if (undisturbed == null) {
        undisturbed = counts;
        require(counts.failures() == 0 && spared > ROWS, "without a fault: " + counts);
      }
      requireTrue(counts, undisturbed, fault instanceof InterruptedIOException);
    }
  }

  /** Rows in a file, most of them again in memory, and there markers that delete the others. */
  private void fill() throws IOException {
    time++;
    for (int i = 0; i < ROWS; i++) {
      region.region().put(new Put(row(2 * i)).addColumn(FAMILY, COLUMN, time, row(i)));
    }
    flush();
    for (int i = 0; i < ROWS; i++) {
      if (isDeleted(i)) {
        region.region().delete(new Delete(row(2 * i)).addFamily(FAMILY, time));
      } else if (i < ROWS / 2) {
        region.region().put(new Put(row(2 * i)).addColumn(FAMILY, COLUMN, time, row(i)));
      }
    }
  }

  private static boolean isDeleted(int row) {
    return row % 7 == 3;
  }

  private void flush() throws IOException {
    require(region.region().flush(true).isFlushSucceeded(), "not flushed");
  }

  /** Gets of rows that are there and of rows that are not, and a scan. */
  private void readAll() throws IOException {
    BloomFilterMetrics metrics = region.store().getStoreEngine().getBloomFilterMetrics();
    long negatives = metrics.getNegativeResultsCount();
    for (int i = 0; i < ROWS; i++) {
      String expected = isDeleted(i) ? null : Bytes.toString(row(i));
      for (Get get : List.of(new Get(row(2 * i)), new Get(row(2 * i)).addColumn(FAMILY, COLUMN))) {
        String found = Bytes.toString(get(get).value());
        require(Objects.equals(expected, found), "row " + i + " is " + found);
      }
      Get absent = new Get(row(2 * i + 1)).addColumn(FAMILY, COLUMN);
      require(get(absent).isEmpty(), "absent row " + i);
    }
    int rows = read(this::scan);
    require(rows == ROWS - (ROWS + 3) / 7, rows + " rows");
    spared += metrics.getNegativeResultsCount() - negatives;
  }

  /** How many rows there are. */
  private int scan() throws IOException {
    int rows = 0;
    try (RegionScanner scanner = region.region().getScanner(new Scan())) {
      List<Cell> cells = new ArrayList<>();
      for (boolean more = true; more; cells.clear()) {
        more = scanner.next(cells);
        rows += cells.isEmpty() ? 0 : 1;
      }
    }
    return rows;
  }

  private Result get(Get get) throws IOException {
    return read(() -> region.region().get(get));
  }

  /** What is read from HBase. */
  @FunctionalInterface
  private interface Read<T> {
    T get() throws IOException;
  }

  /** HBase ends the read of a thread that was interrupted: once more, then. */
  private static <T> T read(Read<T> read) throws IOException {
    try {
      return read.get();
    } catch (InterruptedIOException e) {
      require(FaultPoint.interrupts(), "not interrupted");
      Thread.interrupted();
      return read.get();
    } finally {
      Thread.interrupted(); // or HBase's next read would end with it
    }
  }

  /** A fault is not silent, and nothing is counted that was not so. */
  private void requireTrue(Counts counts, Counts undisturbed, boolean interrupted) {
    boolean harmed = counts.spared() < undisturbed.spared();
    for (HStoreFile file : region.files()) {
      BloomFilter filter = StoreFileDoor.generalFilter(file.getReader());
      harmed |= !(filter instanceof WinnowFilterReader);
      require(
          filter != null || interrupted || counts.abandoned() + counts.openFailures() > 0,
          "a file has no filter, and that is not counted: " + counts);
      require(
          filter == null || filter instanceof WinnowFilterReader || counts.fallbacks() > 0,
          "a file has the stock filter, and that is not counted: " + counts);
    }
    require(!harmed || interrupted || counts.failures() > 0, "harm that is not counted: " + counts);
    require(
        interrupted // then a Get was made twice
            || counts.failures() > 0 // then a filter let more through
            || counts.truePositives() <= undisturbed.truePositives()
                && counts.falsePositives() <= undisturbed.falsePositives(),
        "answers that were not given are counted: " + counts + ", without a fault " + undisturbed);
  }

  /** What became of filters, and of their answers. */
  private record Counts(
      long fallbacks,
      long abandoned,
      long openFailures,
      long loadFailures,
      long probeFailures,
      long storeFailures,
      long chunksGivenUp,
      long falsePositives,
      long truePositives,
      long spared) {
    static Counts of(TestRegion region) {
      return new Counts(
          WinnowMetricsDoor.fallbacks(Fallback.FAILURE),
          WinnowMetricsDoor.abandoned.get(),
          WinnowMetricsDoor.openFailures.get(),
          WinnowMetricsDoor.loadFailures.get(),
          WinnowMetricsDoor.probeFailures.get(),
          WinnowMetricsDoor.storeFailures.get(),
          WinnowMetricsDoor.chunksGivenUp.get(),
          region.falsePositives(),
          region.truePositives(),
          0);
    }

    Counts minus(Counts other, long spared) {
      return new Counts(
          fallbacks - other.fallbacks,
          abandoned - other.abandoned,
          openFailures - other.openFailures,
          loadFailures - other.loadFailures,
          probeFailures - other.probeFailures,
          storeFailures - other.storeFailures,
          chunksGivenUp - other.chunksGivenUp,
          falsePositives - other.falsePositives,
          truePositives - other.truePositives,
          spared);
    }

    long failures() {
      return fallbacks
          + abandoned
          + openFailures
          + loadFailures
          + probeFailures
          + storeFailures
          + chunksGivenUp;
    }
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(otherwise);
    }
  }
}
