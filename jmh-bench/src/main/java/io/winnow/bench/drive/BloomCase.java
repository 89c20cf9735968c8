package io.winnow.bench.drive;

import io.winnow.flash.bloom.BloomSizing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Inserts into the plain and the elevator Bloom filter on flash, which begin full, and lookups in
 * them. They are short, because longer ones show the same.
 */
final class BloomCase implements DriveCase {
  private static final List<String> FILTERS =
      List.of("plain Bloom", "elevator Bloom, large requests", "elevator Bloom");

  private final CascadeBench options;
  private final BloomSizing sizing;

  BloomCase(CascadeBench options) {
    this.options = options;
    this.sizing = BloomSizing.forRate(options.keys, options.rate);
  }

  @Override
  public double weight() {
    double bytes = sizing.bits() / 8.0;
    double making = FILTERS.size() * bytes / 0.5e9;
    double sweeping = bytes / 4096 / 5e3;
    return making + sweeping + 2 * FILTERS.size() * options.seconds;
  }

  @Override
  public void run(Run run) throws IOException, InterruptedException {
    for (String name : FILTERS) {
      run.in("bloom", files -> measure(run, name, files.resolve("bits")));
    }
  }

  private void measure(Run run, String name, Path file) throws IOException {
    long keys = options.keys;
    int requestPages = name.contains("large") ? Drive.LARGE : 1;
    try (FlashBloom filter =
        name.startsWith("plain")
            ? FlashBloom.plain(file, sizing, keys, options.memoryBytes)
            : FlashBloom.elevator(file, sizing, keys, options.memoryBytes, requestPages)) {
      SetFigures figures = filter.measure(keys, options.seconds);
      Timed inserts = figures.inserts();
      run.samples(CascadeBench.INGEST, "filter", name)
          .operations(inserts)
          .add("flashBytes", filter.flashBytes())
          .add("cpuNanos", (double) inserts.cpuNanos / inserts.operations);
      run.samples(CascadeBench.LOOKUP, "filter", name, "work", CascadeBench.PRESENT)
          .lookups(figures.present());
      run.samples(CascadeBench.LOOKUP, "filter", name, "work", "absent").lookups(figures.absent());
      run.step(
          weight() / FILTERS.size(),
          name,
          "%,.0f inserts/s, %,.0f lookups/s of absent keys",
          inserts.perSecond(),
          figures.absent().perSecond());
    }
  }
}
