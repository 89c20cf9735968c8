package io.winnow.hbase.metrics;

import io.winnow.hbase.agent.WovenFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALFactory;

/** One region of a table, of HBase's own classes, in this JVM, with the scanners woven. */
public final class TestRegion implements AutoCloseable {
  static {
    WovenFactory.install();
  }

  private final WALFactory wals;
  private final HRegion region;

  public TestRegion(Path directory, String table, ColumnFamilyDescriptor family)
      throws IOException {
    this(directory, table, family, Map.of());
  }

  /**
   * @param site what hbase-site.xml says
   */
  public TestRegion(
      Path directory, String table, ColumnFamilyDescriptor family, Map<String, String> site)
      throws IOException {
    this(directory, table, family, conf(directory, site));
  }

  private TestRegion(Path dir, String table, ColumnFamilyDescriptor family, Configuration conf)
      throws IOException {
    wals = new WALFactory(conf, table.replace(':', '-')); // the name of a directory
    TableDescriptor descriptor =
        TableDescriptorBuilder.newBuilder(TableName.valueOf(table)).setColumnFamily(family).build();
    var info = RegionInfoBuilder.newBuilder(descriptor.getTableName()).build();
    WAL wal = wals.getWAL(info);
    region =
        HRegion.createHRegion(
            info, new org.apache.hadoop.fs.Path(dir.toUri()), conf, descriptor, wal);
  }

  private static Configuration conf(Path directory, Map<String, String> site) {
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

  FamilyCounters counters() {
    return Families.of(store().getTableName(), store().getColumnFamilyDescriptor().getName());
  }

  public Collection<HStoreFile> files() {
    return store().getStorefiles();
  }

  /** Every row of a file, and its columns, as a scan of the whole file finds them. */
  static Map<String, Set<String>> contents(HStoreFile file) throws IOException {
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

  static List<Map<String, Set<String>>> contents(Collection<HStoreFile> files) throws IOException {
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
