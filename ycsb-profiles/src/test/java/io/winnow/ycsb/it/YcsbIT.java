package io.winnow.ycsb.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.standalone.StandaloneHBase;
import io.winnow.ycsb.KeySpace;
import io.winnow.ycsb.LoadPlan;
import io.winnow.ycsb.ReadWorkload;
import io.winnow.ycsb.RowValues;
import io.winnow.ycsb.WinnowHBaseClient;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.Status;

/**
 * Binding, workload and profiles on a real HBase with the agent; YCSB's client as the docs have it.
 */
@Tag("long")
class YcsbIT {
  private static final byte[] FAMILY = "f".getBytes(StandardCharsets.ISO_8859_1);
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final int PATIENCE_SECONDS = 900;

  private static StandaloneHBase hbase;
  private static Connection connection;
  private static Admin admin;

  @BeforeAll
  static void start() throws Exception {
    Path directory = Path.of(System.getProperty("winnow.it.directory"), "ycsb");
    if (Files.exists(directory)) {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
    Files.createDirectories(directory);
    hbase =
        StandaloneHBase.builder(directory)
            .agent(Path.of(System.getProperty("winnow.agent.jar")))
            .property("hbase.hstore.compactionThreshold", "100") // none
            .throwaway()
            .start();
    connection = ConnectionFactory.createConnection(hbase.configuration());
    admin = connection.getAdmin();
  }

  @AfterAll
  static void stop() throws IOException {
    if (connection != null) {
      connection.close();
    }
    if (hbase != null) {
      hbase.kill();
    }
  }

  @Test
  void theCommandsOfTheDocsLoadAndReadAndNoticeALostRow() throws Exception {
    String docs = Files.readString(ROOT.resolve("docs/ycsb-profiles.md"));
    String block = docs.split("```\n", 3)[1];
    int second = block.lastIndexOf("java -cp");
    int first = block.indexOf("java -cp");
    String setting = block.substring(0, first);

    Result load = shell(setting + block.substring(first, second));
    assertEquals(0, load.exitCode(), load.toString());
    assertTrue(load.output().contains("[INSERT], Return=OK, 20000"), load.toString());
    TableName table = TableName.valueOf("usertable");
    ColumnFamilyDescriptor family = admin.getDescriptor(table).getColumnFamily(FAMILY);
    assertEquals("bumped-ribbon", family.getConfigurationValue("winnow.filter"));
    admin.flush(table);

    Result run = shell(setting + block.substring(second));
    assertEquals(0, run.exitCode(), run.toString());
    assertTrue(run.output().contains("[READ-BATCH], Return=OK, 1000"), run.toString());
    assertTrue(run.output().contains("[READ-BATCH], Operations, 1000"), run.toString());

    KeySpace keys = KeySpace.of(25, 20_000);
    List<Delete> lost = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      lost.add(new Delete(keys.key(i)));
    }
    try (Table rows = connection.getTable(table)) {
      rows.delete(lost);
    }
    Result failed = shell(setting + block.substring(second));
    assertEquals(1, failed.exitCode(), failed.toString());
    assertTrue((failed.output() + failed.errors()).contains("is absent"), failed.toString());
    assertTrue(failed.errors().contains("the run failed"), failed.toString());
  }

  private record Result(int exitCode, String output, String errors) {}

  /** In the project's directory, as a user does it; but on the port of our HBase. */
  private static Result shell(String commands) throws IOException, InterruptedException {
    assertTrue(commands.contains("clientPort=2181"), commands);
    String java = Path.of(System.getProperty("java.home"), "bin").toString();
    Path directory = Path.of(System.getProperty("winnow.it.directory"));
    Path output = directory.resolve("ycsb.out");
    Path errors = directory.resolve("ycsb.err");
    ProcessBuilder builder =
        new ProcessBuilder(
                "/bin/sh",
                "-ec",
                commands.replace("clientPort=2181", "clientPort=" + hbase.zooKeeperPort()))
            .directory(ROOT.toFile())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile());
    builder.environment().merge("PATH", java, (path, first) -> first + ":" + path);
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), commands);
      return new Result(process.exitValue(), Files.readString(output), Files.readString(errors));
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @Test
  void theBindingReadsScansWritesAndDeletes() throws Exception {
    KeySpace keys = KeySpace.of(10, 100);
    WinnowHBaseClient client = client("operations", "ribbon");
    try {
      for (int i = 0; i < 100; i++) {
        assertEquals(Status.OK, client.insert("operations", key(keys, i), values(keys, i, 0)));
      }
      Map<String, ByteIterator> row = new HashMap<>();
      assertEquals(Status.OK, client.read("operations", key(keys, 3), null, row));
      assertVersion(0, keys.key(3), row);
      assertEquals(Status.OK, client.update("operations", key(keys, 3), values(keys, 3, 7)));
      row.clear();
      assertEquals(Status.OK, client.read("operations", key(keys, 3), null, row));
      assertVersion(7, keys.key(3), row);
      row.clear();
      assertEquals(Status.OK, client.read("operations", key(keys, 3), Set.of("field2"), row));
      assertEquals(Set.of("field2"), row.keySet());
      assertArrayEquals(RowValues.values(keys.key(3), 7)[2], row.get("field2").toArray());

      List<String> names = List.of(key(keys, 5), key(keys, 105), key(keys, 3));
      List<Map<String, ByteIterator>> rows = new ArrayList<>();
      assertEquals(Status.OK, client.batchRead("operations", names, null, rows));
      assertEquals(3, rows.size());
      assertVersion(0, keys.key(5), rows.get(0));
      assertEquals(Map.of(), rows.get(1));
      assertVersion(7, keys.key(3), rows.get(2));

      List<String> sorted =
          Stream.iterate(0, i -> i + 1).limit(100).map(i -> key(keys, i)).sorted().toList();
      Vector<HashMap<String, ByteIterator>> scanned = new Vector<>();
      assertEquals(Status.OK, client.scan("operations", sorted.get(40), 10, null, scanned));
      assertEquals(10, scanned.size());
      for (int i = 0; i < 10; i++) {
        byte[] key = sorted.get(40 + i).getBytes(StandardCharsets.ISO_8859_1);
        assertVersion(Arrays.equals(key, keys.key(3)) ? 7 : 0, key, scanned.get(i));
      }
      scanned.clear();
      client.scan("operations", sorted.get(40), 1000, Set.of("field4"), scanned);
      assertEquals(60, scanned.size());
      assertEquals(Set.of("field4"), scanned.get(59).keySet());

      assertEquals(Status.OK, client.delete("operations", key(keys, 5)));
      row.clear();
      assertEquals(Status.NOT_FOUND, client.read("operations", key(keys, 5), null, row));
      assertEquals(Map.of(), row);
      assertEquals(Status.ERROR, client.read("no-such-table", key(keys, 5), null, row));
    } finally {
      client.cleanup();
    }
  }

  /** Each profile's reads and updates, by two threads, on files that were made as its plan says. */
  @Test
  void theProfilesFindWhatTheirPlansSayInFilesWithFilters() throws Exception {
    int rows = 3_000;
    for (String profile :
        List.of("lindorm", "hit-only", "half-miss", "miss-only", "read-mostly", "skewed")) {
      Properties properties = new Properties();
      try (Reader in = Files.newBufferedReader(Path.of("profiles", profile + ".properties"))) {
        properties.load(in);
      }
      properties.setProperty("recordcount", Integer.toString(rows));
      properties.setProperty("table", profile);
      if (profile.equals("read-mostly")) {
        // Older files have older versions of rows: a file left out wrongly would show.
        properties.setProperty(ReadWorkload.FILES, "8");
        properties.setProperty(ReadWorkload.REWRITTEN, "0.1");
      }
      int keyLength = profile.equals("lindorm") ? 300 : 10;
      properties.setProperty(ReadWorkload.KEY_LENGTH, Integer.toString(keyLength));
      LoadPlan plan =
          LoadPlan.of(
              Integer.parseInt(properties.getProperty(ReadWorkload.FILES)),
              Double.parseDouble(properties.getProperty(ReadWorkload.REWRITTEN, "0")));
      client(profile, "bumped-ribbon").cleanup(); // makes the table
      write(TableName.valueOf(profile), KeySpace.of(keyLength, rows), plan);

      ReadWorkload workload = new ReadWorkload();
      workload.init(properties);
      ExecutorService threads = Executors.newFixedThreadPool(2);
      try {
        List<Future<Boolean>> results = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
          int number = i;
          results.add(
              threads.submit(
                  () -> {
                    WinnowHBaseClient client = client(profile, "bumped-ribbon");
                    try {
                      Object thread = workload.initThread(properties, number, 2);
                      boolean right = true;
                      for (int n = 0; n < 150 && right; n++) {
                        right = workload.doTransaction(client, thread);
                      }
                      return right;
                    } finally {
                      client.cleanup();
                    }
                  }));
        }
        for (Future<Boolean> result : results) {
          assertTrue(result.get(), profile + ": " + workload.counts());
        }
        workload.cleanup();
      } finally {
        threads.shutdownNow();
      }
      ReadWorkload.Counts counts = workload.counts();
      assertEquals(300, counts.operations());
      assertEquals(profile.equals("miss-only"), counts.hits() == 0, counts.toString());
    }
  }

  private static void write(TableName name, KeySpace keys, LoadPlan plan) throws IOException {
    try (Table table = connection.getTable(name)) {
      for (int file = 0; file < plan.files(); file++) {
        List<Put> puts = new ArrayList<>();
        for (long index = 0; index < keys.rows(); index++) {
          if (plan.holds(file, index)) {
            Put put = new Put(keys.key(index), LoadPlan.timestamp(file));
            for (int column = 0; column < RowValues.COLUMNS; column++) {
              put.addColumn(
                  FAMILY,
                  RowValues.qualifier(column),
                  RowValues.values(keys.key(index), file)[column]);
            }
            puts.add(put);
          }
        }
        table.put(puts);
        admin.flush(name);
      }
    }
  }

  private static WinnowHBaseClient client(String table, String filter) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("hbase.zookeeper.quorum", "127.0.0.1");
    properties.setProperty(
        "hbase.zookeeper.property.clientPort", Integer.toString(hbase.zooKeeperPort()));
    properties.setProperty("table", table);
    properties.setProperty(WinnowHBaseClient.FILTER, filter);
    WinnowHBaseClient client = new WinnowHBaseClient();
    client.setProperties(properties);
    client.init();
    return client;
  }

  private static String key(KeySpace keys, long index) {
    return new String(keys.key(index), StandardCharsets.ISO_8859_1);
  }

  private static Map<String, ByteIterator> values(KeySpace keys, long index, long version) {
    Map<String, ByteIterator> values = new HashMap<>();
    RowValues.byName(keys.key(index), version)
        .forEach((name, value) -> values.put(name, new ByteArrayByteIterator(value)));
    return values;
  }

  private static void assertVersion(long version, byte[] key, Map<String, ByteIterator> row) {
    Map<String, byte[]> values = new HashMap<>();
    row.forEach((name, value) -> values.put(name, value.toArray()));
    assertEquals(version, RowValues.version(key, values));
  }
}
