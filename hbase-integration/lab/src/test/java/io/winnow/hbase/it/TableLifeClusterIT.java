package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.standalone.ExtraRegionServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionReplicaUtil;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.replication.ReplicationPeerConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What happens to a table among several servers: an HBase that has a region server with the agent
 * and one without, and another HBase, all without the agent, to which it replicates and exports.
 */
@Tag("table-life")
class TableLifeClusterIT {
  private static final int ROWS = 1000;

  private static final String SOURCE_ID = "home";
  private static final String NO_FILTER_THERE = "Bad bloom filter meta";

  private static TestServer home;
  private static ExtraRegionServer another;
  private static ServerName withAgent;
  private static ServerName withoutAgent;
  private static TestServer abroad;

  @BeforeAll
  static void start() throws Exception {
    Path sources = TestServer.emptyDirectory("table-life-sources");
    home =
        TestServer.withAgent(
            TestServer.emptyDirectory("table-life-home"),
            Map.of(
                "hbase.regionserver.storefile.refresh.period",
                "500", // replicas see new files
                HConstants.REPLICATION_BULKLOAD_ENABLE_KEY,
                "true",
                HConstants.REPLICATION_CLUSTER_ID,
                SOURCE_ID));
    withAgent = home.admin().getRegionServers().iterator().next();
    another = home.startRegionServer(null);
    withoutAgent =
        home.admin().getRegionServers().stream()
            .filter(server -> !server.equals(withAgent))
            .findAny()
            .orElseThrow();
    // Files of a bulk load are fetched from where their cluster's settings say.
    Files.copy(
        home.directory().resolve("conf").resolve("hbase-site.xml"),
        Files.createDirectories(sources.resolve(SOURCE_ID)).resolve("hbase-site.xml"));
    abroad =
        TestServer.stock(
            TestServer.emptyDirectory("table-life-abroad"),
            Map.of(HConstants.REPLICATION_CONF_DIR, sources.toString()));
    addPeer(home, abroad);
    addPeer(abroad, home);
  }

  private static void addPeer(TestServer source, TestServer sink) throws IOException {
    String cluster =
        "127.0.0.1:" + sink.configuration().get(HConstants.ZOOKEEPER_CLIENT_PORT) + ":/hbase";
    source
        .admin()
        .addReplicationPeer(
            "peer", ReplicationPeerConfig.newBuilder().setClusterKey(cluster).build());
  }

  @AfterAll
  static void stop() throws IOException {
    if (another != null) {
      another.close();
    }
    if (home != null) {
      home.kill();
    }
    if (abroad != null) {
      abroad.kill();
    }
  }

  private static void move(TableName table, int replica, ServerName server) throws IOException {
    Admin admin = home.admin();
    for (RegionInfo region : home.regions(table)) {
      RegionInfo moved = RegionReplicaUtil.getRegionInfoForReplica(region, replica);
      admin.move(moved.getEncodedNameAsBytes(), server);
      assertTrue(
          admin.getRegions(server).stream()
              .anyMatch(one -> one.getEncodedName().equals(moved.getEncodedName())),
          moved + " is on " + server);
    }
  }

  private static void move(TableName table, ServerName server) throws IOException {
    move(table, RegionInfo.DEFAULT_REPLICA_ID, server);
  }

  @Test
  void regionMovesToAServerWithoutTheAgentAndBack() throws Exception {
    TableName table = home.create("moved", EveryFilter.families(BloomType.ROW));
    TableTruth truth = TableTruth.of(home, table);
    move(table, withAgent);
    truth.write(0, ROWS / 2);
    home.flush(table);
    truth.assertHolds(0, EveryFilter.filters(1));

    move(table, withoutAgent);
    assertFalse(TestServer.logLinesWith(another.logFile(), NO_FILTER_THERE).isEmpty());
    truth.assertHolds(0, EveryFilter.filters(1));
    truth.write(ROWS / 4, ROWS);
    truth.delete(0, ROWS / 10);
    home.flush(table);
    truth.assertHolds(EveryFilter.OURS, EveryFilter.filters(1, "bloom"));

    move(table, withAgent);
    truth.assertHolds(EveryFilter.OURS, EveryFilter.filters(1, "bloom"));
    truth.write(ROWS / 2, ROWS);
    home.flush(table);
    truth.assertHolds(EveryFilter.OURS, EveryFilter.filters(2, "bloom"));

    move(table, withoutAgent);
    home.majorCompact(table);
    truth.assertHolds(EveryFilter.OURS, EveryFilter.filters(0, "bloom"));
    move(table, withAgent);
    home.majorCompact(table);
    truth.assertHolds(0, EveryFilter.filters(1));
    assertEquals(List.of(), home.logLinesWith(NO_FILTER_THERE));
  }

  @Test
  void replicasOfRegionsServeEveryRowWithTheAgentAndWithout() throws Exception {
    TableName table = TableName.valueOf("replicas");
    home.admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(table)
                .setColumnFamilies(List.of(EveryFilter.families(BloomType.ROWCOL)))
                .setRegionReplication(2)
                .build());
    TableTruth truth = TableTruth.of(home, table);

    place(table, withAgent, withoutAgent);
    truth.write(0, ROWS / 2);
    home.flush(table);
    truth.write(ROWS / 4, ROWS);
    home.flush(table);
    assertReplicas(truth);
    truth.assertFilters(0, EveryFilter.filters(2));
    home.majorCompact(table);
    assertReplicas(truth);
    truth.assertFilters(0, EveryFilter.filters(1));

    place(table, withoutAgent, withAgent);
    assertReplicas(truth);
    truth.delete(0, ROWS / 10);
    truth.write(ROWS / 2, ROWS);
    home.flush(table);
    assertReplicas(truth);
    truth.assertFilters(EveryFilter.OURS, EveryFilter.filters(1, "bloom"));
  }

  private static void place(TableName table, ServerName first, ServerName second)
      throws IOException {
    move(table, 0, first);
    move(table, 1, second);
  }

  private static void assertReplicas(TableTruth truth) throws Exception {
    TestServer.await("the replica's look at new files", () -> truth.hasAllRowsIn(1));
    truth.assertRowsIn(1);
    truth.assertRowsIn(0);
    truth.assertRows();
  }

  private static ColumnFamilyDescriptor[] replicated(BloomType type) {
    return EveryFilter.families(
        type, family -> family.setScope(HConstants.REPLICATION_SCOPE_GLOBAL));
  }

  @Test
  void replicationBringsRowsAndEachClusterWritesItsOwnFilters() throws Exception {
    TableName table = home.create("replicated", replicated(BloomType.ROW));
    abroad.create(
        "replicated",
        EveryFilter.stockFamilies(
            BloomType.ROW, family -> family.setScope(HConstants.REPLICATION_SCOPE_GLOBAL)));
    move(table, withAgent);
    TableTruth here = TableTruth.of(home, table);
    TableTruth there = here.replica(abroad, table);
    here.write(0, ROWS / 2);
    there.write(ROWS / 2, ROWS);
    here.delete(0, ROWS / 10);
    awaitArrival(here, there);
    home.flush(table);
    abroad.flush(table);
    here.assertHolds(0, EveryFilter.filters(1));
    there.assertHolds(0, EveryFilter.filters(0, "bloom"));
  }

  /** The files go along as they are: what is written there later has HBase's own filter. */
  @Test
  void filesOfABulkLoadAreReplicatedAsTheyAre() throws Exception {
    TableName table = home.create("replicated-load", replicated(BloomType.ROW));
    abroad.create("replicated-load", replicated(BloomType.ROW));
    TableTruth here = TableTruth.of(home, table);
    TableTruth there = here.replica(abroad, table);
    Path files =
        LoadJob.run(
            home.configuration(), table, ROWS, TestServer.emptyDirectory("table-life-load"));
    LoadJob.load(home.configuration(), table, files);
    here.wereWritten(0, ROWS);
    here.assertHolds(0, EveryFilter.filters(1));
    awaitArrival(here, there);
    there.assertHolds(0, EveryFilter.filters(1));
    there.write(0, ROWS / 10);
    awaitArrival(here, there);
    abroad.flush(table);
    there.assertHolds(EveryFilter.OURS, EveryFilter.filters(1, "bloom"));
  }

  /** What is still being written of a log on a local file system is not seen until it is rolled. */
  private static void awaitArrival(TableTruth here, TableTruth there) throws Exception {
    TestServer.await(
        "edits from the other cluster",
        () -> {
          for (TestServer server : List.of(home, abroad)) {
            for (ServerName one : server.admin().getRegionServers()) {
              server.admin().rollWALWriter(one);
            }
          }
          return here.hasAllRows() && there.hasAllRows();
        });
  }

  @Test
  void exportedSnapshotIsServedFromASecondRoot() throws Exception {
    TableName table = home.create("exported", EveryFilter.families(BloomType.ROW));
    TableTruth here = TableTruth.of(home, table);
    move(table, withAgent);
    here.write(0, ROWS / 2);
    home.flush(table);
    here.write(ROWS / 4, ROWS);
    here.delete(0, ROWS / 10);
    home.flush(table);
    home.admin().snapshot("to-export", table);

    Path scratch = TestServer.emptyDirectory("table-life-export");
    JavaProcess.Result result =
        JavaProcess.with(
                "-Duser.dir=" + scratch, // where the job's runner puts links to jars
                "-cp",
                JavaProcess.classPath(home.directory().resolve("conf")))
            .run(
                "org.apache.hadoop.hbase.snapshot.ExportSnapshot",
                "-Dmapreduce.framework.name=local",
                "-Dmapreduce.jobtracker.staging.root.dir=" + scratch.resolve("staging"),
                "-Dmapreduce.cluster.local.dir=" + scratch.resolve("local"),
                "-Dhadoop.tmp.dir=" + scratch.resolve("tmp"),
                "--snapshot",
                "to-export",
                "--copy-to",
                "file://" + abroad.directory().resolve("hbase"),
                "--no-checksum-verify"); // a local file system has none to compare
    assertEquals(0, result.exitCode(), result.toString());

    abroad.admin().cloneSnapshot("to-export", table);
    TableTruth there = here.copy(abroad, table);
    there.assertHolds(0, EveryFilter.filters(2));
    assertFalse(abroad.logLinesWith(NO_FILTER_THERE).isEmpty());
    abroad.majorCompact(table);
    there.assertHolds(EveryFilter.OURS, EveryFilter.filters(0, "bloom"));
  }
}
