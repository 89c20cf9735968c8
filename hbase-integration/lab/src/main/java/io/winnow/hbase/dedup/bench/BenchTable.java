package io.winnow.hbase.dedup.bench;

import io.winnow.base.HashMix;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The HBase table of the benchmark of de-duplication, into which all compared ways of writing
 * write. Row {@code number} of {@code range} has a key of 16 bytes, spread evenly. The rows of
 * range 0 are loaded at the start; each way has a range of its own for new rows. The family keeps
 * five versions, so that a row that is written twice is detected.
 */
final class BenchTable {
  static final TableName NAME = TableName.valueOf("dedup_bench");
  static final byte[] FAMILY = Bytes.toBytes("f");
  static final byte[] QUALIFIER = Bytes.toBytes("c");
  static final int LOADED = 0;

  private static final int VERSIONS = 5;
  private static final int VALUE_BYTES = 100;
  private static final int LOAD_BATCH = 5000;
  private static final int RANGE_SHIFT = 48;

  private BenchTable() {}

  static Put put(int range, long number) {
    return new Put(key(range, number)).addColumn(FAMILY, QUALIFIER, value(number));
  }

  private static byte[] key(int range, long number) {
    long id = ((long) range << RANGE_SHIFT) + number;
    byte[] key = new byte[2 * Long.BYTES];
    Bytes.putLong(key, 0, HashMix.mix(id));
    Bytes.putLong(key, Long.BYTES, id);
    return key;
  }

  private static byte[] value(long number) {
    byte[] value = new byte[VALUE_BYTES];
    new Random(number).nextBytes(value);
    return value;
  }

  private static int rangeOf(byte[] key) {
    return (int) (Bytes.toLong(key, Long.BYTES) >>> RANGE_SHIFT);
  }

  /**
   * Drops the de-duplication benchmark's table and makes a new one with the given number of rows in
   * store files.
   *
   * @param progress a consumer of the number of rows of each batch
   */
  static void load(Connection connection, long rows, IntConsumer progress) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      if (admin.tableExists(NAME)) {
        admin.disableTable(NAME);
        admin.deleteTable(NAME);
      }
      admin.createTable(
          TableDescriptorBuilder.newBuilder(NAME)
              .setColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMaxVersions(VERSIONS).build())
              .build());
      try (Table table = connection.getTable(NAME)) {
        List<Put> puts = new ArrayList<>(LOAD_BATCH);
        for (long number = 0; number < rows; number++) {
          puts.add(put(LOADED, number));
          if (puts.size() == LOAD_BATCH || number == rows - 1) {
            table.put(puts);
            progress.accept(puts.size());
            puts.clear();
          }
        }
      }
      admin.flush(NAME);
    }
  }

  /**
   * Numbers of rows in the de-duplication benchmark's table, one for each range of row keys.
   *
   * @param rows number of rows of each range
   * @param doubled number of rows with more than one version, of each range
   */
  record Census(long[] rows, long[] doubled) {}

  /**
   * Counts the rows of the de-duplication benchmark's table, and those that were written twice, for
   * each range of row keys.
   */
  static Census census(Connection connection) throws IOException {
    Census census =
        new Census(new long[Way.values().length + 1], new long[Way.values().length + 1]);
    Scan scan =
        new Scan()
            .addColumn(FAMILY, QUALIFIER)
            .readAllVersions()
            .setFilter(new KeyOnlyFilter())
            .setCaching(LOAD_BATCH)
            .setCacheBlocks(false);
    try (Table table = connection.getTable(NAME);
        ResultScanner scanner = table.getScanner(scan)) {
      for (Result row = scanner.next(); row != null; row = scanner.next()) {
        int range = rangeOf(row.getRow());
        census.rows()[range]++;
        census.doubled()[range] += row.size() > 1 ? 1 : 0;
      }
    }
    return census;
  }
}
