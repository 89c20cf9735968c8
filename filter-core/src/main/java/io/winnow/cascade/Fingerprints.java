package io.winnow.cascade;

import io.winnow.cascade.Chunks.SlotSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The fingerprints of a filter as it was at one moment, in ascending order; where there are
 * deletes, each as often as it is there (from {@value Copies#MANY} on, no more than that many
 * times). Those whose pages were lost are not among them: {@link CascadeStatistics#doubtfulShare}
 * says whether there are such. It reads each level once, a chunk at a time, and merges them on the
 * way. Not thread-safe; close it, since it keeps files and memory.
 */
public final class Fingerprints implements AutoCloseable {
  private final SlotShape shape;
  private final Chunks chunks;
  private final View held;
  private final Chunks.Work work = new Chunks.Work();

  /** What is to be read next, or was not read for a failure; null else. */
  private Chunks.Chunk chunk;

  private int at = -1;
  private boolean closed;

  private Fingerprints(SlotShape shape, List<SlotSource> sources, View held, int chunkBytes) {
    this.shape = shape;
    this.chunks = new Chunks(shape, sources, true, chunkBytes);
    this.held = held;
  }

  /** Those of a view, which is released with it, or at once if it throws. Nobody may insert. */
  static Fingerprints of(SlotShape shape, View now, int chunkBytes) {
    try {
      List<SlotSource> sources = new ArrayList<>();
      sources.add(now.active.copy());
      if (now.frozen != null) {
        sources.add(now.frozen);
      }
      sources.addAll(now.levels);
      return new Fingerprints(shape, sources, now, chunkBytes);
    } catch (RuntimeException | Error e) {
      now.release(); // there may be no memory for the copy
      throw e;
    }
  }

  /**
   * Goes to the next fingerprint, if there is one.
   *
   * @throws IOException if a page cannot be read or is damaged; the next call tries it again
   */
  public boolean next() throws IOException {
    checkOpen();
    at++;
    while (chunk != null || at >= work.result.size) {
      chunk = chunk == null ? chunks.next() : chunk;
      if (chunk == null) {
        work.result.size = 0;
        at = -1;
        return false;
      }
      chunks.merge(chunk, work, SlotSource.Damage.IS_A_FAILURE);
      chunk = null;
      at = 0;
    }
    return true;
  }

  /** The fingerprint: as many bits as {@link CascadeFilter#fingerprintBits} says. */
  public long fingerprint() {
    checkOpen();
    return shape.fingerprintOf(work.result.slots[at]);
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("these fingerprints are closed");
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      held.release();
    }
  }
}
