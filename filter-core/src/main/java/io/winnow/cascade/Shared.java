package io.winnow.cascade;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A resource that several views hold and that ends with the last release. It begins with one hold.
 */
abstract class Shared {
  private final AtomicInteger holds = new AtomicInteger(1);

  /** Adds a hold, unless the resource has ended. */
  final boolean tryHold() {
    return holds.getAndUpdate(now -> now == 0 ? 0 : now + 1) > 0;
  }

  /** Adds a hold; the caller knows that the resource has not ended. */
  final void hold() {
    if (!tryHold()) {
      throw new IllegalStateException("no longer held");
    }
  }

  /** Removes a hold; the last one ends the resource. */
  final void release() {
    if (holds.decrementAndGet() == 0) {
      ended();
    }
  }

  /** Runs when the last hold is released. */
  abstract void ended();

  /** Revives the resource after its end, with one hold. */
  final void revive() {
    holds.set(1);
  }
}
