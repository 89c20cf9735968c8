package io.winnow.cascade;

import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.ReadThreads;
import java.io.IOException;
import java.util.BitSet;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Lookups in the levels of a cascade filter: of one key, or of a batch, whose pages several threads
 * read. The caller holds the view; the methods release it.
 */
final class Lookups implements AutoCloseable {
  /**
   * Maximum of keys whose pages are read together: enough for any drive, and a few MiB of memory
   * with any number of levels.
   */
  static final int MAX_KEYS = 1 << 16;

  private final SlotShape shape;
  private final CascadeCounters counters;
  private final ReadThreads threads;

  Lookups(CascadeDirectory directory) {
    this.shape = directory.shape;
    this.counters = directory.counters;
    this.threads =
        new ReadThreads(directory.files.threadName("read"), directory.options.readThreads);
  }

  /**
   * Returns whether a key with this hash may be in a filter's levels; {@code true} if a page cannot
   * be read.
   */
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

  /**
   * Returns which keys of a batch may be in a filter's levels, as {@link
   * CascadeSet#mightContain(long[], int, int)}.
   */
  BitSet mightContain(View view, long[] keyHashes, int from, int count) {
    try (view) {
      Objects.checkFromIndexSize(from, count, keyHashes.length);
      BitSet answers = new BitSet(count);
      for (int done = 0; done < count; ) {
        long[] some = new long[Math.min(MAX_KEYS, count - done)];
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
   * Lookup of some keys of a batch: one task per level and key, newest level first, all issued
   * together. The task of the newest level first probes memory. A task whose key is already found
   * reads nothing.
   */
  static final class Batch {
    private static final long UNKNOWN = -1;

    private final View view;
    private final long[] slots;
    private final int first;

    /**
     * Counts of inserts and deletes that each level has of each key of the batch: a row for memory,
     * and one for each level.
     */
    private final AtomicLongArray found;

    private final CascadeCounters reads;

    /** Page buffers of a batch's lookups, one for each reading thread. */
    private PageFrame[] frames = new PageFrame[0];

    /**
     * Creates the lookup of some keys of a batch, before any key is looked up.
     *
     * @param slots at most {@link #MAX_KEYS}
     * @param first the bit of the first key in the answer
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

    /** Looks all keys up, and sets the bits of those that may be in the filter's levels. */
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

    /** Looks one key of a batch up in one level of the cascade filter. */
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
        copies = Copies.of(Copies.MANY, 0); // in doubt the key is present
      }
      found.setRelease(task + slots.length, copies);
    }

    /**
     * Returns whether a key of the batch is present, by the counts that all levels have of its
     * fingerprint. It goes through memory and the levels from the newest on, until one of them
     * decides.
     *
     * @param otherwise the result if it comes to a level that was not probed yet
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

    /** Sets the bits of the batch's keys that are present, and of those whose tasks did not end. */
    void answer(BitSet answers) {
      for (int key = 0; key < slots.length; key++) {
        if (isPresent(key, true)) {
          answers.set(first + key);
        }
      }
    }
  }
}
