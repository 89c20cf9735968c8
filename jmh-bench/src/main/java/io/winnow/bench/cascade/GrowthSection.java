package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.List;
import java.util.OptionalDouble;

/** How cost grows with n/M, what there is on flash over the memory. */
final class GrowthSection {
  private final Results results;

  private GrowthSection(Results results) {
    this.results = results;
  }

  static Section of(Results results) {
    return new GrowthSection(results).section();
  }

  private Section section() {
    Section section =
        new Section(
            "How cost grows with n/M",
            """
            n is the number of keys that are in, M the number that a level in memory holds: %s million in this
            run. (The memory is for two such levels.) *Computed*: the largest of L levels holds M times the
            fan-out to the power of L. So L is the logarithm of n/M, rounded up, and a lookup of an absent key
            reads L pages. A level takes in the one before it at most g times, where g is the fan-out, and each
            time writes what it has by then: a key is written (g + 1)/2 times on its way through a level.
            *Measured*: at these moments of the run without tombstones, with merges under way. There may be two
            levels of one size then. *Absent lookups/s* are of %d lookups each. They fall when a level is added,
            which is one page more to read, and are uneven, since merges use the same drive and processors: the
            figures of a filter at rest are those above. *Times written* counts the keys that left memory.
            """
                .formatted(Table.number(inMemory() / 1e6, 1), CascadeRuns.GROWTH_LOOKUPS));
    section.add(computed()).add(measured());
    return section;
  }

  private Table computed() {
    Table table =
        new Table(
            "computed", "n/M", "keys", "levels", "pages per absent lookup", "times written, about");
    OptionalDouble fanOut = results.median(Metrics.SETUP, "fanOut");
    if (Double.isNaN(inMemory()) || fanOut.isEmpty()) {
      return table;
    }
    double g = fanOut.getAsDouble();
    for (double ratio = 1; ratio <= 4096; ratio *= 4) {
      double n = ratio * inMemory();
      double levels = Math.max(1, Math.ceil(Math.log(ratio) / Math.log(g) - 1e-9));
      table.row(
          Table.number(ratio, 0),
          Table.number(n, 0),
          Table.number(levels, 0),
          Table.number(levels, 0),
          Table.number(levels * (g + 1) / 2, 1));
    }
    return table;
  }

  private Table measured() {
    Table table =
        new Table(
            "measured, with merges under way",
            "n/M",
            "keys",
            "levels",
            "pages per absent lookup",
            "absent lookups/s",
            "times written",
            "bytes written per key",
            "inserts/s so far");
    List<String> steps = results.values(Metrics.GROWTH, "keys");
    for (String keys : steps) {
      double seconds = of(keys, "seconds").orElse(Double.NaN);
      table.row(
          Table.number(Double.parseDouble(keys) / inMemory(), 1),
          Table.number(Double.parseDouble(keys), 0),
          Table.number(of(keys, "levels"), 0),
          Table.number(of(keys, "pages"), 2),
          Table.number(of(keys, Metrics.PER_SECOND), 0),
          Table.number(of(keys, "rewrites"), 2),
          Table.number(of(keys, "writtenBytes"), 1),
          Table.number(Double.parseDouble(keys) / seconds, 0));
    }
    return table;
  }

  /** Keys of a level in memory. */
  private double inMemory() {
    return results
        .median(Metrics.INGEST, "memoryLevelKeys", Metrics.FILTER, Metrics.CASCADE)
        .orElse(Double.NaN);
  }

  private OptionalDouble of(String keys, String metric) {
    return results.median(Metrics.GROWTH, metric, "keys", keys);
  }
}
