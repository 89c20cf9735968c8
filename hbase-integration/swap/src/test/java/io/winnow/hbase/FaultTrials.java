package io.winnow.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs something again and again, each time with a fault at another call that it makes. */
final class FaultTrials {
  private static final int MOST_TOLD = 20;
  private final List<String> problems = new ArrayList<>();
  private int faults;
  private int turn;

  /** What is tried. It fails by throwing. */
  interface Trial {
    /** Without a fault. */
    default void prepare() throws Exception {}

    /** With a fault at one of our calls. */
    void run() throws Exception;

    /**
     * Without a fault again: whether all is as it should be.
     *
     * @param fault what was thrown before; null if nothing was
     */
    default void check(Throwable fault) throws Exception {}
  }

  /**
   * Each call of ours that the trial makes gets a few kinds of faults, the first time that it is
   * made or a later one; the next call gets others.
   */
  void tryAll(Trial trial, int kindsPerCall) throws Exception {
    trySome(trial, kindsPerCall, 1, 0);
  }

  /**
   * The same for one call of several.
   *
   * @param from the first one, less than {@code step}
   */
  void trySome(Trial trial, int kindsPerCall, int step, int from) throws Exception {
    if (!problems.isEmpty()) {
      return; // what a problem leaves behind is no start for other trials
    }
    trial.prepare();
    FaultPoint.record();
    trial.run();
    Map<Integer, Integer> passed = FaultPoint.recorded();
    trial.check(null);
    List<Integer> calls = List.copyOf(passed.keySet());
    for (int c = from; c < calls.size(); c += step) {
      int call = calls.get(c);
      for (int i = 0; i < kindsPerCall; i++) {
        Throwable fault = Thrown.KINDS.get(turn++ % Thrown.KINDS.size()).get();
        if (!(fault instanceof IOException && isOfTheStream(FaultPoint.name(call)))) {
          tryOne(trial, call, i == 0 ? 0 : passed.get(call) / 2, fault);
        }
      }
    }
  }

  /** HBase's own stream fails: HBase sees that. */
  private static boolean isOfTheStream(String name) {
    return name.endsWith("FilterImage.writeTo")
        || name.endsWith("DataOutput.write")
        || name.endsWith("PeekedMeta.of")
        || name.contains("PeekedMeta.of calls ") // of the rest in there nothing throws one
        || name.contains("PeekedMeta.<init> calls ");
  }

  private void tryOne(Trial trial, int call, int skipped, Throwable fault) {
    String found = null;
    try {
      trial.prepare();
      FaultPoint.arm(call, skipped, fault);
      trial.run();
      boolean thrown = FaultPoint.disarm();
      if (!thrown && skipped == 0) {
        found = "was not thrown";
      }
      Thread.interrupted();
      trial.check(thrown ? fault : null);
    } catch (Throwable e) {
      found = e + (e.getCause() == null ? "" : ", caused by " + e.getCause());
    } finally {
      FaultPoint.disarm();
      Thread.interrupted();
    }
    faults++;
    if (found != null) {
      problems.add(FaultPoint.name(call) + ", time " + skipped + ", " + fault + ": " + found);
    }
  }

  /** The number of faults, and after it whatever went wrong. */
  String[] results() {
    List<String> results = new ArrayList<>(List.of(String.valueOf(faults)));
    results.addAll(problems.subList(0, Math.min(MOST_TOLD, problems.size())));
    return results.toArray(String[]::new);
  }
}
