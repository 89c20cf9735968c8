package io.winnow.build;

import io.winnow.FilterImage;
import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Scratch memory that builds of one kind share: each build has one to itself while it runs, and as
 * many are kept for the next builds as there are processors, unless memory becomes short.
 *
 * <p>So scratch is paid for by the threads that build, and not by each builder that waits for keys.
 * Thread-safe.
 *
 * @param <S> the scratch; it grows as builds need
 */
public final class ScratchPool<S> {
  private static final int MOST_IDLE = Runtime.getRuntime().availableProcessors();

  /** What is kept is scratch for as many keys as this, some 10 MB, and no more. */
  private static final int ORDINARY_KEYS = 1 << 18;

  private final Supplier<S> maker;
  private final Deque<SoftReference<S>> idle = new ArrayDeque<>();

  public ScratchPool(Supplier<S> maker) {
    this.maker = maker;
  }

  /**
   * Builds the filter of these keys with a scratch of its own, which is kept for the next build if
   * its size is an ordinary one. A build that throws drops its scratch, which may be in any state.
   */
  public FilterImage build(KeyBuffer keys, Function<S, FilterImage> build) {
    boolean ordinary = keys.count() <= ORDINARY_KEYS;
    S scratch = take();
    FilterImage image = build.apply(scratch);
    if (ordinary) {
      giveBack(scratch);
    }
    return image;
  }

  private S take() {
    synchronized (idle) {
      while (!idle.isEmpty()) {
        S scratch = idle.pop().get();
        if (scratch != null) {
          return scratch;
        }
      }
    }
    return maker.get();
  }

  private void giveBack(S scratch) {
    synchronized (idle) {
      idle.removeIf(kept -> kept.get() == null);
      if (idle.size() < MOST_IDLE) {
        idle.push(new SoftReference<>(scratch));
      }
    }
  }
}
