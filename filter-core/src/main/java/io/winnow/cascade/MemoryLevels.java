package io.winnow.cascade;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Makes levels in memory, and keeps one that has ended for the next time: their arrays are half the
 * memory budget each, which is better filled again than allocated again.
 */
final class MemoryLevels {
  private final SlotShape shape;
  private final long entries;
  private final AtomicReference<MemoryLevel> spare = new AtomicReference<>();
  private volatile boolean closed;

  /**
   * @param entries how many slots a level is made for
   */
  MemoryLevels(SlotShape shape, long entries) {
    this.shape = shape;
    this.entries = entries;
  }

  /** An empty level, held once. */
  MemoryLevel take() {
    MemoryLevel level = spare.getAndSet(null);
    if (level == null) {
      return new MemoryLevel(shape, entries, this::keep);
    }
    level.clear();
    level.revive();
    return level;
  }

  private void keep(MemoryLevel level) {
    if (!closed) {
      spare.set(level);
    }
  }

  /** Keeps none any more. */
  void close() {
    closed = true;
    spare.set(null);
  }
}
