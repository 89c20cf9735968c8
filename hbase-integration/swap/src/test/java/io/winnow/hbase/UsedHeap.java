package io.winnow.hbase;

/** The heap that is in use once the garbage is collected. */
public final class UsedHeap {
  private UsedHeap() {}

  /** In bytes: the least of a few looks, because others of this JVM allocate, too. */
  public static long bytes() throws InterruptedException {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      Thread.sleep(20);
      Runtime runtime = Runtime.getRuntime();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }
}
