package io.winnow.bench.drive;

import com.sleepycat.je.CheckpointConfig;
import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseConfig;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.DatabaseException;
import com.sleepycat.je.Environment;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.LockMode;
import com.sleepycat.je.OperationStatus;
import io.winnow.flash.store.IoSnapshot;
import io.winnow.hbase.standalone.PageCacheLimit;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * A map with BerkeleyDB Java Edition, with its fastest settings that keep its log: no transactions
 * and so no locks; nothing is synced, as with {@code COMMIT_NO_SYNC}; small values are in the
 * tree's leaves; its cleaner and its checkpointer run. The given memory is its cache, which
 * contains its log buffers. It has no direct I/O: see {@link PageCacheLimit}.
 */
final class JeStore implements Store {
  private static final String LOG_FILES = ".jdb";
  private static final int LOG_FILE_BYTES = 256 << 20;

  /**
   * Size of a read of BerkeleyDB, in bytes. One request reads a leaf, which is longer than JE's
   * default of 2 KiB.
   */
  private static final int READ_BYTES = 8 << 10;

  private final Path directory;
  private final Environment environment;
  private final Database database;
  private final PageCacheLimit limit;
  private final IoSnapshot before = ProcessIo.snapshot();

  private JeStore(
      Path directory, Environment environment, Database database, PageCacheLimit limit) {
    this.directory = directory;
    this.environment = environment;
    this.database = database;
    this.limit = limit;
  }

  static JeStore open(Path directory, long memoryBytes) throws IOException {
    Files.createDirectories(directory);
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
    try {
      Environment environment = new Environment(directory.toFile(), config);
      DatabaseConfig map = new DatabaseConfig();
      map.setAllowCreate(true);
      Database database = environment.openDatabase(null, "map", map);
      return new JeStore(directory, environment, database, PageCacheLimit.of(directory, LOG_FILES));
    } catch (DatabaseException e) {
      throw new IOException(e);
    }
  }

  /** Returns whether the files of the map were kept out of the page cache all the time. */
  boolean limitsThePageCache() {
    return limit.works();
  }

  @Override
  public boolean isLoadedInOrder() {
    return true;
  }

  @Override
  public void put(long key, byte[] value) throws IOException {
    try {
      database.put(null, entry(key), new DatabaseEntry(value));
    } catch (DatabaseException e) {
      throw new IOException(e);
    }
  }

  @Override
  public byte[] get(long key) throws IOException {
    DatabaseEntry value = new DatabaseEntry();
    try {
      OperationStatus status = database.get(null, entry(key), value, LockMode.READ_UNCOMMITTED);
      return status == OperationStatus.SUCCESS ? value.getData() : null;
    } catch (DatabaseException e) {
      throw new IOException(e);
    }
  }

  private static DatabaseEntry entry(long key) {
    return new DatabaseEntry(ByteBuffer.allocate(Long.BYTES).putLong(key).array());
  }

  @Override
  public void settle() throws IOException {
    try {
      environment.checkpoint(new CheckpointConfig().setForce(true));
      limit.drop();
    } catch (DatabaseException e) {
      throw new IOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }

  @Override
  public IoSnapshot traffic() {
    return ProcessIo.snapshot().since(before);
  }

  @Override
  public long flashBytes() throws IOException {
    return bytes(directory, LOG_FILES);
  }

  /**
   * Returns the number of bytes in the files of a directory whose names have a suffix. Some may
   * come and go meanwhile.
   */
  static long bytes(Path directory, String suffix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.toString().endsWith(suffix))
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }

  @Override
  public void close() throws IOException {
    limit.close();
    try {
      database.close();
      environment.close();
    } catch (DatabaseException e) {
      throw new IOException(e);
    }
  }
}
