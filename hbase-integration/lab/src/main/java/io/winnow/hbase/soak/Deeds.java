package io.winnow.hbase.soak;

import io.winnow.hbase.settings.Setting;
import io.winnow.hbase.standalone.LocalCluster;
import io.winnow.hbase.standalone.StartUp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.FutureUtils;

/**
 * The actions of a long test of a cluster ({@code ./winnow soak}): those of an operator on a table,
 * and kills of a server.
 */
final class Deeds {
  /** Name of the region server that the long test kills; the other one is never killed. */
  static final String KILLED = "regionserver-2";

  static final String SPARED = "regionserver-1";

  static final TableName TABLE = TableName.valueOf("soak");

  /** Values of the filter, the row prefix and the key segment of a column family. */
  private static final List<Map<String, String>> FILTERS =
      List.of(
          filter("bloom", "none", "none"),
          filter("bumped-ribbon", "none", "none"),
          filter("ribbon", "none", SoakRows.SEGMENT),
          filter("quotient", "none", "none"),
          filter("bumped-ribbon", Integer.toString(SoakRows.PREFIX_SIZE), "none"),
          filter("bumped-ribbon", Integer.toString(SoakRows.PREFIX_SIZE), SoakRows.SEGMENT));

  /**
   * Column families of the table. At the start each has other values of {@link #FILTERS}; an {@code
   * alter} changes those of one.
   */
  static final List<byte[]> FAMILIES =
      List.of("a", "b", "c", "d", "e", LetteredRowsReader.FAMILY).stream()
          .map(Bytes::toBytes)
          .toList();

  private static final int REGIONS = 4;
  private static final int MAX_REGIONS = 7;
  private static final int ATTEMPTS = 6;
  private static final int MAX_COMPACTION_MILLIS = 1000;
  private static final int PAUSE_SECONDS = 5;
  private static final int PATIENCE_SECONDS = 900;

  private static Map<String, String> filter(String filter, String prefix, String segment) {
    return Map.of(
        Setting.FILTER.key, filter,
        Setting.SCAN_PREFIX.key, prefix,
        Setting.SCAN_SEGMENT.key, segment);
  }

  private interface Task {
    void run() throws IOException, InterruptedException;
  }

  /**
   * An action on the cluster, such as a compaction or a kill, that the long test repeats.
   *
   * @param isRefused whether HBase may refuse it for a while: for example to split or merge a
   *     region that was just split, merged, moved or altered
   */
  record Deed(String name, int timesPerRound, boolean isRefused, Task task) {}

  private final LocalCluster cluster;
  private final Admin admin;
  private final Random random;
  private final Map<String, Integer> ports = new HashMap<>();
  private final List<Deed> all;
  private final Map<String, Integer> done = new LinkedHashMap<>();

  Deeds(LocalCluster cluster, Admin admin, SoakRows rows, Random random) {
    this.cluster = cluster;
    this.admin = admin;
    this.random = random;
    cluster.status().forEach(server -> ports.put(server.name(), server.port()));
    all =
        List.of(
            new Deed("flush", 2, true, this::flush),
            new Deed("alter", 3, true, this::alter),
            new Deed("compaction", 2, true, () -> compact(false)),
            new Deed("major compaction", 1, true, () -> compact(true)),
            new Deed("split", 1, true, this::split),
            new Deed("merge", 1, true, this::merge),
            new Deed("move", 1, true, this::move),
            new Deed("bulk load", 1, false, () -> rows.load(random)),
            new Deed("kill -9 of " + KILLED, 1, false, this::kill),
            new Deed("check of every row", 1, false, rows::checkAll));
    all.forEach(deed -> done.put(deed.name, 0));
  }

  /** Returns the number of times that each action on the cluster was done, by the action's name. */
  Map<String, Integer> done() {
    return done;
  }

  /** Returns the actions on the cluster in one round of the test, in random order. */
  List<Deed> round() {
    List<Deed> round = new ArrayList<>();
    all.forEach(deed -> round.addAll(Collections.nCopies(deed.timesPerRound, deed)));
    Collections.shuffle(round, random);
    return round;
  }

  /**
   * Does an action on the cluster, in several attempts if HBase refuses it. Returns false if HBase
   * refused it at each attempt.
   */
  boolean isDone(Deed deed) throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        deed.task.run();
        done.merge(deed.name, 1, Integer::sum);
        return true;
      } catch (IOException e) {
        if (!deed.isRefused) {
          throw e;
        }
        if (attempt == ATTEMPTS) {
          return false;
        }
        TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
      }
    }
  }

  /**
   * Makes the long test's table with a column family for each filter, some regions, and a
   * coprocessor that opens some files with a reader of its own. The balancer is off, so no region
   * moves by itself.
   */
  static void createTable(Admin admin) throws IOException {
    admin.balancerSwitch(false, true);
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(TABLE)
            .setCoprocessor(LetteredRowsReader.Observer.class.getName());
    for (int i = 0; i < FILTERS.size(); i++) {
      ColumnFamilyDescriptorBuilder family =
          ColumnFamilyDescriptorBuilder.newBuilder(FAMILIES.get(i));
      FILTERS.get(i).forEach(family::setConfiguration);
      table.setColumnFamily(family.build());
    }
    byte[][] splits = new byte[REGIONS - 1][];
    for (int i = 0; i < splits.length; i++) {
      splits[i] = SoakRows.boundary((i + 1) * SoakRows.NUMBERS / REGIONS);
    }
    admin.createTable(table.build(), splits);
  }

  private void flush() throws IOException {
    admin.flush(TABLE);
  }

  /**
   * Empties the memory stores and block caches of the region servers, if HBase does not refuse the
   * flush.
   */
  void emptyMemory() throws IOException, InterruptedException {
    isDone(all.get(0));
    admin.flush(TableName.META_TABLE_NAME);
    admin.clearBlockCache(TABLE);
  }

  private void alter() throws IOException {
    byte[] name = FAMILIES.get(random.nextInt(FAMILIES.size()));
    ColumnFamilyDescriptor before = admin.getDescriptor(TABLE).getColumnFamily(name);
    List<Map<String, String>> others =
        FILTERS.stream().filter(filter -> !filter.equals(before.getConfiguration())).toList();
    ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(before);
    others.get(random.nextInt(others.size())).forEach(family::setConfiguration);
    admin.modifyColumnFamily(TABLE, family.build());
  }

  void compact(boolean major) throws IOException, InterruptedException {
    if (major) {
      admin.majorCompact(TABLE);
    } else {
      admin.compact(TABLE);
    }
    TimeUnit.SECONDS.sleep(1); // the compaction needs time to begin
    StartUp.await("a compaction", () -> admin.getCompactionState(TABLE) == CompactionState.NONE);
  }

  /** Returns the regions of the long test's table, ordered by their first rows. */
  private List<RegionInfo> regions() throws IOException {
    return admin.getRegions(TABLE).stream()
        .sorted((one, other) -> Bytes.compareTo(one.getStartKey(), other.getStartKey()))
        .toList();
  }

  /**
   * Compacts the files that regions share since a split, and has HBase remove regions that were
   * split or merged.
   */
  private void tidy() throws IOException, InterruptedException {
    compact(true);
    TimeUnit.SECONDS.sleep(2); // compacted files are archived every second
    admin.runCatalogJanitor();
  }

  private void split() throws IOException, InterruptedException {
    if (regions().size() >= MAX_REGIONS) {
      merge();
    }
    tidy();
    List<RegionInfo> regions = regions();
    RegionInfo region = regions.get(random.nextInt(regions.size()));
    int from = number(region.getStartKey(), 0);
    int to = number(region.getEndKey(), SoakRows.NUMBERS);
    await(admin.splitRegionAsync(region.getRegionName(), SoakRows.boundary((from + to) / 2)));
  }

  /**
   * Returns the row number that a region's boundary key contains.
   *
   * @param none the number to return if the key is empty, as it is at the ends of the table
   */
  private static int number(byte[] key, int none) {
    return key.length == 0 ? none : Integer.parseInt(Bytes.toString(key).split("-")[1]);
  }

  private void merge() throws IOException, InterruptedException {
    tidy();
    List<RegionInfo> regions = regions();
    if (regions.size() < 2) {
      throw new IOException("there is one region");
    }
    int first = random.nextInt(regions.size() - 1);
    await(
        admin.mergeRegionsAsync(
            new byte[][] {
              regions.get(first).getRegionName(), regions.get(first + 1).getRegionName()
            },
            false));
  }

  private static void await(Future<?> request) throws IOException {
    FutureUtils.get(request, PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  private void move() throws IOException, InterruptedException {
    List<RegionInfo> regions = regions();
    RegionInfo region = regions.get(random.nextInt(regions.size()));
    ServerName killed = server(KILLED);
    move(region, admin.getRegions(killed).contains(region) ? server(SPARED) : killed);
  }

  private void move(RegionInfo region, ServerName to) throws IOException, InterruptedException {
    StartUp.await(
        "a move to " + to,
        () -> {
          if (!admin.getRegions(to).contains(region)) {
            admin.move(region.getEncodedNameAsBytes(), to);
          }
          return admin.getRegions(to).contains(region);
        });
  }

  private ServerName server(String name) throws IOException {
    return admin.getRegionServers().stream()
        .filter(server -> server.getPort() == ports.get(name))
        .max((one, other) -> Long.compare(one.getStartCode(), other.getStartCode()))
        .orElseThrow(() -> new IOException(name + " is not in the cluster"));
  }

  /** Moves every other region of the table to the region server that the test will kill. */
  void spread() throws IOException, InterruptedException {
    List<RegionInfo> regions = regions();
    for (int i = 0; i < regions.size(); i++) {
      move(regions.get(i), server(i % 2 == 0 ? SPARED : KILLED));
    }
  }

  /**
   * Kills a region server in the middle of a compaction, while rows are written. Waits until the
   * server is back, every region is served, and the server has half of the regions.
   */
  private void kill() throws IOException, InterruptedException {
    ServerName before = server(KILLED);
    admin.majorCompact(TABLE);
    TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_COMPACTION_MILLIS));
    cluster.kill(KILLED);
    cluster.revive(message -> {});
    StartUp.await("the end of " + before, () -> !admin.getRegionServers().contains(before));
    StartUp.await(
        "the regions of " + before,
        () -> {
          List<RegionInfo> served = new ArrayList<>(admin.getRegions(server(SPARED)));
          served.addAll(admin.getRegions(server(KILLED)));
          return served.containsAll(admin.getRegions(TABLE));
        });
    spread();
  }
}
