package io.winnow.hbase.settings;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The rule that gives a file its false-positive rate, from the memory that the filters of its store
 * may take. All who need the rule ask here: writers, and the tools that plan or try filters.
 *
 * <p>A Get asks the filters of all files that may have its row, and pays the sum of their rates.
 * For the memory that they take, that sum is least when each rate is proportional to its file's
 * keys (Dayan, Athanassoulis, Idreos: Monkey, SIGMOD 2017). So with {@code m} = {@code
 * winnow.store.memory}, the share of what HBase's own filters of the same files would take:
 *
 * <ul>
 *   <li>{@code r} is the rate that our filter has with {@code m} times stock's bits per key of the
 *       store, the new file included;
 *   <li>{@code s} is the file's share of the store's keys, {@code F} how many files count: the
 *       product of all {@code s^-s}, 1 for one file and {@code k} for {@code k} equal ones;
 *   <li><b>{@code e = s r max(c, F)}</b>. {@code c} is 2: half of the rate's memory is left to
 *       files that come later. Where the store's files do not meet, none comes that would need it,
 *       and {@code c} is 1.
 * </ul>
 *
 * <p>Then the bounds. The file takes at most its own part, {@code m} times its stock bytes, and
 * half of what the other files left; and never more than {@value #MOST_OF_STOCK} of its stock
 * bytes. Its rate is at most that of stock's filter of the file, where {@code m} has room for
 * filters of stock's rates. docs/design/store-rates.md says why.
 *
 * <p>Files whose key ranges do not meet are never asked for the same row, so the rule looks at a
 * part of a file and at the files that meet it; memory is that of the whole store. Rates here are
 * those of a whole question.
 *
 * <p>Prefixes beside rows are keys, too, in our filters and in those of stock's that they are
 * compared with. So the sums are those of rows, and rows keep their rates. Not thread-safe.
 */
public final class StoreRate {
  /** Lower rates are of no use: about 20 bits per key. */
  static final double LEAST = 1e-6;

  /** The most that one file takes, as a share of its stock filter. */
  static final double MOST_OF_STOCK = 1.25;

  /** The least share of stock's memory that has room for its rates, in chunks of usual sizes. */
  static final double LEAST_OF_STOCKS_RATES = 0.77;

  /** So many bytes of a file are never worth a thought. */
  static final double SMALL_BYTES = 1024;

  private static final double HIGHEST = 0.5;
  private static final double PART_OF_REST = 0.5;

  /** Keys of a file whose stock filter is hardly larger than needed. */
  private static final double MANY = 1e12;

  private static final double SMALL_PART = 0.001;

  /** Of its own part, where the files that a compaction rewrites had left theirs to others. */
  private static final double MOST_GIVEN_BACK = 0.5;

  private final StoreView store;
  private final double memory;
  private final Sizes sizes;

  /**
   * Of all files that stay: what stock's filters and ours take, and ours would at stock's rates.
   */
  private double othersStockBytes;

  /** Without what stock's filters of few keys are larger than needed: it goes with a compaction. */
  private double othersLasting;

  private double othersBytes;
  private double othersBytesAtStockRates;

  /** Filters of one family, HBase's own and ours: rates of a whole question. */
  interface Sizes {
    double stockRate(double keys);

    /** What stock's filters are asked for. */
    double askedRate();

    double stockBytes(double keys);

    /** What our filter of the file takes. */
    double bytes(double keys, double rate);

    /** The rate with which the filter of the file takes so many bytes, from 0 to 0.5. */
    double rateWithin(double keys, double bytes);

    /** As {@link #rateWithin}, of the files that have most of the store's keys. */
    double rateOfStoreWithin(double keys, double bytes);

    /** What the largest kind of filter takes that the family's files have. */
    double mostBytes(double keys, double rate);

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
  }

  /** A rate, and how it came about. Immutable. */
  public static final class Decision {
    private final double rate;
    private final double share;
    private final RateReason reason;

    public Decision(double rate, double share, RateReason reason) {
      this.rate = rate;
      this.share = share;
      this.reason = reason;
    }

    public double rate() {
      return rate;
    }

    /** The file's share of the keys of all files that meet it. */
    public double share() {
      return share;
    }

    public RateReason reason() {
      return reason;
    }
  }

  /**
   * @param memory the most that the store's filters take, as a share of stock's
   */
  StoreRate(StoreView store, double memory, Sizes sizes) {
    this.store = store;
    this.memory = memory;
    this.sizes = sizes;
    for (StoreView.OtherFile other : store.others()) {
      double keys = other.keys();
      othersStockBytes += sizes.stockBytes(keys);
      othersBytes += other.filterBytes();
      othersLasting += Math.min(sizes.stockBytes(keys), keys * sizes.stockBytes(MANY) / MANY);
      othersBytesAtStockRates += sizes.mostBytes(keys, stockRate(keys)) - SMALL_BYTES;
    }
  }

  /** How many other files there are. */
  int others() {
    return store.others().size();
  }

  /** Keys of the new file, as far as one can tell before it is written. */
  public double expectedKeys() {
    return store.expectedKeys();
  }

  /**
   * The rate for a part of the new file, above 0 and at most 0.5.
   *
   * @param expectedKeys of the whole file
   * @param firstRow of the part; null for no bound
   * @param lastRow of the part; null for no bound
   */
  public Decision decide(double expectedKeys, byte[] firstRow, byte[] lastRow) {
    double keys = Math.max(1, expectedKeys);
    double alike = Math.max(1, store.keysInAll() / keys);
    double stock = sizes.stockBytes(keys);
    List<StoreView.OtherFile> met = meeting(store.others(), firstRow, lastRow);
    double keysInAll = alike * keys;
    double stockInAll = alike * stock;
    for (StoreView.OtherFile other : met) {
      keysInAll += other.keys();
      stockInAll += sizes.stockBytes(other.keys());
    }
    double share = keys / keysInAll;
    double spread = alike * bitsOf(share);
    for (StoreView.OtherFile other : met) {
      spread += bitsOf(other.keys() / keysInAll);
    }
    double ofStore = sizes.rateOfStoreWithin(keysInAll, memory * stockInAll);
    double forLater = 1 + partThatMeets(met, firstRow, lastRow);
    double rate = share * ofStore * Math.max(forLater, Math.pow(2, spread));
    RateReason reason = RateReason.SHARE;

    double own = memory * stock;
    double rest = memory * othersStockBytes - othersBytes;
    double left = Math.min(rest, memory * othersLasting - othersBytes);
    double room = Math.max(0, left) * PART_OF_REST / alike;
    if (rest < 0 && !store.rewritten().isEmpty()) {
      room = Math.max(rest / alike, -MOST_GIVEN_BACK * own);
    }
    double most = Math.min(own + room, MOST_OF_STOCK * stock);
    double ofMost = sizes.rateWithin(keys, Math.max(most, SMALL_BYTES / 2));
    if (rate < ofMost) {
      rate = ofMost;
      reason = room > SMALL_PART * own ? RateReason.ROOM : RateReason.OWN_PART;
    }
    double stockRate = stockRate(keys);
    if (rate > stockRate && isStockRateKept(keys, alike, Math.max(own, own + rest))) {
      rate = stockRate;
      reason = RateReason.STOCK;
    }
    return new Decision(Math.min(HIGHEST, Math.max(rate, least())), share, reason);
  }

  private double least() {
    return Math.min(LEAST, sizes.askedRate());
  }

  private double stockRate(double keys) {
    return Math.max(least(), sizes.stockRate(keys));
  }

  /**
   * Whether the store's memory has room for filters of stock's rates, and for this one. A file of
   * no store has no such filters beside it: there the share decides, and its chunks may be small.
   */
  private boolean isStockRateKept(double keys, double alike, double most) {
    if (store.isOfOnlyFile()) {
      return memory >= LEAST_OF_STOCKS_RATES;
    }
    double stockRate = stockRate(keys);
    double ofAll =
        othersBytesAtStockRates + alike * (sizes.mostBytes(keys, stockRate) - SMALL_BYTES);
    return ofAll <= memory * (othersStockBytes + alike * sizes.stockBytes(keys))
        && sizes.bytes(keys, stockRate) <= most + SMALL_BYTES;
  }

  /**
   * The highest rate of a chunk with which the file lets through no more than stock's would: as
   * {@link Sizes#most}. 0.5 where memory has no room for that.
   */
  public double most(double before, double let, double keys, boolean closing) {
    double all = before + keys;
    double own = memory * sizes.stockBytes(all);
    double rest = memory * othersStockBytes - othersBytes;
    if (!isStockRateKept(all, Math.max(1, store.keysInAll() / all), Math.max(own, own + rest))) {
      return HIGHEST;
    }
    return Math.max(least(), sizes.most(before, let, keys, closing));
  }

  /** About the highest rate of any part of the file: that of a store's only one. */
  public double highest() {
    double keys = Math.max(1, store.expectedKeys());
    return Math.min(HIGHEST, 2 * sizes.rateOfStoreWithin(keys, memory * sizes.stockBytes(keys)));
  }

  private static double bitsOf(double share) {
    return share > 0 ? -share * Math.log(share) / Math.log(2) : 0;
  }

  private static List<StoreView.OtherFile> meeting(
      List<StoreView.OtherFile> files, byte[] firstRow, byte[] lastRow) {
    List<StoreView.OtherFile> met = new ArrayList<>();
    for (StoreView.OtherFile file : files) {
      if (file.mayBeAsked(firstRow, lastRow)) {
        met.add(file);
      }
    }
    return met;
  }

  /**
   * How many pairs of the files that have rows of this part have rows of one range, from 0 to 1: 1
   * where any file may have any row, 0 for rows in the order of time. Files that are compacted away
   * tell it, too. 1 if there is but one file.
   */
  private double partThatMeets(List<StoreView.OtherFile> met, byte[] firstRow, byte[] lastRow) {
    List<StoreView.OtherFile> before = meeting(store.rewritten(), firstRow, lastRow);
    boolean isNew = store.rewritten().isEmpty();
    int files = met.size() + before.size() + (isNew ? 1 : 0);
    int inAll = store.others().size() + store.rewritten().size() + (isNew ? 1 : 0);
    if (files < 2) {
      return inAll < 2 ? 1 : 0;
    }
    before.addAll(met);
    double pairs = files * (files - 1) / 2.0;
    return 1 - apart(before) / pairs;
  }

  /** Pairs of files of which one ends before the other begins. */
  private static double apart(List<StoreView.OtherFile> files) {
    List<byte[]> firsts = new ArrayList<>();
    List<byte[]> lasts = new ArrayList<>();
    for (StoreView.OtherFile file : files) {
      if (file.firstRow() != null && file.lastRow() != null) {
        firsts.add(file.firstRow());
        lasts.add(file.lastRow());
      }
    }
    firsts.sort(Arrays::compareUnsigned);
    lasts.sort(Arrays::compareUnsigned);
    double apart = 0;
    int ended = 0;
    for (byte[] first : firsts) {
      while (ended < lasts.size() && Arrays.compareUnsigned(lasts.get(ended), first) < 0) {
        ended++;
      }
      apart += ended;
    }
    return apart;
  }
}
