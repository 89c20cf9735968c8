package io.winnow.bench.drive;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/**
 * A map on flash with RocksDB, with direct I/O and without its log. A quarter of the given memory
 * is for two memtables, the rest for its block cache, which also has its indexes and filters.
 * Filters have ten bits per key, Bloom, or a Ribbon of the same rate; nothing is compressed, since
 * the values are random.
 */
final class RocksMap extends FlashMap {
  private static final int MEMTABLES = 2;
  private static final long SMALLEST_MEMTABLE = 64 << 10;
  private static final int SETTLED_READINGS = 3;

  private final ColumnFamilyOptions columnOptions;
  private final DBOptions dbOptions;
  private final Options options;
  private final WriteOptions writeOptions;
  private final RocksDB db;

  /**
   * Opens an empty map with RocksDB.
   *
   * @param filter its filters, such as {@code bloomfilter}
   * @param direct whether the file system has direct I/O
   */
  RocksMap(Path directory, long memoryBytes, int valueBytes, String filter, boolean direct)
      throws IOException {
    super(directory, ".sst", valueBytes);
    RocksDB.loadLibrary();
    writeOptions = new WriteOptions().setDisableWAL(true);
    columnOptions = columnOptions(memoryBytes, filter);
    dbOptions =
        new DBOptions()
            .setCreateIfMissing(true)
            .setUseDirectReads(direct)
            .setUseDirectIoForFlushAndCompaction(direct)
            .setMaxBackgroundJobs(2)
            .setStatsDumpPeriodSec(0);
    options = new Options(dbOptions, columnOptions);
    db = IoCalls.io(() -> RocksDB.open(options, directory.toString()));
  }

  private static ColumnFamilyOptions columnOptions(long memoryBytes, String filter) {
    long memtable = Math.max(SMALLEST_MEMTABLE, memoryBytes / 4 / MEMTABLES);
    long cache = Math.max(SMALLEST_MEMTABLE, memoryBytes - MEMTABLES * memtable);
    Properties properties = new Properties();
    properties.setProperty("write_buffer_size", String.valueOf(memtable));
    properties.setProperty("max_write_buffer_number", String.valueOf(MEMTABLES));
    properties.setProperty("target_file_size_base", String.valueOf(2 * memtable));
    properties.setProperty("max_bytes_for_level_base", String.valueOf(8 * memtable));
    properties.setProperty("compression", "kNoCompression");
    properties.setProperty(
        "block_based_table_factory",
        ("{block_cache={capacity=%d;num_shard_bits=0};filter_policy=%s:10;block_size=4096"
                + ";cache_index_and_filter_blocks=true"
                + ";pin_l0_filter_and_index_blocks_in_cache=true}")
            .formatted(cache, filter));
    ColumnFamilyOptions options = ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties);
    if (options == null) {
      throw new IllegalStateException("RocksDB refuses " + properties);
    }
    return options;
  }

  @Override
  void put(long key, byte[] value) throws IOException {
    IoCalls.io(
        () -> {
          db.put(writeOptions, bytes(key), value);
          return null;
        });
  }

  @Override
  byte[] get(long key) throws IOException {
    return IoCalls.io(() -> db.get(bytes(key)));
  }

  /**
   * Waits until several successive readings show that no compaction of RocksDB runs and none is
   * due.
   */
  @Override
  public void settle() throws IOException {
    try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
      IoCalls.io(
          () -> {
            db.flush(flush);
            for (int idle = 0; idle < SETTLED_READINGS; idle = isIdle() ? idle + 1 : 0) {
              TimeUnit.MILLISECONDS.sleep(10);
            }
            return null;
          });
    }
  }

  private boolean isIdle() throws RocksDBException {
    return db.getLongProperty("rocksdb.num-running-compactions") == 0
        && db.getLongProperty("rocksdb.compaction-pending") == 0
        && db.getLongProperty("rocksdb.num-running-flushes") == 0;
  }

  @Override
  public void close() {
    db.close();
    writeOptions.close();
    options.close();
    dbOptions.close();
    columnOptions.close();
  }
}
