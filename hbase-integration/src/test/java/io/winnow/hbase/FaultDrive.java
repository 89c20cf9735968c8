package io.winnow.hbase;

import static io.winnow.hbase.StoreFiles.row;

import io.winnow.hbase.agent.WovenFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.Bytes;

/** Writes and reads store files with a fault each; in the class loader of the test. */
final class FaultDrive {
  private static final int ROWS = 120;
  private final Path dir;

  /** How many kinds of faults each call gets, in turn. */
  private final int kindsPerCall;

  private final Configuration conf;
  private final BloomType type;
  private final BlockCache cache;
  private final List<String> problems = new ArrayList<>();
  private int faults;
  private int turn;

  private FaultDrive(Path dir, String filter, BloomType type, int kindsPerCall) {
    this.kindsPerCall = kindsPerCall;
    this.dir = dir;
    this.type = type;
    this.conf =
        StoreFiles.conf(Map.of("winnow.filter", filter, "io.storefile.bloom.block.size", "128"));
    this.cache = new LruBlockCache(8 << 20, 4096, false, conf);
  }

  /** The number of faults, and after it whatever went wrong. */
  static String[] run(String dir) throws IOException {
    WovenFactory.install();
    List<String> results = new ArrayList<>(List.of("0"));
    int faults = 0;
    FaultDrive rows = new FaultDrive(Path.of(dir), "ribbon", BloomType.ROW, Thrown.KINDS.size());
    FaultDrive columns = new FaultDrive(Path.of(dir), "bumped-ribbon", BloomType.ROWCOL, 2);
    FaultDrive quotient = new FaultDrive(Path.of(dir), "quotient", BloomType.ROW, 1);
    for (FaultDrive drive : new FaultDrive[] {rows, columns, quotient}) {
      drive.all();
      faults += drive.faults;
      results.addAll(drive.problems.subList(0, Math.min(20, drive.problems.size())));
    }
    results.set(0, String.valueOf(faults));
    return results.toArray(String[]::new);
  }

  private void all() throws IOException {
    read(write()); // what is done once in a JVM is done
    passed(() -> write()).forEach((call, passes) -> tryAll(call, passes, () -> read(write())));
    org.apache.hadoop.fs.Path file = write();
    passed(() -> read(file)).forEach((call, passes) -> tryAll(call, passes, () -> read(file)));
  }

  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  private static Map<Integer, Integer> passed(Step step) throws IOException {
    FaultPoint.PASSED.clear();
    FaultPoint.record(true);
    step.run();
    FaultPoint.record(false);
    return new TreeMap<>(FaultPoint.PASSED);
  }

  /**
   * A few kinds of faults at this call, the first time or a later one; the next call gets others.
   */
  private void tryAll(int call, int passes, Step step) {
    for (int i = 0; i < kindsPerCall; i++) {
      int kind = turn++ % Thrown.KINDS.size();
      Throwable fault = Thrown.KINDS.get(kind).get();
      String name = FaultPoint.NAMES.get(call);
      if (fault instanceof IOException && isOfTheStream(name)) {
        continue; // HBase's own stream failed: HBase sees that
      }
      int skipped = i == 0 ? 0 : passes / 2;
      FaultPoint.arm(call, skipped, fault);
      String found = null;
      try {
        step.run();
      } catch (Throwable e) {
        found = e + (e.getCause() == null ? "" : ", caused by " + e.getCause());
      }
      faults++;
      boolean thrown = FaultPoint.disarm();
      Thread.interrupted();
      if (found == null && !thrown && i == 0) {
        found = "was not thrown";
      }
      if (found != null) {
        problems.add(name + ", time " + skipped + ", " + fault + ": " + found);
      }
    }
  }

  private static boolean isOfTheStream(String name) {
    return name.endsWith("FilterImage.writeTo") || name.endsWith("DataOutput.write");
  }

  private org.apache.hadoop.fs.Path write() throws IOException {
    return StoreFiles.write(
        dir,
        conf,
        type,
        writer -> {
          StoreFiles.mixedRows(ROWS / 2).writeTo(writer);
          writer.beforeShipped();
          for (int i = ROWS / 2; i < ROWS; i++) {
            writer.append(StoreFiles.put(row(2 * i), "a"));
          }
        });
  }

  private void read(org.apache.hadoop.fs.Path path) throws IOException {
    cache.evictBlocksByHfileName(path.getName());
    CacheConfig cacheConf = new CacheConfig(conf, null, cache, ByteBuffAllocator.HEAP);
    HStoreFile file = StoreFiles.open(conf, cacheConf, path, type, new BloomFilterMetrics());
    StoreFileReader reader = file.getReader();
    byte[] column = type == BloomType.ROWCOL ? Bytes.toBytes("a") : null;
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < ROWS; i++) {
        require(passes(reader, 2 * i, column), "row " + i + " is lost");
        passes(reader, 2 * i + 1, column);
        boolean marked = i < ROWS / 2 && i % 7 == 0;
        boolean passes = reader.passesDeleteFamilyBloomFilter(row(2 * i), 0, row(0).length);
        require(passes || !marked, "marker " + i + " is lost");
        Thread.interrupted();
      }
    }
    BloomFilter filter = reader.getGeneralBloomFilter();
    if (filter != null) {
      String.valueOf(filter);
      require(filter.getKeyCount() + filter.getMaxKeys() + filter.getByteSize() > 0, "getters");
    }
    int cells = 0;
    HFileScanner scanner = reader.getHFileReader().getScanner(conf, false, true, false);
    for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
      cells++;
    }
    require(cells == ROWS + ROWS / 2 + (ROWS / 2 + 6) / 7, cells + " cells");
    file.closeStoreFile(true);
  }

  /** And ends an interrupt, or HBase's next read would end with it. */
  private static boolean passes(StoreFileReader reader, int row, byte[] column) {
    boolean passes = StoreFileDoor.passes(reader, row(row), column);
    Thread.interrupted();
    return passes;
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(otherwise);
    }
  }
}
