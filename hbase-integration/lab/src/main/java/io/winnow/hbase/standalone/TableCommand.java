package io.winnow.hbase.standalone;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Range;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.NoServerForRegionException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionReplicaUtil;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code ./winnow table create|alter|load|compact TABLE FAMILY}: creates, changes,
 * fills or compacts a table of a running HBase, for a checkout that has no HBase shell.
 */
@Command(name = "winnow table")
public final class TableCommand extends Program {
  private static final int FLUSHES = 4;
  private static final int BATCH = 2_000;

  /** Maximum number of attempts, a second apart, to request a compaction of a region. */
  private static final int MAX_ATTEMPTS = 30;

  private static final String BLOOM = "BLOOMFILTER";

  @Parameters(index = "0", arity = "0..1")
  private String task = "";

  @Parameters(index = "1", arity = "0..1")
  private String name;

  @Parameters(index = "2", arity = "0..1")
  private String family;

  @Parameters(index = "3..*", arity = "0..*")
  private List<String> settings = new ArrayList<>();

  @Option(names = "--conf")
  private Path directory;

  @Option(names = "--rows")
  @Range(min = 1, max = 100_000_000)
  private int rows = 100_000;

  public static void main(String[] args) {
    main(TableCommand::new, args);
  }

  /**
   * Returns lines to copy into another terminal: one creates a table with a filter, one loads rows,
   * and one shows the page of a region server.
   *
   * @param conf directory of the settings of HBase
   * @param page address of Winnow's page; null if there is none
   */
  public static String firstSteps(Path conf, String page) {
    String table = "create a table with a filter, load rows";
    String lines = line("create", conf, "winnow.filter=bumped-ribbon") + line("load", conf);
    return page == null
        ? toCopy(table, lines)
        : toCopy(table + ", show the page", lines + String.format("  %s %s%n", viewer(), page));
  }

  /**
   * Returns lines to copy into another terminal, for an HBase without the agent: one creates a
   * table, and one loads rows. If servers can be restarted, others give each of them the agent, and
   * the table a filter.
   *
   * @param conf directory of the settings of HBase
   * @param restarts lines that restart each server with the agent; empty if there are none
   */
  static String stockSteps(Path conf, String restarts) {
    String table = "create a table, load rows";
    String lines = line("create", conf) + line("load", conf);
    return restarts.isEmpty()
        ? toCopy(table, lines)
        : toCopy(
            table + ", give the servers the agent, and the table a filter",
            lines + restarts + line("alter", conf, "winnow.filter=bumped-ribbon"));
  }

  private static String toCopy(String deeds, String lines) {
    return String.format("To copy into another terminal: %s.%n%s", deeds, lines);
  }

  /** Returns a line to copy that works on a first table. */
  private static String line(String task, Path conf, String... settings) {
    return line(task, "orders", "f", conf, settings);
  }

  private static String line(
      String task, String table, String family, Path conf, String... settings) {
    List<Object> words = new ArrayList<>(List.of("table", task, table, family));
    if (conf != null) {
      words.addAll(List.of("--conf", conf));
    }
    words.addAll(List.of(settings));
    return launcherLine(words);
  }

  /** Returns a line to copy that runs a command of the launcher. */
  static String launcherLine(List<?> words) {
    return Stream.concat(Stream.of(launcher()), words.stream().map(Object::toString))
        .map(TableCommand::quoted)
        .collect(Collectors.joining(" ", "  ", System.lineSeparator()));
  }

  /** Returns a word as a shell takes it back, in quotes if it needs them. */
  private static String quoted(String word) {
    return word.matches("[\\w./:,=+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  /** Returns the command that shows an address: a browser, or curl on a machine without one. */
  private static String viewer() {
    String browser = System.getProperty("os.name").startsWith("Mac") ? "open" : "xdg-open";
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.of(path.split(File.pathSeparator))
            .anyMatch(directory -> Files.isExecutable(Path.of(directory, browser)))
        ? browser
        : "curl";
  }

  /** Returns the words that run the launcher from the working directory. */
  private static String launcher() {
    Path home = Path.of(System.getProperty("winnow.home", "")).toAbsolutePath().normalize();
    return home.equals(Path.of("").toAbsolutePath())
        ? "./winnow"
        : home.resolve("winnow").toString();
  }

  @Override
  protected void check() {
    if (!List.of("create", "alter", "load", "compact").contains(task)) {
      throw new IllegalArgumentException("name one of create, alter, load, compact");
    }
    if (name == null || family == null) {
      throw new IllegalArgumentException("a table and a family are needed");
    }
    if (!settings.isEmpty() && !List.of("create", "alter").contains(task)) {
      throw new IllegalArgumentException(task + " takes no setting: " + settings.get(0));
    }
    if (settings.isEmpty() && task.equals("alter")) {
      throw new IllegalArgumentException("alter needs a setting, such as winnow.filter=bloom");
    }
    for (String setting : settings) {
      if (setting.indexOf('=') < 1) {
        throw new IllegalArgumentException(setting + " is not of the form NAME=VALUE");
      }
    }
  }

  @Override
  protected int work() throws IOException, InterruptedException {
    Configuration conf = configuration();
    TableName table = TableName.valueOf(name);
    try (Connection connection = ConnectionFactory.createConnection(conf);
        Admin admin = connection.getAdmin()) {
      if (!task.equals("create") && !isTable(admin, table, conf)) {
        throw new IOException("there is no table " + name);
      }
      switch (task) {
        case "create" -> create(admin, table, conf);
        case "alter" -> alter(admin, table);
        case "load" -> load(connection, admin, table);
        default -> compact(admin, table);
      }
    } catch (DoNotRetryIOException e) { // HBase refuses: its message goes on with a stack trace
      throw new IOException(e.getMessage().lines().findFirst().orElse(""), e);
    }
    return DONE;
  }

  private Configuration configuration() throws IOException {
    Configuration conf = HBaseConfiguration.create();
    if (directory != null) {
      for (String file : List.of("core-site.xml", "hdfs-site.xml", "hbase-site.xml")) {
        if (Files.exists(directory.resolve(file))) {
          conf.addResource(new org.apache.hadoop.fs.Path(directory.resolve(file).toUri()));
        } else if (file.startsWith("hbase")) {
          throw new IOException("there is no " + file + " in " + directory);
        }
      }
    }
    conf.setInt("hbase.client.retries.number", 4);
    conf.setInt("zookeeper.recovery.retry", 0);
    conf.setInt("hbase.client.operation.timeout", 60_000);
    return conf;
  }

  /**
   * Returns true if HBase has the table; if no HBase answers, the message says where to name it.
   */
  private static boolean isTable(Admin admin, TableName table, Configuration conf)
      throws IOException {
    try {
      return admin.tableExists(table);
    } catch (IOException e) {
      throw new IOException(
          "no HBase answers by the ZooKeeper at "
              + conf.get(HConstants.ZOOKEEPER_QUORUM)
              + ", port "
              + conf.get(HConstants.ZOOKEEPER_CLIENT_PORT)
              + ": name the directory of its hbase-site.xml in HBASE_CONF_DIR or --conf",
          e);
    }
  }

  private void create(Admin admin, TableName table, Configuration conf) throws IOException {
    if (isTable(admin, table, conf)) {
      throw new IOException("there is a table " + name + " already");
    }
    ColumnFamilyDescriptor descriptor = with(ColumnFamilyDescriptorBuilder.of(family), settings);
    admin.createTable(TableDescriptorBuilder.newBuilder(table).setColumnFamily(descriptor).build());
    out.println("created " + name + ", family " + family);
    printWayBack();
  }

  /** Prints how the family gets HBase's own filter again, if it asks for another one now. */
  private void printWayBack() {
    if (settings.stream().anyMatch(setting -> setting.matches("winnow\\.filter=(?!bloom$).+"))) {
      out.printf(
          "HBase's own filter again:%n%s",
          line("alter", name, family, directory, "winnow.filter=bloom"));
    }
  }

  private void alter(Admin admin, TableName table) throws IOException {
    TableDescriptor descriptor = admin.getDescriptor(table);
    admin.modifyTable(
        TableDescriptorBuilder.newBuilder(descriptor)
            .modifyColumnFamily(with(descriptor.getColumnFamily(known(descriptor)), settings))
            .build());
    out.printf(
        "altered %s, family %s: new files follow, and old ones after%n%s",
        name, family, line("compact", name, family, directory));
    printWayBack();
  }

  private byte[] known(TableDescriptor table) throws IOException {
    byte[] bytes = Bytes.toBytes(family);
    if (!table.hasColumnFamily(bytes)) {
      throw new IOException("the table " + name + " has no family " + family);
    }
    return bytes;
  }

  /** Returns a family with further settings; one without a value is removed. */
  private static ColumnFamilyDescriptor with(ColumnFamilyDescriptor family, List<String> settings) {
    ColumnFamilyDescriptorBuilder builder = ColumnFamilyDescriptorBuilder.newBuilder(family);
    for (String setting : settings) {
      int end = setting.indexOf('=');
      String key = setting.substring(0, end);
      String value = setting.substring(end + 1);
      if (key.equals(BLOOM)) {
        builder.setBloomFilterType(BloomType.valueOf(value.toUpperCase(Locale.ROOT)));
      } else {
        builder.setConfiguration(key, value.isEmpty() ? null : value);
      }
    }
    return builder.build();
  }

  /** Puts rows with keys like hashes, and flushes several times, so that a Get has some files. */
  private void load(Connection connection, Admin admin, TableName name) throws IOException {
    byte[] column = Bytes.toBytes("c");
    byte[] of = known(admin.getDescriptor(name));
    try (Table table = connection.getTable(name);
        Progress progress = Progress.counting(err, "loading", "rows", rows)) {
      List<Put> batch = new ArrayList<>();
      for (int i = 0; i < rows; i++) {
        String key = String.format(Locale.ROOT, "%016x", (i + 1) * 0x9E3779B97F4A7C15L);
        batch.add(new Put(Bytes.toBytes(key)).addColumn(of, column, Bytes.toBytes(i)));
        boolean isFull = (i + 1L) * FLUSHES / rows > (long) i * FLUSHES / rows;
        if (batch.size() == BATCH || isFull) {
          table.put(batch);
          progress.add(batch.size());
          batch.clear();
        }
        if (isFull) {
          admin.flush(name);
        }
      }
    }
    out.printf("loaded %,d rows, with %d flushes%n", rows, Math.min(rows, FLUSHES));
  }

  private void compact(Admin admin, TableName table) throws IOException, InterruptedException {
    byte[] of = known(admin.getDescriptor(table));
    if (admin.isTableDisabled(table)) {
      throw new IOException("the table " + name + " is disabled: enable it");
    }
    admin.flush(table);
    try (Progress progress = Progress.counting(err, "seconds of compaction")) {
      for (RegionInfo region : admin.getRegions(table)) {
        if (RegionReplicaUtil.isDefaultReplica(region)) {
          majorCompact(admin, table, region, of, progress);
        }
      }
      do {
        pause(progress);
      } while (admin.getCompactionState(table) != CompactionState.NONE);
    }
    out.println("compacted " + name + ", family " + family);
  }

  private static void pause(Progress progress) throws InterruptedException {
    TimeUnit.SECONDS.sleep(1);
    progress.add(1);
  }

  /**
   * Requests a major compaction of one region. For a moment after its table was altered a server
   * may not serve a region that the master takes for open: HBase's request for the whole table
   * would skip this region silently. A region that was split or merged meanwhile is skipped; HBase
   * compacts what comes of it.
   */
  private static void majorCompact(
      Admin admin, TableName table, RegionInfo region, byte[] family, Progress progress)
      throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        admin.majorCompactRegion(region.getRegionName(), family);
        return;
      } catch (NotServingRegionException
          | NoServerForRegionException
          | IllegalArgumentException e) { // the last if HBase does not know the region any more
        if (!admin.getRegions(table).contains(region)) {
          return;
        }
        if (attempt == MAX_ATTEMPTS) {
          throw e;
        }
        pause(progress);
      }
    }
  }
}
