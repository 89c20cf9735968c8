package io.winnow.bench.drive;

import io.winnow.bench.Part;
import io.winnow.bench.Run;
import io.winnow.flash.bloom.BloomSizing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Inserts into the plain and the elevator Bloom filter on flash, which begin full, and lookups in
 * them. They are short, because longer ones show the same.
 */
record BloomCase(CascadeBench options, Run run) implements Part {
  private static final List<String> FILTERS =
      List.of("plain Bloom", "elevator Bloom, large requests", "elevator Bloom");

  private BloomSizing sizing() {
    return BloomSizing.forRate(options.keys, options.rate);
  }

  @Override
  public double weight() {
    double bytes = sizing().bits() / 8.0;
    double making = FILTERS.size() * bytes / 0.5e9;
    double sweeping = bytes / 4096 / 5e3;
    return making + sweeping + 2 * FILTERS.size() * options.seconds;
  }

  @Override
  public void measure() throws IOException, InterruptedException {
    for (String name : FILTERS) {
      options.in("bloom", files -> measure(name, files.resolve("bits")));
    }
  }

  private void measure(String name, Path file) throws IOException {
    long keys = options.keys;
    int requestPages = name.startsWith("plain") ? 0 : name.contains("large") ? Drive.LARGE : 1;
    try (FlashBloom filter =
        FlashBloom.open(file, sizing(), keys, options.memoryBytes, requestPages)) {
      SetsCase.Figures figures = filter.measure(keys, options.seconds);
      Timed inserts = figures.inserts();
      inserts
          .addTo(run.samples(CascadeBench.INGEST, "filter", name))
          .add("flashBytes", filter.state().flashBytes())
          .add("cpuNanos", (double) inserts.cpuNanos / inserts.operations);
      figures.present().addLookupsTo(CascadeBench.lookups(run, name, CascadeBench.PRESENT));
      figures.absent().addLookupsTo(CascadeBench.lookups(run, name, "absent"));
      run.step(
          weight() / FILTERS.size(),
          name,
          "%,.0f inserts/s, %,.0f lookups/s of absent keys",
          inserts.perSecond(),
          figures.absent().perSecond());
    }
  }
}
