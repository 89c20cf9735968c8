package io.winnow.ycsb;

import java.util.List;
import java.util.Map;
import java.util.Set;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/** What a {@link DB} that reads many rows in one request has beside YCSB's own operations. */
public interface BatchReads {

  /**
   * Reads rows in one request.
   *
   * @param fields the columns; {@code null} for all
   * @param rows gets a map of each key, in the order of keys: the columns, or nothing for an absent
   *     row
   * @return {@link Status#OK} when every row was asked for, be it there or not
   */
  Status batchRead(
      String table, List<String> keys, Set<String> fields, List<Map<String, ByteIterator>> rows);
}
