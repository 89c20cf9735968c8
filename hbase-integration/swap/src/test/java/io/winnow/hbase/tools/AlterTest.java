package io.winnow.hbase.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.settings.FamilyFilters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** Lines for the HBase shell, run by a few lines that do what the shell's {@code alter} does. */
class AlterTest {
  private static final List<String> FILTER_KEYS =
      List.of("winnow.filter", "winnow.filter.flush", "winnow.filter.compaction");

  private static final Pattern LINE =
      Pattern.compile(
          "alter 't', \\{NAME => 'f'(, BLOOMFILTER => 'ROW')?(, METADATA => \\{([^}]+)\\})?"
              + "(, CONFIGURATION => \\{([^}]+)\\})?\\}");
  private static final Pattern TABLE_LINE =
      Pattern.compile("alter 't', CONFIGURATION => \\{([^}]+)\\}");
  private static final Pattern PAIR = Pattern.compile("'([^']+)' => '([^']*)'(, )?");

  private final Configuration site = new Configuration(false);

  private static TableDescriptor table(ColumnFamilyDescriptorBuilder family) {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
        .setColumnFamily(family.build())
        .build();
  }

  private static ColumnFamilyDescriptorBuilder family() {
    return ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f"));
  }

  private static ColumnFamilyDescriptor family(TableDescriptor table) {
    return table.getColumnFamilies()[0];
  }

  private FamilyFilters asked(TableDescriptor table) {
    return FamilyFilters.of(site, table, family(table));
  }

  private Alter alter(TableDescriptor table) {
    return Alter.of(site, table, family(table));
  }

  /** Of METADATA the shell gives each pair to setValue, of CONFIGURATION to setConfiguration. */
  static TableDescriptor run(TableDescriptor table, String line) {
    TableDescriptorBuilder altered = TableDescriptorBuilder.newBuilder(table);
    Matcher ofTable = TABLE_LINE.matcher(line);
    if (ofTable.matches()) {
      pairs(ofTable.group(1)).forEach(altered::setValue);
      return altered.build();
    }
    Matcher matcher = LINE.matcher(line);
    assertTrue(matcher.matches(), line);
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(table.getColumnFamily(Bytes.toBytes("f")));
    if (matcher.group(1) != null) {
      family.setBloomFilterType(BloomType.ROW);
    }
    pairs(matcher.group(3)).forEach(family::setValue);
    pairs(matcher.group(5)).forEach(family::setConfiguration);
    return altered.modifyColumnFamily(family.build()).build();
  }

  private static Map<String, String> pairs(String text) {
    Map<String, String> pairs = new LinkedHashMap<>();
    if (text != null) {
      assertTrue(text.matches("(?:" + PAIR.pattern() + ")+"), text);
      for (MatchResult pair : PAIR.matcher(text).results().toList()) {
        pairs.put(pair.group(1), pair.group(2));
      }
    }
    return pairs;
  }

  /** A table with these keys in random places, each place with a random value. */
  private TableDescriptor somewhere(Random random) {
    String[] values = {"bloom", "ribbon", "bumped-ribbon", "quotient"};
    ColumnFamilyDescriptorBuilder family = family();
    Map<String, String> ofTable = new LinkedHashMap<>();
    for (String key : FILTER_KEYS) {
      site.unset(key);
      for (int place = 0; place < 4; place++) {
        String value = values[random.nextInt(values.length)];
        if (random.nextInt(3) == 0) {
          switch (place) {
            case 0:
              family.setValue(key, value);
              break;
            case 1:
              family.setConfiguration(key, value);
              break;
            case 2:
              ofTable.put(key, value);
              break;
            default:
              site.set(key, value);
          }
        }
      }
    }
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(table(family));
    ofTable.forEach(table::setValue);
    return table.build();
  }

  @Test
  void linesHaveAnEffectWhereverTheFamilyIsAskedFor() {
    Random random = new Random(45);
    int asking = 0;
    for (int i = 0; i < 2000; i++) {
      TableDescriptor table = somewhere(random);
      String label = site.getValByRegex("winnow.*") + " " + table;
      asking += asked(table).asksForWinnow() ? 1 : 0;
      String line = alter(table).lineToStock();
      assertFalse(asked(run(table, line)).asksForWinnow(), line + " of " + label);

      line =
          alter(table)
              .line(
                  Map.of(
                      "winnow.filter", "bumped-ribbon",
                      "winnow.filter.flush", "",
                      "winnow.filter.compaction", ""));
      assertEquals(
          "bumped-ribbon, flushes ribbon",
          asked(run(table, line)).inWords(),
          line + " of " + label);
    }
    assertTrue(asking > 1000, asking + " tables ask");
  }

  @Test
  void settingGoesWhereTheFamilyHasIt() {
    Map<String, String> bloom = Map.of("winnow.filter", "bloom");
    assertEquals(
        "alter 't', {NAME => 'f', CONFIGURATION => {'winnow.filter' => 'bloom'}}",
        alter(table(family())).line(bloom));
    assertEquals(
        "alter 't', {NAME => 'f', CONFIGURATION => {'winnow.filter' => 'bloom'}}",
        alter(table(family().setConfiguration("winnow.filter", "ribbon"))).line(bloom));
    assertEquals(
        "alter 't', {NAME => 'f', METADATA => {'winnow.filter' => 'bloom'}}",
        alter(table(family().setValue("winnow.filter", "ribbon"))).line(bloom));
    assertEquals(
        "alter 't', {NAME => 'f', BLOOMFILTER => 'ROW', METADATA => {'winnow.filter' =>"
            + " 'bloom'}}",
        alter(table(family().setValue("winnow.filter", "ribbon"))).lineWithRow(bloom));
    assertEquals(
        "alter 'TABLE', {NAME => 'x', CONFIGURATION => {'winnow.filter' => 'bloom'}}",
        Alter.ofUnknown("x").line(bloom));
  }

  @Test
  void wrongSettingIsRemovedFromThePlaceThatCounts() {
    site.set("winnow.filter", "ribon");
    TableDescriptor all =
        TableDescriptorBuilder.newBuilder(
                table(
                    family()
                        .setValue("winnow.filter", "ribon")
                        .setConfiguration("winnow.filter", "ribon")))
            .setValue("winnow.filter", "ribon")
            .build();
    TableDescriptor table = all;
    for (String place : List.of("METADATA", "CONFIGURATION", "the table")) {
      assertTrue(asked(table).problem.startsWith("winnow.filter is 'ribon' in " + place + ", "));
      table = run(table, alter(table).removal(asked(table).wrongKey));
    }
    assertTrue(asked(table).problem.startsWith("winnow.filter is 'ribon' in hbase-site.xml, "));
    assertEquals("remove winnow.filter from hbase-site.xml", alter(table).removal("winnow.filter"));
    site.unset("winnow.filter");
    assertNull(asked(table).problem);
  }

  @Test
  void familyWithoutRowsAsKeysSaysWhatIsMissing() {
    TableDescriptor none =
        table(
            family()
                .setBloomFilterType(BloomType.NONE)
                .setConfiguration("winnow.filter", "ribbon"));
    assertEquals("no filter is written because BLOOMFILTER is NONE; set ROW", asked(none).lack);
    assertTrue(asked(none).asksForWinnow());
    TableDescriptor row = run(none, alter(none).lineWithRow(Map.of()));
    assertNull(asked(row).lack);
    assertEquals("ribbon", asked(row).inWords());

    TableDescriptor without = table(family().setBloomFilterType(BloomType.NONE));
    assertNull(asked(without).lack);
    site.set("winnow.filter", "ribbon");
    assertNull(asked(without).lack, "nobody asked for this family");
    assertNotNull(asked(none).lack);
  }
}
