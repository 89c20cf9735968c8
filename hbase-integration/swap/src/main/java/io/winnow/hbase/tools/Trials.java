package io.winnow.hbase.tools;

import io.winnow.hbase.settings.StoreView;
import io.winnow.hbase.write.FilterTrial;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.ExtendedCell;

/**
 * Filters that Winnow would write for one file, one for each choice of a filter, built from its
 * keys to measure them. Choices that lead to the same filter share one trial. Not thread-safe.
 */
final class Trials {
  /**
   * Number of keys that are collected before each filter takes them all in turn, which is faster
   * than key by key.
   */
  private static final int BATCH = 512;

  /**
   * Upper bound of the bytes of data blocks that collected keys keep in memory: values may be
   * large.
   */
  private static final long MAX_HELD_BYTES = 32L << 20;

  /** Empty set of filters to build, for a file for which no filters are tried. */
  static final Trials NONE = new Trials(Map.of());

  private final Map<Choice, FilterTrial> ofChoices;

  /**
   * Filters to build for one file, where settings that lead to the same filter share one. An array,
   * because it is iterated for each key.
   */
  private final FilterTrial[] distinct;

  private final ExtendedCell[] keys = new ExtendedCell[BATCH];
  private final long[] hashes = new long[BATCH];
  private int waiting;

  /**
   * Number of bytes of data blocks that collected keys keep in memory, at most: a block counts
   * again when keys of several files alternate.
   */
  private long held;

  private Trials(Map<Choice, FilterTrial> ofChoices) {
    this.ofChoices = ofChoices;
    this.distinct = ofChoices.values().stream().distinct().toArray(FilterTrial[]::new);
  }

  /**
   * Returns one trial for each filter that the file could have, to be built from its keys.
   *
   * @param keys keys of the file, as far as they are known
   * @param others the files beside it in its store
   */
  static Trials of(FamilySettings family, double keys, List<StoreView.OtherFile> others) {
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

  /** Returns the hash of a cell's key, which all the filters that are tried share. */
  long hash(ExtendedCell key) {
    return distinct[0].hash(key);
  }

  /**
   * Adds a key to each filter that is tried.
   *
   * @param key cell that stays valid until {@value #BATCH} more were added
   */
  void add(ExtendedCell key, long hash) {
    if (distinct.length == 0) {
      return; // NONE is shared by all threads, so it must not change
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

  /**
   * Builds all filters that are tried, and returns the result for each choice. No key can be added
   * afterwards.
   */
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
