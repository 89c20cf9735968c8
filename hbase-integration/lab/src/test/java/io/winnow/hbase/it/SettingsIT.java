package io.winnow.hbase.it;

import static io.winnow.hbase.it.TestServer.STOCK;
import static io.winnow.hbase.it.TestServer.WINNOW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** A real master with the agent, under a site that asks for a filter in every table. */
class SettingsIT {
  private static final int ROWS = 1000;
  private static final String CHECKS = "hbase.table.sanity.checks";

  /** A setting that is refused, and what the sentence says of it. */
  private record Refused(String key, String value, String pattern) {
    String sentence(String place) {
      return String.format(pattern, place.isEmpty() ? "" : " in " + place);
    }
  }

  private static final List<Refused> REFUSED =
      List.of(
          new Refused(
              "winnow.filter",
              "bumped-ribon",
              "winnow.filter is 'bumped-ribon'%s, must be one of bloom, ribbon, bumped-ribbon and"
                  + " quotient"),
          new Refused(
              "winnow.fliter",
              "ribbon",
              "winnow.fliter = 'ribbon'%s is no setting of Winnow's, did you mean winnow.filter?"),
          new Refused(
              "io.storefile.bloom.error.rate",
              "7",
              "io.storefile.bloom.error.rate is '7'%s, must be a number above 0 and at most 0.5"));

  private static TestServer server;
  private static Admin admin;
  private static Connection connection;

  @BeforeAll
  static void start() throws Exception {
    server =
        TestServer.withAgent(
            TestServer.emptyDirectory("settings"), Map.of("winnow.filter", "quotient"));
    admin = server.admin();
    connection = server.connection();
  }

  @AfterAll
  static void stop() throws IOException {
    if (server != null) {
      server.kill();
    }
  }

  private static ColumnFamilyDescriptor family(Refused wrong) {
    Map<String, String> settings = new HashMap<>(Map.of("winnow.filter", "ribbon"));
    settings.put(wrong.key(), wrong.value());
    return Rows.family("f", BloomType.ROW, settings);
  }

  private static void assertRefused(Refused wrong, String where, Executable change) {
    assertRefused(wrong, where, where.contains("family") ? "CONFIGURATION" : "", change);
  }

  private static void assertRefused(Refused wrong, String where, String place, Executable change) {
    String sentence = assertThrows(DoNotRetryIOException.class, change).getMessage();
    assertTrue(sentence.contains(where + ": " + wrong.sentence(place)), sentence);
    assertTrue(sentence.contains("checked by Winnow 0."), sentence); // whose version is it
    assertTrue(sentence.contains(CHECKS + " = false lets it pass"), sentence);
  }

  @Test
  void createWithAWrongSettingFailsAndMakesNoTable() throws Exception {
    TableName table = TableName.valueOf("never-made");
    for (Refused wrong : REFUSED) {
      assertRefused(
          wrong,
          "Table 'never-made', column family 'f'",
          () -> server.create("never-made", family(wrong)));
      assertFalse(admin.tableExists(table), wrong.toString());
    }
    Refused inTable = REFUSED.get(0);
    assertRefused(
        inTable,
        "Table 'never-made'",
        () ->
            admin.createTable(
                TableDescriptorBuilder.newBuilder(table)
                    .setValue(inTable.key(), inTable.value())
                    .setColumnFamily(Rows.stock(BloomType.ROW))
                    .build()));
    assertFalse(admin.tableExists(table));
    server.create("never-made", Rows.ribbon(BloomType.ROW)); // nothing of it was left
  }

  @Test
  void alterWithAWrongSettingFailsAndLeavesTheTableAsItWas() throws Exception {
    TableName table = server.create("altered-wrongly", Rows.ribbon(BloomType.ROW));
    Rows.write(connection, table, 0, ROWS);
    TableDescriptor before = admin.getDescriptor(table);
    String where = "Table 'altered-wrongly', column family 'f'";
    for (Refused wrong : REFUSED) {
      assertRefused(wrong, where, () -> admin.modifyColumnFamily(table, family(wrong)));
      assertRefused(
          wrong,
          where,
          () ->
              admin.modifyTable(
                  TableDescriptorBuilder.newBuilder(before)
                      .modifyColumnFamily(family(wrong))
                      .build()));
      ColumnFamilyDescriptor another =
          ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("g"))
              .setConfiguration("winnow.filter", "ribbon")
              .setConfiguration(wrong.key(), wrong.value())
              .build();
      assertRefused(
          wrong,
          "Table 'altered-wrongly', column family 'g'",
          () -> admin.addColumnFamily(table, another));
      assertEquals(before, admin.getDescriptor(table));
    }
    server.flush(table);
    assertEquals(List.of(WINNOW), server.filterVersions(table));
    Rows.assertAllFound(connection, table, ROWS);
  }

  @Test
  void goodSettingsPassAndSoDoTablesThatHaveNone() throws Exception {
    TableName table =
        server.create(
            "good",
            Rows.family(
                "f",
                BloomType.ROWCOL,
                Map.of(
                    "winnow.filter", "ribbon",
                    "winnow.ribbon.width", "128",
                    "winnow.read.shortcut", "false",
                    "io.storefile.bloom.error.rate", "0.001")));
    admin.modifyColumnFamily(table, Rows.bumped(BloomType.ROW));
    admin.modifyColumnFamily(table, Rows.stock(BloomType.ROW));
    // as a master without the agent leaves it alone, so does one with it
    server.create(
        "stocks-own",
        Rows.family("f", BloomType.NONE, Map.of("io.storefile.bloom.error.rate", "7")));
  }

  @Test
  void checksThatAreOffLetItPassAndTheFlushFallsBackWithOneLine() throws Exception {
    List<Refused> wrong = new ArrayList<>(REFUSED);
    wrong.remove(1); // a key that nobody knows does nothing
    wrong.add(new Refused("io.storefile.bloom.error.rate", "a little", ""));
    wrong.add(new Refused("io.storefile.bloom.block.size", "-1", ""));
    List<ColumnFamilyDescriptor> families = new ArrayList<>();
    families.add(Rows.ribbon(BloomType.ROW));
    for (int i = 0; i < wrong.size(); i++) {
      families.add(
          ColumnFamilyDescriptorBuilder.newBuilder(
                  Rows.family("wrong-" + i, BloomType.ROW, Map.of("winnow.filter", "ribbon")))
              .setConfiguration(wrong.get(i).key(), wrong.get(i).value())
              .build());
    }
    TableName table =
        server.createUnchecked(
            "unchecked", null, families.toArray(new ColumnFamilyDescriptor[families.size()]));
    List<String> warnings =
        server.logLinesWith("Table 'unchecked'").stream()
            .filter(line -> line.contains("SettingsCheck"))
            .toList();
    assertEquals(wrong.size(), warnings.size(), warnings.toString());
    for (String line : warnings) {
      assertTrue(line.contains(" WARN "), line);
    }
    assertTrue(warnings.get(0).contains(REFUSED.get(0).sentence("CONFIGURATION")), warnings.get(0));

    for (int files = 1; files <= 3; files++) {
      if (files <= 2) {
        Rows.write(connection, table, 0, ROWS);
        server.flush(table);
      } else {
        server.majorCompact(table);
      }
      for (Path file : server.storeFiles(table)) {
        boolean isRibbon = file.getParent().endsWith("f");
        assertEquals(isRibbon ? WINNOW : STOCK, server.generalFilterVersion(file));
      }
    }
    List<String> errors =
        server.logLinesWith("/unchecked/").stream()
            .filter(line -> line.contains("WinnowHooks"))
            .toList();
    assertEquals(wrong.size(), errors.size(), errors.toString());
    for (int i = 0; i < wrong.size(); i++) {
      String family = "'wrong-" + i + "'";
      String problem = wrong.get(i).key() + " is '" + wrong.get(i).value() + "'";
      assertTrue(
          errors.stream()
              .anyMatch(
                  line ->
                      line.contains("ERROR")
                          && line.contains(family)
                          && line.contains(problem)
                          && line.contains("stock Bloom filter")),
          family + " is not in " + errors);
    }
    Rows.assertAllFound(connection, table, ROWS);
    server.reopen(Set.of(table));
    Rows.assertAllFound(connection, table, ROWS);
  }

  private static ColumnFamilyDescriptorBuilder now(TableName table) throws IOException {
    return ColumnFamilyDescriptorBuilder.newBuilder(
        admin.getDescriptor(table).getColumnFamily(Rows.FAMILY));
  }

  /** A wrong value is refused in each map, also in the one that METADATA hides. */
  @Test
  void wrongValueIsRefusedInMetadataAndWhereMetadataHidesIt() throws Exception {
    Refused wrong = REFUSED.get(0);
    String where = "Table 'both-maps', column family 'f'";
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(Rows.stock(BloomType.ROW))
            .setValue(wrong.key(), "ribbon")
            .setConfiguration(wrong.key(), wrong.value());
    String never = "Table 'not-made', column family 'f'";
    assertRefused(wrong, never, () -> server.create("not-made", family.build()));
    family.setValue(wrong.key(), wrong.value()).setConfiguration(wrong.key(), "ribbon");
    assertRefused(wrong, never, "METADATA", () -> server.create("not-made", family.build()));
    assertFalse(admin.tableExists(TableName.valueOf("not-made")));

    family.setValue(wrong.key(), "ribbon").setConfiguration(wrong.key(), "");
    TableName table = server.create("both-maps", family.build());
    assertEquals(List.of(), server.logLinesWith(where));
    admin.modifyColumnFamily(table, now(table).setConfiguration(wrong.key(), "bloom").build());
    List<String> lines = server.logLinesWith(where);
    assertEquals(1, lines.size(), lines.toString());
    assertTrue(lines.get(0).contains(" WARN "), lines.get(0));
    assertTrue(lines.get(0).contains("hides 'bloom' in CONFIGURATION: change METADATA"));
    assertRefused(
        wrong,
        where,
        () ->
            admin.modifyColumnFamily(
                table, now(table).setConfiguration(wrong.key(), wrong.value()).build()));

    Rows.write(connection, table, 0, ROWS);
    server.flush(table);
    assertEquals(List.of(WINNOW), server.filterVersions(table), "as METADATA says");
    // alter 'both-maps', {NAME => 'f', METADATA => {'winnow.filter' => 'bloom'}}
    admin.modifyColumnFamily(table, now(table).setValue(wrong.key(), "bloom").build());
    server.majorCompact(table);
    assertEquals(List.of(STOCK), server.filterVersions(table));
    Rows.assertAllFound(connection, table, ROWS);
  }

  @Test
  void alterOfAnotherKeyIsNotRefusedForWhatTheTableHas() throws Exception {
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(Rows.ribbon(BloomType.ROW))
            .setConfiguration("winnow.hash", "md5")
            .setConfiguration("io.storefile.bloom.error.rate", "7")
            .setValue("winnow.verify", "maybe")
            .build();
    TableName table = server.createUnchecked("has-wrong", null, family);
    TableDescriptor checked =
        TableDescriptorBuilder.newBuilder(admin.getDescriptor(table)).removeValue(CHECKS).build();
    admin.modifyTable(checked);
    admin.modifyColumnFamily(table, now(table).setMaxVersions(7).build());
    assertEquals(7, admin.getDescriptor(table).getColumnFamily(Rows.FAMILY).getMaxVersions());
    List<String> lines = server.logLinesWith("(the table has it already: it is not refused)");
    lines = lines.stream().filter(line -> line.contains("'has-wrong'")).toList();
    assertEquals(2 * 3, lines.size(), lines.toString());
    assertRefused(
        REFUSED.get(0),
        "Table 'has-wrong', column family 'f'",
        () ->
            admin.modifyColumnFamily(
                table, now(table).setConfiguration("winnow.filter", "bumped-ribon").build()));
    Rows.write(connection, table, 0, ROWS);
    server.flush(table);
    Rows.assertAllFound(connection, table, ROWS);
  }

  @Test
  void familyWithoutRowsAsKeysIsCreatedWithALine() throws Exception {
    TableName table = server.create("no-keys", Rows.ribbon(BloomType.NONE));
    List<String> lines = server.logLinesWith("Table 'no-keys', column family 'f': ");
    assertEquals(1, lines.size(), lines.toString());
    assertTrue(lines.get(0).contains(" WARN "), lines.get(0));
    assertTrue(
        lines.get(0).endsWith("no filter is written because BLOOMFILTER is NONE; set ROW"),
        lines.get(0));
    Rows.write(connection, table, 0, ROWS);
    server.flush(table);
    Rows.assertAllFound(connection, table, ROWS);
  }

  /** A newer Winnow made these, say: one of this server's has never heard of them. */
  @Test
  void settingsOfAnotherVersionDoNothingAndRefuseNothing() throws Exception {
    Map<String, String> settings =
        Map.of("winnow.filter", "ribbon", "winnow.of.tomorrow", "all of it");
    TableName table = server.create("of-tomorrow", Rows.family("f", BloomType.ROW, settings));
    List<String> lines =
        server.logLinesWith("winnow.of.tomorrow = "); // HBase's own lines quote the key
    assertEquals(1, lines.size(), lines.toString());
    assertTrue(lines.get(0).contains(" WARN "), lines.get(0));
    assertTrue(lines.get(0).contains("Table 'of-tomorrow', column family 'f'"), lines.get(0));
    Rows.write(connection, table, 0, ROWS);
    server.flush(table);
    assertEquals(List.of(WINNOW), server.filterVersions(table));
    admin.modifyColumnFamily(
        table,
        ColumnFamilyDescriptorBuilder.newBuilder(
                admin.getDescriptor(table).getColumnFamily(Rows.FAMILY))
            .setMaxVersions(7)
            .build());
    Rows.assertAllFound(connection, table, ROWS);
  }

  /** Nobody can alter what a snapshot says. */
  @Test
  void snapshotIsRestoredAndClonedWhateverItsSettingsAre() throws Exception {
    Map<String, String> settings =
        Map.of("winnow.filter", "ribbon", "winnow.hash", "xxh3", "winnow.verify", "true");
    TableName table = server.create("snapshot-of", Rows.family("f", BloomType.ROW, settings));
    Rows.write(connection, table, 0, ROWS);
    admin.snapshot("old", table);
    Path manifest =
        server.directory().resolve("hbase/.hbase-snapshot").resolve("old").resolve("data.manifest");
    String bytes = Files.readString(manifest, StandardCharsets.ISO_8859_1);
    String newer = bytes.replace("xxh3", "xxh9").replace("winnow.verify", "winnow.verifx");
    assertEquals(bytes.length(), newer.length());
    assertFalse(newer.contains("xxh3") || newer.contains("winnow.verify"));
    Files.writeString(manifest, newer, StandardCharsets.ISO_8859_1);
    Files.deleteIfExists(manifest.resolveSibling(".data.manifest.crc"));

    TableName clone = TableName.valueOf("clone-of");
    admin.cloneSnapshot("old", clone);
    admin.disableTable(table);
    admin.restoreSnapshot("old");
    admin.enableTable(table);
    for (TableName one : List.of(table, clone)) {
      assertEquals(
          "xxh9",
          admin
              .getDescriptor(one)
              .getColumnFamily(Rows.FAMILY)
              .getConfigurationValue("winnow.hash"));
      Rows.assertAllFound(connection, one, ROWS);
      Rows.write(connection, one, 0, ROWS);
      server.flush(one);
      server.majorCompact(one);
      Rows.assertAllFound(connection, one, ROWS);
      TableDescriptor has = admin.getDescriptor(one);
      admin.modifyTable(TableDescriptorBuilder.newBuilder(has).setMaxFileSize(1L << 40).build());
      assertThrows(
          DoNotRetryIOException.class,
          () ->
              admin.modifyColumnFamily(
                  one,
                  ColumnFamilyDescriptorBuilder.newBuilder(has.getColumnFamily(Rows.FAMILY))
                      .setConfiguration("winnow.hash", "xxh8")
                      .build()));
    }
    // Also what is cloned is checked by the name of the table that the snapshot is of.
    List<String> lines =
        server.logLinesWith("Table '" + table + "', column family 'f': ").stream()
            .filter(line -> !line.contains("the table has it already"))
            .toList();
    assertEquals(4, lines.size(), lines.toString());
    for (String line : lines) {
      assertTrue(line.contains(" WARN "), line);
      assertTrue(line.contains("a snapshot is restored or cloned"), line);
    }
  }

  @Test
  void filterForTheWholeSiteIsForTablesOfUsers() throws Exception {
    TableName user = server.create("silent", Rows.stock(BloomType.ROW));
    TableName silent = server.create("hbase:silent", Rows.stock(BloomType.ROW));
    TableName asks = server.create("hbase:asks", Rows.ribbon(BloomType.ROW));
    TableName namespaces = TableName.valueOf("hbase", "namespace");
    admin.createNamespace(NamespaceDescriptor.create("flushed").build());
    for (TableName table : List.of(user, silent, asks)) {
      Rows.write(connection, table, 0, ROWS);
      server.flush(table);
    }
    server.flush(namespaces);
    assertEquals(List.of(WINNOW), server.filterVersions(user));
    assertEquals(List.of(STOCK), server.filterVersions(silent));
    assertEquals(List.of(WINNOW), server.filterVersions(asks));
    assertFalse(server.filterVersions(namespaces).isEmpty());
    assertEquals(Set.of(STOCK), Set.copyOf(server.filterVersions(namespaces)));
    for (TableName table : List.of(user, silent, asks)) {
      Rows.write(connection, table, 0, ROWS);
      server.flush(table);
      server.majorCompact(table);
      Rows.assertAllFound(connection, table, ROWS);
    }
    assertEquals(List.of(WINNOW), server.filterVersions(user));
    assertEquals(List.of(STOCK), server.filterVersions(silent));
    assertEquals(List.of(WINNOW), server.filterVersions(asks));
  }
}
