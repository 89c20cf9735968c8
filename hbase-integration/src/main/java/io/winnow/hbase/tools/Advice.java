package io.winnow.hbase.tools;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Stores of a family, or of several, summed up; where only some were read, for all of them. */
final class Advice {
  private final List<StoreAdvice.Outcome> stores = new ArrayList<>();
  private long filesInAll;
  private long keysInAll;
  private long readKeys;

  /** All files that there are, read or not. */
  void counted(int files, long keys) {
    filesInAll += files;
    keysInAll += keys;
  }

  /** What was read of a store. */
  void read(StoreAdvice.Outcome store) {
    stores.add(store);
    readKeys += store.keysInFiles;
  }

  void add(Advice other) {
    stores.addAll(other.stores);
    filesInAll += other.filesInAll;
    keysInAll += other.keysInAll;
    readKeys += other.readKeys;
  }

  int readStores() {
    return stores.size();
  }

  long files() {
    return filesInAll;
  }

  /** In the filters of all files. */
  long keys() {
    return keysInAll;
  }

  /** By which what was read is multiplied. */
  private double scale() {
    return readKeys == 0 ? 1 : Math.max(1, (double) keysInAll / readKeys);
  }

  /** Each key of a store once. */
  double keysOfStores() {
    return scale() * stores.stream().mapToLong(store -> store.keys).sum();
  }

  boolean isSample() {
    return readKeys < keysInAll;
  }

  StoreAdvice.Sum now() {
    return sum(stores.stream().map(store -> store.now).toList());
  }

  Map<Choice, StoreAdvice.Sum> asFilesLie() {
    Map<Choice, StoreAdvice.Sum> sums = new EnumMap<>(Choice.class);
    for (Choice choice : Choice.values()) {
      sums.put(choice, sum(stores.stream().map(store -> store.asFilesLie.get(choice)).toList()));
    }
    return sums;
  }

  Map<Choice, StoreAdvice.Sum> afterCompaction() {
    Map<Choice, StoreAdvice.Sum> sums = new EnumMap<>(Choice.class);
    for (Choice choice : Choice.values()) {
      sums.put(
          choice, sum(stores.stream().map(store -> store.afterCompaction.get(choice)).toList()));
    }
    return sums;
  }

  /** A Get asks one store: more often one that has more keys. */
  private StoreAdvice.Sum sum(List<StoreAdvice.Sum> ofStores) {
    double bytes = 0;
    double falseReads = 0;
    double nanos = 0;
    double keys = 0;
    for (int i = 0; i < stores.size(); i++) {
      StoreAdvice.Sum one = ofStores.get(i);
      bytes += one.bytes();
      nanos += one.buildNanos();
      falseReads += stores.get(i).keys * one.falseReads();
      keys += stores.get(i).keys;
    }
    return new StoreAdvice.Sum(scale() * bytes, keys == 0 ? 0 : falseReads / keys, scale() * nanos);
  }

  /** The bytes that the recommended filters would take after a major compaction, at one rate. */
  double expectedBytes(AskedFamily family, double rate) {
    return scale()
        * stores.stream().mapToDouble(store -> family.expectedBytes(store.keys, rate)).sum();
  }

  /**
   * How far the bytes may be off because only some stores were read: a standard error of the ratio
   * of bytes to keys, as a part of it; not a number if fewer than two were.
   */
  double samplingError(Choice choice) {
    int n = stores.size();
    if (!isSample()) {
      return 0;
    }
    double bytes = 0;
    double keys = 0;
    for (StoreAdvice.Outcome store : stores) {
      bytes += store.afterCompaction.get(choice).bytes();
      keys += store.keysInFiles;
    }
    double squares = 0;
    for (StoreAdvice.Outcome store : stores) {
      double residual =
          store.afterCompaction.get(choice).bytes() - bytes / keys * store.keysInFiles;
      squares += residual * residual;
    }
    double notRead = 1 - readKeys / (double) keysInAll;
    return n < 2 ? Double.NaN : Math.sqrt(squares * n / (n - 1) * notRead) / bytes;
  }
}
