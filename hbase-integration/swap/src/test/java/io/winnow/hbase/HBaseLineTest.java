package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.junit.jupiter.api.Test;

/** The tests run on the HBase that the build says. */
class HBaseLineTest {
  private static final String VERSION = System.getProperty("winnow.test.hbase");

  @Test
  void theVersionIsTheBuilds() {
    assertEquals(VERSION, HBaseLine.version());
  }

  @Test
  void noOtherVersionIsMixedIn() {
    for (Class<?> part : List.of(Cell.class, Table.class, HFile.class)) {
      String jar = part.getProtectionDomain().getCodeSource().getLocation().getPath();
      assertTrue(jar.endsWith("-" + VERSION + ".jar"), jar);
    }
  }
}
