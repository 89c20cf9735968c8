package io.winnow.hbase;

/**
 * The false-positive rate of a file from what a Get pays in its whole store.
 *
 * <p>A Get asks the filters of all files that may have its row. For the memory that they take, the
 * sum of their rates is least when each is proportional to its file's keys (Dayan, Athanassoulis,
 * Idreos: Monkey, SIGMOD 2017). A file with the share {@code s} of the keys gets {@code e = E s},
 * so that the rates add up to {@code E}. If a share {@code p} of all Gets finds its row, the file
 * that has it is read anyway: {@code e = E s / (1 - p s)}.
 *
 * <p>Where nobody set {@code E} or {@code p}, two guards stand beside the rule. No file lets
 * through more than HBase's own filter of it would: for small files that is far less than was asked
 * for. And in a store of some size, a file's rate is not so low that the filters take more than
 * {@value #MOST_OF_STOCK} of HBase's.
 *
 * <p>Rates here are those of a whole question. Immutable.
 */
final class StoreRate {
  /** The most memory of a store's filters, as a share of what HBase's own would take. */
  static final double MOST_OF_STOCK = 0.799;

  /**
   * The most of the memory that is left for which one file may lower its rate: others come, and the
   * last one must not find nothing.
   */
  private static final double PART_OF_ROOM = 0.6;

  /**
   * In stores of fewer keys, in the largest file and in all, filters take two megabytes at most.
   */
  private static final double MEMORY_COUNTS_FROM_KEYS = 1e6;

  private static final double MEMORY_COUNTS_FROM_KEYS_IN_ALL = 2e6;

  /** Lower rates are of no use: about 20 bits per key. */
  static final double LEAST = 1e-6;

  /** What a key takes more for half of the rate, in bytes. */
  private static final double BYTES_PER_HALVING = 1.03 / 8;

  private final StoreView store;
  private final double inAll;
  private final double presentShare;
  private final Guard guard;

  /** What the two guards compare with: rates of a whole question. */
  interface Guard {
    double stockRate(double keys);

    /**
     * The highest rate of a chunk with which its file lets through no more than stock's filter of
     * the same keys would.
     *
     * @param before keys of the chunks before
     * @param let what these let through: a sum over their keys of the rates of a probe
     * @param keys of the chunk
     * @param closing whether it is the last one; if not, however many more keys come
     */
    double most(double before, double let, double keys, boolean closing);

    double stockBytes(double keys);

    /** What our filter takes. */
    double bytes(double keys, double rate);
  }

  /**
   * @param inAll {@code E}: what a Get may pay in all
   * @param presentShare {@code p}: how many of all Gets find their row, 0 to 1
   * @param guard null if the rule stands alone
   */
  StoreRate(StoreView store, double inAll, double presentShare, Guard guard) {
    this.store = store;
    this.inAll = inAll;
    this.presentShare = presentShare;
    this.guard = guard;
  }

  /** Keys of the new file, as far as one can tell before it is written. */
  double expectedKeys() {
    return store.expectedKeys();
  }

  /**
   * The rate for a part of the new file; above 0, and above 1 where a filter is worth nothing.
   *
   * @param expectedKeys of the whole file
   * @param firstRow of the part; null for no bound
   * @param lastRow of the part; null for no bound
   */
  double rate(double expectedKeys, byte[] firstRow, byte[] lastRow) {
    double keys = Math.max(1, expectedKeys);
    double asked = Math.max(keys, store.keysInAll());
    for (StoreView.OtherFile other : store.others()) {
      if (other.mayBeAsked(firstRow, lastRow)) {
        asked += other.keys();
      }
    }
    double least = Math.min(LEAST, inAll);
    double rate = ofShare(keys / asked);
    if (guard != null) {
      double stock = Math.max(least, guard.stockRate(keys));
      rate = Math.min(stock, Math.max(rate, leastForMemory(keys, Math.min(stock, inAll))));
    }
    return Math.max(rate, least);
  }

  /** As {@link Guard#most}; above 1 where nothing is compared with stock's filter. */
  double most(double before, double let, double keys, boolean closing) {
    return guard == null
        ? Double.MAX_VALUE
        : Math.max(Math.min(LEAST, inAll), guard.most(before, let, keys, closing));
  }

  private double ofShare(double share) {
    return inAll * share / (1 - presentShare * share);
  }

  /** What no file of this store passes. */
  double highest() {
    return ofShare(1);
  }

  /** The lowest rate for which the store has memory left. */
  private double leastForMemory(double keys, double highest) {
    double largest = keys;
    double keysInAll = Math.max(keys, store.keysInAll());
    double room = 0;
    for (StoreView.OtherFile other : store.others()) {
      largest = Math.max(largest, other.keys());
      keysInAll += other.keys();
      room += MOST_OF_STOCK * guard.stockBytes(other.keys()) - other.filterBytes();
    }
    if (largest < MEMORY_COUNTS_FROM_KEYS && keysInAll < MEMORY_COUNTS_FROM_KEYS_IN_ALL) {
      return 0;
    }
    room += MOST_OF_STOCK * guard.stockBytes(keys) - guard.bytes(keys, highest);
    double halvings = PART_OF_ROOM * Math.max(0, room) / (keys * BYTES_PER_HALVING);
    return highest * Math.pow(2, -halvings);
  }
}
