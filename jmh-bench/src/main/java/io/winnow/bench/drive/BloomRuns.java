package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import io.winnow.flash.bloom.BloomSizing;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A benchmark of the plain and elevator Bloom filters on flash, one after the other. Runs are
 * short, because longer ones show the same.
 */
final class BloomRuns {
  private static final int REQUEST_PAGES = 256;

  private final CascadeBench options;
  private final BloomSizing sizing;
  private final Path file;
  private final Results results;
  private final Progress progress;

  BloomRuns(CascadeBench options, Path directory, Results results, Progress progress) {
    this.options = options;
    this.sizing = BloomSizing.forRate(options.keys, options.rate);
    this.file = directory.resolve("bloom-bits");
    this.results = results;
    this.progress = progress;
  }

  /** Returns the approximate seconds that the benchmark of the Bloom filters takes. */
  static double weight(CascadeBench options) {
    if (!options.runs(CascadeBench.BLOOM)) {
      return 0;
    }
    double bytes = BloomSizing.forRate(options.keys, options.rate).bits() / 8.0;
    double making = 3 * bytes / 0.5e9;
    double sweeping = bytes / 4096 / 5e3;
    return making + sweeping + 6 * options.seconds;
  }

  void run() throws IOException {
    if (!options.runs(CascadeBench.BLOOM)) {
      return;
    }
    long keys = options.keys;
    long memory = options.memoryBytes;
    measure(CascadeMetrics.PLAIN, () -> FlashBlooms.plain(file, sizing, keys, memory));
    measure(
        CascadeMetrics.WIDE_ELEVATOR,
        () -> FlashBlooms.elevator(file, sizing, keys, memory, REQUEST_PAGES));
    measure(CascadeMetrics.ELEVATOR, () -> FlashBlooms.elevator(file, sizing, keys, memory, 1));
  }

  private interface Made {
    FlashContender make() throws IOException;
  }

  private void measure(String name, Made made) throws IOException {
    try (FlashContender filter = made.make()) {
      step(name, "full with random bits, " + Table.number(filter.flashBytes() / 1e9, 2) + " GB");
      TimedInserts.Outcome ingest =
          new TimedInserts(filter, 1).during(options.seconds, options.keys);
      CascadeMetrics.ingest(results, name, ingest, filter.flashBytes());
      step(
          name,
          Table.number(ingest.perSecond(), 0)
              + " inserts/s, over "
              + Table.number(ingest.keys(), 0)
              + " keys");
      long checked = Math.min(ingest.keys(), 1000);
      long stride = ingest.keys() / checked;
      TimedLookups.Outcome present =
          TimedLookups.some(filter, i -> Keys.present(i % checked * stride), checked);
      CascadeMetrics.lookups(results, name, CascadeMetrics.PRESENT, present);
      TimedLookups.Outcome absent = TimedLookups.single(filter, Keys::absent, options.seconds);
      CascadeMetrics.lookups(results, name, CascadeMetrics.ABSENT, absent);
      step(name, Table.number(absent.perSecond(), 0) + " lookups/s of absent keys");
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private void step(String name, String outcome) {
    progress.step(weight(options) / 9, name, outcome);
  }
}
