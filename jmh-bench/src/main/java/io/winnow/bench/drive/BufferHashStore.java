package io.winnow.bench.drive;

import io.winnow.flash.bufferhash.BufferHash;
import io.winnow.flash.bufferhash.BufferHashCount;
import io.winnow.flash.bufferhash.BufferHashOptions;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A map on flash with BufferHash that is compared with other maps, without a log because these have
 * none or do not sync it.
 */
final class BufferHashStore implements Store {
  /** Number of bytes of a BufferHash record besides its value. */
  private static final int RECORD_BYTES = 12;

  private static final double SPARE = 1.15;

  /**
   * Maximum memory in bytes with which a BufferHash has smaller buffers than usual. With less,
   * buffers of the usual size would leave nothing for filters.
   */
  private static final long SMALL_MEMORY = 4 << 20;

  private static final int SMALL_BLOCK = 32 << 10;

  /**
   * Share of the flash that is for the data of a BufferHash with little memory; its index takes up
   * to the rest.
   */
  private static final double SMALL_DATA_SHARE = 0.75;

  private final BufferHash table;

  private BufferHashStore(BufferHash table) {
    this.table = table;
  }

  /**
   * Opens a BufferHash with room for all entries on flash, so that none is evicted.
   *
   * @param entries maximum number of entries in the whole run
   */
  static BufferHashStore open(Path directory, long memoryBytes, long entries) throws IOException {
    int bytes = RECORD_BYTES + VALUE_BYTES;
    double dataShare = memoryBytes < SMALL_MEMORY ? SMALL_DATA_SHARE : 1;
    long flash = Math.max(1 << 20, Math.round(SPARE * entries * bytes / dataShare));
    BufferHashOptions options =
        BufferHashOptions.ofFingerprints(VALUE_BYTES).flashBytes(flash).memoryBudget(memoryBytes);
    if (memoryBytes < SMALL_MEMORY) {
      options = options.eraseBlockBytes(SMALL_BLOCK).incarnationBytes(SMALL_BLOCK);
    }
    return new BufferHashStore(BufferHash.open(directory, options));
  }

  BufferHash table() {
    return table;
  }

  FlashStatistics<BufferHashCount> statistics() {
    return table.statistics();
  }

  @Override
  public void put(long key, byte[] value) throws IOException {
    table.put(key, value);
  }

  @Override
  public byte[] get(long key) throws IOException {
    return table.get(key);
  }

  /**
   * Returns whether BufferHash has evicted entries because its room on flash was full. A missing
   * key may be one of these, so it does not count as lost.
   */
  @Override
  public boolean hasEvicted() {
    return table.statistics().get(BufferHashCount.INCARNATIONS_EVICTED) > 0;
  }

  @Override
  public void settle() {
    table.awaitWrites();
  }

  @Override
  public IoSnapshot traffic() {
    return table.statistics().io();
  }

  @Override
  public long flashBytes() {
    return table.layout().flashBytes();
  }

  @Override
  public void close() throws IOException {
    table.close();
  }
}
