package io.winnow.hbase;

import static io.winnow.hbase.StoreFiles.row;

import io.winnow.hbase.agent.WovenFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.hbase.client.Scan;
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

  private final Configuration conf;
  private final BloomType type;
  private final BlockCache cache;

  private FaultDrive(Path dir, String filter, BloomType type) {
    this.dir = dir;
    this.type = type;
    this.conf =
        StoreFiles.conf(
            Map.of(
                "winnow.filter",
                filter,
                "winnow.scan.segment",
                "11,3",
                "io.storefile.bloom.block.size",
                "128"));
    LocalFiles.in(conf);
    this.cache = new LruBlockCache(8 << 20, 4096, false, conf);
  }

  /** The number of faults, and after it whatever went wrong. */
  static String[] run(String dir) throws Exception {
    WovenFactory.install();
    FaultTrials trials = new FaultTrials();
    Path path = Path.of(dir);
    int kinds = Integer.getInteger("winnow.fault.kinds", 1);
    new FaultDrive(path, "ribbon", BloomType.ROW).all(trials, kinds);
    new FaultDrive(path, "bumped-ribbon", BloomType.ROWCOL).all(trials, Math.min(2, kinds));
    new FaultDrive(path, "quotient", BloomType.ROW).all(trials, 1);
    return trials.results();
  }

  private void all(FaultTrials trials, int kindsPerCall) throws Exception {
    read(write()); // what is done once in a JVM is done
    trials.tryAll(
        new FaultTrials.Trial() {
          private org.apache.hadoop.fs.Path file;

          @Override
          public void run() throws IOException {
            file = write();
          }

          @Override
          public void check(Throwable fault) throws IOException {
            read(file);
          }
        },
        kindsPerCall);
    org.apache.hadoop.fs.Path file = write();
    trials.tryAll(() -> read(file), kindsPerCall);
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

  /** HBase ends the read of a thread that was interrupted: once more, then. */
  private void read(org.apache.hadoop.fs.Path path) throws IOException {
    try {
      readOnce(path);
    } catch (FSError e) {
      require(FaultPoint.interrupts(), "not interrupted: " + e);
      Thread.interrupted();
      readOnce(path);
    }
  }

  private void readOnce(org.apache.hadoop.fs.Path path) throws IOException {
    cache.evictBlocksByHfileName(path.getName());
    CacheConfig cacheConf = new CacheConfig(conf, null, cache, ByteBuffAllocator.HEAP);
    HStoreFile file = StoreFiles.open(conf, cacheConf, path, type, new BloomFilterMetrics());
    StoreFileReader reader = file.getReader();
    byte[] column = type == BloomType.ROWCOL ? Bytes.toBytes("a") : null;
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < ROWS; i++) {
        require(passes(reader, 2 * i, column), "row " + i + " is lost");
        passes(reader, 2 * i + 1, column);
        require(
            passes(reader, new Scan().withStartRow(row(2 * i)).withStopRow(row(2 * i + 1))),
            "a scan of " + i + " skips its file");
        passes(reader, new Scan().withStartRow(row(2 * i + 1)).withStopRow(row(2 * i + 2)));
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

  private static boolean passes(StoreFileReader reader, Scan scan) {
    boolean passes = StoreFileDoor.passes(reader, scan);
    Thread.interrupted();
    return passes;
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
