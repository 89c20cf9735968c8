package io.winnow.flash.store;

import io.winnow.base.Arguments;

/**
 * The guarantee of a filter or table about operations that are only in memory when the process or
 * the machine crashes. Data on flash is always kept.
 *
 * <p>After a failed fsync the content of the drive is unknown: nothing is guaranteed that came
 * after the last sync that returned. Close, check the drive, and open again.
 */
public final class Durability {
  /**
   * Durability without a log of operations. {@code sync} and {@code close} write the memory to
   * flash; a crash may lose all operations after the last of them.
   */
  public static final Durability NONE = new Durability("NONE", 0);

  /**
   * Durability with a log of operations, which a sync makes durable. A crash loses none that came
   * before a {@code sync} that returned.
   */
  public static final Durability ON_SYNC = new Durability("ON_SYNC", Long.MAX_VALUE);

  private final String name;
  private final long operations;

  private Durability(String name, long operations) {
    this.name = name;
    this.operations = operations;
  }

  /**
   * Returns a durability that logs operations as {@link #ON_SYNC} does, and syncs the log once in
   * every given number of operations, before the last of these returns. A crash loses fewer
   * operations than that; with 1, none that returned. With small numbers, threads that insert into
   * a cascade filter at the same time share a sync.
   */
  public static Durability everyN(long operations) {
    Arguments.check(
        operations >= 1, "a sync every " + operations + " operations, must be at least 1");
    return new Durability("EVERY_" + operations, operations);
  }

  /** Returns whether operations are written to a log. */
  public boolean isLogged() {
    return operations > 0;
  }

  /** Returns the number of operations of which one syncs the log, or 0 if there is no log. */
  public long operations() {
    return operations;
  }

  @Override
  public String toString() {
    return name;
  }
}
