package io.winnow.hbase.hooks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.winnow.hbase.Thrown;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** What of a family's settings gets into the configuration that a tool writes with. */
class BulkLoadHooksTest {
  private static final String RATE = "io.storefile.bloom.error.rate";
  private static final TableName TABLE = TableName.valueOf("space", "t-1.2");

  private final Configuration site = new Configuration(false);

  private static ColumnFamilyDescriptor family(String name, Map<String, String> settings) {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(name));
    settings.forEach(family::setConfiguration);
    return family.build();
  }

  @Test
  void familyThatDidNotAskChangesNothing() {
    site.set(RATE, "0.02");
    assertSame(site, BulkLoadHooks.ofFamily(site, family("f", Map.of(RATE, "0.05", "a", "b"))));
    assertSame(site, BulkLoadHooks.ofFamily(site, family("f", Map.of("winnow.hash", "xxh3"))));
    assertSame(site, BulkLoadHooks.ofFamily(site, Bytes.toBytes("t"), Bytes.toBytes("f")));
  }

  @Test
  void familyThatAsksGetsItsOwnSettingsAndLeavesTheSiteAlone() {
    site.set(RATE, "0.02");
    Configuration own =
        BulkLoadHooks.ofFamily(
            site, family("f", Map.of("winnow.filter", "ribbon", RATE, "0.05", "a", "b")));
    assertNotSame(site, own);
    assertEquals("ribbon", own.get("winnow.filter"));
    assertEquals("0.05", own.get(RATE));
    assertNull(own.get("a"));
    assertNull(site.get("winnow.filter"));
    assertEquals("0.02", site.get(RATE));
  }

  @Test
  void familyWithKeySegmentsNeedsNoFilterOfOurs() {
    Configuration own =
        BulkLoadHooks.ofFamily(site, family("f", Map.of("winnow.scan.segment", "8", RATE, "0.05")));
    assertEquals("8", own.get("winnow.scan.segment"));
    assertNull(own.get(RATE), "as in a stock HBase");
    assertNull(site.get("winnow.scan.segment"));
  }

  @Test
  void familyThatAsksForTheStockFilterGetsItUnderASiteThatAsksForOurs() {
    site.set("winnow.filter", "ribbon");
    Configuration own =
        BulkLoadHooks.ofFamily(site, family("f", Map.of("winnow.filter", "bloom", RATE, "0.05")));
    assertEquals("bloom", own.get("winnow.filter"));
    assertNull(own.get(RATE), "as in a stock HBase, whose tools do not look at it");
  }

  @Test
  void settingsTravelInTheJobsConfigurationFamilyByFamily() {
    TableDescriptor table =
        TableDescriptorBuilder.newBuilder(TABLE)
            .setValue("winnow.hash", "murmur3")
            .setColumnFamily(
                family("a=b&c %", Map.of("winnow.filter", " Ribbon ", RATE, "${x} & 5=%")))
            .setColumnFamily(
                family("own-hash", Map.of("winnow.filter", "?", "winnow.hash", "xxh3")))
            .setColumnFamily(family("none", Map.of()))
            .build();
    for (int i = 0; i < 2; i++) { // the second time in the tables that HFileOutputFormat2 has
      Configuration job = new Configuration(site);
      if (i == 0) {
        BulkLoadHooks.record(job, table);
      } else {
        BulkLoadHooks.record(job, List.of(new TableInfo(table)));
      }
      Configuration first = ofFamily(job, "a=b&c %");
      assertEquals("Ribbon", first.getTrimmed("winnow.filter"));
      assertEquals("murmur3", first.get("winnow.hash"));
      assertEquals("${x} & 5=%", first.getRaw(RATE));
      Configuration second = ofFamily(job, "own-hash");
      assertEquals("?", second.get("winnow.filter"));
      assertEquals("xxh3", second.get("winnow.hash"));
      assertNull(second.get(RATE));
      assertNull(ofFamily(job, "none").get("winnow.filter"));
      assertNull(ofFamily(job, "unknown").get("winnow.filter"));
    }
  }

  private static Configuration ofFamily(Configuration job, String family) {
    return BulkLoadHooks.ofFamily(job, TABLE.getName(), Bytes.toBytes(family));
  }

  @Test
  void whatCannotBeReadIsLeftOut() {
    BulkLoadHooks.record(site, List.of("no table"));
    assertEquals(0, site.size());
    assertSame(site, BulkLoadHooks.ofFamily(site, new byte[] {0}, new byte[] {0}));
  }

  @Test
  void whateverIsThrownStaysHere() {
    Configuration fails =
        new Configuration(false) {
          @Override
          public String getRaw(String name) {
            return Thrown.sneakily(new AssertionError("a fault"));
          }
        };
    assertSame(fails, BulkLoadHooks.ofFamily(fails, Bytes.toBytes("t"), Bytes.toBytes("f")));
    ColumnFamilyDescriptor fault =
        (ColumnFamilyDescriptor)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ColumnFamilyDescriptor.class},
                (proxy, method, arguments) -> Thrown.sneakily(new AssertionError("a fault")));
    assertSame(site, BulkLoadHooks.ofFamily(site, fault));
    BulkLoadHooks.record(site, List.of(new FailingInfo()));
    BulkLoadHooks.record(site, (List<?>) null);
    assertEquals(0, site.size());
  }

  private record FailingInfo() {
    public TableDescriptor getTableDescriptor() {
      return Thrown.sneakily(new AssertionError("a fault"));
    }
  }

  /** As HBase's own, which is not public. */
  private record TableInfo(TableDescriptor descriptor) {
    public TableDescriptor getTableDescriptor() {
      return descriptor;
    }
  }
}
