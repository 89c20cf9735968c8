package io.winnow.build;

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
 * Scratch memory that builds of one kind share: each build has one to itself while it runs, and as
 * many are kept for the next builds as there are processors, unless memory becomes short.
 *
 * <p>So scratch is paid for by the threads that build, and not by each builder that waits for keys.
 * A host that counts memory can ask how much is kept ({@link #idleKeys}) and have it dropped.
 * Thread-safe.
 *
 * @param <S> the scratch; it grows as builds need
 */
public final class ScratchPool<S> {
  private static final int MOST_IDLE = Runtime.getRuntime().availableProcessors();

  /** The most bytes that the scratch of a build takes per key, which the lowest rates need. */
  public static final long MOST_BYTES_PER_KEY = 64;

  /** Scratch for more keys than this is not kept: it may take more than a quarter of the heap. */
  private static final long MOST_KEYS = Runtime.getRuntime().maxMemory() / 4 / MOST_BYTES_PER_KEY;

  private static final Queue<ScratchPool<?>> ALL = new ConcurrentLinkedQueue<>();

  private final Supplier<S> maker;
  private final long mostKeys;
  private final Deque<Idle<S>> idle = new ArrayDeque<>();
  private final ReferenceQueue<S> dropped = new ReferenceQueue<>();

  /** Scratch that nobody uses, and the most keys that it was used for. */
  private static final class Idle<S> extends SoftReference<S> {
    final int keys;

    Idle(S scratch, int keys, ReferenceQueue<S> dropped) {
      super(scratch, dropped);
      this.keys = keys;
    }
  }

  public ScratchPool(Supplier<S> maker) {
    this(maker, MOST_KEYS);
  }

  /** Keeps scratch of builds of up to this many keys, for tests. */
  ScratchPool(Supplier<S> maker, long mostKeys) {
    this.maker = maker;
    this.mostKeys = mostKeys;
    ALL.add(this);
  }

  /**
   * Builds something of these keys with a scratch of its own, which is kept for the next build
   * unless it is large for this heap. A build that throws drops its scratch, which may be in any
   * state.
   */
  public <R> R build(KeyBuffer keys, Function<S, R> build) {
    int count = keys.count();
    Idle<S> taken = take();
    S kept = taken == null ? null : taken.get();
    S scratch = kept == null ? maker.get() : kept;
    R built = build.apply(scratch);
    if (count <= mostKeys) {
      giveBack(scratch, kept == null ? count : Math.max(count, taken.keys));
    }
    return built;
  }

  private Idle<S> take() {
    synchronized (idle) {
      forgetDropped();
      return idle.poll();
    }
  }

  /** What memory was short for. To ask the references would make them look used. */
  private void forgetDropped() {
    for (Reference<?> gone = dropped.poll(); gone != null; gone = dropped.poll()) {
      idle.remove(gone);
    }
  }

  private void giveBack(S scratch, int keys) {
    synchronized (idle) {
      if (idle.size() < MOST_IDLE) {
        idle.push(new Idle<>(scratch, keys, dropped));
      }
    }
  }

  /** For how many keys there is scratch, of all kinds together, that nobody uses now. */
  public static long idleKeys() {
    long keys = 0;
    for (ScratchPool<?> pool : ALL) {
      synchronized (pool.idle) {
        pool.forgetDropped();
        for (Idle<?> kept : pool.idle) {
          keys += kept.keys;
        }
      }
    }
    return keys;
  }

  /** Drops the scratch of all kinds that nobody uses now: the next builds make their own. */
  public static void dropIdle() {
    for (ScratchPool<?> pool : ALL) {
      synchronized (pool.idle) {
        pool.idle.clear();
      }
    }
  }
}
