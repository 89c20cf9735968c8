package io.winnow.bench.drive;

import io.winnow.bench.Samples;
import io.winnow.flash.bufferhash.BufferHash;
import io.winnow.flash.bufferhash.BufferHashCount;
import io.winnow.flash.bufferhash.BufferHashOptions;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A map on flash with BufferHash that is compared with other maps, without a log because these have
 * none or do not sync it.
 */
final class BufferHashMap extends FlashMap {
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

  /**
   * Opens a BufferHash with room for all entries on flash, so that none is evicted.
   *
   * @param entries maximum number of entries in the whole run
   */
  BufferHashMap(Path directory, long memoryBytes, long entries) throws IOException {
    super(directory, "", VALUE_BYTES);
    boolean isSmall = memoryBytes < SMALL_MEMORY;
    double bytes = SPARE * entries * (RECORD_BYTES + VALUE_BYTES);
    long flash = Math.max(1 << 20, Math.round(isSmall ? bytes / SMALL_DATA_SHARE : bytes));
    BufferHashOptions options =
        BufferHashOptions.ofFingerprints(VALUE_BYTES).flashBytes(flash).memoryBudget(memoryBytes);
    table =
        BufferHash.open(
            directory,
            isSmall ? options.eraseBlockBytes(SMALL_BLOCK).incarnationBytes(SMALL_BLOCK) : options);
  }

  @Override
  void put(long key, byte[] value) throws IOException {
    table.put(key, value);
  }

  @Override
  byte[] get(long key) throws IOException {
    return table.get(key);
  }

  @Override
  boolean hasEvicted() {
    return table.statistics().get(BufferHashCount.INCARNATIONS_EVICTED) > 0;
  }

  @Override
  public void settle() {
    table.awaitWrites();
  }

  @Override
  public State state() {
    return new State(table.statistics().io(), table.layout().flashBytes());
  }

  @Override
  public void describe(Samples setup) {
    setup
        .add("bufferHashFalseReadsByLayout", table.layout().falseReadsPerLookup())
        .add("bufferHashIncarnations", table.layout().incarnations())
        .add("bufferHashSuperTables", table.layout().superTables())
        .add("bufferHashEvicted", table.statistics().get(BufferHashCount.INCARNATIONS_EVICTED))
        .add("bufferHashWaitedSeconds", table.statistics().get(BufferHashCount.WAITED_NANOS) / 1e9);
  }

  @Override
  public void close() throws IOException {
    table.close();
  }
}
