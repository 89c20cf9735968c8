package io.winnow.cascade;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A resource with a count of its users (holds), which ends with the last release. It begins with
 * one hold.
 */
abstract class Shared {
  private final AtomicInteger holds = new AtomicInteger(1);

  /** Adds a hold on a shared resource, unless it has ended. */
  final boolean tryHold() {
    return holds.getAndUpdate(now -> now == 0 ? 0 : now + 1) > 0;
  }

  /** Adds a hold on a shared resource; the caller knows that it has not ended. */
  final void hold() {
    if (!tryHold()) {
      throw new IllegalStateException("no longer held");
    }
  }

  /** Removes a hold on a shared resource; the last one ends it. */
  final void release() {
    if (holds.decrementAndGet() == 0) {
      ended();
    }
  }

  /** Frees a shared resource when its last hold is released. */
  abstract void ended();

  /** Makes a shared resource usable again after its end, with one hold (user). */
  final void revive() {
    holds.set(1);
  }
}
