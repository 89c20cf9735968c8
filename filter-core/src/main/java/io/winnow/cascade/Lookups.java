package io.winnow.cascade;

import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.ReadThreads;
import java.io.IOException;
import java.util.BitSet;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Lookups in a view, which the caller holds and they release: of one key, or of a batch, whose
 * pages are read by several threads.
 */
final class Lookups implements AutoCloseable {
  /** Keys of a part of a batch: enough for any drive, and a few MiB with any number of levels. */
  static final int MOST_KEYS = 1 << 16;

  private final SlotShape shape;
  private final CascadeCounters counters;
  private final ReadThreads threads;

  Lookups(CascadeDirectory directory) {
    this.shape = directory.shape;
    this.counters = directory.counters;
    this.threads = new ReadThreads(directory.threadName("read"), directory.options.readThreads);
  }

  /** Whether a key with this hash may be in a view; in doubt, it is. */
  boolean mightContain(View view, long keyHash) {
    try (view) {
      counters.counts.count(CascadeCount.LOOKUPS);
      long slot = shape.slotOf(keyHash);
      long newer = view.inMemory(slot);
      if (Copies.keys(newer) == 0 && !view.levels.isEmpty()) {
        try (PageFrame frame = view.levels.get(0).frame()) {
          for (int i = 0; i < view.levels.size() && Copies.keys(newer) == 0; i++) {
            newer = Copies.followedBy(view.levels.get(i).find(slot, frame, counters), newer);
          }
        }
      }
      return Copies.keys(newer) > 0;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      counters.countFailure(e);
      return true;
    }
  }

  /** As {@link CascadeSet#mightContain(long[], int, int)}. */
  BitSet mightContain(View view, long[] keyHashes, int from, int count) {
    try (view) {
      Objects.checkFromIndexSize(from, count, keyHashes.length);
      BitSet answers = new BitSet(count);
      for (int done = 0; done < count; ) {
        long[] some = new long[Math.min(MOST_KEYS, count - done)];
        for (int i = 0; i < some.length; i++) {
          some[i] = shape.slotOf(keyHashes[from + done + i]);
        }
        new Batch(view, some, done, counters).answer(threads, answers);
        done += some.length;
      }
      return answers;
    }
  }

  @Override
  public void close() {
    threads.close();
  }

  /**
   * A part of a batch: a task per level and key, newest level first, all of them issued together.
   * The task of the newest level looks into memory before; a task whose key is answered meanwhile
   * reads nothing.
   */
  static final class Batch {
    private static final long UNKNOWN = -1;

    private final View view;
    private final long[] slots;
    private final int first;

    /** A row for memory, and one for each level, of what these have of each key. */
    private final AtomicLongArray found;

    private final CascadeCounters reads;

    /** One for each thread that reads. */
    private PageFrame[] frames = new PageFrame[0];

    /**
     * A part that is not yet answered.
     *
     * @param slots at most {@link #MOST_KEYS}
     * @param first whose bit is that of the first key
     */
    Batch(View view, long[] slots, int first, CascadeCounters reads) {
      this.view = view;
      this.slots = slots;
      this.first = first;
      this.reads = reads;
      reads.counts.add(CascadeCount.LOOKUPS, slots.length);
      this.found = new AtomicLongArray(slots.length * (view.levels.size() + 1));
      for (int i = 0; i < found.length(); i++) {
        found.setPlain(i, UNKNOWN);
      }
    }

    /** Looks for all keys, and sets the bits of those that may be there. */
    void answer(ReadThreads threads, BitSet answers) {
      if (view.levels.isEmpty()) {
        for (int key = 0; key < slots.length; key++) {
          found.setPlain(key, view.inMemory(slots[key]));
        }
      } else {
        frames = new PageFrame[threads.count()];
        try {
          threads.run(slots.length * view.levels.size(), this::run);
        } finally {
          for (PageFrame frame : frames) {
            if (frame != null) {
              frame.close();
            }
          }
        }
      }
      answer(answers);
    }

    /** Reads one key's page in one level. */
    void run(int thread, int task) {
      int level = task / slots.length;
      int key = task % slots.length;
      if (level == 0) {
        found.setRelease(key, view.inMemory(slots[key]));
      }
      if (isPresent(key, false)) {
        return;
      }
      long copies;
      try {
        CascadeLevel source = view.levels.get(level);
        frames[thread] = frames[thread] == null ? source.frame() : frames[thread];
        copies = source.find(slots[key], frames[thread], reads);
      } catch (IOException | RuntimeException | OutOfMemoryError e) {
        reads.countFailure(e);
        copies = Copies.of(Copies.MANY, 0); // in doubt, it is there
      }
      found.setRelease(task + slots.length, copies);
    }

    /**
     * Whether memory and the newest levels, as far as all of them are known, say that a key is
     * there.
     *
     * @param otherwise the answer if one of them is not known
     */
    private boolean isPresent(int key, boolean otherwise) {
      long newer = Copies.NONE;
      for (int at = key; at < found.length(); at += slots.length) {
        long copies = found.getAcquire(at);
        if (copies == UNKNOWN) {
          return otherwise;
        }
        newer = Copies.followedBy(copies, newer);
        if (Copies.keys(newer) > 0) {
          return true;
        }
      }
      return false;
    }

    /** Sets the bits of the keys that are there; a key whose task did not end may be. */
    void answer(BitSet answers) {
      for (int key = 0; key < slots.length; key++) {
        if (isPresent(key, true)) {
          answers.set(first + key);
        }
      }
    }
  }
}
