package io.winnow.hbase.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.agent.WovenFactory;
import io.winnow.hbase.hooks.SystemTableHooks;
import io.winnow.hbase.read.WinnowFilterReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CompoundBloomFilter;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.regionserver.StoreUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A filter for all, in hbase-site.xml, is one for the tables of users. */
class SystemTablesTest {
  static {
    WovenFactory.install();
  }

  private static final TableName ACL = TableName.valueOf("hbase", "acl");
  private static final TableName MASTERS = TableName.valueOf("master", "store");
  private static final TableName ORDERS = TableName.valueOf("orders");

  @TempDir Path dir;

  private final Configuration site = new Configuration();

  SystemTablesTest() {
    site.set("fs.defaultFS", "file:///");
    site.set("winnow.filter", "ribbon");
  }

  private static ColumnFamilyDescriptor family(Map<String, String> settings) {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(StoreFiles.FAMILY);
    settings.forEach(family::setConfiguration);
    return family.build();
  }

  private static TableDescriptor table(TableName name, Map<String, String> values) {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
    values.forEach(table::setValue);
    return table.build();
  }

  /** The filter of a file that the table's store writes, its configuration made as a store does. */
  private Class<?> filter(TableName name, Map<String, String> table, Map<String, String> family)
      throws IOException {
    return filter(
        StoreUtils.createStoreConfiguration(site, table(name, table), family(family)),
        StoreFiles.context().withTableName(name.getName()).build());
  }

  private Class<?> filter(Configuration conf, HFileContext context) throws IOException {
    var path = StoreFiles.write(dir, conf, BloomType.ROW, context, StoreFiles.evenRows(10));
    HStoreFile file = StoreFiles.open(conf, path, BloomType.ROW, new BloomFilterMetrics());
    try {
      return StoreFileDoor.generalFilter(file.getReader()).getClass();
    } finally {
      file.closeStoreFile(true);
    }
  }

  @Test
  void siteWideSettingIsForTheTablesOfUsers() throws IOException {
    assertEquals(WinnowFilterReader.class, filter(ORDERS, Map.of(), Map.of()));
    assertEquals(CompoundBloomFilter.class, filter(ACL, Map.of(), Map.of()));
    assertEquals(CompoundBloomFilter.class, filter(MASTERS, Map.of(), Map.of()));
  }

  @Test
  void systemTableThatAsksByNameGetsIt() throws IOException {
    Map<String, String> asked = Map.of("winnow.filter", "quotient");
    for (TableName name : new TableName[] {ACL, MASTERS}) {
      assertEquals(WinnowFilterReader.class, filter(name, asked, Map.of()));
      assertEquals(WinnowFilterReader.class, filter(name, Map.of(), asked));
    }
    site.unset("winnow.filter");
    assertEquals(WinnowFilterReader.class, filter(ACL, Map.of(), asked));
    assertEquals(CompoundBloomFilter.class, filter(ACL, Map.of(), Map.of("winnow.hash", "xxh3")));
  }

  @Test
  void inDoubtASystemTableKeepsTheStockFilter() throws IOException {
    // as where the store's configuration was made by unwoven code
    Configuration unmarked =
        new CompoundConfiguration().add(site).addStringMap(Map.of("winnow.filter", "ribbon"));
    assertEquals(
        CompoundBloomFilter.class,
        filter(unmarked, StoreFiles.context().withTableName(ACL.getName()).build()));
    assertEquals(
        WinnowFilterReader.class,
        filter(unmarked, StoreFiles.context().withTableName(ORDERS.getName()).build()));
  }

  @Test
  void fileThatDoesNotTellItsTableTellsItByItsPath() throws IOException {
    assertEquals(WinnowFilterReader.class, filter(site, StoreFiles.context().build()));
    Path root = dir;
    site.set("hbase.rootdir", root.toUri().toString());
    assertEquals(WinnowFilterReader.class, filter(site, StoreFiles.context().build()));
    dir = root.resolve("data/hbase/acl/0123456789abcdef0123456789abcdef");
    assertEquals(CompoundBloomFilter.class, filter(site, StoreFiles.context().build()));
    dir = root.resolve("data/default/orders/0123456789abcdef0123456789abcdef");
    assertEquals(WinnowFilterReader.class, filter(site, StoreFiles.context().build()));
  }

  @Test
  void directoryOfSystemTablesIsTheRootsOwn() {
    assertFalse(isSystems("hdfs://nn/data/hbase/acl/r/l/file"), "no root");
    for (String root : new String[] {"/", "hdfs://nn/", "hdfs://nn:8020"}) {
      site.set("hbase.rootdir", root);
      assertTrue(isSystems("hdfs://nn/data/hbase/acl/r/l/file"), root);
      assertFalse(isSystems("hdfs://nn/data/hbases/acl/r/l/file"), root);
      assertFalse(isSystems("hdfs://nn/data/default/t/r/f/file"), root);
    }
    site.set("hbase.rootdir", "hdfs://nn/hbase");
    assertTrue(isSystems("/hbase/data/hbase/acl/r/l/file"));
    assertFalse(isSystems("hdfs://nn/data/hbase/output/f/file"), "a job's");
    assertFalse(SystemFiles.isInSystemDirectory(site, null));
  }

  private boolean isSystems(String file) {
    return SystemFiles.isInSystemDirectory(site, new org.apache.hadoop.fs.Path(file));
  }

  @Test
  void configurationOfAUsersTableIsNotTouched() {
    assertSame(site, SystemTables.below(site, table(ORDERS, Map.of())));
    assertSame(site, SystemTableHooks.below(site, null));
    assertInstanceOf(CompoundConfiguration.class, SystemTables.below(site, table(ACL, Map.of())));
  }
}
