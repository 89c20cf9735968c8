package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.hbase.standalone.LocalCluster;
import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A cluster of the last released version is updated to this one, server by server, and goes back.
 * Between the steps each version flushes and compacts files that the other one wrote, and regions
 * move between the two. In the profile {@code mixed-versions}.
 *
 * <p>After each step all rows are there, by Get and by Scan, and no filter is lost without a line:
 * the server that has a file open asks the filters that are in the file, or its log names the file
 * and says why not.
 */
@Tag("mixed-versions")
class MixedVersionsIT {
  private static final int ROWS = 1000;
  private static final int DELETED = ROWS / 10;

  private static final String MASTER = "master";
  private static final List<String> REGION_SERVERS = List.of("regionserver-1", "regionserver-2");

  private static final Path CHECKOUT = Path.of("..", "..").toAbsolutePath().normalize();
  private static final Path RELEASED = Path.of("target", "released").toAbsolutePath();

  private static final Map<String, String> SETTINGS =
      Map.of(
          "hbase.hfile.compaction.discharger.interval", "200",
          "hbase.hstore.compactionThreshold", "100", // none but those asked for
          "hbase.regionserver.msginterval", "500",
          "io.storefile.bloom.block.size", "1024"); // some chunks in each file

  private final ObjectMapper json = new ObjectMapper();
  private final Map<String, Integer> ports = new HashMap<>();

  /** How long each region server's log was when the server was started last. */
  private final Map<String, Long> logsBefore = new HashMap<>();

  private LocalCluster cluster;
  private Admin admin;
  private List<TableTruth> truths;
  private int writes;

  // ---- The released jar.

  /** Of the commit that the topmost pom.xml names: built once, in a copy of its files. */
  private static Path releasedJar() throws Exception {
    String name = System.getProperty("winnow.released.commit", "");
    assertFalse(
        name.isEmpty(),
        "No version is released yet: winnow.released.commit in the topmost pom.xml is empty;"
            + " -Dwinnow.released.commit=COMMIT names one.");
    Files.createDirectories(RELEASED);
    Path told = RELEASED.resolve("told.txt");
    assertEquals(
        0,
        run(CHECKOUT, told, "git", "rev-parse", "--verify", "--quiet", name + "^{commit}"),
        "This checkout does not have the commit "
            + name
            + ", of which the released jar is built: winnow.released.commit in the topmost pom.xml.");
    String commit = Files.readString(told).strip();
    Path jar = RELEASED.resolve(commit + ".jar");
    if (!Files.exists(jar)) {
      Path sources = TestServer.emptyDirectory("released");
      Path files = sources.resolve("files.tar");
      assertDone(CHECKOUT, told, "git", "archive", "--output", files.toString(), commit);
      assertDone(sources, told, "tar", "-xf", files.toString());
      List<String> maven = new ArrayList<>(List.of("./mvnw", "-B", "-ntp", "-DskipTests"));
      if (System.getProperty("winnow.maven.offline").equals("offline=true")) {
        maven.add("-o");
      }
      maven.add("-Dmaven.repo.local=" + System.getProperty("winnow.maven.repository"));
      maven.addAll(List.of("-pl", "hbase-integration/swap", "-am", "package"));
      assertDone(sources, told, maven.toArray(String[]::new));
      Path built = sources.resolve("hbase-integration/target/winnow-hbase.jar");
      Files.move(built, jar, StandardCopyOption.ATOMIC_MOVE);
      TestServer.emptyDirectory("released");
    }
    return jar;
  }

  private static void assertDone(Path directory, Path told, String... command) throws Exception {
    int exitCode = run(directory, told, command);
    assertEquals(0, exitCode, () -> String.join(" ", command) + ", told in " + told);
  }

  private static int run(Path directory, Path told, String... command) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(told.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    return builder.start().waitFor();
  }

  // ---- The servers.

  private ServerName server(String name) throws IOException {
    return admin.getRegionServers().stream()
        .filter(server -> server.getPort() == ports.get(name))
        .findAny()
        .orElseThrow();
  }

  private Path log(String server) {
    return cluster.logs().resolve(server + ".log");
  }

  private void restart(String server, Path agent) throws Exception {
    logsBefore.put(server, Files.size(log(server)));
    cluster.restart(server, agent, message -> {});
    String said = Files.readString(cluster.logs().resolve(server + ".out"));
    try (JarFile jar = new JarFile(agent.toFile())) {
      String version = jar.getManifest().getMainAttributes().getValue("Implementation-Version");
      assertTrue(said.contains("Winnow: INFO: version " + version + " is active"), said);
    }
    assertTrue(said.contains(" Off: nothing."), said);
  }

  /** The regions of each table go to the servers in turn, the first one to this server. */
  private void deal(int first) throws IOException, InterruptedException {
    for (TableTruth truth : truths) {
      List<RegionInfo> regions = TestServer.regions(admin, truth.table());
      for (int i = 0; i < regions.size(); i++) {
        RegionInfo region = regions.get(i);
        ServerName to = server(REGION_SERVERS.get((first + i) % REGION_SERVERS.size()));
        TestServer.await(
            "a move to " + to,
            () -> {
              if (!admin.getRegions(to).contains(region)) {
                admin.move(region.getEncodedNameAsBytes(), to);
              }
              return admin.getRegions(to).contains(region);
            });
      }
    }
  }

  // ---- What is done to the tables.

  private TableTruth create(String name, BloomType type) throws IOException {
    TableName table = TableName.valueOf(name);
    admin.createTable(
        TableDescriptorBuilder.newBuilder(table)
            .setColumnFamilies(List.of(EveryFilter.families(type)))
            .build(),
        new byte[][] {Rows.key(ROWS)});
    return TableTruth.of(cluster.configuration(), admin.getConnection(), table);
  }

  /** Each store has one file more then. */
  private void writeAndFlush() throws IOException {
    int from = writes++ % 2 == 0 ? 0 : ROWS / 4;
    for (TableTruth truth : truths) {
      truth.write(from, from + ROWS * 3 / 4);
      truth.delete(from, from + DELETED);
      truth.delete(ROWS / 2, ROWS / 2 + DELETED);
      for (RegionInfo region : TestServer.regions(admin, truth.table())) {
        admin.flushRegion(region.getRegionName());
      }
    }
  }

  private void majorCompact() throws IOException, InterruptedException {
    for (TableTruth truth : truths) {
      Set<String> before = openFiles(truth.table()).keySet();
      admin.majorCompact(truth.table());
      TestServer.await(
          "a major compaction of " + truth.table(),
          () -> {
            Map<String, OpenFile> now = openFiles(truth.table());
            long stores = now.values().stream().map(OpenFile::store).distinct().count();
            return stores == now.size() && now.keySet().stream().noneMatch(before::contains);
          });
    }
  }

  // ---- What is seen of it.

  /** A file as the server sees it that has it open, and as the page shows it. */
  private record OpenFile(String server, String store, JsonNode seen) {
    Filters filters() {
      return new Filters(
          seen.get("filter").asText(),
          seen.get("keys").asLong(),
          seen.get("deleteFamilyFilter").asText("none"));
    }
  }

  private record Filters(String general, long keys, String deleteFamily) {
    /** Of a file that {@code inspect} has read. */
    static Filters in(JsonNode file) {
      JsonNode deleteFamily = file.get("deleteFamily");
      return new Filters(
          file.get("general").get("filter").asText(),
          file.get("general").get("keys").asLong(),
          deleteFamily == null ? "none" : deleteFamily.get("filter").asText());
    }
  }

  /** By their names, the files of a table that any server has open. */
  private Map<String, OpenFile> openFiles(TableName table) throws IOException {
    Map<String, OpenFile> files = new TreeMap<>();
    for (int i = 0; i < REGION_SERVERS.size(); i++) {
      for (byte[] family : admin.getDescriptor(table).getColumnFamilyNames()) {
        String name = new String(family, StandardCharsets.UTF_8);
        String query = "?format=json&table=" + table + "&family=" + name;
        try (InputStream in = URI.create(cluster.pages().get(i) + query).toURL().openStream()) {
          for (JsonNode file : json.readTree(in).get("files")) {
            String store = file.get("region").asText() + "/" + name;
            files.put(file.get("file").asText(), new OpenFile(REGION_SERVERS.get(i), store, file));
          }
        } catch (FileNotFoundException e) {
          // This server has no file of the family open.
        }
      }
    }
    return files;
  }

  /** Whether the server's log names the file and says what is wrong with it. */
  private boolean isInLog(OpenFile file, String name) throws IOException {
    try (FileChannel log = FileChannel.open(log(file.server))) {
      log.position(logsBefore.getOrDefault(file.server, 0L));
      Stream<String> lines =
          new BufferedReader(Channels.newReader(log, StandardCharsets.ISO_8859_1)).lines();
      return lines.anyMatch(
          line -> line.contains(name) && line.matches(".*( ERROR | WARN |Exception: ).*"));
    }
  }

  private void check() throws IOException, InterruptedException {
    for (TableTruth truth : truths) {
      truth.assertRows();
      Map<String, Filters> written = new TreeMap<>();
      Map<String, String> families = new HashMap<>();
      for (JsonNode file : truth.inspect()) { // which asks them for each of their keys
        Path path = Path.of(URI.create(file.get("file").asText()).getPath());
        written.put(path.getFileName().toString(), Filters.in(file));
        families.put(path.getFileName().toString(), path.getParent().getFileName().toString());
      }
      Map<String, OpenFile> open = openFiles(truth.table());
      assertEquals(written.keySet(), open.keySet(), "the files of " + truth.table());
      Set<String> wrong = new HashSet<>();
      for (Map.Entry<String, OpenFile> entry : open.entrySet()) {
        String name = entry.getKey();
        OpenFile file = entry.getValue();
        assertEquals(families.get(name), written.get(name).general, "the filter in " + name);
        boolean isRead = file.filters().equals(written.get(name));
        if (isRead == isInLog(file, name)) { // 0.1.0 ignores key segments without a line
          wrong.add(
              file.server
                  + " has "
                  + name
                  + " with "
                  + file.filters()
                  + ", which has "
                  + written.get(name)
                  + ", and its log has "
                  + (isRead ? "a line of it" : "no line of it"));
        }
      }
      assertEquals(Set.of(), wrong, "filters lost without a line, or read with one");
    }
  }

  /** A server gets another version, and each version works on the files of both. */
  private void update(String server, Path agent) throws Exception {
    restart(server, agent);
    check();
    deal(0);
    writeAndFlush();
    check();
    deal(1); // each server has the regions of the other
    check();
    majorCompact();
    check();
    deal(0);
    writeAndFlush();
    check();
  }

  @Test
  void serversAreUpdatedOneAfterTheOtherAndGoBack() throws Exception {
    Path released = releasedJar();
    Path snapshot = TestServer.agentJar();
    assertNotEquals(-1, Files.mismatch(released, snapshot), "the jars are the same");
    cluster =
        LocalCluster.start(
            TestServer.emptyDirectory("mixed-versions"), released, 1, SETTINGS, true, told -> {});
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      admin = connection.getAdmin();
      admin.balancerSwitch(false, true); // no region moves by itself
      cluster.status().forEach(server -> ports.put(server.name(), server.port()));
      truths = List.of(create("rows", BloomType.ROW), create("columns", BloomType.ROWCOL));
      deal(0);
      writeAndFlush();
      writeAndFlush();
      check();
      majorCompact();
      check();
      writeAndFlush();
      for (String server : List.of("regionserver-1", "regionserver-2", MASTER)) {
        update(server, snapshot);
      }
      for (String server : List.of(MASTER, "regionserver-2", "regionserver-1")) {
        update(server, released);
      }
    } finally {
      cluster.kill();
    }
  }
}
