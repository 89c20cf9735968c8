package io.winnow.hbase.settings;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Rule for the false-positive rate of a file's filter, from the memory that the filters of its
 * store may take. All that need the rule use this class: writers, and the tools that plan or try
 * filters.
 *
 * <p>A Get queries the filters of all files that may have its row, and pays the sum of their rates.
 * With a given memory, that sum is least if each rate is proportional to its file's keys (Dayan,
 * Athanassoulis, Idreos: Monkey, SIGMOD 2017). So with {@code m} = {@code winnow.store.memory}, the
 * share of the memory that HBase's own filters of the same files would take:
 *
 * <ul>
 *   <li>{@code r} is the rate that our filter has with {@code m} times stock's bits per key of the
 *       store, the new file included;
 *   <li>{@code s} is the file's share of the store's keys; {@code F} is the effective number of
 *       files, the product of all {@code s^-s}: 1 for one file and {@code k} for {@code k} equal
 *       ones;
 *   <li><b>{@code e = s r max(c, F)}</b>. {@code c} is 2: half of the rate's memory is left to
 *       files that come later. If the store's files do not overlap, no later file needs it, and
 *       {@code c} is 1.
 * </ul>
 *
 * <p>Then the bounds. The file takes at most its own part, {@code m} times its stock bytes, and
 * half of the memory that the other files left; and never more than {@value #MAX_SHARE_OF_STOCK} of
 * its stock bytes. Its rate is at most that of stock's filter of the file, if {@code m} has room
 * for filters of stock's rates. docs/design/store-rates.md has the reasons.
 *
 * <p>Files whose key ranges do not overlap are never queried for the same row. So the rule is
 * applied to a part of a file and to the files that overlap it; memory is that of the whole store.
 * Rates here are those of a whole query.
 *
 * <p>Prefixes beside rows are keys too, in our filters and in those of stock's that they are
 * compared with. So the sums are those of rows, and rows keep their rates. Not thread-safe.
 */
public final class StoreRate {
  /**
   * The lowest false-positive rate that a filter is given: a lower one is of no use, and this one
   * takes about 20 bits per key.
   */
  static final double MIN_RATE = 1e-6;

  /** The largest size of a Winnow filter, as a share of the stock filter of the same keys. */
  static final double MAX_SHARE_OF_STOCK = 1.25;

  /**
   * Smallest memory, as a share of that of the stock filters, in which Winnow's filters in chunks
   * of usual sizes have the stock filters' rates.
   */
  static final double MIN_MEMORY_FOR_STOCK_RATE = 0.77;

  /** Number of bytes of a filter that are too few to matter. */
  static final double SMALL_BYTES = 1024;

  private static final double MAX_RATE = 0.5;

  /**
   * Share of the filter memory that the other files of the store left unused, which one new file
   * may take.
   */
  private static final double PART_OF_REST = 0.5;

  /**
   * Number of keys that stands for a large store file, whose stock filter is hardly larger than its
   * rate needs.
   */
  private static final double MANY = 1e12;

  /**
   * Minimum filter memory left unused by other files that is reported as the reason for a file's
   * rate, as a share of the file's own part of the memory.
   */
  private static final double SMALL_PART = 0.001;

  /**
   * Largest share of its own part of the filter memory that a file gives up after a compaction, if
   * other files of the store take more than their part.
   */
  private static final double MAX_GIVEN_BACK = 0.5;

  private final StoreView store;
  private final double memory;
  private final Sizes sizes;

  /** True if all files have one rate, because the block cache is too small for the filters. */
  private final boolean isCacheShort;

  /** Bytes that stock filters of the other files that stay in the store would take. */
  private double othersStockBytes;

  /**
   * Bytes that stock filters of the other files that stay in the store would take, if small files
   * took no more per key than large ones: a compaction removes that excess.
   */
  private double othersLasting;

  /** Bytes of the present filters of the other files that stay in the store. */
  private double othersBytes;

  /** Bytes that Winnow filters of the other files would take at the rates of stock filters. */
  private double othersBytesAtStockRates;

  /**
   * Calculator of the sizes and rates of the filters of one family, both HBase's own and Winnow's.
   * Rates are those of a whole query.
   */
  interface Sizes {
    /** Returns the false-positive rate that the stock filter of a file has. */
    double stockRate(double keys);

    /** Returns the false-positive rate for which full chunks of stock filters are sized. */
    double configuredStockRate();

    /** Returns the bytes of the stock filter of a file with a number of keys. */
    double stockBytes(double keys);

    /**
     * Returns the bytes of the Winnow filter of a file with a number of keys, at a false-positive
     * rate.
     */
    double bytes(double keys, double rate);

    /**
     * Returns the false-positive rate, from 0 to 0.5, with which the Winnow filter of a file takes
     * a number of bytes.
     */
    double rateWithin(double keys, double bytes);

    /**
     * Returns the false-positive rate with which a Winnow filter takes a number of bytes, for the
     * kind of filter in the files that have most of the store's keys.
     */
    double rateOfStoreWithin(double keys, double bytes);

    /**
     * Returns the bytes of a file's Winnow filter at a false-positive rate, for the largest kind of
     * filter that the family's files have.
     */
    double maxBytes(double keys, double rate);

    /**
     * Returns the highest false-positive rate of a chunk with which the Winnow filter of its file
     * has no more false positives than the stock filter of the same keys.
     *
     * @param before the keys of the chunks before
     * @param let the sum, over these keys, of the rates of a probe
     * @param keys the keys of the chunk
     * @param closing true if it is the last chunk; if not, the rate holds for any number of later
     *     keys
     */
    double maxChunkRate(double before, double let, double keys, boolean closing);
  }

  /** False-positive rate of a filter, with the reason for it. Immutable. */
  public static final class Decision {
    public final double rate;

    /** The file's share of the keys of all files whose key ranges overlap it. */
    public final double share;

    public final RateReason reason;

    public Decision(double rate, double share, RateReason reason) {
      this.rate = rate;
      this.share = share;
      this.reason = reason;
    }
  }

  /**
   * Creates the rule for the false-positive rate of a new file in a store.
   *
   * @param memory the memory that the store's filters may take, as a share of stock's
   * @param isCacheShort true if the block cache is too small for the server's filters
   */
  StoreRate(StoreView store, double memory, Sizes sizes, boolean isCacheShort) {
    this.store = store;
    this.memory = memory;
    this.sizes = sizes;
    this.isCacheShort = isCacheShort;
    for (StoreView.OtherFile other : store.others) {
      double keys = other.keys;
      othersStockBytes += sizes.stockBytes(keys);
      othersBytes += other.filterBytes;
      othersLasting += Math.min(sizes.stockBytes(keys), keys * sizes.stockBytes(MANY) / MANY);
      othersBytesAtStockRates += sizes.maxBytes(keys, stockRate(keys)) - SMALL_BYTES;
    }
  }

  /** Returns the number of other files in the store of the new file. */
  int others() {
    return store.others.size();
  }

  /**
   * Returns the number of keys that the new store file is expected to have, before it is written.
   */
  public double expectedKeys() {
    return store.expectedKeys;
  }

  /**
   * Decides on the false-positive rate of the filter for a part of the new store file.
   *
   * @param expectedKeys the expected keys of the whole file
   * @param firstRow the first row of the part; null for no bound
   * @param lastRow the last row of the part; null for no bound
   * @return the rate, above 0 and at most 0.5, with the reason
   */
  public Decision decide(double expectedKeys, byte[] firstRow, byte[] lastRow) {
    double keys = Math.max(1, expectedKeys);
    double alike = Math.max(1, store.keysInAll / keys);
    double stock = sizes.stockBytes(keys);
    List<StoreView.OtherFile> met = meeting(store.others, firstRow, lastRow);
    double keysInAll = alike * keys;
    double stockInAll = alike * stock;
    for (StoreView.OtherFile other : met) {
      keysInAll += other.keys;
      stockInAll += sizes.stockBytes(other.keys);
    }
    double share = keys / keysInAll;
    double spread = alike * bitsOf(share);
    for (StoreView.OtherFile other : met) {
      spread += bitsOf(other.keys / keysInAll);
    }
    double ofStore = sizes.rateOfStoreWithin(keysInAll, memory * stockInAll);
    double forLater = 1 + partThatMeets(met, firstRow, lastRow);
    double rate = share * ofStore * Math.max(forLater, Math.pow(2, spread));
    RateReason reason = RateReason.SHARE;

    double own = memory * stock;
    double stockRate = stockRate(keys);
    if (isCacheShort) {
      double oneRate = hasRoomForStockRate() ? stockRate : Math.max(stockRate, ownRate(keys, own));
      return new Decision(Math.min(MAX_RATE, oneRate), share, RateReason.CACHE);
    }
    double rest = memory * othersStockBytes - othersBytes;
    double left = Math.min(rest, memory * othersLasting - othersBytes);
    double room = Math.max(0, left) * PART_OF_REST / alike;
    if (rest < 0 && !store.rewritten.isEmpty()) {
      room = Math.max(rest / alike, -MAX_GIVEN_BACK * own);
    }
    double maxBytes = Math.min(own + room, MAX_SHARE_OF_STOCK * stock);
    double rateOfMax = ownRate(keys, maxBytes);
    if (rate < rateOfMax) {
      rate = rateOfMax;
      reason = room > SMALL_PART * own ? RateReason.ROOM : RateReason.OWN_PART;
    }
    if (rate > stockRate && isStockRateKept(keys, alike, Math.max(own, own + rest))) {
      rate = stockRate;
      reason = RateReason.STOCK;
    }
    return new Decision(Math.min(MAX_RATE, Math.max(rate, minRate())), share, reason);
  }

  /** Returns the lowest rate of a file whose filter takes at most a number of bytes. */
  private double ownRate(double keys, double bytes) {
    return sizes.rateWithin(keys, Math.max(bytes, SMALL_BYTES / 2));
  }

  private double minRate() {
    return Math.min(MIN_RATE, sizes.configuredStockRate());
  }

  private double stockRate(double keys) {
    return Math.max(minRate(), sizes.stockRate(keys));
  }

  /**
   * Returns true if the filter memory of the store has room for filters of the stock filters'
   * rates, the new file's included. A file outside any store has no other filters beside it: then
   * the share decides, because its chunks may be small.
   */
  private boolean isStockRateKept(double keys, double alike, double maxBytes) {
    if (store.isOfOnlyFile() || isCacheShort) {
      return hasRoomForStockRate();
    }
    double stockRate = stockRate(keys);
    double ofAll =
        othersBytesAtStockRates + alike * (sizes.maxBytes(keys, stockRate) - SMALL_BYTES);
    return ofAll <= memory * (othersStockBytes + alike * sizes.stockBytes(keys))
        && sizes.bytes(keys, stockRate) <= maxBytes + SMALL_BYTES;
  }

  /** Returns true if a filter of any file has room for the rate of its stock filter. */
  private boolean hasRoomForStockRate() {
    return memory >= MIN_MEMORY_FOR_STOCK_RATE;
  }

  /**
   * Returns the highest false-positive rate of a chunk with which the new file's filter has no more
   * false positives than the stock filter; 0.5 if memory has no room for that.
   *
   * @param before the keys of the chunks before
   * @param let the sum, over these keys, of the rates of a probe
   * @param keys the keys of the chunk
   * @param closing true if it is the last chunk; if not, the rate holds for any number of later
   *     keys
   */
  public double maxChunkRate(double before, double let, double keys, boolean closing) {
    double all = before + keys;
    double own = memory * sizes.stockBytes(all);
    double rest = memory * othersStockBytes - othersBytes;
    if (!isStockRateKept(all, Math.max(1, store.keysInAll / all), Math.max(own, own + rest))) {
      return MAX_RATE;
    }
    return Math.max(minRate(), sizes.maxChunkRate(before, let, keys, closing));
  }

  /**
   * Returns approximately the highest false-positive rate of any part of the new store file: that
   * of a store's only file.
   */
  public double maxRate() {
    double keys = Math.max(1, store.expectedKeys);
    return Math.min(MAX_RATE, 2 * sizes.rateOfStoreWithin(keys, memory * sizes.stockBytes(keys)));
  }

  /** Returns the term of one share of keys in the entropy, in bits, of all shares. */
  private static double bitsOf(double share) {
    return share > 0 ? -share * Math.log(share) / Math.log(2) : 0;
  }

  private static List<StoreView.OtherFile> meeting(
      List<StoreView.OtherFile> files, byte[] firstRow, byte[] lastRow) {
    return files.stream()
        .filter(file -> file.mayBeQueried(firstRow, lastRow))
        .collect(Collectors.toCollection(ArrayList::new));
  }

  /**
   * Returns the share of pairs of files whose ranges of rows overlap, among the files whose ranges
   * overlap a part of the new file: 1 if any file may have any row, 0 for rows in the order of
   * time. Files that are compacted away count too. 1 if there is only one file.
   */
  private double partThatMeets(List<StoreView.OtherFile> met, byte[] firstRow, byte[] lastRow) {
    List<StoreView.OtherFile> before = meeting(store.rewritten, firstRow, lastRow);
    boolean isNew = store.rewritten.isEmpty();
    int files = met.size() + before.size() + (isNew ? 1 : 0);
    int inAll = store.others.size() + store.rewritten.size() + (isNew ? 1 : 0);
    if (files < 2) {
      return inAll < 2 ? 1 : 0;
    }
    before.addAll(met);
    double pairs = files * (files - 1) / 2.0;
    return 1 - apart(before) / pairs;
  }

  /** Returns the number of pairs of files whose ranges of rows do not overlap. */
  private static double apart(List<StoreView.OtherFile> files) {
    List<byte[]> firsts = new ArrayList<>();
    List<byte[]> lasts = new ArrayList<>();
    for (StoreView.OtherFile file : files) {
      if (file.firstRow != null && file.lastRow != null) {
        firsts.add(file.firstRow);
        lasts.add(file.lastRow);
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
