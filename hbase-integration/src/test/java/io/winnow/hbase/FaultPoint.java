package io.winnow.hbase;

import java.util.LinkedHashMap;
import java.util.Map;

/** Where our classes, woven by {@link FaultEverywhereTest}, pass before each of their calls. */
public final class FaultPoint {
  /** How often each call was passed, since they were forgotten. */
  static final Map<Integer, Integer> PASSED = new LinkedHashMap<>();

  static final Map<Integer, String> NAMES = new LinkedHashMap<>();

  private static boolean recording;
  private static int armed = -1;
  private static int passesLeft;
  private static Throwable fault;
  private static boolean thrown;

  private FaultPoint() {}

  static void record(boolean on) {
    recording = on;
  }

  /** At this call, the time after so many, something is thrown: once. */
  static void arm(int call, int passes, Throwable what) {
    armed = call;
    passesLeft = passes;
    fault = what;
    thrown = false;
  }

  static boolean disarm() {
    armed = -1;
    return thrown;
  }

  /** Called before each call. */
  public static void pass(int call, String name) {
    if (recording) {
      PASSED.merge(call, 1, Integer::sum);
      NAMES.put(call, name);
    }
    if (call == armed && passesLeft-- == 0) {
      thrown = true;
      armed = -1;
      Thrown.sneakily(fault);
    }
  }
}
