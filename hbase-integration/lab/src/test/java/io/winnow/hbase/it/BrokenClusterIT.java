package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.winnow.hbase.it.BrokenCluster.Counters;
import io.winnow.hbase.standalone.LocalCluster;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A real cluster, broken on purpose, while rows are written and read: every acknowledged row is
 * there, reads go on, and the counters tell what happened. In the profile {@code broken-cluster}.
 */
@Tag("broken-cluster")
@Isolated // from the other class of the profile
class BrokenClusterIT {
  /** Some six seconds of a flush. */
  private static final int MANY_ROWS = 40_000;

  private static final int ROWS = 20_000;

  /** Of a bulk load, and how many rows each of them has. */
  private static final int LOADED_FILES = 60;

  private static final int LOADED_ROWS = 20;

  /** A block of this size shares HDFS's checksum of its middle with no other block. */
  private static final int OF_ITS_OWN = 2048;

  /** What a filter must never do because of a server that died. */
  private static final List<String> FAULTS =
      List.of(
          "fallbacksWrongSetting",
          "fallbacksMemoryLimit",
          "fallbacksFailure",
          "filtersAbandoned",
          "chunksGivenUp",
          "loadFailures",
          "probeFailures",
          "storeFailures",
          "openFailures");

  private static final String FALSE_READS = "falsePositives";

  private static BrokenCluster cluster;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    cluster = BrokenCluster.start(TestServer.emptyDirectory("broken-cluster"));
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  /**
   * In the end: every row is there, for a Get and a Scan, from files that have the filter that is
   * asked for.
   */
  private static void assertWhole(TableName table, Traffic traffic) throws Exception {
    traffic.end();
    cluster.flush(table);
    traffic.assertAllThere();
    JsonNode audit = cluster.audit(table, 0);
    List<String> files = cluster.storeFiles(table);
    assertEquals(files.size(), audit.get("files").asInt(), audit::toString);
    assertEquals(files.size(), audit.get("filesThatNeedTheAgent").asInt(), audit::toString);
    assertEquals(0, audit.get("filesNotAsAsked").asInt(), audit::toString);
  }

  private static void assertNoFaults(Counters before, String... but) throws Exception {
    Counters now = cluster.settledCounters();
    for (String fault : FAULTS) {
      if (!List.of(but).contains(fault)) {
        assertEquals(0, now.since(before, fault), fault);
      }
    }
  }

  /** Waits till a file is being written, and the first chunk of its filter is built. */
  private static void awaitChunk(TableName table, Counters before) throws Exception {
    TestServer.await(
        "an unfinished file of " + table + " with a chunk",
        () ->
            !cluster.unfinished(table).isEmpty()
                && cluster.counters().since(before, "chunksBuilt") > 0);
  }

  /**
   * Kills the server while it writes a file of the table: the file lies where unfinished ones do,
   * and the store has the files that it had before.
   */
  private static void killWhileItWrites(TableName table, BrokenCluster.Request request)
      throws Exception {
    LocalCluster.Status server = cluster.serverOf(table);
    List<String> files = cluster.storeFiles(table);
    Counters before = cluster.counters();
    cluster.later(request);
    awaitChunk(table, before);
    cluster.kill(server.name());
    assertFalse(cluster.unfinished(table).isEmpty());
    assertEquals(files, cluster.storeFiles(table));
  }

  @Test
  void serverIsKilledInAFlush() throws Exception {
    TableName table = cluster.create("flush", "ribbon", Map.of());
    try (Traffic traffic = cluster.traffic(table)) {
      Counters before = cluster.counters();
      traffic.write(MANY_ROWS);
      traffic.begin();
      killWhileItWrites(table, admin -> admin.flush(table));
      traffic.awaitMore(); // on the other server
      cluster.revive();
      traffic.awaitMore();
      assertWhole(table, traffic);
      assertNoFaults(before);
    }
  }

  @Test
  void serverIsKilledInACompaction() throws Exception {
    TableName table = cluster.create("compaction", "bumped-ribbon", Map.of());
    try (Traffic traffic = cluster.traffic(table)) {
      Counters before = cluster.counters();
      for (int file = 0; file < 2; file++) {
        traffic.write(MANY_ROWS / 2);
        cluster.flush(table);
      }
      traffic.begin();
      killWhileItWrites(table, admin -> admin.majorCompact(table));
      traffic.awaitMore();
      cluster.revive();
      traffic.awaitMore();
      assertWhole(table, traffic);
      cluster.majorCompact(table);
      assertWhole(table, traffic);
      assertNoFaults(before);
    }
  }

  private static byte[] loadedRow(int number) {
    return Bytes.toBytes("load-%06d".formatted(number));
  }

  /** Writes files as a job does, for a family with quotient filters. */
  private static Path writeFiles(String name) throws IOException {
    Configuration conf = cluster.configuration();
    conf.set("winnow.filter", "quotient");
    Path directory = cluster.hdfs().makeQualified(new Path("/" + name));
    for (int file = 0; file < LOADED_FILES; file++) {
      StoreFileWriter writer =
          new StoreFileWriter.Builder(conf, CacheConfig.DISABLED, cluster.hdfs())
              .withFilePath(new Path(directory, "f/%032x".formatted(file)))
              .withBloomType(BloomType.ROW)
              .withFileContext(new HFileContextBuilder().build())
              .build();
      for (int i = 0; i < LOADED_ROWS; i++) {
        byte[] row = loadedRow(file * LOADED_ROWS + i);
        writer.append(new KeyValue(row, Rows.FAMILY, Rows.QUALIFIER, 1L, row));
      }
      writer.appendFileInfo(HStoreFile.BULKLOAD_TIME_KEY, Bytes.toBytes(1L));
      writer.close();
    }
    return directory;
  }

  private static void load(TableName table, Path files) throws IOException {
    Configuration conf = cluster.configuration();
    conf.setInt("hbase.mapreduce.bulkload.max.hfiles.perRegion.perFamily", LOADED_FILES);
    BulkLoadHFiles.create(conf).bulkLoad(table, files);
  }

  private static long loadedFiles(TableName table) throws IOException {
    return cluster.storeFiles(table).stream().filter(name -> name.contains("_SeqId_")).count();
  }

  /** The server moves one file after the other into the store, and dies in between. */
  @Test
  void serverIsKilledInABulkLoad() throws Exception {
    TableName table = cluster.create("bulk-load", "quotient", Map.of());
    Path first = writeFiles("load-1");
    Path second = writeFiles("load-2");
    try (Traffic traffic = cluster.traffic(table)) {
      Counters before = cluster.counters();
      traffic.write(ROWS);
      traffic.begin();
      LocalCluster.Status server = cluster.serverOf(table);
      CompletableFuture<Void> load =
          CompletableFuture.runAsync(
              () -> {
                try {
                  load(table, first);
                } catch (IOException e) {
                  // It has lost its server.
                }
              });
      TestServer.await("the first loaded files", () -> loadedFiles(table) >= 2);
      cluster.kill(server.name());
      long files = loadedFiles(table);
      assertTrue(files > 0 && files < LOADED_FILES, files + " files were loaded");
      traffic.awaitMore();
      cluster.revive();
      load.join();
      load(table, second); // as a person would whose load failed
      traffic.awaitMore();
      assertWhole(table, traffic);
      cluster.assertFound(
          table,
          IntStream.range(0, LOADED_FILES * LOADED_ROWS)
              .mapToObj(BrokenClusterIT::loadedRow)
              .toList());
      assertNoFaults(before);
    }
  }

  /** The other DataNode has all blocks as well. */
  @Test
  void dataNodeIsKilledWhileChunksAreRead() throws Exception {
    TableName table = cluster.create("datanode", "ribbon", Map.of());
    try (Traffic traffic = cluster.traffic(table)) {
      traffic.write(ROWS);
      cluster.flush(table);
      Counters before = cluster.counters();
      traffic.begin();
      cluster.move(table); // from now on its chunks are read from HDFS
      cluster.kill("datanode");
      Counters since = cluster.counters();
      cluster.move(table); // and once more
      traffic.awaitMore();
      TestServer.await(
          "chunks that are read with one DataNode",
          () -> cluster.counters().since(since, "blockCacheBloomChunkMissCount") > 0);
      assertWhole(table, traffic);
      assertNoFaults(before);
    } finally {
      cluster.revive();
    }
  }

  /** No Get can be answered then; and none is answered wrongly. */
  @Test
  void allDataNodesAreKilledAndNoChunkCanBeRead() throws Exception {
    TableName table = cluster.create("datanodes", "ribbon", Map.of());
    try (Traffic traffic = cluster.traffic(table)) {
      traffic.write(ROWS);
      cluster.flush(table);
      cluster.move(table); // to a server that has read nothing of the file yet
      Counters before = cluster.counters();
      cluster.kill("datanode");
      cluster.kill("datanode-2");
      for (int row = 0; row < ROWS; row += ROWS / 4) {
        traffic.askOnce(cluster.hasty(), row);
      }
      TestServer.await(
          "a chunk that cannot be loaded",
          () -> cluster.counters().since(before, "loadFailures") > 0);
      cluster.revive();
      traffic.begin();
      traffic.awaitMore();
      assertWhole(table, traffic);
      assertFiltersWork(traffic);
      assertNoFaults(before, "loadFailures");
    } finally {
      cluster.revive();
    }
  }

  /** Of absent rows the filters let through what they must, in a while. */
  private static void assertFiltersWork(Traffic traffic) throws Exception {
    TestServer.await(
        "filters that rule out",
        () -> {
          Counters before = cluster.settledCounters();
          int asked = traffic.assertAbsent(2000);
          return cluster.settledCounters().since(before, FALSE_READS) < asked / 20;
        });
  }

  /** Asks for something, and waits till the server's log has so many of these lines more. */
  private static void awaitLines(
      LocalCluster.Status server, String text, int more, BrokenCluster.Request request)
      throws Exception {
    long before = cluster.logLines(server, text);
    cluster.later(request);
    TestServer.await(
        "\"" + text + "\" in the log of " + server.name(),
        () -> cluster.logLines(server, text) >= before + more);
  }

  /** First a compaction fails, then a flush, until there is room; the server goes on. */
  @Test
  void diskIsFullForAWhile() throws Exception {
    TableName table =
        cluster.create("full", "ribbon", Map.of("hbase.hstore.flush.retries.number", "60"));
    try (Traffic traffic = cluster.traffic(table)) {
      Counters before = cluster.counters();
      for (int file = 0; file < 2; file++) {
        traffic.write(ROWS);
        cluster.flush(table);
      }
      List<String> files = cluster.storeFiles(table);
      LocalCluster.Status server = cluster.serverOf(table);
      traffic.begin();
      cluster.leaveRoom(table, BrokenCluster.HDFS_BLOCK * 3 / 2); // one block, and no second
      awaitLines(server, "Compaction failed", 1, admin -> admin.majorCompact(table));
      assertEquals(files, cluster.storeFiles(table));
      traffic.awaitMore();

      cluster.leaveRoom(table, 0);
      awaitLines(server, "Failed flushing store file", 2, admin -> admin.flush(table));
      assertEquals(files, cluster.storeFiles(table));
      traffic.awaitMore();

      cluster.makeRoom(table);
      TestServer.await("the flush", () -> cluster.storeFiles(table).size() > files.size());
      assertTrue(cluster.runs(server));
      assertWhole(table, traffic);
      cluster.majorCompact(table);
      assertWhole(table, traffic);
      assertNoFaults(before);
    } finally {
      cluster.makeRoom(table);
    }
  }

  /** HBase ends a server whose flush fails for good: what it holds is in its log. */
  @Test
  void diskIsFullUntilTheServerEndsItself() throws Exception {
    TableName table =
        cluster.create("full-for-good", "ribbon", Map.of("hbase.hstore.flush.retries.number", "2"));
    try (Traffic traffic = cluster.traffic(table)) {
      traffic.write(ROWS);
      LocalCluster.Status server = cluster.serverOf(table);
      Counters before = cluster.counters();
      traffic.begin();
      cluster.leaveRoom(table, BrokenCluster.HDFS_BLOCK * 3 / 2);
      cluster.later(admin -> admin.flush(table));
      TestServer.await("the end of the server", () -> !cluster.runs(server));
      cluster.makeRoom(table);
      cluster.revive();
      traffic.awaitMore();
      assertWhole(table, traffic);
      assertNoFaults(before);
    } finally {
      cluster.makeRoom(table);
      cluster.revive();
    }
  }

  private static Replicas replicas(TableName table, String kind, int leastSize) throws IOException {
    return Replicas.of(cluster.hdfs(), cluster.disks(), cluster.onlyFile(table), kind, leastSize);
  }

  /** HDFS sees by its checksums which replica of a block is not what it was, and has another. */
  @Test
  void chunksAreOverwrittenOnOneDisk() throws Exception {
    TableName table = cluster.create("overwritten-once", "ribbon", Map.of());
    try (Traffic traffic = cluster.traffic(table)) {
      traffic.write(ROWS);
      cluster.flush(table);
      Replicas chunks = replicas(table, Replicas.CHUNK, OF_ITS_OWN);
      assertTrue(chunks.turned() > 1, chunks.blocks() + " chunks");
      chunks.turn(1);
      Counters before = cluster.counters();
      cluster.move(table);
      traffic.begin();
      traffic.awaitMore();
      assertWhole(table, traffic);
      assertFiltersWork(traffic);
      assertNoFaults(before);
    }
  }

  /**
   * HDFS has no good replica, and hands out no such block: a failure to load, as long as that
   * lasts. The chunk is the file's only one, which lies behind all rows. (HBase's scanners read the
   * blocks between those of the rows, too, and fail at one that HDFS does not hand out, whichever
   * filter it is of.)
   */
  @Test
  void chunkIsOverwrittenOnAllDisks() throws Exception {
    TableName table =
        cluster.create("overwritten", "ribbon", Map.of("io.storefile.bloom.block.size", "131072"));
    try (Traffic traffic = cluster.traffic(table)) {
      traffic.write(ROWS);
      cluster.flush(table);
      Replicas chunk = replicas(table, Replicas.CHUNK, OF_ITS_OWN);
      assertEquals(1, chunk.blocks());
      chunk.turn(2);
      Counters before = cluster.counters();
      cluster.move(table);
      traffic.begin();
      traffic.awaitMore();
      TestServer.await(
          "a chunk that cannot be loaded",
          () -> cluster.counters().since(before, "loadFailures") > 0);
      traffic.assertAllThere();
      traffic.awaitMore();
      chunk.turn(2); // whoever mends the disks
      traffic.awaitMore();
      assertWhole(table, traffic);
      assertFiltersWork(traffic);
      assertNoFaults(before, "loadFailures");
    }
  }

  /** The same, and HDFS's checksums are made to fit: the chunk's own does not. */
  @Test
  void chunksAreOverwrittenAndHdfsDoesNotSeeIt() throws Exception {
    TableName table = cluster.create("overwritten-unseen", "bumped-ribbon", Map.of());
    try (Traffic traffic = cluster.traffic(table)) {
      traffic.write(ROWS);
      cluster.flush(table);
      Replicas chunks = replicas(table, Replicas.CHUNK, 64);
      assertTrue(chunks.blocks() > 1, chunks.blocks() + " chunks");
      assertEquals(chunks.blocks(), chunks.turned());
      chunks.turn(2);
      chunks.believe();
      Counters before = cluster.counters();
      cluster.move(table);
      int asked = traffic.assertGetsFindAll();
      Counters damaged = cluster.settledCounters();
      assertEquals(chunks.turned(), damaged.since(before, "chunksGivenUp"));
      assertTrue(
          damaged.since(before, FALSE_READS) >= asked,
          damaged.since(before, FALSE_READS) + " of " + asked);
      traffic.begin();
      traffic.awaitMore();
      traffic.end();
      traffic.assertAllThere();
      cluster.majorCompact(table); // which writes the filter anew
      assertWhole(table, traffic);
      assertFiltersWork(traffic);
      assertEquals(chunks.turned(), cluster.settledCounters().since(before, "chunksGivenUp"));
      assertNoFaults(before, "chunksGivenUp");
    }
  }

  /** The block that tells of the chunks is not what it was: the file is read without a filter. */
  @Test
  void metaBlockIsOverwrittenAndHdfsDoesNotSeeIt() throws Exception {
    TableName table = cluster.create("overwritten-meta", "quotient", Map.of());
    try (Traffic traffic = cluster.traffic(table)) {
      traffic.write(ROWS);
      cluster.flush(table);
      Replicas meta = replicas(table, Replicas.META, 64);
      assertEquals(1, meta.turned());
      meta.turn(2);
      meta.believe();
      assertEquals(1, cluster.audit(table, 1).get("unreadable").size());
      Counters before = cluster.counters();
      cluster.move(table);
      traffic.begin();
      traffic.awaitMore();
      traffic.end();
      traffic.assertAllThere();
      Counters damaged = cluster.settledCounters();
      assertTrue(damaged.since(before, "openFailures") > 0);
      assertEquals(1, damaged.sum("openFilesUnreadable"));
      cluster.majorCompact(table);
      assertWhole(table, traffic);
      assertFiltersWork(traffic);
      TestServer.await(
          "the damaged file to be closed",
          () -> cluster.counters().sum("openFilesUnreadable") == 0);
      assertNoFaults(before, "openFailures");
    }
  }
}
