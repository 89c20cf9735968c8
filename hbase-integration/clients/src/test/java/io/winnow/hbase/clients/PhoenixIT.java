package io.winnow.hbase.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Phoenix's queries of a user, whose rows are in one file of eight: each answer is that of a table
 * with HBase's filters, and the other files are not read. Data blocks are counted, of which each
 * file has one.
 */
class PhoenixIT {
  /** HBase's filters let each file through whose first and last row do, all but a few. */
  private static final double NEARLY_ALL = UserTables.FILES - 2;

  /** Queries whose bounds imply one user. */
  private static final List<String> OF_ONE_USER =
      List.of(
          "USR = ?",
          "COUNT(*) of USR = ?",
          "USR = ? ORDER BY TS DESC LIMIT 2",
          "USR = ? ORDER BY TS LIMIT 2",
          "USR = ? AND TS >= ? AND TS < ?",
          "USR = ? AND TS >= ?");

  /** Compares all queries, and checks what those of one user read of each region. */
  private static void check(String name, String type, String options, String prefix, int regions)
      throws Exception {
    UserTables tables = new UserTables(name, type, "USR, TS", options, prefix, null).filledByUser();
    Map<String, TwoTables.Read> reads = tables.queries();
    for (String query : OF_ONE_USER) {
      TwoTables.Read read = reads.get(query);
      assertTrue(read.stock().blocks() >= regions * NEARLY_ALL, () -> query + ": " + read);
      assertTrue(read.winnow().blocks() <= regions * 1.3, () -> query + ": " + read);
    }
    assertEquals(UserTables.USERS * UserTables.ROWS, reads.get("USR = ?").rows());
    TwoTables.Read nobody = reads.get("USR = ?, absent");
    assertEquals(0, nobody.rows());
    assertTrue(nobody.winnow().blocks() <= regions * 0.1, nobody::toString);
    assertEquals(UserTables.USERS * UserTables.ROWS, reads.get("all rows").rows());
  }

  @Test
  void keyOfAFixedLength() throws Exception {
    check("FIXED", "CHAR(7)", "", "7", 1);
  }

  @Test
  void keyOfAnyLength() throws Exception {
    check("ANY", "VARCHAR", "", "delimiter:0x00", 1);
  }

  @Test
  void saltedKey() throws Exception {
    check("SALTED", "CHAR(7)", "SALT_BUCKETS=2", "8", 2);
  }
}
