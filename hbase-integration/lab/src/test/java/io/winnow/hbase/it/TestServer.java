package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.format.KeySegment;
import io.winnow.hbase.standalone.ExtraRegionServer;
import io.winnow.hbase.standalone.StandaloneHBase;
import java.io.DataInput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionReplicaUtil;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.BloomFilterFactory;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.TableDescriptorChecker;

/** A standalone HBase in a JVM of its own, a connection to it, and a look into its files. */
final class TestServer implements AutoCloseable {
  /** The version in front of a filter's meta block, if the filter is ours, and if it is HBase's. */
  static final int WINNOW = 0x57494E31;

  static final int STOCK = 3;

  /** Of HBase's JSPs, which are classes, the bar that all of them begin with. */
  private static final String BAR_OF_PAGES =
      """
      <web-app>
        <servlet>
          <servlet-name>bar</servlet-name>
          <servlet-class>org.apache.hadoop.hbase.generated.regionserver.header_jsp</servlet-class>
        </servlet>
        <servlet-mapping>
          <servlet-name>bar</servlet-name>
          <url-pattern>/header.jsp</url-pattern>
        </servlet-mapping>
      </web-app>
      """;

  /** The machine may be five times slower than usual: only a test that hangs waits so long. */
  static final int PATIENCE_SECONDS = 900;

  private static final int METRICS_MILLIS = 300;

  private static TestServer shared;

  private final StandaloneHBase hbase;
  private final int pagesPort;
  private final Connection connection;
  private final Admin admin;

  private TestServer(StandaloneHBase hbase, int pagesPort) throws IOException {
    this.hbase = hbase;
    this.pagesPort = pagesPort;
    this.connection = ConnectionFactory.createConnection(hbase.configuration());
    this.admin = connection.getAdmin();
  }

  /** A directory under {@code target} with nothing in it. */
  static Path emptyDirectory(String name) throws IOException {
    Path directory = Path.of(System.getProperty("winnow.it.directory"), name);
    if (Files.exists(directory)) {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
    return Files.createDirectories(directory);
  }

  static Path agentJar() {
    return Path.of(System.getProperty("winnow.agent.jar"));
  }

  /**
   * The one with the agent, web pages and HBase's own settings that several tests use, each with
   * tables of its own names. None changes what all tables share. The end of this JVM ends it: no
   * test does.
   */
  static synchronized TestServer shared() throws IOException, InterruptedException {
    if (shared == null) {
      shared = withAgentAndPages(emptyDirectory("shared"));
    }
    return shared;
  }

  static TestServer withAgent(Path directory) throws IOException, InterruptedException {
    return withAgent(directory, Map.of());
  }

  static TestServer withAgent(Path directory, Map<String, String> site)
      throws IOException, InterruptedException {
    return start(directory, agentJar(), site, -1);
  }

  /** With the region server's web pages on a port of 127.0.0.1. */
  static TestServer withAgentAndPages(Path directory) throws IOException, InterruptedException {
    return withAgentAndPages(directory, Map.of());
  }

  static TestServer withAgentAndPages(Path directory, Map<String, String> site)
      throws IOException, InterruptedException {
    return withPages(directory, site, hbase -> hbase.agent(agentJar()));
  }

  private static TestServer withPages(
      Path directory, Map<String, String> site, Consumer<StandaloneHBase.Builder> jvm)
      throws IOException, InterruptedException {
    IOException taken = null;
    for (int attempt = 0; attempt < 3; attempt++) { // another server may take the port meanwhile
      try {
        return start(directory, site, freePort(), jvm);
      } catch (IOException e) {
        taken = e;
      }
    }
    throw taken;
  }

  private static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return any.getLocalPort();
    }
  }

  static TestServer stock(Path directory) throws IOException, InterruptedException {
    return stock(directory, Map.of());
  }

  static TestServer stock(Path directory, Map<String, String> site)
      throws IOException, InterruptedException {
    return start(directory, null, site, -1);
  }

  /**
   * Another region server of this HBase, up when this returns. The balancer is off from then on:
   * regions stay where they are put.
   *
   * @param agent null for a stock one
   */
  ExtraRegionServer startRegionServer(Path agent) throws IOException, InterruptedException {
    admin.balancerSwitch(false, true);
    int servers = admin.getRegionServers().size();
    ExtraRegionServer another = ExtraRegionServer.start(hbase, agent);
    try {
      await(
          "another region server",
          () -> {
            assertTrue(another.isAlive(), another.tail());
            return admin.getRegionServers().size() > servers;
          });
      return another;
    } catch (Throwable e) {
      another.close();
      throw e;
    }
  }

  /** On another Java than this one. */
  static TestServer withAgentOn(Path javaHome, Path directory)
      throws IOException, InterruptedException {
    return start(directory, Map.of(), -1, hbase -> hbase.agent(agentJar()).javaHome(javaHome));
  }

  /** With agents in the order of these options, and with web pages. */
  static TestServer withAgents(List<String> options, Path directory, Map<String, String> site)
      throws IOException, InterruptedException {
    return withPages(directory, site, hbase -> options.forEach(hbase::jvmOption));
  }

  private static TestServer start(
      Path directory, Path agent, Map<String, String> site, int pagesPort)
      throws IOException, InterruptedException {
    return start(directory, site, pagesPort, hbase -> hbase.agent(agent));
  }

  private static TestServer start(
      Path directory,
      Map<String, String> site,
      int pagesPort,
      Consumer<StandaloneHBase.Builder> jvm)
      throws IOException, InterruptedException {
    // What JMX shows is this old at most.
    Path metrics = directory.resolve("conf").resolve("hadoop-metrics2-hbase.properties");
    Files.createDirectories(metrics.getParent());
    Files.writeString(metrics, "*.periodMillis=" + METRICS_MILLIS + "\n");
    StandaloneHBase.Builder builder = StandaloneHBase.builder(directory);
    site.forEach(builder::property);
    // HBase's jars are without its pages; these directories are all that its web server insists on.
    Path pages = metrics.resolveSibling("hbase-webapps");
    Files.createDirectories(pages.resolve("static"));
    Path descriptor = pages.resolve("regionserver").resolve("WEB-INF").resolve("web.xml");
    Files.createDirectories(descriptor.getParent());
    Files.writeString(descriptor, BAR_OF_PAGES);
    jvm.accept(builder);
    StandaloneHBase hbase =
        builder
            .jvmOption(JavaProcess.QUICK)
            .jvmOption(JavaProcess.SMALL)
            .throwaway()
            .property("hbase.regionserver.msginterval", "500") // start and stop wait for these
            // A client looks again and again whether an operation on a table is over: here soon,
            // and often.
            .property("hbase.client.pause", "20")
            .property("hbase.client.retries.number", "200") // minutes in all
            .property(HConstants.REGIONSERVER_METRICS_PERIOD, "200")
            .property("hbase.hfile.compaction.discharger.interval", "200")
            .property("hbase.hstore.compactionThreshold", "100") // none but those asked for
            .property("hbase.regionserver.info.port", Integer.toString(pagesPort))
            .property("hbase.regionserver.info.bindAddress", "127.0.0.1")
            .start();
    try {
      return new TestServer(hbase, pagesPort);
    } catch (IOException e) {
      hbase.kill();
      throw e;
    }
  }

  /** Where HBase's files are, and its settings, logs and scratch. */
  Path directory() {
    return hbase.directory();
  }

  /** Where the region server's web pages are; -1 if there are none. */
  int pagesPort() {
    return pagesPort;
  }

  Admin admin() {
    return admin;
  }

  Connection connection() {
    return connection;
  }

  Configuration configuration() {
    return hbase.configuration();
  }

  /** The counters once they rest, and what is awaited of them holds. */
  Map<TableName, BloomCounters> counters(
      Set<TableName> tables, BiPredicate<TableName, BloomCounters> awaited)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    Map<TableName, BloomCounters> last = null;
    while (true) {
      TimeUnit.MILLISECONDS.sleep(METRICS_MILLIS + 400);
      Map<TableName, BloomCounters> now = BloomCounters.of(hbase.process(), tables);
      if (now.equals(last)
          && now.entrySet().stream().allMatch(e -> awaited.test(e.getKey(), e.getValue()))) {
        return now;
      }
      assertTrue(
          System.nanoTime() - start < TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS),
          "not what was awaited: " + now);
      last = now;
    }
  }

  /** The counters once they rest. */
  Map<TableName, BloomCounters> counters(Set<TableName> tables)
      throws IOException, InterruptedException {
    return counters(tables, (table, counters) -> true);
  }

  List<String> logLinesWith(String text) throws IOException {
    return logLinesWith(hbase.logFile(), text);
  }

  static List<String> logLinesWith(Path log, String text) throws IOException {
    try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
      return lines.filter(line -> line.contains(text)).toList();
    }
  }

  TableName create(String name, ColumnFamilyDescriptor... families) throws IOException {
    return create(name, null, families);
  }

  TableName create(String name, byte[][] splits, ColumnFamilyDescriptor... families)
      throws IOException {
    TableName table = TableName.valueOf(name);
    admin.createTable(
        TableDescriptorBuilder.newBuilder(table).setColumnFamilies(List.of(families)).build(),
        splits);
    return table;
  }

  /** Makes a table whose settings nobody checks. */
  TableName createUnchecked(String name, byte[][] splits, ColumnFamilyDescriptor... families)
      throws IOException {
    TableName table = TableName.valueOf(name);
    admin.createTable(
        TableDescriptorBuilder.newBuilder(table)
            .setValue(TableDescriptorChecker.TABLE_SANITY_CHECKS, "false")
            .setColumnFamilies(List.of(families))
            .build(),
        splits);
    return table;
  }

  /** Flushes region by region, which has returned when the files are there. */
  void flush(TableName table) throws IOException {
    for (RegionInfo region : regions(table)) {
      admin.flushRegion(region.getRegionName());
    }
  }

  /**
   * Major-compacts, and waits till each store has one file, written by that compaction. HBase's
   * request for the whole table leaves a region out that its server does not serve yet: the master
   * may know a moment before that it is open.
   */
  void majorCompact(TableName table) throws IOException, InterruptedException {
    List<Path> before = storeFiles(table);
    List<RegionInfo> regions = regions(table);
    for (RegionInfo region : regions) {
      await("a server of " + region, () -> isMajorCompactionAccepted(region));
    }
    int stores = regions.size() * admin.getDescriptor(table).getColumnFamilyCount();
    await(
        "a major compaction of " + table,
        () -> {
          List<Path> files = storeFiles(table);
          return files.size() == stores
              && files.stream().noneMatch(before::contains)
              && admin.getCompactionState(table) == CompactionState.NONE;
        });
    for (Path file : storeFiles(table)) {
      assertTrue(isMajorCompacted(file), file.toString());
    }
  }

  private boolean isMajorCompactionAccepted(RegionInfo region) throws IOException {
    try {
      admin.majorCompactRegion(region.getRegionName());
      return true;
    } catch (NotServingRegionException e) {
      return false;
    }
  }

  /** Waits till no region is left in the table's directory that was split or merged. */
  void awaitNoOldRegions(TableName table) throws IOException, InterruptedException {
    Path directory = tableDirectory(table);
    await(
        "the end of old regions of " + table,
        () -> {
          admin.runCatalogJanitor();
          try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(entry -> !entry.getFileName().toString().startsWith(".")).count()
                == regions(table).size();
          }
        });
  }

  /** The table's regions, each once: those of which others are replicas. */
  List<RegionInfo> regions(TableName table) throws IOException {
    return regions(admin, table);
  }

  static List<RegionInfo> regions(Admin admin, TableName table) throws IOException {
    return admin.getRegions(table).stream().filter(RegionReplicaUtil::isDefaultReplica).toList();
  }

  private Path tableDirectory(TableName table) {
    return tableDirectory(table, "hbase/data");
  }

  private Path tableDirectory(TableName table, String data) {
    return hbase
        .directory()
        .resolve(data)
        .resolve(table.getNamespaceAsString())
        .resolve(table.getQualifierAsString());
  }

  /** Closes every region and opens it again. */
  void reopen(Set<TableName> tables) throws IOException, InterruptedException, ExecutionException {
    List<Future<Void>> running = new ArrayList<>();
    for (TableName table : tables) {
      running.add(admin.disableTableAsync(table));
    }
    for (Future<Void> disabled : running) {
      disabled.get();
    }
    running.clear();
    for (TableName table : tables) {
      running.add(admin.enableTableAsync(table));
    }
    for (Future<Void> enabled : running) {
      enabled.get();
    }
  }

  /** The files of all stores of the table, by name of the family and file. */
  List<Path> storeFiles(TableName table) throws IOException {
    Path directory = tableDirectory(table);
    List<Path> files = new ArrayList<>();
    for (RegionInfo region : regions(table)) {
      for (ColumnFamilyDescriptor family : admin.getDescriptor(table).getColumnFamilies()) {
        Path store = directory.resolve(region.getEncodedName()).resolve(family.getNameAsString());
        try (Stream<Path> entries = Files.list(store)) {
          entries
              .filter(file -> !file.getFileName().toString().startsWith("."))
              .forEach(files::add);
        }
      }
    }
    return files;
  }

  /** The files of large values, to which those of the stores refer. */
  List<Path> mobFiles(TableName table) throws IOException {
    try (Stream<Path> all = Files.walk(tableDirectory(table, "hbase/mobdir/data"))) {
      return all.filter(Files::isRegularFile)
          .filter(file -> !file.getFileName().toString().startsWith("."))
          .toList();
    }
  }

  /** The versions of the general filters of all files of the table; 0 where there is none. */
  List<Integer> filterVersions(TableName table) throws IOException {
    List<Integer> versions = new ArrayList<>();
    for (Path file : storeFiles(table)) {
      versions.add(generalFilterVersion(file));
    }
    return versions;
  }

  int generalFilterVersion(Path file) throws IOException {
    try (HFile.Reader reader = open(file)) {
      return version(reader.getGeneralBloomFilterMetadata());
    }
  }

  /** What the general filter of the file tells about itself. */
  String generalFilter(Path file) throws IOException {
    try (HFile.Reader reader = open(file)) {
      DataInput meta = reader.getGeneralBloomFilterMetadata();
      return BloomFilterFactory.createFromMeta(meta, reader, new BloomFilterMetrics()).toString();
    }
  }

  /** The key segments of the file; null if it has none. */
  KeySegment keySegment(Path file) throws IOException {
    try (HFile.Reader reader = open(file)) {
      return KeySegment.in(reader.getHFileInfo());
    }
  }

  int deleteFamilyFilterVersion(Path file) throws IOException {
    try (HFile.Reader reader = open(file)) {
      return version(reader.getDeleteBloomFilterMetadata());
    }
  }

  private static int version(DataInput meta) throws IOException {
    return meta == null ? 0 : meta.readInt();
  }

  private boolean isMajorCompacted(Path file) throws IOException {
    try (HFile.Reader reader = open(file)) {
      byte[] flag = reader.getHFileInfo().get(HStoreFile.MAJOR_COMPACTION_KEY);
      return flag != null && Bytes.toBoolean(flag);
    }
  }

  private HFile.Reader open(Path file) throws IOException {
    Configuration conf = hbase.configuration();
    return HFile.createReader(
        FileSystem.getLocal(conf),
        new org.apache.hadoop.fs.Path(file.toUri()),
        CacheConfig.DISABLED,
        true,
        conf);
  }

  /** What is waited for. */
  @FunctionalInterface
  interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }

  static void await(String what, Condition condition) throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (!condition.holds()) {
      assertTrue(
          System.nanoTime() - start < TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS),
          "waited " + PATIENCE_SECONDS + " s for " + what);
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** Shuts HBase down in order, so that its directory may be used again. */
  @Override
  public void close() throws IOException {
    try {
      connection.close();
    } finally {
      hbase.close();
    }
  }

  /** Sends HBase's process a signal: STOP halts it, and CONT lets it go on. */
  void signal(String name) throws IOException, InterruptedException {
    String pid = Long.toString(hbase.process().pid());
    assertEquals(0, new ProcessBuilder("kill", "-" + name, pid).inheritIO().start().waitFor());
  }

  /** Ends HBase at once: nobody wants its data any more. */
  void kill() throws IOException {
    try {
      connection.close();
    } finally {
      hbase.kill();
    }
  }
}
