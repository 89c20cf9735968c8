package io.winnow.ycsb;

import java.util.List;
import java.util.Map;
import java.util.Set;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/**
 * An operation of a YCSB {@link DB} that YCSB itself does not have: reading many rows in one
 * request.
 */
public interface BatchReads {

  /**
   * Reads many rows of a table in one request.
   *
   * @param fields the columns; {@code null} for all
   * @param rows receives a map for each key, in the order of the keys: its columns, or nothing for
   *     an absent row
   * @return {@link Status#OK} if every row was read, present or absent
   */
  Status batchRead(
      String table, List<String> keys, Set<String> fields, List<Map<String, ByteIterator>> rows);
}
