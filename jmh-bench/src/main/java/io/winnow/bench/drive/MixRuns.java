package io.winnow.bench.drive;

import io.winnow.cascade.CascadeMix;
import io.winnow.cascade.CascadeOptions;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * A benchmark of a de-duplicator's loop of lookups and inserts, with cascade filters of several
 * fan-outs and a page-local Bloom filter, all with the same memory. All of them grow together: at
 * each of several sizes each one has its turn. The drive is measured in the same turn, so that
 * figures of one size can be compared although the drive's speed changes.
 */
final class MixRuns {
  /** Numbers of threads that read at the same time, and so of requests under way. */
  private static final List<Integer> DEPTHS = List.of(1, 2, 4, 8, 16, 32, 64, 128);

  private static final int[] FAN_OUTS = {2, 4, 8, 16, 32};

  /**
   * Upper bound of a filter's number of keys when the loop of lookups and inserts is measured, as a
   * share of its keys at the end; the lower bound is a half.
   */
  private static final double LOOPS_UNTIL = 0.85;

  private static final double GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

  private static final double FILLS_PER_SECOND = 3e6;

  private final CascadeBench options;
  private final long keys;
  private final Path directory;
  private final Results results;
  private final Progress progress;

  MixRuns(CascadeBench options, Path directory, Results results, Progress progress) {
    this.options = options;
    this.keys = options.mixKeys();
    this.directory = directory.resolve("mix");
    this.results = results;
    this.progress = progress;
  }

  /**
   * Returns the approximate seconds that the benchmark of the loop of lookups and inserts takes.
   */
  static double weight(CascadeBench options) {
    return options.runs(CascadeBench.MIX)
        ? ladderWeight(options) + entrantWeight(options) * (FAN_OUTS.length + 2)
        : 0;
  }

  private static double ladderWeight(CascadeBench options) {
    return DEPTHS.size() * options.seconds / 10;
  }

  private static double entrantWeight(CascadeBench options) {
    return options.mixKeys() / FILLS_PER_SECOND
        + options.moments() * 1.15 * momentSeconds(options)
        + 4 * lookupSeconds(options);
  }

  private static double momentSeconds(CascadeBench options) {
    return 0.3 * options.seconds;
  }

  private static double lookupSeconds(CascadeBench options) {
    return 0.15 * options.seconds;
  }

  void run() throws IOException {
    if (!options.runs(CascadeBench.MIX)) {
      return;
    }
    Files.createDirectories(directory);
    BufferedBloomOptions bloom =
        PageLocalBloom.options(keys, options.rate, options.mixMemoryBytes());
    List<Entrant> entrants = new ArrayList<>();
    try (Drive drive = Drive.create(directory.resolve("drive"), bloom.sizing().sizeInBytes())) {
      int depth = bestDepth(drive);
      double pages =
          results
              .median(CascadeMetrics.DRIVE, CascadeMetrics.PER_SECOND, "depth", depth)
              .orElseThrow();
      for (int fanOut : fanOuts(pages)) {
        entrants.add(
            new Entrant(
                CascadeMetrics.cascade(fanOut),
                Cascade.open(directory.resolve("fan-out-" + fanOut), cascade().fanOut(fanOut)),
                options.batch));
      }
      entrants.add(
          new Entrant(
              CascadeMetrics.PAGE_LOCAL,
              PageLocalBloom.create(directory.resolve("bloom"), bloom, options.readThreads),
              options.batch));
      measure(entrants, drive, depth);
    } finally {
      for (Entrant entrant : entrants) {
        entrant.close();
      }
      ScratchDirectory.delete(directory);
    }
  }

  private CascadeOptions cascade() {
    return CascadeOptions.defaults()
        .memoryBudget(options.mixMemoryBytes())
        .rate(options.rate)
        .expectedMaximum(keys)
        .mergeThreads(options.mergeThreads)
        .readThreads(options.readThreads);
  }

  /**
   * Measures the drive with several numbers of simultaneous requests, and returns the number with
   * the most reads per second.
   */
  private int bestDepth(Drive drive) throws IOException {
    double seconds = options.seconds / 10;
    drive.pagesPerSecond(DEPTHS.get(DEPTHS.size() - 1), seconds); // to warm up
    int best = 1;
    double max = 0;
    for (int depth : DEPTHS) {
      double perSecond = drive.pagesPerSecond(depth, seconds);
      results.add(
          CascadeMetrics.DRIVE,
          Map.of("depth", String.valueOf(depth)),
          CascadeMetrics.PER_SECOND,
          perSecond);
      if (perSecond > max) {
        max = perSecond;
        best = depth;
      }
    }
    progress.step(
        ladderWeight(options),
        "drive",
        Table.number(max, 0) + " random pages/s, with " + best + " requests at once");
    return best;
  }

  /**
   * Returns the fan-outs of the cascade filters to compare: fixed ones, and the one that is
   * computed for one lookup per insert on this drive.
   */
  private Iterable<Integer> fanOuts(double pagesPerSecond) {
    CascadeMix mix = CascadeMix.of(1);
    CascadeOptions suited =
        cascade().fanOutFor(mix.onDrive(pagesPerSecond, mix.mergedKeysPerSecond()));
    Map<String, String> none = Map.of();
    results.add(CascadeMetrics.MIX_SETUP, none, "computedFanOut", suited.fanOut());
    results.add(CascadeMetrics.MIX_SETUP, none, "keys", keys);
    results.add(CascadeMetrics.MIX_SETUP, none, "memoryBytes", options.mixMemoryBytes());
    results.add(CascadeMetrics.MIX_SETUP, none, "memories", suited.memories());
    results.add(CascadeMetrics.MIX_SETUP, none, "batch", options.batch);
    results.add(CascadeMetrics.MIX_SETUP, none, "rate", options.rate);
    results.add(CascadeMetrics.MIX_SETUP, none, "readThreads", options.readThreads);
    TreeSet<Integer> all = new TreeSet<>(List.of(suited.fanOut()));
    for (int fanOut : FAN_OUTS) {
      all.add(fanOut);
    }
    return all;
  }

  private void measure(List<Entrant> entrants, Drive drive, int depth) throws IOException {
    double all = entrantWeight(options) * (FAN_OUTS.length + 2);
    double each = all / entrants.size() / (options.moments() + 1);
    List<Entrant> turns = new ArrayList<>(entrants);
    for (int moment = 0; moment < options.moments(); moment++) {
      long size = size(moment);
      for (Entrant entrant : turns) {
        entrant.fill(size);
        if (moment == 0) {
          entrant.warmUp(momentSeconds(options) / 10);
        }
        entrant.measure(momentSeconds(options), drive, depth);
      }
      progress.step(
          each * entrants.size(),
          "mixed loop",
          Table.number(size, 0) + " keys, " + (moment + 1) + " of " + options.moments());
      Collections.rotate(turns, 1);
    }
    for (Entrant entrant : entrants) {
      entrant.addTo(results);
      entrant.lookups(results, keys, lookupSeconds(options));
      progress.step(
          each,
          entrant.name(),
          Table.number(entrant.filledPerSecond(), 0) + " inserts/s without lookups");
    }
  }

  /**
   * Returns the number of keys in a filter at one of the sizes at which the loop of lookups and
   * inserts is measured. There is one size in each of as many equal ranges, but not at equal
   * distances, which would meet the same state of the levels each time.
   */
  private long size(int moment) {
    double fraction = moment * GOLDEN_RATIO % 1;
    double spread = (moment + fraction) / options.moments();
    return Math.round(keys * (0.5 + (LOOPS_UNTIL - 0.5) * spread));
  }
}
