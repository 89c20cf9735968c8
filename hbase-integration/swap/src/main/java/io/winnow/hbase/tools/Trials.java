package io.winnow.hbase.tools;

import io.winnow.hbase.write.FilterTrial;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.ExtendedCell;

/**
 * The filters of one file, with each of Winnow's choices. Choices that come to the same filter are
 * built once. Not thread-safe.
 */
final class Trials {
  /**
   * Keys that wait, so that one filter after the other takes many: that is faster than by turns.
   */
  private static final int BATCH = 512;

  /** Blocks that waiting keys may hold on to, in bytes: values may be large. */
  private static final long MAX_HELD_BYTES = 32L << 20;

  /** No filter is tried. */
  static final Trials NONE = new Trials(Map.of());

  private final Map<Choice, FilterTrial> ofChoices;

  /** Each once: an array, for it is gone through for each key. */
  private final FilterTrial[] distinct;

  private final ExtendedCell[] keys = new ExtendedCell[BATCH];
  private final long[] hashes = new long[BATCH];
  private int waiting;

  /** At most so many bytes: a block counts again where keys of several files take turns. */
  private long held;

  private Trials(Map<Choice, FilterTrial> ofChoices) {
    this.ofChoices = ofChoices;
    this.distinct = ofChoices.values().stream().distinct().toArray(FilterTrial[]::new);
  }

  /**
   * @param keys of the file, as far as that is known
   * @param others the files that stay beside it
   */
  static Trials of(FamilySettings family, double keys, List<FilterTrial.Beside> others) {
    Map<Choice, FilterTrial> all = new EnumMap<>(Choice.class);
    List<FilterTrial> distinct = new ArrayList<>();
    for (Choice choice : Choice.ofWinnow()) {
      FilterTrial trial = family.trial(choice, keys, others);
      FilterTrial like = distinct.stream().filter(trial::isLike).findFirst().orElse(trial);
      if (like == trial) {
        distinct.add(trial);
      }
      all.put(choice, like);
    }
    return new Trials(all);
  }

  /** The hash of a cell's key, in all of them. */
  long hash(ExtendedCell key) {
    return distinct[0].hash(key);
  }

  /**
   * Adds a key.
   *
   * @param key stays valid until {@value #BATCH} more have come
   */
  void add(ExtendedCell key, long hash) {
    if (distinct.length == 0) {
      return; // all threads have the one that tries nothing
    }
    if (waiting == 0 || keys[waiting - 1].getRowArray() != key.getRowArray()) {
      held += key.getRowArray().length;
    }
    keys[waiting] = key;
    hashes[waiting++] = hash;
    if (waiting == BATCH || held > MAX_HELD_BYTES) {
      addWaiting();
    }
  }

  private void addWaiting() {
    for (FilterTrial trial : distinct) {
      for (int i = 0; i < waiting; i++) {
        trial.add(keys[i], hashes[i]);
      }
    }
    Arrays.fill(keys, 0, waiting, null);
    waiting = 0;
    held = 0;
  }

  /** What came out. No key can be added any more. */
  Map<Choice, FilterTrial.Outcome> finish() {
    addWaiting();
    Map<FilterTrial, FilterTrial.Outcome> outcomes = new IdentityHashMap<>();
    for (FilterTrial trial : distinct) {
      outcomes.put(trial, trial.finish());
    }
    Map<Choice, FilterTrial.Outcome> all = new EnumMap<>(Choice.class);
    ofChoices.forEach((choice, trial) -> all.put(choice, outcomes.get(trial)));
    return all;
  }
}
