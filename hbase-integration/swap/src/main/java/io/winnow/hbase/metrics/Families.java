package io.winnow.hbase.metrics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.hadoop.hbase.TableName;

/**
 * Registry of the filter counters of all column families that this JVM has seen. A look-up
 * allocates nothing.
 */
public final class Families {
  private static final ConcurrentMap<TableName, FamilyCounters[]> OF_TABLE =
      new ConcurrentHashMap<>();

  private Families() {}

  /** Returns the filter counters of a column family, and creates them at the first call for it. */
  public static FamilyCounters of(TableName table, byte[] family) {
    FamilyCounters[] known = OF_TABLE.get(table);
    if (known != null) {
      for (FamilyCounters counters : known) { // a table has few families
        if (counters.isOf(family)) {
          return counters;
        }
      }
    }
    return add(table, family);
  }

  private static FamilyCounters add(TableName table, byte[] family) {
    FamilyCounters[] all =
        OF_TABLE.compute(
            table,
            (t, known) -> {
              if (known == null) {
                return new FamilyCounters[] {new FamilyCounters(t, family)};
              }
              if (Arrays.stream(known).anyMatch(counters -> counters.isOf(family))) {
                return known; // another thread was first
              }
              FamilyCounters[] more = Arrays.copyOf(known, known.length + 1);
              more[known.length] = new FamilyCounters(t, family);
              return more;
            });
    return Arrays.stream(all).filter(counters -> counters.isOf(family)).findFirst().orElseThrow();
  }

  /**
   * Removes the filter counters of a column family that is gone. Counts that still go to them have
   * no effect; the next counters of the family are new.
   */
  static void forget(FamilyCounters counters) {
    OF_TABLE.forEach(
        (table, known) ->
            OF_TABLE.computeIfPresent(
                table,
                (t, families) -> {
                  FamilyCounters[] left =
                      Arrays.stream(families)
                          .filter(family -> family != counters)
                          .toArray(FamilyCounters[]::new);
                  return left.length == 0 ? null : left;
                }));
  }

  /** Returns the filter counters of all column families that this JVM has seen. */
  static List<FamilyCounters> all() {
    List<FamilyCounters> all = new ArrayList<>();
    OF_TABLE.values().forEach(families -> all.addAll(Arrays.asList(families)));
    return all;
  }
}
