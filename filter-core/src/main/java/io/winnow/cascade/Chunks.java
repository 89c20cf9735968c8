package io.winnow.cascade;

import java.io.IOException;
import java.util.List;

/**
 * The way through several sorted sources in chunks: adjacent ranges of slots, each with a bounded
 * number of sections of every source. Chunks are independent of one another, so that several
 * threads may work on a merge, and it may rest between any two.
 */
final class Chunks {
  /**
   * Sorted slots in sections, as merges take them in: the pages of a level on flash, the partitions
   * of one in memory. Immutable while it is read.
   */
  interface SlotSource {
    int sections();

    /**
     * The fence of a section: that of its first slot or one before it. No slot of an earlier
     * section has it, unless that section's own fence is the same.
     */
    long fence(int section);

    /** About how many slots there are: at least as many as will be decoded. */
    long entries();

    /** How many sections make a chunk of {@code bytes} bytes of coded slots. */
    int sectionsFor(int bytes);

    /**
     * Appends the slots of some sections.
     *
     * @param damage is asked what to do about each section that cannot be read
     */
    void decode(int fromSection, int toSection, SlotBuffer out, Damage damage) throws IOException;

    /** What is done about a section that cannot be read. */
    interface Damage {
      /** Returns if the section may be left out, and throws if not. */
      void found(SlotSource source, int section, IOException reason) throws IOException;
    }
  }

  private final SlotShape shape;
  private final List<SlotSource> sources;
  private final boolean nothingOlder;
  private final int[] at;
  private final int[] step;
  private long low;
  private int next;

  /**
   * @param sources newest first
   * @param nothingOlder whether nothing is older than the last of them
   * @param chunkBytes about how many bytes of each source go into a chunk
   */
  Chunks(
      SlotShape shape, List<? extends SlotSource> sources, boolean nothingOlder, int chunkBytes) {
    this.shape = shape;
    this.sources = List.copyOf(sources);
    this.nothingOlder = nothingOlder;
    this.at = new int[sources.size()];
    this.step = sources.stream().mapToInt(source -> source.sectionsFor(chunkBytes)).toArray();
  }

  /**
   * Slots from {@code low}, inclusive, to {@code high}, exclusive, and the sections they are in.
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

  /** Whether there is no next chunk. */
  boolean isDone() {
    return low == 1L << shape.fenceBits();
  }

  /** The next chunk, or null after the last one. Not thread-safe. */
  Chunk next() {
    if (isDone()) {
      return null;
    }
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
      at[i] = whole || to[i] == from[i] ? to[i] : to[i] - 1; // the last one may go on after high
    }
    Chunk chunk = new Chunk(next++, shape.firstSlot(low), shape.firstSlot(high), from, to);
    low = high;
    return chunk;
  }

  private long fenceAfterStep(int i, long end) {
    SlotSource source = sources.get(i);
    int section = at[i] + step[i];
    while (section < source.sections() && source.fence(section) <= low) {
      section++;
    }
    return section < source.sections() ? source.fence(section) : end;
  }

  /**
   * The slots of a chunk from all sources, merged: in {@code work.result}. Thread-safe.
   *
   * @param damage is asked about what cannot be read
   */
  void merge(Chunk chunk, Work work, SlotSource.Damage damage) throws IOException {
    work.decodedSlots = 0;
    decode(chunk, 0, work, work.result, damage);
    if (sources.size() == 1 && nothingOlder && shape.deletes) {
      work.older.size = 0;
      SlotBuffer.merge(shape, work.result, work.older, true, work.merged);
      work.swap();
    }
    for (int i = 1; i < sources.size(); i++) {
      decode(chunk, i, work, work.older, damage);
      SlotBuffer.merge(
          shape, work.result, work.older, nothingOlder && i + 1 == sources.size(), work.merged);
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

  /** A thread's own memory for chunks. */
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
