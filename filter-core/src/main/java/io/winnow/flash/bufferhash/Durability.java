package io.winnow.flash.bufferhash;

/**
 * What is there after a crash, of the process or of the machine: the same choice, with the same
 * meaning, as the cascade filter has.
 *
 * <p>Incarnations on flash always are. What differs are the buffers in memory, and their log.
 */
public final class Durability {
  /**
   * There is no log. {@link BufferHash#sync} and {@link BufferHash#close} write all buffers to
   * flash, full or not; what came since the last of them, and is in a buffer, may be lost.
   */
  public static final Durability NONE = new Durability("NONE", 0);

  /** Operations are logged; those before a {@link BufferHash#sync} that returned are kept. */
  public static final Durability ON_SYNC = new Durability("ON_SYNC", Long.MAX_VALUE);

  private final String name;
  private final long operations;

  private Durability(String name, long operations) {
    this.name = name;
    this.operations = operations;
  }

  /**
   * EVERY_N: as {@link #ON_SYNC}, and one of every {@code operations} operations syncs before it
   * returns. A crash loses fewer operations than that; with 1, none that returned.
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

  @Override
  public String toString() {
    return name;
  }
}
