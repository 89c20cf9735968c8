package io.winnow.cascade;

import java.util.concurrent.atomic.AtomicInteger;

/** Something that several views hold, and that ends with the last of them. Begins with one hold. */
abstract class Shared {
  private final AtomicInteger holds = new AtomicInteger(1);

  /** Holds it once more, if it has not ended. */
  final boolean tryHold() {
    return holds.getAndUpdate(now -> now == 0 ? 0 : now + 1) > 0;
  }

  final void hold() {
    if (!tryHold()) {
      throw new IllegalStateException("not held any more");
    }
  }

  final void release() {
    if (holds.decrementAndGet() == 0) {
      ended();
    }
  }

  /** The last hold was released. */
  abstract void ended();

  /** Begins anew, with one hold. */
  final void revive() {
    holds.set(1);
  }
}
