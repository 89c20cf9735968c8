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
  /** Receiver of the answers to probes with a tag, or null if there are none. */
  final ProbeListener listener;

  private final Queue<Batch> waiting = new ConcurrentLinkedQueue<>();
  private final ReentrantLock delivering = new ReentrantLock();

  /** Answers to the deferred probes of one block of a buffered Bloom filter. */
  static final class Batch {
    private final int[] tags;
    private final List<CompletableFuture<Boolean>> futures;

    /** Flags of the positive answers: first those of the tags, then those of the futures. */
    private final BitSet positives;

    private int tagged;

    /**
     * Allocates room for a number of answers to deferred probes.
     *
     * @param tagged number of probes with a tag
     * @param withFuture number of probes with a future
     */
    Batch(int tagged, int withFuture) {
      tags = new int[tagged];
      futures = new ArrayList<>(withFuture);
      positives = new BitSet(tagged + withFuture);
    }

    /** Adds an answer to a deferred probe, for its future, or for its tag if the future is null. */
    void add(int tag, CompletableFuture<Boolean> future, boolean positive) {
      if (future == null) {
        positives.set(tagged, positive);
        tags[tagged++] = tag;
      } else {
        positives.set(tags.length + futures.size(), positive);
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
      for (int i = 0; i < futures.size(); i++) { // dependent stages keep their exceptions
        futures.get(i).complete(positives.get(tags.length + i));
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
