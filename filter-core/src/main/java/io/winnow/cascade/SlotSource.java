package io.winnow.cascade;

import java.io.IOException;

/**
 * Sorted slots in sections, as merges take them in: the pages of a level on flash, the partitions
 * of one in memory. Immutable while it is read.
 */
interface SlotSource {
  int sections();

  /**
   * The fence of a section: that of its first slot or one before it. No slot of an earlier section
   * has it, unless that section's own fence is the same.
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
    /** Nobody can go on without it. */
    Damage IS_A_FAILURE =
        (source, section, reason) -> {
          throw reason;
        };

    /** Returns if the section may be left out, and throws if not. */
    void found(SlotSource source, int section, IOException reason) throws IOException;
  }
}
