package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilterUtil;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Rows of even numbers are written, those of odd ones, which lie between them, are not. A row's
 * first {@link #PREFIX_SIZE} bytes are its own, so that it can be asked for by prefix as well.
 */
final class Rows {
  static final byte[] FAMILY = Bytes.toBytes("f");
  static final byte[] QUALIFIER = Bytes.toBytes("m");
  static final int PREFIX_SIZE = 12;

  /** So many numbers one after the other have a shorter prefix in common. */
  static final int PER_PREFIX = 100;

  static final int SCANNED_PREFIX_SIZE = 10;

  private static final int BATCH = 1000;

  private Rows() {}

  static byte[] key(int number) {
    return String.format(Locale.ROOT, "key-%08d-and-more", number)
        .getBytes(StandardCharsets.US_ASCII);
  }

  static byte[] value(int number) {
    return Bytes.toBytes("value of " + number);
  }

  static ColumnFamilyDescriptor ribbon(BloomType type) {
    return family("f", type, Map.of("winnow.filter", "ribbon"));
  }

  static ColumnFamilyDescriptor bumped(BloomType type) {
    return family("f", type, Map.of("winnow.filter", "bumped-ribbon"));
  }

  static ColumnFamilyDescriptor quotient(BloomType type) {
    return family("f", type, Map.of("winnow.filter", "quotient"));
  }

  static ColumnFamilyDescriptor stock(BloomType type) {
    return family("f", type, Map.of());
  }

  static ColumnFamilyDescriptor family(String name, BloomType type, Map<String, String> conf) {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(name)).setBloomFilterType(type);
    if (type == BloomType.ROWPREFIX_FIXED_LENGTH) {
      family.setConfiguration(BloomFilterUtil.PREFIX_LENGTH_KEY, Integer.toString(PREFIX_SIZE));
    }
    conf.forEach(family::setConfiguration);
    return family.build();
  }

  /** Writes the rows 2 * from to 2 * (to - 1), one cell each. */
  static void write(Connection connection, TableName name, int from, int to) throws IOException {
    try (Table table = connection.getTable(name)) {
      List<Put> puts = new ArrayList<>();
      for (int i = from; i < to; i++) {
        Put put = new Put(key(2 * i));
        for (ColumnFamilyDescriptor family : table.getDescriptor().getColumnFamilies()) {
          put.addColumn(family.getName(), QUALIFIER, value(2 * i));
        }
        puts.add(put);
        if (puts.size() == BATCH || i == to - 1) {
          table.put(puts);
          puts.clear();
        }
      }
    }
  }

  /** A question for one cell, in the way that the table's filter can answer. */
  private static Get get(int number, byte[] family, byte[] qualifier) {
    return new Get(key(number)).addColumn(family, qualifier);
  }

  /** Which of the rows 0 to 2 * (rows - 1) a Get finds, with their values, in every family. */
  static BitSet found(Connection connection, TableName name, int rows) throws IOException {
    BitSet all = new BitSet();
    all.set(0, rows);
    try (Table table = connection.getTable(name)) {
      for (ColumnFamilyDescriptor family : table.getDescriptor().getColumnFamilies()) {
        for (int start = 0; start < rows; start += BATCH) {
          List<Get> gets = new ArrayList<>();
          for (int i = start; i < Math.min(rows, start + BATCH); i++) {
            gets.add(get(2 * i, family.getName(), QUALIFIER));
          }
          Result[] results = table.get(gets);
          for (int i = 0; i < results.length; i++) {
            if (results[i].isEmpty()) {
              all.clear(start + i);
            } else {
              byte[] value = results[i].getValue(family.getName(), QUALIFIER);
              assertArrayEquals(value(2 * (start + i)), value);
            }
          }
        }
      }
    }
    return all;
  }

  /** All rows are found by Gets and by a scan, and no other. */
  static void assertAllFound(Connection connection, TableName name, int rows) throws IOException {
    assertEquals(rows, found(connection, name, rows).cardinality(), "rows found in " + name);
    int scanned = 0;
    try (Table table = connection.getTable(name);
        ResultScanner scanner = table.getScanner(new Scan().setCaching(BATCH))) {
      for (Result result : scanner) {
        assertArrayEquals(key(2 * scanned), result.getRow());
        scanned++;
      }
    }
    assertEquals(rows, scanned, "rows found by a scan of " + name);
  }

  /** Rows between those written, and columns beside those written, are not there. */
  static void assertMisses(Connection connection, TableName name, int rows) throws IOException {
    try (Table table = connection.getTable(name)) {
      for (int start = 0; start < rows - 1; start += BATCH) {
        List<Get> gets = new ArrayList<>();
        for (int i = start; i < Math.min(rows - 1, start + BATCH); i++) {
          gets.add(get(2 * i + 1, FAMILY, QUALIFIER));
        }
        for (Result result : table.get(gets)) {
          assertTrue(result.isEmpty());
        }
      }
    }
  }

  /** Columns between those written are not there. */
  static void assertColumnMisses(Connection connection, TableName name, int rows)
      throws IOException {
    try (Table table = connection.getTable(name)) {
      for (String qualifier : List.of("a", "z")) {
        List<Get> gets = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
          gets.add(get(2 * i, FAMILY, Bytes.toBytes(qualifier)));
        }
        for (Result result : table.get(gets)) {
          assertTrue(result.isEmpty());
        }
      }
    }
  }
}
