package io.winnow.bench.drive;

import io.winnow.bench.Part;
import io.winnow.bench.Run;
import io.winnow.cascade.CascadeMix;
import io.winnow.cascade.CascadeOptions;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.hbase.contest.Orders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * A de-duplicator's loop of lookups and inserts, with cascade filters of several fan-outs and a
 * page-local Bloom filter, all with the same memory. All of them grow together: at each of several
 * sizes each one has its turn. The drive is measured in the same turn, so that figures of one size
 * can be compared although the drive's speed changes.
 */
final class MixCase implements Part {
  /** Numbers of threads that read from the drive at the same time. */
  private static final List<Integer> DEPTHS = List.of(1, 2, 4, 8, 16, 32, 64, 128);

  private static final List<Integer> FAN_OUTS = List.of(2, 4, 8, 16, 32);

  /** Expected number of filters: one of each fan-out, of the computed one, and the Bloom filter. */
  private static final int ENTRANTS = FAN_OUTS.size() + 2;

  /**
   * Upper bound of a filter's number of keys when the loop is measured, as a share of its keys at
   * the end; the lower bound is a half.
   */
  private static final double LOOPS_UNTIL = 0.85;

  private static final double GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
  private static final double FILLS_PER_SECOND = 3e6;

  private final CascadeBench options;
  private final Run run;
  private final double momentSeconds;
  private final double lookupSeconds;
  private final double ladderSeconds;
  private final double turnSeconds;

  MixCase(CascadeBench options, Run run) {
    this.options = options;
    this.run = run;
    this.momentSeconds = 0.3 * options.seconds;
    this.lookupSeconds = 0.15 * options.seconds;
    this.ladderSeconds = DEPTHS.size() * options.seconds / 10;
    this.turnSeconds =
        options.mixKeys() / FILLS_PER_SECOND / options.moments() + 1.15 * momentSeconds;
  }

  @Override
  public double weight() {
    return ladderSeconds + ENTRANTS * (options.moments() * turnSeconds + 4 * lookupSeconds);
  }

  @Override
  public void measure() throws IOException, InterruptedException {
    options.in("mix", this::measure);
  }

  private void measure(Path files) throws IOException, InterruptedException {
    BufferedBloomOptions bloom =
        BufferedBloomOptions.defaults()
            .keys(options.mixKeys())
            .rate(options.rate)
            .memoryBudget(options.mixMemoryBytes());
    List<Entrant> entrants = new ArrayList<>();
    try (Drive drive = Drive.create(files.resolve("drive"), bloom.sizing().sizeInBytes())) {
      int depth = bestDepth(drive);
      for (int fanOut : fanOuts(depth)) {
        CascadeOptions shape = cascade().fanOut(fanOut);
        Cascade filter = new Cascade(files.resolve("fan-out-" + fanOut), shape);
        entrants.add(new Entrant(run, "cascade, fan-out " + fanOut, filter, options.batch));
      }
      Path own = Files.createDirectory(files.resolve("bloom"));
      PageLocalBloom pages = new PageLocalBloom(own, bloom, options.readThreads);
      entrants.add(new Entrant(run, "page-local Bloom", pages, options.batch));
      double each = (weight() - ladderSeconds) / entrants.size() - 4 * lookupSeconds;
      for (int moment = 0; moment < options.moments(); moment++) {
        for (Entrant entrant : Orders.of(entrants, moment)) {
          long size = size(moment);
          entrant.measure(size, momentSeconds, drive, depth);
          run.step(each / options.moments(), entrant.name, "%,d keys", size);
        }
      }
      for (Entrant entrant : entrants) {
        entrant.finish(options.mixKeys(), lookupSeconds);
      }
    } finally {
      for (Entrant entrant : entrants) {
        entrant.close();
      }
    }
  }

  private CascadeOptions cascade() {
    return options.cascade(options.mixKeys(), options.mixMemoryBytes());
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
      run.samples("cascade.drive", "depth", depth).add("perSecond", perSecond);
      if (perSecond > max) {
        max = perSecond;
        best = depth;
      }
    }
    run.step(ladderSeconds, "drive", "%,.0f random pages/s, %d requests at once", max, best);
    return best;
  }

  /**
   * Returns the fan-outs of the cascade filters to compare: fixed ones, and the one that is
   * computed for one lookup per insert on this drive.
   */
  private Iterable<Integer> fanOuts(int depth) {
    double pages = run.results.median("cascade.drive", "perSecond", "depth", depth).orElseThrow();
    CascadeMix mix = CascadeMix.of(1);
    CascadeOptions suited = cascade().fanOutFor(mix.onDrive(pages, mix.mergedKeysPerSecond()));
    run.samples("cascade.mix-setup")
        .add("computedFanOut", suited.fanOut())
        .add("keys", options.mixKeys())
        .add("memoryBytes", options.mixMemoryBytes())
        .add("memories", suited.memories())
        .add("batch", options.batch);
    TreeSet<Integer> all = new TreeSet<>(FAN_OUTS);
    all.add(suited.fanOut());
    return all;
  }

  /**
   * Returns the number of keys in a filter at one of the sizes at which the loop is measured. There
   * is one size in each of as many equal ranges, but not at equal distances, which would meet the
   * same state of the levels each time.
   */
  private long size(int moment) {
    double fraction = moment * GOLDEN_RATIO % 1;
    double spread = (moment + fraction) / options.moments();
    return Math.round(options.mixKeys() * (0.5 + (LOOPS_UNTIL - 0.5) * spread));
  }
}
