package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.List;
import java.util.OptionalDouble;

/** What 10 TB of flash would hold, as Bender et al. 2011 computed it. */
final class FlashSection {
  private static final double FLASH_BYTES = 10e12;
  private static final int KEY_BYTES = 512;
  private static final int FENCE_BYTES = 4;
  private static final int PAGE_BYTES = 16384;

  private static final int TIMES_THE_MEMORY = 8;
  private static final int LEVELS = 2;
  private static final int SECONDS = 20;

  /** Of the merges: two levels with a fan-out of 4 come to 5, once they are full. */
  private static final int TIMES_WRITTEN = 4;

  private final Results results;

  private FlashSection(Results results) {
    this.results = results;
  }

  static Section of(Results results) {
    return new FlashSection(results).section();
  }

  private OptionalDouble ingest(String metric) {
    return results.median(Metrics.INGEST, metric, Metrics.FILTER, Metrics.CASCADE);
  }

  private Section section() {
    Section section =
        new Section(
            "What 10 TB of flash would hold",
            """
            Computed from the figures above. While the largest level is merged, the old one and the new one are
            both there. So room must be left: the most that the directory took during the run, over what it took
            at its end. With memory in the same proportion as in this run, the filter has as many levels, and
            lookups and inserts take as long; with less memory it has more levels. A level has at most two
            billion pages, which is 8 TB with pages of 4 KiB; so the pages are of 16 KiB here, or the keys are
            in two filters. Bender et al. computed 2,000 billion keys of 512 bytes, which is 1 PB, at 0.04 % on
            10 TB.
            """);
    OptionalDouble bytes = ingest("flashBytes");
    OptionalDouble keys = results.median(Metrics.SETUP, "keys");
    OptionalDouble peak = ingest("peakBytes");
    OptionalDouble rate = ingest(Metrics.PER_SECOND);
    if (bytes.isEmpty() || keys.isEmpty() || peak.isEmpty() || rate.isEmpty()) {
      return section;
    }
    Table missing = missing();
    if (!missing.isEmpty()) {
      return new Section(
              "What 10 TB of flash would hold",
              """
              Not computed: a run carries such an extrapolation only if nearly all of its keys are on the drive,
              in several levels, by direct I/O, if merges wrote each key several times, and if it lasted long
              enough for merges and drive to settle. A run with defaults does; or take more --keys.
              """)
          .add(missing);
    }
    double perKey = bytes.getAsDouble() / keys.getAsDouble();
    double room = Math.max(1, peak.getAsDouble() / bytes.getAsDouble());
    double memory = results.median(Metrics.SETUP, "memoryBytes").orElse(Double.NaN);
    Table table = new Table("10 TB", "", "full, merges at rest", "with room for merges");
    double[] held = {FLASH_BYTES / perKey, FLASH_BYTES / perKey / room};
    row(table, "bits per key on the drive", 8 * perKey, 8 * perKey * room, 1);
    row(table, "keys, billions", held[0] / 1e9, held[1] / 1e9, 0);
    row(
        table,
        "data of keys of 512 bytes, PB",
        held[0] * KEY_BYTES / 1e15,
        held[1] * KEY_BYTES / 1e15,
        2);
    row(
        table,
        "days to insert them, at the rate of the run",
        held[0] / rate.getAsDouble() / 86_400,
        held[1] / rate.getAsDouble() / 86_400,
        1);
    row(
        table,
        "memory in the proportion of the run, GB",
        memory * FLASH_BYTES / bytes.getAsDouble() / 1e9,
        memory * FLASH_BYTES / bytes.getAsDouble() / room / 1e9,
        0);
    row(
        table,
        "of it fences, 4 bytes per page of 16 KiB, GB",
        FLASH_BYTES / PAGE_BYTES * FENCE_BYTES / 1e9,
        FLASH_BYTES / room / PAGE_BYTES * FENCE_BYTES / 1e9,
        1);
    return section.add(table);
  }

  /** What this run would need so that its figures say something of a far larger filter. */
  private Table missing() {
    Table table =
        new Table("What 10 TB would hold: not computed", "not enough", "needed", "this run");
    need(
        table,
        "on the drive, in times the memory",
        TIMES_THE_MEMORY,
        Table.divided(ingest("flashBytes"), results.median(Metrics.SETUP, "memoryBytes")));
    need(table, "levels on the drive", LEVELS, ingest("levels"));
    need(table, "times each key was written, by merges", TIMES_WRITTEN, ingest("rewrites"));
    need(table, "seconds of inserts", SECONDS, ingest("seconds"));
    List<String> io = results.values(Metrics.SETUP, "io");
    if (!io.equals(List.of("DIRECT"))) {
      table.row("I/O", "direct", "buffered");
    }
    return table;
  }

  private static void need(Table table, String what, double least, OptionalDouble measured) {
    if (measured.orElse(0) < least) {
      table.row(what, Table.number(least, 0), Table.number(measured, 1));
    }
  }

  private static void row(Table table, String what, double full, double withRoom, int decimals) {
    table.row(what, Table.number(full, decimals), Table.number(withRoom, decimals));
  }
}
