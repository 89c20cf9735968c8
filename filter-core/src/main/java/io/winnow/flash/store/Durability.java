package io.winnow.flash.store;

/**
 * What is there after a crash, of the process or of the machine: of a filter or a table that keeps
 * what came last in memory.
 *
 * <p>What is on flash always is. What differs is what is in memory, and its log.
 *
 * <p>A failed fsync is failed for ever, since nobody knows what the drive has: nothing that came
 * after the last sync that returned is promised. Close, see to the drive, and open again.
 */
public final class Durability {
  /**
   * There is no log. A {@code sync} and a {@code close} write what is in memory to flash; what came
   * since the last of them may be lost.
   */
  public static final Durability NONE = new Durability("NONE", 0);

  /** Operations are logged; those before a {@code sync} that returned are kept. */
  public static final Durability ON_SYNC = new Durability("ON_SYNC", Long.MAX_VALUE);

  private final String name;
  private final long operations;

  private Durability(String name, long operations) {
    this.name = name;
    this.operations = operations;
  }

  /**
   * EVERY_N: as {@link #ON_SYNC}, and one of every {@code operations} operations syncs before it
   * returns. A crash loses fewer operations than that; with 1, none that returned. Where it is few,
   * threads that insert into a cascade filter at the same time share a sync.
   */
  public static Durability everyN(long operations) {
    Arguments.check(operations >= 1, "sync every " + operations + " operations");
    return new Durability("EVERY_" + operations, operations);
  }

  /** Whether there is a log. */
  public boolean isLogged() {
    return operations > 0;
  }

  /** One of so many operations syncs; 0 if there is no log. */
  public long operations() {
    return operations;
  }

  @Override
  public String toString() {
    return name;
  }
}
