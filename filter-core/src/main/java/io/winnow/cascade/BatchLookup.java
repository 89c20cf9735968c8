package io.winnow.cascade;

import java.io.IOException;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * One batch, or a part of one: a task per level and key that memory does not answer, newest level
 * first, all of them issued together. A task whose key is answered meanwhile reads nothing.
 */
final class BatchLookup {
  /** Keys of a part: enough for any drive, and a few MiB with any number of levels. */
  static final int MOST_KEYS = 1 << 16;

  private static final long UNKNOWN = -1;

  private final View view;
  private final long[] slots;
  private final int[] positions;
  private final long[] inMemory;
  private final AtomicLongArray onFlash;
  private final Counters reads;
  private final int keys;

  /**
   * Answers from memory what it can; the bits of {@code answers} are set for these.
   *
   * @param slotsOfAll at most {@link #MOST_KEYS}
   * @param first whose bit is that of the first key
   */
  BatchLookup(View view, long[] slotsOfAll, int first, BitSet answers, Counters reads) {
    this.view = view;
    this.reads = reads;
    reads.countLookups(slotsOfAll.length);
    this.slots = new long[slotsOfAll.length];
    this.positions = new int[slotsOfAll.length];
    this.inMemory = new long[slotsOfAll.length];
    int left = 0;
    for (int i = 0; i < slotsOfAll.length; i++) {
      long copies = view.inMemory(slotsOfAll[i]);
      if (Copies.keys(copies) > 0) {
        answers.set(first + i);
      } else {
        slots[left] = slotsOfAll[i];
        positions[left] = first + i;
        inMemory[left++] = copies;
      }
    }
    this.keys = left;
    this.onFlash = new AtomicLongArray(keys * view.levels.size());
    for (int i = 0; i < onFlash.length(); i++) {
      onFlash.set(i, UNKNOWN);
    }
  }

  /** Reads what memory does not answer, and sets the bits of the keys that may be there. */
  void answer(BatchReads threads, BitSet answers) {
    int tasks = keys * view.levels.size();
    if (tasks > 0) {
      threads.run(tasks, this::run);
      answer(answers);
    }
  }

  /** Reads one key's page in one level. */
  void run(int task) {
    int level = task / keys;
    int key = task % keys;
    if (isPresent(key, false)) {
      return;
    }
    long copies;
    try {
      copies = view.levels.get(level).find(slots[key], reads);
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      reads.countFailure(e);
      copies = Copies.of(Copies.MANY, 0); // in doubt, it is there
    }
    onFlash.set(task, copies);
  }

  /**
   * Whether the newest levels, as far as all of them are known, say that a key is there.
   *
   * @param otherwise the answer if one of them is not known
   */
  private boolean isPresent(int key, boolean otherwise) {
    long newer = inMemory[key];
    for (int level = 0; level < view.levels.size(); level++) {
      long copies = onFlash.get(level * keys + key);
      if (copies == UNKNOWN) {
        return otherwise;
      }
      newer = Copies.then(copies, newer);
      if (Copies.keys(newer) > 0) {
        return true;
      }
    }
    return false;
  }

  /** Sets the bits of the keys that are there; a key whose task did not end may be. */
  void answer(BitSet answers) {
    for (int key = 0; key < keys; key++) {
      if (isPresent(key, true)) {
        answers.set(positions[key]);
      }
    }
  }
}
