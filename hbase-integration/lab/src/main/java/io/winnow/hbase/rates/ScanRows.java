package io.winnow.hbase.rates;

import io.winnow.hbase.storefile.RowKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.client.Scan;

/**
 * The rows of a store, file by file, and random queries of them. It knows the right answer of each
 * query from the rows themselves, not from what HBase wrote.
 */
abstract class ScanRows {
  /** A scan or a Get, the number of its rows, and the number of files that have one of them. */
  record Query(Scan scan, int rows, int files) {}

  /** Rows of each file in ascending order; those of the large file come first. */
  final List<byte[][]> files;

  /** Number of bytes in the name of an entity, which is the prefix of its rows. */
  final int prefix;

  ScanRows(int prefix, List<List<byte[]>> files) {
    this.prefix = prefix;
    this.files = files.stream().map(rows -> rows.toArray(byte[][]::new)).toList();
    this.files.forEach(rows -> Arrays.sort(rows, Arrays::compareUnsigned));
  }

  static ScanRows of(ScanStore.Shape shape) {
    return shape.hasTimes() ? TimeRows.of(shape) : EntityRows.of(shape);
  }

  /** Returns a random query of a kind. */
  abstract Scan scan(ScanStore.QueryKind kind, SplittableRandom random);

  /** Returns a random query of a kind, with its right answer. */
  Query query(ScanStore.QueryKind kind, SplittableRandom random) {
    Scan scan = scan(kind, random);
    boolean isReversed = scan.isReversed();
    byte[] smaller = isReversed ? scan.getStopRow() : scan.getStartRow();
    byte[] larger = isReversed ? scan.getStartRow() : scan.getStopRow();
    boolean hasSmaller = isReversed ? scan.includeStopRow() : scan.includeStartRow();
    boolean hasLarger = isReversed ? scan.includeStartRow() : scan.includeStopRow();
    int rows = 0;
    int filesWithRows = 0;
    for (byte[][] file : files) {
      int end = larger.length == 0 ? file.length : rank(file, larger, hasLarger);
      int count = Math.max(0, end - rank(file, smaller, !hasSmaller));
      rows += count;
      filesWithRows += count > 0 ? 1 : 0;
    }
    int limit = scan.getLimit() > 0 ? scan.getLimit() : Integer.MAX_VALUE;
    return new Query(scan, Math.min(rows, limit), filesWithRows);
  }

  /** Returns empty lists for the rows of each file. */
  static List<List<byte[]>> noRows(ScanStore.Shape shape) {
    return Stream.generate(() -> (List<byte[]>) new ArrayList<byte[]>())
        .limit(shape.files())
        .toList();
  }

  /** Returns the number of rows before a given one, or up to it. */
  private static int rank(byte[][] rows, byte[] row, boolean isCounted) {
    int index = Arrays.binarySearch(rows, row, Arrays::compareUnsigned);
    return index < 0 ? -index - 1 : index + (isCounted ? 1 : 0);
  }

  static Scan reversed(Scan scan) {
    return new Scan()
        .setReversed(true)
        .withStartRow(scan.getStopRow(), false)
        .withStopRow(scan.getStartRow(), true);
  }

  /** Returns a scan over many entities, from one on, that ends after some rows. */
  static Scan ofManyEntities(byte[] prefix, int limit) {
    byte[] stop = prefix.clone();
    stop[4] = 'z';
    return new Scan().withStartRow(prefix).withStopRow(stop).setLimit(limit);
  }

  /** Returns the name of an entity, of at most 16 hexadecimal digits. */
  static byte[] name(long entity, int length) {
    return String.format(Locale.ROOT, "%016x", RowKey.mix(entity))
        .substring(0, length)
        .getBytes(StandardCharsets.US_ASCII);
  }
}
