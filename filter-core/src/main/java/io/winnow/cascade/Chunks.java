package io.winnow.cascade;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * A pass over several sorted sources of a merge, in chunks of fingerprints. A chunk is a range of
 * slots with a bounded number of sections of each source; chunks follow one another without a gap.
 * They are independent, so several threads can work on a merge, and a merge can pause between two
 * chunks.
 */
final class Chunks {
  /**
   * A source of a merge: sorted slots in sections, which are the pages of a level on flash or the
   * partitions of a memory level. Immutable while it is read.
   */
  interface SlotSource {
    /** Returns the number of sections of this source of a merge. */
    int sections();

    /**
     * Returns the fence (top bits) of a section of this source: that of its first slot, or one
     * before it. No slot of an earlier section has this fence, unless that section's own fence is
     * the same.
     */
    long fence(int section);

    /**
     * Returns the approximate number of fingerprints of this source of a merge; never less than the
     * number that will be decoded.
     */
    long entries();

    /** Returns the number of this source's sections that together have a given number of bytes. */
    int sectionsFor(int bytes);

    /**
     * Decodes a range of this source's sections, and appends their fingerprint slots to a buffer.
     *
     * @param damage decides about each section that cannot be read
     */
    void decode(int fromSection, int toSection, SlotBuffer out, Damage damage) throws IOException;

    /** Decides if a merge goes on when a section of a source cannot be read. */
    interface Damage {
      /** Permits a merge to leave a section out by returning; otherwise throws. */
      void found(SlotSource source, int section, IOException reason) throws IOException;
    }
  }

  private final SlotShape shape;
  private final List<SlotSource> sources;
  private final Set<SlotSource> oldest;
  private final int[] at;
  private final int[] step;
  private long low;
  private int next;

  /**
   * Creates a pass over the sources of a merge that begins before the first chunk.
   *
   * @param sources those of each filter together, newest first
   * @param oldest sources than which their filter has nothing older. Tombstones that are left there
   *     are dropped, also because they must not remove keys of another filter
   * @param chunkBytes approximate bytes of each source in a chunk
   */
  Chunks(SlotShape shape, List<SlotSource> sources, Set<SlotSource> oldest, int chunkBytes) {
    this.shape = shape;
    this.sources = List.copyOf(sources);
    this.oldest = oldest;
    this.at = new int[sources.size()];
    this.step = sources.stream().mapToInt(source -> source.sectionsFor(chunkBytes)).toArray();
  }

  /**
   * A part of a merge: a range of fingerprint slots, from {@code low} inclusive to {@code high}
   * exclusive, with the sections of each source that have them.
   */
  static final class Chunk {
    final int index;
    final long low;
    final long high;
    final int[] from;
    final int[] to;

    Chunk(int index, long low, long high, int[] from, int[] to) {
      this.index = index;
      this.low = low;
      this.high = high;
      this.from = from;
      this.to = to;
    }
  }

  /** Returns whether all chunks of the merge have been returned. */
  boolean isDone() {
    return low == 1L << shape.fenceBits();
  }

  /**
   * Returns the next chunk of the sources of a merge, which must not be {@linkplain #isDone done}.
   * Not thread-safe.
   */
  Chunk next() {
    long end = 1L << shape.fenceBits();
    long high = end;
    for (int i = 0; i < at.length; i++) {
      high = Math.min(high, fenceAfterStep(i, end));
    }
    int[] from = at.clone();
    int[] to = new int[at.length];
    for (int i = 0; i < at.length; i++) {
      SlotSource source = sources.get(i);
      to[i] = from[i];
      while (to[i] < source.sections() && source.fence(to[i]) < high) {
        to[i]++;
      }
      boolean whole = to[i] < source.sections() && source.fence(to[i]) == high;
      at[i] = whole || to[i] == from[i] ? to[i] : to[i] - 1; // it may have slots after high
    }
    Chunk chunk = new Chunk(next++, shape.firstSlot(low), shape.firstSlot(high), from, to);
    low = high;
    return chunk;
  }

  /**
   * Returns the fence (top bits of fingerprints) at which a chunk of the merge ends if it takes as
   * many sections of one source as a chunk may have.
   */
  private long fenceAfterStep(int i, long end) {
    SlotSource source = sources.get(i);
    int section = at[i] + step[i];
    while (section < source.sections() && source.fence(section) <= low) {
      section++;
    }
    return section < source.sections() ? source.fence(section) : end;
  }

  /**
   * Merges the fingerprints of a chunk from all sources into {@code work.result}. Thread-safe.
   *
   * @param damage decides about sections that cannot be read
   */
  void merge(Chunk chunk, Work work, SlotSource.Damage damage) throws IOException {
    work.decodedSlots = 0;
    decode(chunk, 0, work, work.result, damage);
    if (shape.deletes && oldest.contains(sources.get(0))) {
      work.older.size = 0;
      SlotBuffer.merge(shape, work.result, work.older, true, work.merged);
      work.swap();
    }
    for (int i = 1; i < sources.size(); i++) {
      decode(chunk, i, work, work.older, damage);
      SlotBuffer.merge(
          shape, work.result, work.older, oldest.contains(sources.get(i)), work.merged);
      work.swap();
    }
  }

  private void decode(Chunk chunk, int i, Work work, SlotBuffer into, SlotSource.Damage damage)
      throws IOException {
    into.size = 0;
    sources.get(i).decode(chunk.from[i], chunk.to[i], into, damage);
    into.trim(chunk.low, chunk.high);
    work.decodedSlots += into.size;
  }

  /** Buffers that one thread needs to merge chunks of sorted slots. */
  static final class Work {
    SlotBuffer result = new SlotBuffer();
    private SlotBuffer merged = new SlotBuffer();
    private final SlotBuffer older = new SlotBuffer();
    int decodedSlots;

    private void swap() {
      SlotBuffer was = result;
      result = merged;
      merged = was;
    }
  }
}
