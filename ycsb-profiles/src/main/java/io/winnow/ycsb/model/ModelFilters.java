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
 * The filters of one store's files, with the number of files that a Get reads unnecessarily.
 *
 * <p>A Get queries the filters of all files. For an absent row it reads a file unnecessarily with
 * that file's rate, so the sum of the rates is the number of such reads. A present row is in one
 * file, in each with a chance that is the file's share of the keys, and only other files can be
 * read unnecessarily. Immutable.
 *
 * @param files the files, oldest first
 */
public record ModelFilters(List<FileFilter> files) {

  /** The size and false-positive rate of the filter of one store file. */
  public record FileFilter(long keys, long bytes, double rate) {
    double bitsPerKey() {
      return 8.0 * bytes / keys;
    }
  }

  /**
   * Returns filters of a store's files that all have one false-positive rate.
   *
   * @param keys numbers of keys of the files
   */
  public static ModelFilters uniform(
      TableFilter kind, List<Long> keys, double rate, int chunkBytes) {
    return new ModelFilters(
        keys.stream().map(n -> file(n, FilterSize.of(kind, n, rate, chunkBytes))).toList());
  }

  /**
   * Returns filters of Winnow whose rates depend on the store ({@code winnow.error.rate.scope} =
   * {@code store}), by the rule that writers use. The rate of a file depends on the files that the
   * store has when it is written; later files do not change it.
   *
   * @param kind the kind of all filters, of flushes too
   * @param keys numbers of keys of the files, in the order in which they are written
   * @param rate the configured rate of a file, {@code io.storefile.bloom.error.rate}
   * @param memory {@code winnow.store.memory}; empty for the default
   */
  public static ModelFilters byStore(
      TableFilter kind, List<Long> keys, double rate, OptionalDouble memory, int chunkBytes) {
    Configuration family = new Configuration(false);
    family.set(Setting.FILTER.key, kind.id());
    family.setDouble(BloomFilterFactory.IO_STOREFILE_BLOOM_ERROR_RATE, rate);
    family.setInt(BloomFilterFactory.IO_STOREFILE_BLOOM_BLOCK_SIZE, chunkBytes);
    memory.ifPresent(share -> family.setDouble(Setting.STORE_MEMORY.key, share));
    StorePlan plan = StorePlan.of(family, BloomType.ROW);
    return new ModelFilters(
        keys.stream()
            .map(plan::load)
            .map(
                file ->
                    new FileFilter(Math.round(file.keys()), Math.round(file.bytes()), file.rate))
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

  /**
   * Returns the mean number of files that a Get of an absent row reads unnecessarily: the sum of
   * the filters' false-positive rates.
   */
  public double falseReadsIfAbsent() {
    return files.stream().mapToDouble(FileFilter::rate).sum();
  }

  /**
   * Returns the mean number of files that a Get of a present row, which is in one file, reads
   * unnecessarily.
   */
  public double falseReadsIfPresent() {
    double all = keys();
    return files.stream().mapToDouble(file -> file.rate() * (1 - file.keys() / all)).sum();
  }

  /**
   * Returns the mean number of files that a Get reads unnecessarily, over present and absent rows.
   *
   * @param present share of Gets that find their row
   */
  public double falseReads(double present) {
    return present * falseReadsIfPresent() + (1 - present) * falseReadsIfAbsent();
  }
}
