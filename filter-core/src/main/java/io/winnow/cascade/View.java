package io.winnow.cascade;

import java.util.List;

/**
 * What there is at one moment: the level that takes inserts, the one that is being written, if any,
 * and the levels on flash, newest first. Whoever holds a view can read all of it.
 */
final class View extends Shared {
  final MemoryLevel active;
  final MemoryLevel frozen;
  final List<CascadeLevel> levels;

  /** Holds its levels once more each. */
  View(MemoryLevel active, MemoryLevel frozen, List<CascadeLevel> levels) {
    this.active = active;
    this.frozen = frozen;
    this.levels = List.copyOf(levels);
    active.hold();
    if (frozen != null) {
      frozen.hold();
    }
    levels.forEach(Shared::hold);
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
