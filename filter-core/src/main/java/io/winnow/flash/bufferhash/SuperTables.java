package io.winnow.flash.bufferhash;

import io.winnow.hash.HashMix;
import io.winnow.ribbon.BumpedRibbonSizing;

/** All super tables, and which one a key belongs to. */
final class SuperTables {
  /** With so many super tables, or more, their first buffers are not full at the same time. */
  private static final int LEAST_TO_STAGGER = 16;

  private final Geometry geometry;
  private final SuperTable[] all;

  /** What is in all of them. */
  static final class Count {
    private final long buffered;
    private final long incarnations;
    private final long lost;
    private final long records;
    private final long filterBytes;

    Count(long buffered, long incarnations, long lost, long records, long filterBytes) {
      this.buffered = buffered;
      this.incarnations = incarnations;
      this.lost = lost;
      this.records = records;
      this.filterBytes = filterBytes;
    }

    /** Entries in buffers. */
    long buffered() {
      return buffered;
    }

    /** On flash. */
    long incarnations() {
      return incarnations;
    }

    /** Those of them whose index cannot be read. */
    long lost() {
      return lost;
    }

    /** Entries in the others. */
    long records() {
      return records;
    }

    /** Memory of filters. */
    long filterBytes() {
      return filterBytes;
    }
  }

  private SuperTables(Geometry geometry, SuperTable[] all) {
    this.geometry = geometry;
    this.all = all;
  }

  /**
   * Empty ones. Keys spread evenly, so that all buffers would be full at nearly the same time, and
   * who puts would have to wait until most of them are written. So the first ones are full one
   * after the other, and from then on that stays so.
   */
  static SuperTables of(Geometry geometry, BufferHashLayout layout, BufferHashOptions options) {
    BumpedRibbonSizing ribbon =
        layout.filters() == IncarnationFilterKind.RIBBON
            ? options.ribbons().apply(layout.filterRate())
            : null;
    boolean retains = options.eviction().priority() != null;
    SuperTable[] all = new SuperTable[geometry.superTables()];
    for (int i = 0; i < all.length; i++) {
      IncarnationFilters filters =
          ribbon != null
              ? new RibbonFilters(ribbon, geometry.slots())
              : new BloomSlices(layout.bloomSizing(), geometry.slots());
      WriteBuffer buffer = new WriteBuffer(geometry, layout.bufferEntries());
      if (all.length >= LEAST_TO_STAGGER) {
        buffer.fillUpTo((i + 1.0) / all.length);
      }
      all[i] = new SuperTable(i, geometry.slots(), filters, buffer, retains);
    }
    return new SuperTables(geometry, all);
  }

  SuperTable of(long hash) {
    return all[geometry.superTable(HashMix.mix(hash))];
  }

  SuperTable[] all() {
    return all;
  }

  /** The last logged operation that is in an incarnation or in a buffer. */
  long lastOperation() {
    long last = 0;
    for (SuperTable superTable : all) {
      last = Math.max(last, superTable.lastOperation());
    }
    return last;
  }

  Count count() {
    long buffered = 0;
    long filterBytes = 0;
    long[] counts = new long[3];
    for (SuperTable superTable : all) {
      buffered += superTable.bufferedEntries();
      filterBytes += superTable.filters().sizeInBytes();
      superTable.count(counts);
    }
    return new Count(buffered, counts[0], counts[1], counts[2], filterBytes);
  }
}
