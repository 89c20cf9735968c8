package io.winnow.hbase.read;

import java.util.concurrent.TimeUnit;

/** Lets tests of other packages end a window of {@link CachePressure}. */
public final class CachePressureDoor {
  private CachePressureDoor() {}

  public static void endWindow() {
    CachePressure.OF_THIS_JVM.judge(System.nanoTime() + TimeUnit.MINUTES.toNanos(5));
  }
}
