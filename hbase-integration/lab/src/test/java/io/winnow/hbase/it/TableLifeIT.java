package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What happens to a table on one server with the agent. After each step every row is there, its
 * files have the right filters, and the tools agree: {@link TableTruth}.
 */
class TableLifeIT {
  private static final int ROWS = 600;

  private static TestServer server;
  private static Connection connection;
  private static Admin admin;

  @BeforeAll
  static void start() throws Exception {
    server = TestServer.withAgent(TestServer.emptyDirectory("table-life"));
    connection = server.connection();
    admin = server.admin();
  }

  @AfterAll
  static void stop() throws IOException {
    if (server != null) {
      server.kill();
    }
  }

  private static void alter(TableName table, ColumnFamilyDescriptor... families)
      throws IOException {
    TableDescriptorBuilder altered = TableDescriptorBuilder.newBuilder(admin.getDescriptor(table));
    for (ColumnFamilyDescriptor family : families) {
      altered.modifyColumnFamily(family);
    }
    admin.modifyTable(altered.build());
  }

  @Test
  void stockToWinnowAndBackWithoutACompactionAndWithOne() throws Exception {
    ColumnFamilyDescriptor[] ours = EveryFilter.families(BloomType.ROWCOL);
    ColumnFamilyDescriptor[] stock = EveryFilter.stockFamilies(BloomType.ROWCOL);
    TableName table = server.create("there-and-back", stock);
    TableTruth truth = TableTruth.of(server, table);
    truth.write(0, ROWS / 2);
    server.flush(table);
    truth.assertHolds(0, EveryFilter.filters(0, "bloom"));

    alter(table, ours);
    truth.assertHolds(EveryFilter.OURS, EveryFilter.filters(0, "bloom"));
    truth.write(ROWS / 4, ROWS);
    server.flush(table);
    truth.assertHolds(EveryFilter.OURS, EveryFilter.filters(1, "bloom"));

    alter(table, stock);
    truth.assertHolds(EveryFilter.OURS, EveryFilter.filters(1, "bloom"));
    truth.delete(0, ROWS / 10);
    truth.write(ROWS / 2, ROWS);
    server.flush(table);
    truth.assertHolds(EveryFilter.OURS, EveryFilter.filters(1, "bloom", "bloom"));
    server.reopen(Set.of(table));
    truth.assertRows();

    alter(table, ours);
    server.majorCompact(table);
    truth.assertHolds(0, EveryFilter.filters(1));
    alter(table, stock);
    truth.assertHolds(EveryFilter.OURS, EveryFilter.filters(1));
    server.majorCompact(table); // of one file, which a major compaction wrote
    truth.assertHolds(0, EveryFilter.filters(0, "bloom"));
  }

  /** A setting of the family {@code f}, and the filter that its flushes then have. */
  private record Change(BloomType type, Map<String, String> settings, String filter) {
    private static Change of(BloomType type, String filter) {
      return new Change(
          type,
          Map.of(
              "winnow.filter", filter,
              "winnow.filter.flush", filter,
              "winnow.error.rate.scope", "file"),
          filter);
    }

    private ColumnFamilyDescriptor family() {
      return Rows.family("f", type, settings);
    }
  }

  private static final List<Change> CHANGES =
      List.of(
          new Change(BloomType.ROW, Map.of(), "bloom"),
          Change.of(BloomType.ROW, "ribbon"),
          Change.of(BloomType.ROW, "bumped-ribbon"),
          Change.of(BloomType.ROW, "quotient"),
          new Change(
              BloomType.ROW,
              Map.of(
                  "winnow.filter", "bumped-ribbon",
                  "winnow.filter.flush", "bumped-ribbon",
                  "winnow.store.memory", "0.7"),
              "bumped-ribbon"));

  @Test
  void everyFilterSideBySideInOneFamily() throws Exception {
    TableName table = server.create("side-by-side", CHANGES.get(0).family());
    TableTruth truth = TableTruth.of(server, table);
    List<String> filters = new ArrayList<>();
    for (Change change : CHANGES) {
      alter(table, change.family());
      // Each row is in several files, and the newest is right.
      int first = filters.size() * ROWS / 10;
      truth.write(first, first + ROWS / 2);
      truth.delete(first + ROWS / 4, first + ROWS / 4 + ROWS / 20);
      server.flush(table);
      filters.add(change.filter());
      long left = filters.stream().filter(filter -> !filter.equals(change.filter())).count();
      truth.assertHolds((int) left, filters.toArray(String[]::new));
    }
    server.reopen(Set.of(table));
    truth.assertRows();

    int ofAFile = 0;
    int partOfTheStores = 0;
    for (JsonNode file : truth.inspect()) {
      JsonNode asked = file.get("general").get("askedRate"); // HBase's own does not tell
      if (asked != null) {
        boolean isWhole = asked.asDouble() > 0.009; // of 1 %
        ofAFile += isWhole ? 1 : 0;
        partOfTheStores += isWhole ? 0 : 1;
      }
    }
    assertEquals(CHANGES.size() - 2, ofAFile, "files with the rate of a file");
    assertEquals(1, partOfTheStores, "files with a part of the store's rate");

    server.majorCompact(table);
    truth.assertHolds(0, "bumped-ribbon");
  }

  /** Reads and writes go on all the time: no answer is wrong, no acknowledged row is missing. */
  @Test
  void familyIsAlteredWhileItIsReadAndWritten() throws Exception {
    TableName table = server.create("altered-in-use", CHANGES.get(0).family());
    AtomicInteger acknowledged = new AtomicInteger();
    AtomicBoolean isOver = new AtomicBoolean();
    Callable<Integer> writer =
        () -> {
          int rows = 0;
          for (; !isOver.get(); rows += 10) {
            Rows.write(connection, table, rows, rows + 10);
            acknowledged.set(rows + 10);
          }
          return rows;
        };
    AtomicInteger reads = new AtomicInteger();
    Callable<Void> reader =
        () -> {
          Random random = new Random(1);
          try (Table open = connection.getTable(table)) {
            while (!isOver.get()) {
              int known = acknowledged.get();
              if (known > 0) {
                int number = random.nextInt(2 * known);
                Result result = open.get(new Get(Rows.key(number)));
                byte[] value = result.getValue(Rows.FAMILY, Rows.QUALIFIER);
                String row = "row " + number + " of " + 2 * known;
                if (number % 2 == 0) {
                  assertTrue(Arrays.equals(Rows.value(number), value), row);
                } else {
                  assertTrue(result.isEmpty(), row);
                }
                reads.incrementAndGet();
              }
            }
          }
          return null;
        };
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      Future<Integer> writes = threads.submit(writer);
      List<Future<Void>> readers = List.of(threads.submit(reader), threads.submit(reader));
      List<Change> changes = new ArrayList<>(CHANGES);
      changes.add(2, Change.of(BloomType.ROWCOL, "ribbon"));
      changes.add(4, Change.of(BloomType.ROWPREFIX_FIXED_LENGTH, "quotient"));
      for (Change change : changes) {
        alter(table, change.family());
        int rowsBefore = acknowledged.get();
        int readsBefore = reads.get();
        TestServer.await(
            "more rows and reads",
            () ->
                writes.isDone()
                    || readers.stream().anyMatch(Future::isDone)
                    || acknowledged.get() > rowsBefore + 100 && reads.get() > readsBefore + 100);
        server.flush(table);
        if (change.filter().equals("ribbon")) {
          admin.majorCompact(table); // goes on beside the next alter
        }
      }
      isOver.set(true);
      TableTruth truth = TableTruth.of(server, table);
      truth.wereWritten(0, writes.get(10, TimeUnit.MINUTES));
      for (Future<Void> read : readers) {
        read.get(10, TimeUnit.MINUTES);
      }
      server.flush(table);
      truth.assertRows();
      server.majorCompact(table);
      truth.assertHolds(0, "bumped-ribbon");
    } finally {
      isOver.set(true);
      threads.shutdownNow();
    }
  }

  @Test
  void regionIsSplitAndItsDaughtersMerged() throws Exception {
    TableName table = server.create("split-and-merged", EveryFilter.families(BloomType.ROW));
    TableTruth truth = TableTruth.of(server, table);
    truth.write(0, ROWS);
    server.flush(table);
    truth.write(ROWS / 4, 3 * ROWS / 4);
    truth.delete(0, ROWS / 10);
    server.flush(table);
    truth.assertHolds(0, EveryFilter.filters(2));

    admin.compactionSwitch(false, List.of()); // or it compacts what refers to other files
    try {
      RegionInfo whole = server.regions(table).get(0);
      admin.splitRegionAsync(whole.getRegionName(), Rows.key(ROWS)).get(10, TimeUnit.MINUTES);
      assertEquals(2, server.regions(table).size());
      truth.assertHolds(0, EveryFilter.filters(4)); // halves of the parent's files
      truth.write(ROWS / 2, ROWS);
      server.flush(table);
      truth.assertHolds(0, EveryFilter.filters(5));
    } finally {
      admin.compactionSwitch(true, List.of());
    }
    server.majorCompact(table);
    server.awaitNoOldRegions(table);
    truth.assertHolds(0, EveryFilter.filters(2)); // one for each daughter

    admin.compactionSwitch(false, List.of());
    try {
      byte[][] daughters =
          server.regions(table).stream().map(RegionInfo::getRegionName).toArray(byte[][]::new);
      admin.mergeRegionsAsync(daughters, true).get(10, TimeUnit.MINUTES);
      assertEquals(1, server.regions(table).size());
      truth.assertHolds(0, EveryFilter.filters(2));
    } finally {
      admin.compactionSwitch(true, List.of());
    }
    server.majorCompact(table);
    server.awaitNoOldRegions(table);
    truth.assertHolds(0, EveryFilter.filters(1));
  }

  @Test
  void snapshotIsClonedAndRestored() throws Exception {
    ColumnFamilyDescriptor[] ours = EveryFilter.families(BloomType.ROW);
    TableName table = server.create("snapshot", ours);
    TableTruth truth = TableTruth.of(server, table);
    truth.write(0, ROWS / 2);
    server.flush(table);
    truth.write(ROWS / 4, ROWS);
    server.flush(table);
    admin.snapshot("as-it-was", table);
    TableTruth asItWas = truth.copy(server, table);

    // Time goes on: another filter, other rows, no file as it was.
    alter(table, EveryFilter.stockFamilies(BloomType.ROW));
    truth.delete(0, ROWS / 4);
    truth.write(ROWS / 2, ROWS + ROWS / 4);
    server.flush(table);
    server.majorCompact(table);
    truth.assertHolds(0, EveryFilter.filters(0, "bloom"));

    TableName clone = TableName.valueOf("clone");
    admin.cloneSnapshot("as-it-was", clone);
    TableTruth ofClone = asItWas.copy(server, clone);
    ofClone.assertHolds(0, EveryFilter.filters(2)); // links to files in the archive

    admin.disableTable(table);
    admin.restoreSnapshot("as-it-was");
    admin.enableTable(table);
    asItWas.assertHolds(0, EveryFilter.filters(2));
    for (TableTruth one : List.of(asItWas, ofClone)) {
      one.write(0, ROWS / 10);
    }
    for (TableName one : List.of(table, clone)) {
      server.flush(one);
      server.majorCompact(one);
    }
    asItWas.assertHolds(0, EveryFilter.filters(1));
    ofClone.assertHolds(0, EveryFilter.filters(1));
  }

  @Test
  void snapshotOfASplitRegionIsCloned() throws Exception {
    TableName table = server.create("split-snapshot", EveryFilter.families(BloomType.ROWCOL));
    TableTruth truth = TableTruth.of(server, table);
    truth.write(0, ROWS);
    server.flush(table);
    TableName clone = TableName.valueOf("split-clone");
    admin.compactionSwitch(false, List.of());
    try {
      RegionInfo whole = server.regions(table).get(0);
      admin.splitRegionAsync(whole.getRegionName(), Rows.key(ROWS)).get(10, TimeUnit.MINUTES);
      truth.assertRows(); // a snapshot lacks a region that its server does not serve yet
      admin.snapshot("halves", table);
      admin.cloneSnapshot("halves", clone);
      // Halves of links to files of another table.
      truth.copy(server, clone).assertHolds(0, EveryFilter.filters(2));
    } finally {
      admin.compactionSwitch(true, List.of());
    }
    server.majorCompact(clone);
    server.awaitNoOldRegions(clone);
    truth.copy(server, clone).assertHolds(0, EveryFilter.filters(2));
  }
}
