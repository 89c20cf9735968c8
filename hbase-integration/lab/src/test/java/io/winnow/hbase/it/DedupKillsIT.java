package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.dedup.Deduplicator;
import io.winnow.hbase.standalone.StandaloneHBase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Kills of clients and of servers, many of each: the profile {@code dedup-kills}. */
@Tag("dedup-kills")
class DedupKillsIT {
  private static final int KILLS = Integer.getInteger("winnow.dedup.kills", 50);

  /** A server is up again after so long, about; meanwhile calls fail, and are made again. */
  private static final int CALL_MILLIS = 2000;

  private static final int BATCHES_PER_KILL = 2000;

  /** So that a table of fifty kills can be counted again and again. */
  private static final int PAUSE_MILLIS = 20;

  private static final int COUNTED_KILLS = 5;

  @Test
  void writersAreKilled() throws Exception {
    Path directory = TestServer.emptyDirectory("dedup-kills-of-writers");
    Path scratch = Files.createDirectories(directory.resolve("filters"));
    try (TestServer server = TestServer.stock(directory.resolve("hbase"))) {
      TableName table = server.create("killed", DedupEvents.family());
      DedupKills.killWriters(server, scratch, table, KILLS, 17);
    }
  }

  private static StandaloneHBase start(Path directory, int zooKeeperPort) throws Exception {
    return StandaloneHBase.builder(directory)
        .zooKeeperPort(zooKeeperPort)
        .property("fs.file.impl", PlainLocalFileSystem.class.getName())
        .start();
  }

  @Test
  void serversAreKilled() throws Exception {
    Path directory = TestServer.emptyDirectory("dedup-kills-of-servers");
    Path filter = directory.resolve("filter");
    TableName name = TableName.valueOf("survivor");
    DedupEvents.Notes notes =
        DedupEvents.Notes.in(directory.resolve("notes"), BATCHES_PER_KILL * KILLS);
    StandaloneHBase hbase = start(directory.resolve("hbase"), 0);
    try {
      Configuration client = hbase.configuration();
      try (Connection connection = ConnectionFactory.createConnection(client);
          Admin admin = connection.getAdmin()) {
        admin.createTable(
            TableDescriptorBuilder.newBuilder(name).setColumnFamily(DedupEvents.family()).build());
      }
      client.setInt("hbase.rpc.timeout", CALL_MILLIS);
      client.setInt("hbase.client.operation.timeout", 2 * CALL_MILLIS);
      client.setInt("hbase.client.meta.operation.timeout", 2 * CALL_MILLIS);
      client.setInt("hbase.client.retries.number", 3);
      AtomicBoolean stopped = new AtomicBoolean();
      Random random = new Random(19);
      try (Connection impatient = ConnectionFactory.createConnection(client);
          Deduplicator deduplicator =
              Deduplicator.open(impatient, filter, DedupEvents.options(name))) {
        CompletableFuture<Integer> writing =
            CompletableFuture.supplyAsync(() -> write(deduplicator, notes, stopped));
        int inTheMiddle = 0;
        for (int kill = 0; kill < KILLS; kill++) {
          int before = notes.allAcknowledged().cardinality();
          TestServer.await(
              "rows to be written",
              () -> writing.isDone() || notes.allAcknowledged().cardinality() > before + 2);
          TimeUnit.MILLISECONDS.sleep(random.nextInt(500));
          hbase.kill();
          inTheMiddle += notes.allBegun().equals(notes.allAcknowledged()) ? 0 : 1;
          hbase = start(directory.resolve("hbase"), hbase.zooKeeperPort());
          if (kill % COUNTED_KILLS == 0) {
            assertWhole(hbase, name, notes);
          }
        }
        stopped.set(true);
        writing.get(5, TimeUnit.MINUTES);
        assertTrue(inTheMiddle > KILLS / 2, inTheMiddle + " kills met a batch under way");
        assertTrue(deduplicator.statistics().unfinished() > 0);
      }
      assertEquals(notes.allBegun(), notes.allAcknowledged());
      assertWhole(hbase, name, notes);
    } finally {
      hbase.kill();
    }
  }

  private static void assertWhole(StandaloneHBase hbase, TableName name, DedupEvents.Notes notes)
      throws IOException {
    try (Connection patient = ConnectionFactory.createConnection(hbase.configuration())) {
      DedupEvents.assertWhole(patient, name, notes);
    }
  }

  private static int write(
      Deduplicator deduplicator, DedupEvents.Notes notes, AtomicBoolean stopped) {
    try {
      return DedupWriter.writeAll(deduplicator, notes, () -> isStopped(stopped));
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isStopped(AtomicBoolean stopped) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
    return stopped.get();
  }
}
