package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.base.HashMix;
import io.winnow.cascade.CascadeOptions;
import io.winnow.flash.drive.FileAccess;
import io.winnow.hbase.dedup.DedupOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Events with repeats, in batches that many threads and processes write: which row an event is of
 * is told by its number alone. A family keeps five versions, so that a row that is written twice
 * shows. What is acknowledged is noted in a mapped file, which a kill does not take away.
 */
final class DedupEvents {
  static final int BATCH = 100;

  /** Repeats are of one of so many events before. */
  private static final int BACK = 400;

  private static final byte BEGUN = 1;
  private static final byte ACKNOWLEDGED = 2;

  private DedupEvents() {}

  static ColumnFamilyDescriptor family() {
    return ColumnFamilyDescriptorBuilder.newBuilder(Rows.FAMILY).setMaxVersions(5).build();
  }

  static DedupOptions options(TableName table) {
    return options(table, FileAccess.SYSTEM);
  }

  static DedupOptions options(TableName table, FileAccess drive) {
    return DedupOptions.of(table, Rows.FAMILY, Rows.QUALIFIER)
        .filter(
            CascadeOptions.defaults()
                .fileAccess(drive)
                .memoryBudget(1 << 19)
                .expectedMaximum(10_000_000)
                .rate(0.01)); // some false positives are wanted
  }

  static Put put(long row) {
    return new Put(key(row)).addColumn(Rows.FAMILY, Rows.QUALIFIER, Bytes.toBytes(row));
  }

  private static byte[] key(long row) {
    byte[] key = new byte[2 * Long.BYTES];
    Bytes.putLong(key, 0, HashMix.mix(row));
    Bytes.putLong(key, Long.BYTES, row);
    return key;
  }

  /** Of every other event a row that may have come before. */
  static long rowOf(long event) {
    long random = HashMix.mix(event) >>> 1;
    return (random & 1) == 0 ? event : Math.max(0, event - 1 - random % BACK);
  }

  static List<Put> batch(long number) {
    List<Put> puts = new ArrayList<>(BATCH);
    for (long event = number * BATCH; event < (number + 1) * BATCH; event++) {
      puts.add(put(rowOf(event)));
    }
    return puts;
  }

  /** The rows of the events of these batches. */
  static BitSet rowsOf(BitSet batches) {
    BitSet rows = new BitSet();
    batches.stream()
        .forEach(
            number -> {
              for (long i = 0; i < BATCH; i++) {
                rows.set((int) rowOf((long) number * BATCH + i));
              }
            });
    return rows;
  }

  /** Which batches were begun, and which are acknowledged. */
  record Notes(ByteBuffer bytes) {
    static Notes in(Path file, int batches) throws IOException {
      try (FileChannel channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        return new Notes(channel.map(FileChannel.MapMode.READ_WRITE, 0, batches));
      }
    }

    /** Returns the notes of the first batches, which share memory with these. */
    Notes first(int batches) {
      return new Notes(bytes.slice(0, batches));
    }

    int batches() {
      return bytes.limit();
    }

    void begun(int batch) {
      bytes.put(batch, BEGUN);
    }

    void acknowledged(int batch) {
      bytes.put(batch, ACKNOWLEDGED);
    }

    boolean isAcknowledged(int batch) {
      return bytes.get(batch) == ACKNOWLEDGED;
    }

    BitSet allBegun() {
      return having(BEGUN);
    }

    BitSet allAcknowledged() {
      return having(ACKNOWLEDGED);
    }

    private BitSet having(byte least) {
      BitSet batches = new BitSet();
      for (int i = 0; i < batches(); i++) {
        batches.set(i, bytes.get(i) >= least);
      }
      return batches;
    }
  }

  /** The rows that are in the table; each must be there once. */
  static BitSet rowsIn(Connection connection, TableName name) throws IOException {
    BitSet rows = new BitSet();
    Scan scan =
        new Scan().addColumn(Rows.FAMILY, Rows.QUALIFIER).readAllVersions().setCaching(10_000);
    try (Table table = connection.getTable(name);
        ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        long row = Bytes.toLong(result.getRow(), Long.BYTES);
        assertEquals(1, result.size(), () -> "row " + row + " is doubled: " + result);
        assertEquals(row, Bytes.toLong(result.value()));
        rows.set((int) row);
      }
    }
    return rows;
  }

  /**
   * No acknowledged row is lost, none is doubled, and none is there that nobody wrote. Others may
   * write meanwhile.
   */
  static void assertWhole(Connection connection, TableName name, Notes notes) throws IOException {
    BitSet lost = rowsOf(notes.allAcknowledged());
    BitSet there = rowsIn(connection, name);
    lost.andNot(there);
    assertTrue(lost.isEmpty(), () -> "lost: " + lost);
    BitSet unknown = (BitSet) there.clone();
    unknown.andNot(rowsOf(notes.allBegun()));
    assertTrue(unknown.isEmpty(), () -> "nobody wrote: " + unknown);
  }
}
