package io.winnow.cascade;

import io.winnow.cascade.Chunks.SlotSource;
import java.util.ArrayList;
import java.util.List;

/**
 * What there is at one moment: the level that takes inserts, the one that is being written, if any,
 * and the levels on flash, newest first. Whoever holds a view can read all of it.
 */
final class View extends Shared implements AutoCloseable {
  final MemoryLevel active;
  final MemoryLevel frozen;
  final List<CascadeLevel> levels;
  final Doubt doubt;

  /** Holds its levels once more each. */
  View(MemoryLevel active, MemoryLevel frozen, List<CascadeLevel> levels, Doubt doubt) {
    this.doubt = doubt;
    this.active = active;
    this.frozen = frozen;
    this.levels = List.copyOf(levels);
    active.hold();
    if (frozen != null) {
      frozen.hold();
    }
    levels.forEach(Shared::hold);
  }

  /**
   * What is known of a slot without a read: from the levels in memory; what is in doubt is there.
   */
  long inMemory(long slot) {
    if (doubt.has(slot)) {
      return Copies.of(Copies.MANY, 0);
    }
    long copies = active.find(slot);
    return Copies.keys(copies) > 0 || frozen == null
        ? copies
        : Copies.followedBy(frozen.find(slot), copies);
  }

  /** The levels on flash with a result, or nothing if it is null, in place of some sources. */
  List<CascadeLevel> with(CascadeLevel result, List<SlotSource> sources) {
    List<CascadeLevel> after = new ArrayList<>(levels);
    after.removeAll(sources);
    if (result != null) {
      after.add(hasFrozen(sources) ? 0 : levels.indexOf(sources.get(0)), result);
    }
    return after;
  }

  /** Whether the frozen level is one of these. */
  boolean hasFrozen(List<SlotSource> sources) {
    return frozen != null && sources.contains(frozen);
  }

  /** Releases it. */
  @Override
  public void close() {
    release();
  }

  @Override
  void ended() {
    active.release();
    if (frozen != null) {
      frozen.release();
    }
    levels.forEach(Shared::release);
  }
}
