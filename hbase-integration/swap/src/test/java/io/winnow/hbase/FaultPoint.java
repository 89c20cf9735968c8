package io.winnow.hbase;

import java.io.InterruptedIOException;
import java.util.Map;
import java.util.TreeMap;

/** Where our classes, woven by {@link FaultLoader}, pass before each of their calls. */
public final class FaultPoint {
  private static final Map<Integer, Integer> PASSED = new TreeMap<>();
  private static final Map<Integer, String> NAMES = new TreeMap<>();

  private static boolean recording;
  private static int armed = -1;
  private static int passesLeft;
  private static Throwable fault;
  private static boolean thrown;

  private FaultPoint() {}

  /** From now on what is passed is kept. */
  static synchronized void record() {
    PASSED.clear();
    recording = true;
  }

  /** How often each call was passed since then. */
  static synchronized Map<Integer, Integer> recorded() {
    recording = false;
    return new TreeMap<>(PASSED);
  }

  static synchronized String name(int call) {
    return NAMES.get(call);
  }

  /** At this call, the time after so many, something is thrown: once. */
  static synchronized void arm(int call, int passes, Throwable what) {
    armed = call;
    passesLeft = passes;
    fault = what;
    thrown = false;
  }

  /** Whether it was thrown. */
  static synchronized boolean disarm() {
    armed = -1;
    return thrown;
  }

  /** Whether it was thrown, and was an interrupt: HBase ends what an interrupted thread does. */
  static synchronized boolean interrupts() {
    return thrown && fault instanceof InterruptedIOException;
  }

  /** Called before each call, by any thread. */
  public static void pass(int call, String name) {
    Throwable due = due(call, name);
    if (due != null) {
      Thrown.sneakily(due);
    }
  }

  private static synchronized Throwable due(int call, String name) {
    if ((!recording && call != armed) || isOfTheCollector(Thread.currentThread())) {
      return null;
    }
    if (recording) {
      PASSED.merge(call, 1, Integer::sum);
      NAMES.put(call, name);
    }
    if (call != armed || passesLeft-- > 0) {
      return null;
    }
    thrown = true;
    armed = -1;
    return fault;
  }

  /** A cleaner's thread, which runs when the collector likes: not the same calls each time. */
  private static boolean isOfTheCollector(Thread thread) {
    return thread.getName().startsWith("Cleaner-");
  }
}
