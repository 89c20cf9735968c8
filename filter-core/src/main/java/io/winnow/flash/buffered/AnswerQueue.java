package io.winnow.flash.buffered;

import io.winnow.flash.store.ReadThreads;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Answers that were found under a block's monitor, until they are told outside of it.
 *
 * <p>One thread at a time tells. One that comes meanwhile waits, so that when {@link #deliver}
 * returns, every answer that was put before is told; but a listener that makes new answers, by a
 * call from within, does not wait for itself: the call that told it goes on with them.
 */
final class AnswerQueue {
  private final ProbeListener listener;
  private final Queue<Batch> waiting = new ConcurrentLinkedQueue<>();
  private final ReentrantLock telling = new ReentrantLock();

  /** The answers to the probes of a block. */
  static final class Batch {
    private final int[] tags;
    private final BitSet positives;
    private final List<CompletableFuture<Boolean>> futures;
    private final BitSet positiveFutures;
    private int tagged;

    Batch(int tagged, int asked) {
      tags = new int[tagged];
      positives = new BitSet(tagged);
      futures = new ArrayList<>(asked);
      positiveFutures = new BitSet(asked);
    }

    /** The answer for a future, or for a tag if that is null. */
    void add(int tag, CompletableFuture<Boolean> future, boolean positive) {
      if (future == null) {
        positives.set(tagged, positive);
        tags[tagged++] = tag;
      } else {
        positiveFutures.set(futures.size(), positive);
        futures.add(future);
      }
    }

    private Throwable tell(ProbeListener listener) {
      Throwable failure = null;
      for (int i = 0; i < tags.length; i++) {
        try {
          listener.answered(tags[i], positives.get(i));
        } catch (RuntimeException | Error e) {
          failure = failure == null ? e : failure;
        }
      }
      for (int i = 0; i < futures.size(); i++) {
        futures.get(i).complete(positiveFutures.get(i)); // what depends on it keeps its failures
      }
      return failure;
    }
  }

  AnswerQueue(ProbeListener listener) {
    this.listener = listener;
  }

  void put(Batch batch) {
    waiting.add(batch);
  }

  /**
   * Tells all answers. Called with no monitor held.
   *
   * @return the first thing that a listener threw, or null
   */
  Throwable deliver() {
    if (telling.isHeldByCurrentThread()) {
      return null;
    }
    Throwable failure = null;
    telling.lock();
    try {
      for (Batch next = waiting.poll(); next != null; next = waiting.poll()) {
        Throwable thrown = next.tell(listener);
        failure = failure == null ? thrown : failure;
      }
    } finally {
      telling.unlock();
    }
    return failure;
  }

  /** As {@link #deliver}, but throws it. */
  void deliverOrThrow() {
    ReadThreads.rethrow(deliver());
  }
}
