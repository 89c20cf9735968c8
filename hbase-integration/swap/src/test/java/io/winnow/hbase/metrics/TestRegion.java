package io.winnow.hbase.metrics;

import io.winnow.hbase.agent.WovenFactory;
import io.winnow.hbase.read.CachePressureDoor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.io.HFileLink;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALFactory;

/** One region of a table, of HBase's own classes, in this JVM, with the scanners woven. */
public final class TestRegion implements AutoCloseable {
  static {
    WovenFactory.install();
  }

  /**
   * Of blocks, for regions whose rows are asked for again and again; files have names of their own.
   */
  public static final BlockCache CACHE =
      new LruBlockCache(64 << 20, 64 << 10, false, new Configuration());

  /** Regions of the same table, which are not open: their files stand elsewhere. */
  private static final String PARENT = "fedcba9876543210fedcba9876543210";

  private static final String ORIGIN = "0123456789abcdef0123456789abcdef";

  private final Path root;
  private final Configuration conf;
  private TableDescriptor descriptor;
  private final RegionInfo info;
  private final BlockCache cache;
  private final WALFactory wals;
  private HRegion region;

  public TestRegion(java.nio.file.Path directory, String table, ColumnFamilyDescriptor family)
      throws IOException {
    this(directory, table, family, Map.of());
  }

  /**
   * @param site what hbase-site.xml says
   */
  public TestRegion(
      java.nio.file.Path directory,
      String table,
      ColumnFamilyDescriptor family,
      Map<String, String> site)
      throws IOException {
    this(directory, table, family, site, null);
  }

  /**
   * @param cache of blocks; null for none
   */
  public TestRegion(
      java.nio.file.Path directory,
      String table,
      ColumnFamilyDescriptor family,
      Map<String, String> site,
      BlockCache cache)
      throws IOException {
    root = new Path(directory.toUri());
    conf = conf(directory, site);
    descriptor =
        TableDescriptorBuilder.newBuilder(TableName.valueOf(table)).setColumnFamily(family).build();
    info = RegionInfoBuilder.newBuilder(descriptor.getTableName()).build();
    this.cache = cache;
    CachePressureDoor.begin();
    wals = new WALFactory(conf, table.replace(':', '-')); // the name of a directory
    open();
  }

  /**
   * Opens a region that has the rows from one on and before another.
   *
   * @param from empty for the first region of the table, and {@code to} for the last
   */
  public TestRegion(
      java.nio.file.Path directory, TableDescriptor descriptor, byte[] from, byte[] to)
      throws IOException {
    root = new Path(directory.toUri());
    conf = conf(directory, Map.of());
    this.descriptor = descriptor;
    info =
        RegionInfoBuilder.newBuilder(descriptor.getTableName())
            .setStartKey(from)
            .setEndKey(to)
            .build();
    cache = CACHE;
    CachePressureDoor.begin();
    wals = new WALFactory(conf, "region-" + info.getEncodedName());
    open();
  }

  /** Opens the region: for the first time, or after its {@code HRegion} was closed. */
  @SuppressWarnings("deprecation") // to initialize: no other way to have a cache and no server
  public void open() throws IOException {
    region = HRegion.createHRegion(info, root, conf, descriptor, wals.getWAL(info), false);
    region.setBlockCache(cache);
    if (conf.get(CoprocessorHost.REGION_COPROCESSOR_CONF_KEY) != null) {
      region.setCoprocessorHost(new RegionCoprocessorHost(region, null, conf));
    }
    region.initialize();
  }

  /** Closes the region, and opens it with its family as it is from now on. */
  public void alter(ColumnFamilyDescriptor family) throws IOException {
    region.close();
    descriptor = TableDescriptorBuilder.newBuilder(descriptor).modifyColumnFamily(family).build();
    open();
  }

  /** Closes the region, and opens it with this family, too. */
  public void add(ColumnFamilyDescriptor family) throws IOException {
    region.close();
    descriptor = TableDescriptorBuilder.newBuilder(descriptor).setColumnFamily(family).build();
    open();
  }

  /** Replaces each file by a half of it, as in a daughter of a region that is split at a row. */
  public void halve(byte[] row, boolean isTop) throws IOException {
    Reference half =
        isTop ? Reference.createTopReference(row) : Reference.createBottomReference(row);
    Set<Path> withoutHalf = new HashSet<>(); // as HBase does: all rows are of the other side
    for (HStore store : region.getStores()) {
      for (HStoreFile file : store.getStorefiles()) {
        byte[] end =
            (isTop ? file.getLastKey() : file.getFirstKey()).map(CellUtil::cloneRow).orElse(null);
        if (end == null || isTop != Bytes.compareTo(end, row) >= 0) {
          withoutHalf.add(file.getPath());
        }
      }
    }
    move(
        PARENT,
        (fs, store, name) -> {
          if (!withoutHalf.contains(new Path(store, name))) {
            half.write(fs, new Path(store, name + "." + PARENT));
          }
        });
  }

  /** Replaces each file by a link to it, as in the clone of a snapshot. */
  public void link() throws IOException {
    TableName table = descriptor.getTableName();
    move(
        ORIGIN,
        (fs, store, name) ->
            fs.createNewFile(new Path(store, HFileLink.createHFileLinkName(table, ORIGIN, name))));
  }

  /** Writes a file that stands for one that was moved away. */
  private interface StandIn {
    void write(FileSystem fs, Path store, String name) throws IOException;
  }

  private void move(String region, StandIn standIn) throws IOException {
    List<Path> files = new ArrayList<>();
    for (HStore store : this.region.getStores()) {
      store.closeAndArchiveCompactedFiles();
      store.getStorefiles().forEach(file -> files.add(file.getPath()));
    }
    this.region.close();
    for (Path file : files) {
      Path store = file.getParent();
      Path other = new Path(new Path(store.getParent().getParent(), region), store.getName());
      FileSystem fs = file.getFileSystem(conf);
      fs.mkdirs(other);
      if (!fs.rename(file, new Path(other, file.getName()))) {
        throw new IOException("cannot move " + file);
      }
      standIn.write(fs, store, file.getName());
    }
    open();
  }

  public TableDescriptor descriptor() {
    return descriptor;
  }

  public Configuration configuration() {
    return conf;
  }

  private static Configuration conf(java.nio.file.Path directory, Map<String, String> site) {
    Configuration conf = HBaseConfiguration.create();
    conf.set("fs.defaultFS", "file:///");
    conf.set("hbase.rootdir", directory.toUri().toString());
    conf.setBoolean("hbase.regionserver.hlog.enabled", false);
    conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false);
    site.forEach(conf::set);
    return conf;
  }

  public HRegion region() {
    return region;
  }

  public HStore store() {
    return region.getStores().get(0);
  }

  public long falsePositives() {
    return counters().falsePositives.sum();
  }

  public long truePositives() {
    return counters().truePositives.sum();
  }

  public FamilyCounters counters() {
    return Families.of(store().getTableName(), store().getColumnFamilyDescriptor().getName());
  }

  public Collection<HStoreFile> files() {
    return store().getStorefiles();
  }

  /** Every row of a file, and its columns, as a scan of the whole file finds them. */
  public static Map<String, Set<String>> contents(HStoreFile file) throws IOException {
    Map<String, Set<String>> rows = new HashMap<>();
    HFileScanner scanner =
        file.getReader().getHFileReader().getScanner(new Configuration(), false, true, false);
    for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
      Cell cell = scanner.getCell();
      rows.computeIfAbsent(Bytes.toString(CellUtil.cloneRow(cell)), row -> new HashSet<>())
          .add(Bytes.toString(CellUtil.cloneQualifier(cell)));
    }
    return rows;
  }

  public static List<Map<String, Set<String>>> contents(Collection<HStoreFile> files)
      throws IOException {
    List<Map<String, Set<String>>> contents = new ArrayList<>();
    for (HStoreFile file : files) {
      contents.add(contents(file));
    }
    return contents;
  }

  @Override
  public void close() throws IOException {
    region.close();
    wals.close();
  }
}
