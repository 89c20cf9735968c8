package io.winnow.base;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Pool of the scratch memory that builds of one kind of filter share. Each build uses one scratch
 * while it runs; for the next builds the pool keeps as many as there are processors, unless memory
 * becomes short.
 *
 * <p>So the threads that build need scratch, not each builder that waits for keys. A host that
 * accounts for memory can query how much is kept ({@link #idleKeys}) and drop it. Thread-safe.
 *
 * @param <S> the scratch, which grows as builds need it
 */
public final class ScratchPool<S> {
  private static final int MAX_IDLE = Runtime.getRuntime().availableProcessors();

  /**
   * Maximum of bytes per key of the scratch memory in a build of a filter, which the lowest rates
   * need.
   */
  public static final long MAX_BYTES_PER_KEY = 64;

  /**
   * Maximum of keys in a build whose scratch memory is kept; that of more may take more than a
   * quarter of the heap.
   */
  private static final long MAX_KEYS = Runtime.getRuntime().maxMemory() / 4 / MAX_BYTES_PER_KEY;

  private static final Queue<ScratchPool<?>> ALL = new ConcurrentLinkedQueue<>();

  private final Supplier<S> maker;
  private final long maxKeys;
  private final Deque<Idle<S>> idle = new ArrayDeque<>();
  private final ReferenceQueue<S> dropped = new ReferenceQueue<>();

  /** Unused scratch memory, with the largest number of keys that it was used for. */
  private static final class Idle<S> extends SoftReference<S> {
    final int keys;

    Idle(S scratch, int keys, ReferenceQueue<S> dropped) {
      super(scratch, dropped);
      this.keys = keys;
    }
  }

  /**
   * Creates a pool of scratch memory for builds of filters.
   *
   * @param maker creates a scratch
   */
  public ScratchPool(Supplier<S> maker) {
    this(maker, MAX_KEYS);
  }

  /**
   * Creates a pool for tests, which keeps the scratch memory of builds of up to a given number of
   * keys.
   */
  ScratchPool(Supplier<S> maker, long maxKeys) {
    this.maker = maker;
    this.maxKeys = maxKeys;
    ALL.add(this);
  }

  /**
   * Runs the build of a filter of these keys with scratch memory from the pool. The scratch is kept
   * for the next build unless it is large for this heap. If the build throws, its scratch is
   * dropped, since it may be in any state.
   */
  public <R> R build(KeyBuffer keys, Function<S, R> build) {
    int count = keys.count();
    Idle<S> taken = take();
    S kept = taken == null ? null : taken.get();
    S scratch = kept == null ? maker.get() : kept;
    R built = build.apply(scratch);
    if (count <= maxKeys) {
      giveBack(scratch, kept == null ? count : Math.max(count, taken.keys));
    }
    return built;
  }

  /** Takes unused scratch memory from the pool, or returns null. */
  private Idle<S> take() {
    synchronized (idle) {
      removeCleared();
      return idle.poll();
    }
  }

  /**
   * Removes references to scratch memory that the garbage collector cleared because memory was
   * short. Reading the references themselves would make them look used.
   */
  private void removeCleared() {
    for (Reference<?> gone = dropped.poll(); gone != null; gone = dropped.poll()) {
      idle.remove(gone);
    }
  }

  /** Keeps scratch memory in the pool for later builds. */
  private void giveBack(S scratch, int keys) {
    synchronized (idle) {
      if (idle.size() < MAX_IDLE) {
        idle.push(new Idle<>(scratch, keys, dropped));
      }
    }
  }

  /** Returns the number of keys for which all pools together keep unused scratch memory. */
  public static long idleKeys() {
    long keys = 0;
    for (ScratchPool<?> pool : ALL) {
      synchronized (pool.idle) {
        pool.removeCleared();
        for (Idle<?> kept : pool.idle) {
          keys += kept.keys;
        }
      }
    }
    return keys;
  }

  /** Drops the unused scratch memory of all pools; the next builds allocate their own. */
  public static void dropIdle() {
    for (ScratchPool<?> pool : ALL) {
      synchronized (pool.idle) {
        pool.idle.clear();
      }
    }
  }
}
