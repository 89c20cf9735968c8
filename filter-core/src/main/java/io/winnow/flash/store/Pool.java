package io.winnow.flash.store;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Memory that is used by one at a time, and then by the next one: some of what is given back is
 * kept. What is given back after the end is closed then, so that nobody reads into memory that is
 * another one's. Thread-safe.
 */
public final class Pool<T> implements AutoCloseable {
  private final int most;
  private final Supplier<T> maker;
  private final Consumer<T> closer;
  private final Deque<T> kept = new ArrayDeque<>();
  private boolean closed;

  /**
   * @param most how many that nobody uses are kept
   */
  public Pool(int most, Supplier<T> maker, Consumer<T> closer) {
    this.most = most;
    this.maker = maker;
    this.closer = closer;
  }

  /** One that nobody else has: the one that was given back last, or a new one. */
  public T take() {
    synchronized (this) {
      if (!kept.isEmpty()) {
        return kept.pop();
      }
    }
    return maker.get();
  }

  /** Gives one back. */
  public void give(T one) {
    synchronized (this) {
      if (!closed && kept.size() < most) {
        kept.push(one);
        return;
      }
    }
    closer.accept(one);
  }

  /** Closes what nobody uses. */
  @Override
  public synchronized void close() {
    closed = true;
    kept.forEach(closer);
    kept.clear();
  }
}
