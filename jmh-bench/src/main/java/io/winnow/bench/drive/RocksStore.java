package io.winnow.bench.drive;

import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
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
final class RocksStore implements Store {
  private static final int MEMTABLES = 2;
  private static final long SMALLEST_MEMTABLE = 64 << 10;
  private static final int SETTLED_READINGS = 3;

  private final Path directory;
  private final ColumnFamilyOptions columnOptions;
  private final DBOptions dbOptions;
  private final Options options;
  private final WriteOptions writeOptions = new WriteOptions().setDisableWAL(true);
  private final RocksDB db;
  private final IoSnapshot before = ProcessIo.snapshot();

  private RocksStore(Path directory, long memoryBytes, String filter, boolean direct)
      throws RocksDBException {
    this.directory = directory;
    columnOptions = columnOptions(memoryBytes, filter);
    dbOptions =
        new DBOptions()
            .setCreateIfMissing(true)
            .setUseDirectReads(direct)
            .setUseDirectIoForFlushAndCompaction(direct)
            .setMaxBackgroundJobs(2)
            .setStatsDumpPeriodSec(0);
    options = new Options(dbOptions, columnOptions);
    db = RocksDB.open(options, directory.toString());
  }

  /**
   * Opens an empty map with RocksDB.
   *
   * @param ribbon whether filters are Ribbon filters instead of Bloom filters
   * @param direct whether the file system has direct I/O
   */
  static RocksStore open(Path directory, long memoryBytes, boolean ribbon, boolean direct)
      throws IOException {
    RocksDB.loadLibrary();
    Files.createDirectories(directory);
    try {
      return new RocksStore(
          directory, memoryBytes, ribbon ? "ribbonfilter:10" : "bloomfilter:10", direct);
    } catch (RocksDBException e) {
      throw new IOException(e);
    }
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
        "{block_cache={capacity="
            + cache
            + ";num_shard_bits=0};filter_policy="
            + filter
            + ";block_size=4096;cache_index_and_filter_blocks=true"
            + ";pin_l0_filter_and_index_blocks_in_cache=true}");
    ColumnFamilyOptions options = ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties);
    if (options == null) {
      throw new IllegalStateException("RocksDB refuses " + properties);
    }
    return options;
  }

  @Override
  public void put(long key, byte[] value) throws IOException {
    try {
      db.put(writeOptions, bytes(key), value);
    } catch (RocksDBException e) {
      throw new IOException(e);
    }
  }

  @Override
  public byte[] get(long key) throws IOException {
    try {
      return db.get(bytes(key));
    } catch (RocksDBException e) {
      throw new IOException(e);
    }
  }

  private static byte[] bytes(long key) {
    return ByteBuffer.allocate(Long.BYTES).putLong(key).array();
  }

  /**
   * Waits until several successive readings show that no compaction of RocksDB runs and none is
   * due.
   */
  @Override
  public void settle() throws IOException {
    try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
      db.flush(flush);
      int idle = 0;
      while (idle < SETTLED_READINGS) {
        idle = isIdle() ? idle + 1 : 0;
        TimeUnit.MILLISECONDS.sleep(10);
      }
    } catch (RocksDBException e) {
      throw new IOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }

  private boolean isIdle() throws RocksDBException {
    return db.getLongProperty("rocksdb.num-running-compactions") == 0
        && db.getLongProperty("rocksdb.compaction-pending") == 0
        && db.getLongProperty("rocksdb.num-running-flushes") == 0;
  }

  @Override
  public IoSnapshot traffic() {
    return ProcessIo.snapshot().since(before);
  }

  @Override
  public long flashBytes() throws IOException {
    return JeStore.bytes(directory, ".sst");
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
