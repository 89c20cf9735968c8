package io.winnow.bench.drive;

import com.sleepycat.je.CheckpointConfig;
import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseConfig;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.Environment;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.LockMode;
import com.sleepycat.je.OperationStatus;
import io.winnow.bench.Samples;
import io.winnow.hbase.standalone.PageCacheLimit;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A map with BerkeleyDB Java Edition, with its fastest settings that keep its log: no transactions
 * and so no locks; nothing is synced, as with {@code COMMIT_NO_SYNC}; small values are in the
 * tree's leaves; its cleaner and its checkpointer run. The given memory is its cache, which
 * contains its log buffers. It has no direct I/O: see {@link PageCacheLimit}.
 */
final class JeMap extends FlashMap {
  private static final String LOG_FILES = ".jdb";
  private static final int LOG_FILE_BYTES = 256 << 20;

  /**
   * Size of a read of BerkeleyDB, in bytes. One request reads a leaf, which is longer than JE's
   * default of 2 KiB.
   */
  private static final int READ_BYTES = 8 << 10;

  private final Environment environment;
  private final Database database;
  private final PageCacheLimit limit;

  JeMap(Path directory, long memoryBytes, int valueBytes) throws IOException {
    super(directory, LOG_FILES, valueBytes);
    EnvironmentConfig config = new EnvironmentConfig();
    config.setAllowCreate(true);
    config.setTransactional(false);
    config.setLocking(false);
    config.setCacheSize(memoryBytes);
    config.setConfigParam(EnvironmentConfig.LOG_FILE_MAX, String.valueOf(LOG_FILE_BYTES));
    config.setConfigParam(EnvironmentConfig.LOG_FAULT_READ_SIZE, String.valueOf(READ_BYTES));
    config.setConfigParam(EnvironmentConfig.TREE_MAX_EMBEDDED_LN, "32");
    config.setConfigParam(EnvironmentConfig.FREE_DISK, "0");
    config.setConfigParam(EnvironmentConfig.STATS_COLLECT, "false");
    this.environment = IoCalls.io(() -> new Environment(directory.toFile(), config));
    DatabaseConfig map = new DatabaseConfig();
    map.setAllowCreate(true);
    this.database = IoCalls.io(() -> environment.openDatabase(null, "map", map));
    this.limit = PageCacheLimit.of(directory, LOG_FILES);
  }

  @Override
  boolean isLoadedInOrder() {
    return true;
  }

  @Override
  void put(long key, byte[] value) throws IOException {
    IoCalls.io(() -> database.put(null, new DatabaseEntry(bytes(key)), new DatabaseEntry(value)));
  }

  @Override
  byte[] get(long key) throws IOException {
    DatabaseEntry at = new DatabaseEntry(bytes(key));
    DatabaseEntry value = new DatabaseEntry();
    return IoCalls.io(() -> database.get(null, at, value, LockMode.READ_UNCOMMITTED))
            == OperationStatus.SUCCESS
        ? value.getData()
        : null;
  }

  @Override
  public void settle() throws IOException {
    IoCalls.io(
        () -> {
          environment.checkpoint(new CheckpointConfig().setForce(true));
          limit.drop();
          return null;
        });
  }

  /** Adds whether the files of the map were kept out of the page cache all the time. */
  @Override
  public void describe(Samples setup) {
    setup.add("jeOutOfPageCache", limit.works() ? 1 : 0);
  }

  @Override
  public void close() throws IOException {
    limit.close();
    IoCalls.io(
        () -> {
          database.close();
          environment.close();
          return null;
        });
  }
}
