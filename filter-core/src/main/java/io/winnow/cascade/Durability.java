package io.winnow.cascade;

/**
 * What is there after a crash, of the process or of the machine.
 *
 * <p>Levels on flash always are. What differs is the level in memory, and its log.
 */
public final class Durability {
  /**
   * There is no log. {@link CascadeFilter#sync} and {@link CascadeFilter#close} write the level in
   * memory to flash; what came since the last of them may be lost.
   */
  public static final Durability NONE = new Durability("NONE", 0);

  /** Operations are logged; those before a {@link CascadeFilter#sync} that returned are kept. */
  public static final Durability ON_SYNC = new Durability("ON_SYNC", Long.MAX_VALUE);

  private static final int MOST_SHARED = 16;

  private final String name;
  private final long operations;

  private Durability(String name, long operations) {
    this.name = name;
    this.operations = operations;
  }

  /**
   * EVERY_N: as {@link #ON_SYNC}, and one of every {@code operations} operations syncs before it
   * returns. A crash loses fewer operations than that; with 1, none that returned. Where it is few,
   * threads that insert at the same time share a sync.
   */
  public static Durability everyN(long operations) {
    if (operations < 1) {
      throw new IllegalArgumentException("sync every " + operations + " operations");
    }
    return new Durability("EVERY_" + operations, operations);
  }

  boolean isLogged() {
    return operations > 0;
  }

  long operations() {
    return operations;
  }

  /** Whether operations are synced so often that threads had better share syncs. */
  boolean isShared() {
    return operations > 0 && operations <= MOST_SHARED;
  }

  @Override
  public String toString() {
    return name;
  }
}
