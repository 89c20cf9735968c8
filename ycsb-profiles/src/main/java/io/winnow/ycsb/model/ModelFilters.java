package io.winnow.ycsb.model;

import io.winnow.hbase.settings.Setting;
import io.winnow.hbase.settings.StorePlan;
import io.winnow.ycsb.TableFilter;
import java.util.List;
import java.util.OptionalDouble;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilterFactory;

/**
 * The filters of one store's files, and what its Gets pay for them.
 *
 * <p>A Get asks the filters of all files. For an absent row it reads a file unnecessarily with that
 * file's rate: the sum of the rates in all. A present row is in one file, in each by its share of
 * the keys, and only the others can be read unnecessarily. Immutable.
 *
 * @param files oldest first
 */
public record ModelFilters(List<FileFilter> files) {

  /** One file's. */
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
  public static ModelFilters uniform(
      TableFilter kind, List<Long> keys, double rate, int chunkBytes) {
    return new ModelFilters(
        keys.stream().map(n -> file(n, FilterSize.of(kind, n, rate, chunkBytes))).toList());
  }

  /**
   * Filters of Winnow's with the rates that {@code winnow.error.rate.scope} = {@code store} gives
   * them, by the rule that writers use. A file is written beside what the store has then: files
   * that come later change nothing.
   *
   * @param kind of all files, of flushes too
   * @param keys of the files, in the order in which they are written
   * @param rate asked of a file, {@code io.storefile.bloom.error.rate}
   * @param memory {@code winnow.store.memory}; empty for the default
   */
  public static ModelFilters byStore(
      TableFilter kind, List<Long> keys, double rate, OptionalDouble memory, int chunkBytes) {
    Configuration family = new Configuration(false);
    family.set(Setting.FILTER.key(), kind.id());
    family.setDouble(BloomFilterFactory.IO_STOREFILE_BLOOM_ERROR_RATE, rate);
    family.setInt(BloomFilterFactory.IO_STOREFILE_BLOOM_BLOCK_SIZE, chunkBytes);
    memory.ifPresent(share -> family.setDouble(Setting.STORE_MEMORY.key(), share));
    StorePlan plan = StorePlan.of(family, BloomType.ROW);
    return new ModelFilters(
        keys.stream()
            .map(plan::load)
            .map(
                file ->
                    new FileFilter(Math.round(file.keys()), Math.round(file.bytes()), file.rate()))
            .toList());
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

  /** Unnecessary file reads by a Get of an absent row: the sum of the rates. */
  public double falseReadsIfAbsent() {
    return files.stream().mapToDouble(FileFilter::rate).sum();
  }

  /** Unnecessary file reads by a Get of a row that is in one file, each row as likely. */
  public double falseReadsIfPresent() {
    double all = keys();
    return files.stream().mapToDouble(file -> file.rate() * (1 - file.keys() / all)).sum();
  }

  /**
   * Unnecessary file reads by a Get.
   *
   * @param present the share of Gets that find their row
   */
  public double falseReads(double present) {
    return present * falseReadsIfPresent() + (1 - present) * falseReadsIfAbsent();
  }
}
