package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.Arrays;
import java.util.OptionalDouble;

/** What the filters of the mixed loop cost beside it: inserts, room, lookups during inserts. */
final class MixCostSection {
  private final Results results;

  private MixCostSection(Results results) {
    this.results = results;
  }

  static Section of(Results results) {
    MixCostSection made = new MixCostSection(results);
    return new Section(
            "What a fan-out costs",
            """
            The filters of the mixed loop. *Inserts/s* are those without lookups, at full speed, and count the
            time until merges are done. *Levels* are those that the loops met. *Bytes written* are those of
            merges, or of the Bloom filter's sweeps, over all keys. Lookups are of absent keys: at rest, and then
            while another thread inserts as fast as it can, with merges under way all the time. A larger fan-out
            has fewer levels, so lookups read less, and merges write more.
            """)
        .add(made.inserts())
        .add(made.lookups())
        .add(made.drive())
        .measuredBy(results, Metrics.MIX_FILL, Metrics.MIX_LOOKUP, Metrics.DRIVE);
  }

  private Table inserts() {
    Table table =
        new Table(
            "inserts without lookups",
            "filter",
            "inserts/s",
            "levels",
            "bytes written per key",
            "bits per key on the drive");
    for (String filter : results.values(Metrics.MIX_FILL, Metrics.FILTER)) {
      OptionalDouble bits = Table.divided(of(filter, "flashBytes"), of(filter, "keys"));
      table.row(
          filter,
          Table.number(of(filter, Metrics.PER_SECOND), 0),
          Table.number(
              Arrays.stream(results.samples(Metrics.MIX_FILL, "levels", Metrics.FILTER, filter))
                  .average(),
              2),
          Table.number(of(filter, "writtenBytes"), 1),
          Table.number(8 * bits.orElse(Double.NaN), 1));
    }
    return table;
  }

  private OptionalDouble of(String filter, String metric) {
    return results.median(Metrics.MIX_FILL, metric, Metrics.FILTER, filter);
  }

  private Table lookups() {
    Table table =
        new Table(
            "lookups of absent keys, at rest and during inserts",
            "filter",
            "one at a time, at rest",
            "during inserts",
            "inserts/s meanwhile",
            "batched, at rest",
            "during inserts",
            "inserts/s meanwhile");
    for (String filter : results.values(Metrics.MIX_LOOKUP, Metrics.FILTER)) {
      table.row(
          filter,
          lookup(filter, Metrics.ABSENT, Metrics.PER_SECOND),
          lookup(filter, Metrics.ABSENT_DURING, Metrics.PER_SECOND),
          lookup(filter, Metrics.ABSENT_DURING, "insertsPerSecond"),
          lookup(filter, Metrics.BATCHED, Metrics.PER_SECOND),
          lookup(filter, Metrics.BATCHED_DURING, Metrics.PER_SECOND),
          lookup(filter, Metrics.BATCHED_DURING, "insertsPerSecond"));
    }
    return table;
  }

  private String lookup(String filter, String work, String metric) {
    return Table.number(
        results.median(Metrics.MIX_LOOKUP, metric, Metrics.FILTER, filter, Metrics.WORK, work), 0);
  }

  private Table drive() {
    Table table =
        new Table(
            "random pages of 4 KiB from the drive, checked, nothing else",
            "requests at once",
            "pages/s");
    for (String depth : results.values(Metrics.DRIVE, "depth")) {
      table.row(
          depth,
          Table.number(results.median(Metrics.DRIVE, Metrics.PER_SECOND, "depth", depth), 0));
    }
    return table;
  }
}
