package io.winnow.flash.buffered;

import io.winnow.flash.drive.ReadThreads;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Queue of answers to deferred probes: they are found under a block's monitor and delivered outside
 * of it.
 *
 * <p>One thread at a time delivers. Another one waits, so that all earlier answers are delivered
 * when {@link #deliver} returns. But if a listener causes new answers by a call to the filter, that
 * call does not wait for its own thread: the outer delivery continues with them.
 */
final class AnswerQueue {
  private final ProbeListener listener;
  private final Queue<Batch> waiting = new ConcurrentLinkedQueue<>();
  private final ReentrantLock delivering = new ReentrantLock();

  /** Answers to the deferred probes of one block of a buffered Bloom filter. */
  static final class Batch {
    private final int[] tags;
    private final BitSet positives;
    private final List<CompletableFuture<Boolean>> futures;
    private final BitSet positiveFutures;
    private int tagged;

    /**
     * Allocates room for a number of answers to deferred probes.
     *
     * @param tagged number of probes with a tag
     * @param withFuture number of probes with a future
     */
    Batch(int tagged, int withFuture) {
      tags = new int[tagged];
      positives = new BitSet(tagged);
      futures = new ArrayList<>(withFuture);
      positiveFutures = new BitSet(withFuture);
    }

    /** Adds an answer to a deferred probe, for its future, or for its tag if the future is null. */
    void add(int tag, CompletableFuture<Boolean> future, boolean positive) {
      if (future == null) {
        positives.set(tagged, positive);
        tags[tagged++] = tag;
      } else {
        positiveFutures.set(futures.size(), positive);
        futures.add(future);
      }
    }

    /**
     * Delivers the answers of a block's probes to the listener and the futures.
     *
     * @return the first exception of the listener, or null
     */
    private Throwable deliver(ProbeListener listener) {
      Throwable failure = null;
      for (int i = 0; i < tags.length; i++) {
        try {
          listener.answered(tags[i], positives.get(i));
        } catch (RuntimeException | Error e) {
          failure = failure == null ? e : failure;
        }
      }
      for (int i = 0; i < futures.size(); i++) {
        futures.get(i).complete(positiveFutures.get(i)); // dependent stages keep their exceptions
      }
      return failure;
    }
  }

  AnswerQueue(ProbeListener listener) {
    this.listener = listener;
  }

  /** Adds answers to deferred probes to the queue, to be delivered later. */
  void put(Batch batch) {
    waiting.add(batch);
  }

  /**
   * Delivers all queued answers to the listener and the futures. The caller holds no monitor.
   *
   * @return the first exception of a listener, or null
   */
  Throwable deliver() {
    if (delivering.isHeldByCurrentThread()) {
      return null;
    }
    Throwable failure = null;
    delivering.lock();
    try {
      for (Batch next = waiting.poll(); next != null; next = waiting.poll()) {
        Throwable thrown = next.deliver(listener);
        failure = failure == null ? thrown : failure;
      }
    } finally {
      delivering.unlock();
    }
    return failure;
  }

  /** Delivers all queued answers, and throws the first exception of a listener. */
  void deliverOrThrow() {
    ReadThreads.rethrow(deliver());
  }
}
