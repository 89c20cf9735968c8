package io.winnow.hbase.dedup.bench;

import io.winnow.hbase.contest.Contender;
import io.winnow.hbase.dedup.Deduplicator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;

/** A way to write a batch of rows to HBase so that each row is stored once. Thread-safe. */
enum Way implements Contender {
  /**
   * A way of writing in which HBase checks whether the row exists and writes it in the same step.
   */
  CHECK_AND_MUTATE("checkAndMutate") {
    @Override
    int write(Connection connection, Deduplicator none, List<Put> puts) throws IOException {
      List<CheckAndMutate> checks = new ArrayList<>(puts.size());
      for (Put put : puts) {
        checks.add(
            CheckAndMutate.newBuilder(put.getRow())
                .ifNotExists(BenchTable.FAMILY, BenchTable.QUALIFIER)
                .build(put));
      }
      try (Table table = connection.getTable(BenchTable.NAME)) {
        return (int)
            table.checkAndMutate(checks).stream().filter(CheckAndMutateResult::isSuccess).count();
      }
    }
  },

  /**
   * A way of writing in which the client queries HBase which rows exist, and writes the others. No
   * two such clients may write the same row.
   */
  GET_THEN_PUT("Get, then Put") {
    @Override
    int write(Connection connection, Deduplicator none, List<Put> puts) throws IOException {
      List<Get> gets = new ArrayList<>(puts.size());
      for (Put put : puts) {
        gets.add(new Get(put.getRow()).addColumn(BenchTable.FAMILY, BenchTable.QUALIFIER));
      }
      try (Table table = connection.getTable(BenchTable.NAME)) {
        boolean[] there = table.exists(gets);
        List<Put> absent = new ArrayList<>(puts.size());
        for (int i = 0; i < there.length; i++) {
          if (!there[i]) {
            absent.add(puts.get(i));
          }
        }
        table.put(absent);
        return absent.size();
      }
    }
  },

  DEDUPLICATOR("de-duplicator") {
    @Override
    int write(Connection connection, Deduplicator deduplicator, List<Put> puts) throws IOException {
      return deduplicator.write(puts).storedCount();
    }
  },

  /**
   * A way of writing that queries nothing, so it writes repeated rows again. It is the upper limit
   * for the speed of all ways.
   */
  PUT("Put, unasked") {
    @Override
    int write(Connection connection, Deduplicator none, List<Put> puts) throws IOException {
      try (Table table = connection.getTable(BenchTable.NAME)) {
        table.put(puts);
        return puts.size();
      }
    }
  };

  private final String id;

  Way(String id) {
    this.id = id;
  }

  @Override
  public String id() {
    return id;
  }

  /**
   * Writes a batch of rows to HBase so that each row is stored once. Returns the number of rows
   * that were stored.
   */
  abstract int write(Connection connection, Deduplicator deduplicator, List<Put> puts)
      throws IOException;
}
