package io.winnow.hbase.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.standalone.ScratchDirectory;
import io.winnow.hbase.standalone.StandaloneHBase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A soak sees what is wrong with a row: somebody else deletes one, writes one, and adds one. */
@Tag("long")
class SoakRowsIT {
  private static final TableName TABLE = TableName.valueOf("rows");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("m");

  @Test
  void rowsOfSomebodyElseAreWrong() throws Exception {
    Path directory = Path.of(System.getProperty("winnow.it.directory")).resolve("soak-rows");
    if (Files.exists(directory)) {
      ScratchDirectory.delete(directory);
    }
    try (StandaloneHBase hbase =
            StandaloneHBase.builder(directory)
                .jvmOption("-XX:TieredStopAtLevel=1")
                .jvmOption("-XX:+UseSerialGC")
                .throwaway()
                .start();
        Connection connection = ConnectionFactory.createConnection(hbase.configuration());
        Admin admin = connection.getAdmin();
        Table table = connection.getTable(TABLE)) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(TABLE)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
              .build());
      SoakRows rows =
          new SoakRows(hbase.configuration(), connection, TABLE, List.of(FAMILY), new Random(1));
      rows.fill();
      for (int step = 0; step < 100; step++) {
        rows.step();
      }
      rows.load(new Random(2));
      rows.checkAll();
      assertEquals(List.of(), rows.wrong());

      table.delete(new Delete(SoakRows.key(0)));
      table.put(new Put(SoakRows.key(20_000)).addColumn(FAMILY, QUALIFIER, QUALIFIER));
      table.put(new Put(SoakRows.key(20_001)).addColumn(FAMILY, QUALIFIER, QUALIFIER));
      rows.checkAll();
      assertEquals(9, rows.counts().get(SoakRows.WRONG), rows.wrong()::toString);
      List<String> wrong = rows.wrong();
      assertTrue(
          wrong.get(0).contains("key-00000000") && wrong.get(0).contains("nothing instead of"));
      assertTrue(wrong.get(1).contains("key-00020000") && wrong.get(1).contains("'m' instead of"));
      assertTrue(
          wrong.get(2).contains("key-00020001") && wrong.get(2).contains("'m' instead of nothing"));
      hbase.kill();
    }
  }
}
