package io.winnow.flash.bufferhash;

import io.winnow.flash.store.FlashCounters;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.IoCounters;
import io.winnow.hash.HashMix;
import io.winnow.hash.KeyHash;
import io.winnow.ribbon.BumpedRibbonSizing;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/** An open table: its file, its super tables and its counters, which all parts of it share. */
final class OpenTable implements Closeable {
  /** With so many super tables, or more, their first buffers are not full at the same time. */
  private static final int LEAST_TO_STAGGER = 16;

  final Path directory;
  final Geometry geometry;
  final BufferHashOptions options;
  final BufferHashLayout layout;
  final SuperTable[] superTables;
  final TableFile file;
  final FlashCounters<BufferHashCount> counters = new FlashCounters<>(BufferHashCount.class);
  final IoCounters io = new IoCounters();
  private volatile boolean closing;

  /** Nothing that is on flash is taken in yet. */
  OpenTable(Path directory, Geometry geometry, BufferHashOptions options, boolean toWrite)
      throws IOException {
    this.directory = directory;
    this.geometry = geometry;
    this.options = options;
    this.layout = new BufferHashLayout(geometry, options);
    this.superTables = new SuperTable[geometry.superTables];
    makeSuperTables();
    this.file = TableFile.open(this, toWrite);
  }

  /**
   * Makes empty ones. Keys spread evenly, so that all buffers would be full at nearly the same
   * time, and who puts would have to wait until most of them are written. So the first ones are
   * full one after the other, and from then on that stays so.
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
      if (superTables.length >= LEAST_TO_STAGGER) {
        buffer.fillUpTo((i + 1.0) / superTables.length);
      }
      superTables[i] = new SuperTable(i, geometry.slots, filters, buffer, retains);
    }
  }

  /** The super table that a key belongs to. */
  SuperTable superTable(long hash) {
    return superTables[geometry.superTable(HashMix.mix(hash))];
  }

  /** The state of the table now, and counts since it was opened. */
  FlashStatistics<BufferHashCount> statistics() {
    Map<BufferHashCount, Long> now = new EnumMap<>(BufferHashCount.class);
    for (SuperTable superTable : superTables) {
      superTable.count(now);
    }
    return counters.statistics(now, io.snapshot(), file.store.mode());
  }

  // ---- Keys ----

  static long hash(byte[] key) {
    return KeyHash.XXH3.hash(key);
  }

  /** What records keep of a key beside its hash: null in a table of fingerprints. */
  byte[] kept(byte[] key) {
    return geometry.keyed ? key : null;
  }

  void checkFingerprints() {
    if (geometry.keyed) {
      throw new IllegalStateException(directory + " is a table of byte[] keys");
    }
  }

  /** The name of a thread of this table. */
  String threadName(String what) {
    return "winnow-" + directory.getFileName() + "-" + what;
  }

  // ---- Its end ----

  /** From now on nothing comes in; false if that was so before. */
  synchronized boolean beginClose() {
    boolean first = !closing;
    closing = true; // a put that has a super table's monitor is done before its buffer is frozen
    return first;
  }

  /** This one, unless it is closed. */
  OpenTable checkOpen() {
    if (closing) {
      throw closed();
    }
    return this;
  }

  IllegalStateException closed() {
    return new IllegalStateException(directory + " is closed");
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
