package io.winnow.flash.drive;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A pool of reusable objects, each used by one thread at a time. It keeps a limited number of them.
 * An object that is put back after the pool was closed is closed, so that no thread reads into the
 * memory of another one. Thread-safe.
 *
 * @param <T> the objects
 */
public final class Pool<T> implements AutoCloseable {
  private final int max;
  private final Supplier<T> maker;
  private final Consumer<T> closer;
  private final Deque<T> kept = new ArrayDeque<>();
  private boolean closed;

  /**
   * Creates an empty pool of reusable objects.
   *
   * @param max maximum of unused objects that are kept
   * @param maker creates an object
   * @param closer closes an object
   */
  public Pool(int max, Supplier<T> maker, Consumer<T> closer) {
    this.max = max;
    this.maker = maker;
    this.closer = closer;
  }

  /**
   * Takes the object that was put back into the pool last, or a new one. No other thread has it.
   */
  public T take() {
    synchronized (this) {
      if (!kept.isEmpty()) {
        return kept.pop();
      }
    }
    return maker.get();
  }

  /** Puts an object back into the pool. */
  public void putBack(T one) {
    synchronized (this) {
      if (!closed && kept.size() < max) {
        kept.push(one);
        return;
      }
    }
    closer.accept(one);
  }

  /** Closes the objects in the pool that no thread uses. */
  @Override
  public synchronized void close() {
    closed = true;
    kept.forEach(closer);
    kept.clear();
  }
}
