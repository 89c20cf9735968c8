package io.winnow.flash.bufferhash;

import io.winnow.hash.HashMix;
import io.winnow.ribbon.BumpedRibbonSizing;

/** All super tables, and which one a key belongs to. */
final class SuperTables {
  /** With so many super tables, or more, their first buffers are not full at the same time. */
  private static final int LEAST_TO_STAGGER = 16;

  private final Geometry geometry;
  final SuperTable[] all;

  /** What is in all of them. */
  static final class Count {
    /** Entries in buffers. */
    long buffered;

    /** On flash. */
    long incarnations;

    /** Those of them whose index cannot be read. */
    long lost;

    /** Entries in the others. */
    long records;

    /** Memory of filters. */
    long filterBytes;
  }

  /**
   * Empty ones. Keys spread evenly, so that all buffers would be full at nearly the same time, and
   * who puts would have to wait until most of them are written. So the first ones are full one
   * after the other, and from then on that stays so.
   */
  SuperTables(Geometry geometry, BufferHashLayout layout, BufferHashOptions options) {
    this.geometry = geometry;
    BumpedRibbonSizing ribbon =
        layout.filters() == IncarnationFilterKind.RIBBON
            ? options.ribbons.apply(layout.filterRate())
            : null;
    boolean retains = options.eviction.priority != null;
    this.all = new SuperTable[geometry.superTables];
    for (int i = 0; i < all.length; i++) {
      IncarnationFilters filters =
          ribbon != null
              ? new RibbonFilters(ribbon, geometry.slots)
              : new BloomSlices(layout.bloomSizing(), geometry.slots);
      WriteBuffer buffer = new WriteBuffer(geometry, layout.bufferEntries());
      if (all.length >= LEAST_TO_STAGGER) {
        buffer.fillUpTo((i + 1.0) / all.length);
      }
      all[i] = new SuperTable(i, geometry.slots, filters, buffer, retains);
    }
  }

  SuperTable of(long hash) {
    return all[geometry.superTable(HashMix.mix(hash))];
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
    Count count = new Count();
    for (SuperTable superTable : all) {
      count.filterBytes += superTable.filters.sizeInBytes();
      superTable.count(count);
    }
    return count;
  }
}
