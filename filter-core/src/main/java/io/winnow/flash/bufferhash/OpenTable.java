package io.winnow.flash.bufferhash;

import io.winnow.KeyHash;
import io.winnow.base.HashMix;
import io.winnow.flash.drive.FlashCounters;
import io.winnow.flash.drive.FlashDirectory;
import io.winnow.flash.drive.LogRecovery;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.ribbon.BumpedRibbonSizing;
import java.io.Closeable;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;

/** The file, the super tables and the counters of an open BufferHash, which all its parts share. */
final class OpenTable implements Closeable {
  /**
   * Number of super tables from which on their first buffers are filled to different sizes, so that
   * they are not all full at the same time.
   */
  private static final int MIN_TO_STAGGER = 16;

  final FlashDirectory directory;
  final Geometry geometry;
  final BufferHashOptions options;
  final BufferHashLayout layout;
  final SuperTable[] superTables;
  final TableFile file;
  final FlashCounters<BufferHashCount> counters = new FlashCounters<>(BufferHashCount.class);

  /** Opens the file of a BufferHash, with super tables that are still empty. */
  OpenTable(FlashDirectory directory, Geometry geometry, BufferHashOptions options)
      throws IOException {
    this.directory = directory;
    this.geometry = geometry;
    this.options = options;
    this.layout = new BufferHashLayout(geometry, options);
    this.superTables = new SuperTable[geometry.superTables];
    makeSuperTables();
    this.file = TableFile.open(directory, geometry, options.directIo);
  }

  /**
   * Creates the empty super tables of a BufferHash. Keys spread evenly, so all buffers would be
   * full at nearly the same time, and puts would have to wait until most of them are written. So
   * the first buffers are full one after the other, and their successors keep this order.
   */
  private void makeSuperTables() {
    BumpedRibbonSizing ribbon =
        layout.filters() == IncarnationFilterKind.RIBBON
            ? options.ribbons.apply(layout.filterRate())
            : null;
    boolean retains = options.eviction.priority != null;
    for (int i = 0; i < superTables.length; i++) {
      IncarnationFilters filters =
          ribbon != null
              ? new RibbonFilters(ribbon, geometry.slots)
              : new BloomSlices(layout.bloom, geometry.slots);
      WriteBuffer buffer = new WriteBuffer(geometry, layout.bufferEntries);
      if (superTables.length >= MIN_TO_STAGGER) {
        buffer.fillUpTo((i + 1.0) / superTables.length);
      }
      superTables[i] = new SuperTable(i, geometry.slots, filters, buffer, retains);
    }
  }

  /**
   * Reads and checks all logs of a BufferHash, from the first one that the last mark page names.
   */
  LogRecovery surveyLogs() throws IOException {
    TableFile.Mark mark = file.marks.newest();
    long first = mark.firstLog;
    if (file.marks.isAlone()) { // the other may have been newer, and earlier logs are deleted then
      first = LogRecovery.numbers(directory.path, first).min().orElse(first);
    }
    LogRecovery logs =
        new LogRecovery(
            directory,
            geometry.id,
            first,
            false, // operations are numbered through all logs, including lost ones
            (block, at, end) -> Records.checkedBytes(block, at, end, geometry));
    logs.survey(file.closedLogs.tailMap(first));
    return logs;
  }

  /** Returns the super table that a key belongs to. */
  SuperTable superTable(long hash) {
    return superTables[geometry.superTable(HashMix.mix(hash))];
  }

  /** Returns the present state of the BufferHash, and its counters since it was opened. */
  FlashStatistics<BufferHashCount> statistics() {
    Map<BufferHashCount, Long> now = new EnumMap<>(BufferHashCount.class);
    for (SuperTable superTable : superTables) {
      superTable.count(now);
    }
    return counters.statistics(now, file.store.counters.snapshot(), file.store.isDirect());
  }

  // ---- Keys ----

  /** Returns the hash of a key of a BufferHash, which is also its fingerprint. */
  static long hash(byte[] key) {
    return KeyHash.XXH3.hash(key);
  }

  /** Returns the key if the table's records contain keys; null in a table of fingerprints. */
  byte[] stored(byte[] key) {
    return geometry.keyed ? key : null;
  }

  /** Checks that the table's keys are fingerprints. */
  void checkFingerprints() {
    if (geometry.keyed) {
      throw new IllegalStateException(directory.path + " is a table of byte[] keys");
    }
  }

  // ---- Closing ----

  /**
   * Checks that this BufferHash is open, and returns it.
   *
   * @throws IllegalStateException if it is closed
   */
  OpenTable checkOpen() {
    directory.checkOpen();
    return this;
  }

  @Override
  public void close() throws IOException {
    try (directory) {
      file.close();
    }
  }
}
