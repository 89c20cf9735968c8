package io.winnow.cascade;

import io.winnow.cascade.Chunks.SlotSource;
import java.util.ArrayList;
import java.util.List;

/**
 * The levels of a cascade filter at one moment: the active memory level, the frozen one, if any,
 * and the levels on flash, newest first. While a thread holds a view, it can read all of them.
 */
final class View extends Shared implements AutoCloseable {
  final MemoryLevel active;
  final MemoryLevel frozen;
  final List<CascadeLevel> levels;
  final Doubt doubt;

  /** Creates a view of a cascade filter's levels, which holds each of them. */
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
   * Returns the counts of the inserts and deletes of a fingerprint in the memory levels, without a
   * read of flash. A slot in doubt counts as present.
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

  /**
   * Returns the levels on flash after a merge: the given level, unless it is null, replaces those
   * that the merge read.
   */
  List<CascadeLevel> with(CascadeLevel result, List<SlotSource> sources) {
    List<CascadeLevel> after = new ArrayList<>(levels);
    after.removeAll(sources);
    if (result != null) {
      after.add(hasFrozen(sources) ? 0 : levels.indexOf(sources.get(0)), result);
    }
    return after;
  }

  /** Returns whether the frozen memory level is one of the sources of a merge. */
  boolean hasFrozen(List<SlotSource> sources) {
    return frozen != null && sources.contains(frozen);
  }

  /** Removes one hold from this view of a cascade filter's levels. */
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
