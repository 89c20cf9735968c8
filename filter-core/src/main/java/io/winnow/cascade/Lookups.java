package io.winnow.cascade;

import java.io.IOException;
import java.util.BitSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import java.util.function.IntToLongFunction;

/**
 * Lookups in a view, which the caller holds: of one key, or of a batch, whose pages are read by
 * several threads. A drive is asked by all of them at once, which is what it takes to get its
 * throughput rather than its latency. They come with the first batch and leave when there is none
 * for a while.
 */
final class Lookups implements AutoCloseable {
  /** Keys of a part of a batch: enough for any drive, and a few MiB with any number of levels. */
  static final int MOST_KEYS = 1 << 16;

  private static final int LEAVE_AFTER_SECONDS = 10;

  private final Counters counters;
  private final ThreadPoolExecutor threads;

  Lookups(String name, int readThreads, Counters counters) {
    this.counters = counters;
    AtomicInteger number = new AtomicInteger();
    threads =
        new ThreadPoolExecutor(
            readThreads,
            readThreads,
            LEAVE_AFTER_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, name + "-" + number.getAndIncrement());
              thread.setDaemon(true);
              return thread;
            },
            // closed meanwhile: who is still there reads for itself
            (task, closed) -> task.run());
    threads.allowCoreThreadTimeOut(true);
  }

  /** Whether a key with this slot may be in a view; in doubt, it is. */
  boolean mightContain(View view, long slot) {
    counters.countLookups(1);
    try {
      long newer = view.inMemory(slot);
      for (int i = 0; i < view.levels.size() && Copies.keys(newer) == 0; i++) {
        newer = Copies.followedBy(view.levels.get(i).find(slot, counters), newer);
      }
      return Copies.keys(newer) > 0;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      counters.countFailure(e);
      return true;
    }
  }

  /** The same of many keys: bit i of the answer speaks of the i-th slot. */
  BitSet mightContain(View view, IntToLongFunction slots, int count) {
    BitSet answers = new BitSet(count);
    for (int done = 0; done < count; ) {
      long[] some = new long[Math.min(MOST_KEYS, count - done)];
      for (int i = 0; i < some.length; i++) {
        some[i] = slots.applyAsLong(done + i);
      }
      new Batch(view, some, done, answers, counters).answer(this, answers);
      done += some.length;
    }
    return answers;
  }

  /**
   * Runs the tasks 0 to {@code count - 1}, begun in this order, and returns after the last. Where
   * there are no threads for it, since the filter is being closed or the system has none to give,
   * the caller's own does it. What a task throws is thrown, once no other one runs any more: some
   * may not have been run then.
   */
  void run(int count, IntConsumer task) {
    int helpers = Math.min(threads.getMaximumPoolSize(), count);
    AtomicInteger next = new AtomicInteger();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    CountDownLatch done = new CountDownLatch(helpers);
    Runnable helper =
        () -> {
          try {
            for (int t = next.getAndIncrement(); t < count; t = next.getAndIncrement()) {
              task.accept(t);
            }
          } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
            next.set(count);
          } finally {
            done.countDown();
          }
        };
    for (int i = 0; i < helpers; i++) {
      try {
        threads.execute(helper);
      } catch (OutOfMemoryError e) {
        helper.run();
      }
    }
    boolean interrupted = false;
    while (true) {
      try {
        done.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (failure.get() instanceof Error e) {
      throw e;
    }
    if (failure.get() instanceof RuntimeException e) {
      throw e;
    }
  }

  @Override
  public void close() {
    threads.shutdown();
  }

  /**
   * A part of a batch: a task per level and key that memory does not answer, newest level first,
   * all of them issued together. A task whose key is answered meanwhile reads nothing.
   */
  static final class Batch {
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
    Batch(View view, long[] slotsOfAll, int first, BitSet answers, Counters reads) {
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
    void answer(Lookups threads, BitSet answers) {
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
        newer = Copies.followedBy(copies, newer);
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
}
