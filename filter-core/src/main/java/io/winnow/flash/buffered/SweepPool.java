package io.winnow.flash.buffered;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/** Memory for a few sweeps at a time, made when it is needed first. Thread-safe. */
final class SweepPool implements AutoCloseable {
  private final Supplier<GroupPages> make;
  private final Semaphore permits;
  private final Deque<GroupPages> idle = new ArrayDeque<>();

  SweepPool(int sweeps, Supplier<GroupPages> make) {
    this.make = make;
    this.permits = new Semaphore(sweeps);
  }

  /** Waits until one is free. Whoever has one takes no lock before it is given back. */
  GroupPages take() {
    permits.acquireUninterruptibly();
    boolean taken = false;
    try {
      GroupPages pages;
      synchronized (idle) {
        pages = idle.poll();
      }
      pages = pages == null ? make.get() : pages;
      taken = true;
      return pages;
    } finally {
      if (!taken) {
        permits.release();
      }
    }
  }

  void give(GroupPages pages) {
    synchronized (idle) {
      idle.push(pages);
    }
    permits.release();
  }

  /** Called when nobody sweeps any more. */
  @Override
  public void close() {
    synchronized (idle) {
      idle.forEach(GroupPages::close);
      idle.clear();
    }
  }
}
