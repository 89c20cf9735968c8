package io.winnow.ycsb.model;

import io.winnow.hbase.settings.Setting;
import io.winnow.hbase.settings.StorePlan;
import io.winnow.ycsb.TableFilter;
import java.util.ArrayList;
import java.util.List;
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
record FilterFigures(List<FileFilter> files) {

  /**
   * The filter of one store file. Only its chunks count: the index of chunks in the meta block, a
   * first key and about 20 bytes for each, is left out.
   *
   * @param bytes bytes of all chunks
   */
  record FileFilter(long keys, double rate, double bytes) {
    double bitsPerKey() {
      return 8 * bytes / keys;
    }
  }

  /**
   * Returns the filters of a store's files, as writers size them. With rates by store the rate of a
   * file depends on the files that the store has when it is written; later files do not change it.
   *
   * @param kind the kind of all filters, of flushes too
   * @param keys numbers of keys of the files, in the order in which they are written
   * @param options the configured rate of a file and the bytes of a full chunk
   * @param scope {@code winnow.error.rate.scope}: {@code file} for one rate for all files
   * @param memory {@code winnow.store.memory}; null for the default
   */
  static FilterFigures of(
      TableFilter kind, List<Long> keys, Model options, String scope, Double memory) {
    boolean isStock = kind == TableFilter.BLOOM;
    Configuration family = new Configuration(false);
    family.set(Setting.FILTER.key, (isStock ? TableFilter.RIBBON : kind).id());
    family.set(Setting.RATE_SCOPE.key, scope);
    family.setDouble(BloomFilterFactory.IO_STOREFILE_BLOOM_ERROR_RATE, options.rate);
    family.setInt(BloomFilterFactory.IO_STOREFILE_BLOOM_BLOCK_SIZE, options.chunk);
    if (memory != null) {
      family.setDouble(Setting.STORE_MEMORY.key, memory);
    }
    StorePlan plan = StorePlan.of(family, BloomType.ROW);
    List<FileFilter> files = new ArrayList<>();
    for (long n : keys) {
      StorePlan.PlannedFile file = plan.load(n);
      files.add(
          isStock
              ? new FileFilter(n, file.stockRate, file.stockBytes)
              : new FileFilter(n, file.rate, file.bytes()));
    }
    return new FilterFigures(files);
  }

  long keys() {
    return files.stream().mapToLong(FileFilter::keys).sum();
  }

  double bytes() {
    return files.stream().mapToDouble(FileFilter::bytes).sum();
  }

  double bitsPerKey() {
    return 8 * bytes() / keys();
  }

  /**
   * Returns the mean number of files that a Get of an absent row reads unnecessarily: the sum of
   * the filters' false-positive rates.
   */
  double falseReadsIfAbsent() {
    return files.stream().mapToDouble(FileFilter::rate).sum();
  }

  /**
   * Returns the mean number of files that a Get of a present row, which is in one file, reads
   * unnecessarily.
   */
  double falseReadsIfPresent() {
    double all = keys();
    return files.stream().mapToDouble(file -> file.rate() * (1 - file.keys() / all)).sum();
  }

  /**
   * Returns the mean number of files that a Get reads unnecessarily, over present and absent rows.
   *
   * @param present share of Gets that find their row
   */
  double falseReads(double present) {
    return present * falseReadsIfPresent() + (1 - present) * falseReadsIfAbsent();
  }
}
