package io.winnow.ycsb.model;

import io.winnow.hbase.StorePlan;
import io.winnow.ycsb.FilterKind;
import java.util.ArrayList;
import java.util.List;

/**
 * The filters of one store's files, and what its Gets pay for them.
 *
 * <p>A Get asks the filters of all files. For an absent row it reads a file in vain with that
 * file's rate: the sum of the rates in all. A present row is in one file, in each by its share of
 * the keys, and only the others can be read in vain. Immutable.
 *
 * @param files oldest first
 */
public record StoreFilters(List<FileFilter> files) {

  /** From here on, a filter costs more than it spares, and the file has none. */
  private static final double MOST_RATE = 0.5;

  /**
   * One file's.
   *
   * @param rate 1 if it has no filter
   */
  public record FileFilter(long keys, long bytes, double rate) {
    double bitsPerKey() {
      return 8.0 * bytes / keys;
    }
  }

  /**
   * One rate for all files.
   *
   * @param keys of the files
   */
  public static StoreFilters uniform(
      FilterKind kind, List<Long> keys, double rate, int chunkBytes) {
    return new StoreFilters(
        keys.stream().map(n -> file(n, FilterSize.of(kind, n, rate, chunkBytes))).toList());
  }

  /**
   * Bumped-ribbon filters, each file's rate by its share of the store, as {@code
   * winnow.error.rate.scope} = {@code store} gives them. A file is written with its share of what
   * the store has then: files that come later change nothing.
   *
   * @param keys of the files, in the order in which they are written
   * @param inAll what a Get may pay in all, {@code winnow.store.error.rate}
   * @param presentShare of the Gets, {@code winnow.store.present.share}
   */
  public static StoreFilters byShare(
      List<Long> keys, double inAll, double presentShare, int chunkBytes) {
    return written(keys, inAll, presentShare, null, chunkBytes);
  }

  /**
   * The same where neither setting is given: then no file lets through more than its stock filter
   * would, and in a large store, filters take at most 80 % of what stock's would.
   *
   * @param rate asked of a file, {@code io.storefile.bloom.error.rate}
   */
  public static StoreFilters byDefault(List<Long> keys, double rate, int chunkBytes) {
    return written(
        keys,
        rate,
        0,
        new StorePlan.Sizes() {
          @Override
          public double stockRate(double n) {
            return stock(n).rate();
          }

          @Override
          public double stockBytes(double n) {
            return stock(n).bytes();
          }

          @Override
          public double bytes(double n, double ofRate) {
            return ofRate(Math.round(n), ofRate, chunkBytes).bytes();
          }

          private FilterSize stock(double n) {
            return FilterSize.of(FilterKind.BLOOM, Math.round(n), rate, chunkBytes);
          }
        },
        chunkBytes);
  }

  private static StoreFilters written(
      List<Long> keys, double inAll, double presentShare, StorePlan.Sizes guard, int chunkBytes) {
    List<FileFilter> files = new ArrayList<>();
    List<StorePlan.PlannedFile> others = new ArrayList<>();
    for (long n : keys) {
      double rate = StorePlan.rate(n, others, inAll, presentShare, guard);
      FileFilter file = ofRate(n, rate, chunkBytes);
      files.add(file);
      others.add(new StorePlan.PlannedFile(n, file.bytes()));
    }
    return new StoreFilters(files);
  }

  private static FileFilter ofRate(long keys, double rate, int chunkBytes) {
    return rate > MOST_RATE
        ? new FileFilter(keys, 0, 1)
        : file(keys, FilterSize.of(FilterKind.BUMPED_RIBBON, keys, rate, chunkBytes));
  }

  private static FileFilter file(long keys, FilterSize size) {
    return new FileFilter(keys, size.bytes(), size.rate());
  }

  public long keys() {
    return files.stream().mapToLong(FileFilter::keys).sum();
  }

  public long bytes() {
    return files.stream().mapToLong(FileFilter::bytes).sum();
  }

  public double bitsPerKey() {
    return 8.0 * bytes() / keys();
  }

  /** Files read in vain by a Get of an absent row: the sum of the rates. */
  public double falseReadsIfAbsent() {
    return files.stream().mapToDouble(FileFilter::rate).sum();
  }

  /** Files read in vain by a Get of a row that is in one file, each row as likely. */
  public double falseReadsIfPresent() {
    double all = keys();
    return files.stream().mapToDouble(file -> file.rate() * (1 - file.keys() / all)).sum();
  }

  /**
   * Files read in vain by a Get.
   *
   * @param present the share of Gets that find their row
   */
  public double falseReads(double present) {
    return present * falseReadsIfPresent() + (1 - present) * falseReadsIfAbsent();
  }
}
