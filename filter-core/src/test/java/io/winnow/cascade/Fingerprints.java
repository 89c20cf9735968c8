package io.winnow.cascade;

import io.winnow.cascade.Chunks.SlotSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The fingerprints of a filter as it was at one moment, in ascending order; where there are
 * deletes, each as often as it is there. Those whose pages were lost are not among them. It reads
 * each level once, a chunk at a time, and merges them on the way; it holds their view meanwhile.
 */
final class Fingerprints implements AutoCloseable {
  private final SlotShape shape;
  private final Chunks chunks;
  private final View held;
  private final Chunks.Work work = new Chunks.Work();
  private int at = -1;

  private Fingerprints(SlotShape shape, View held) throws IOException {
    List<SlotSource> sources = new ArrayList<>();
    sources.add(new Taken(held.active));
    if (held.frozen != null) {
      sources.add(held.frozen);
    }
    sources.addAll(held.levels);
    this.shape = shape;
    this.held = held;
    Set<SlotSource> oldest = Set.of(sources.get(sources.size() - 1));
    this.chunks = new Chunks(shape, sources, oldest, MemoryShares.MAX_CHUNK_BYTES);
  }

  /** Those of a filter. Nobody may insert meanwhile; what comes later is not seen. */
  static Fingerprints of(CascadeFilter filter) throws IOException {
    return new Fingerprints(filter.shape, filter.levels.holdView());
  }

  static Fingerprints of(CascadeReader reader) throws IOException {
    return new Fingerprints(reader.manifest.shape, reader.holdView());
  }

  /** Goes to the next fingerprint, if there is one. */
  boolean next() throws IOException {
    at++;
    while (at >= work.result.size) {
      if (chunks.isDone()) {
        return false;
      }
      chunks.merge(
          chunks.next(),
          work,
          (source, section, reason) -> {
            throw reason;
          });
      at = 0;
    }
    return true;
  }

  long fingerprint() {
    return shape.fingerprintOf(work.result.slots[at]);
  }

  @Override
  public void close() {
    held.release();
  }

  /** The slots that the active level has now, in one section: others come later. */
  private static final class Taken implements SlotSource {
    private final SlotBuffer all = new SlotBuffer();

    Taken(MemoryLevel level) {
      level.decode(0, level.sections(), all, null);
    }

    @Override
    public int sections() {
      return 1;
    }

    @Override
    public long fence(int section) {
      return 0;
    }

    @Override
    public long entries() {
      return all.size;
    }

    @Override
    public int sectionsFor(int bytes) {
      return 1;
    }

    @Override
    public void decode(int fromSection, int toSection, SlotBuffer out, Damage damage) {
      if (fromSection < toSection) {
        out.ensure(out.size + all.size);
        System.arraycopy(all.slots, 0, out.slots, out.size, all.size);
        out.size += all.size;
      }
    }
  }
}
