package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.FilterSizing;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.settings.StorePlan;
import io.winnow.ribbon.BumpedRibbonSizing;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole of {@code ./winnow ycsb}, on few rows. */
@Tag("long")
class ComparisonIT extends YcsbCase {
  @Test
  void aRunFromTheLoadToTheTables() throws IOException {
    String out = run("--profile=lindorm,read-mostly", "--rounds=1", "--duration=0.5");
    assertTrue(out.contains("\nGoals and results\n"), out);
    Results results = results();
    for (TableFilter kind : TableFilter.KINDS) {
      for (String profile : List.of("lindorm", "read-mostly")) {
        Object[] at = {"filter", kind.id(), "profile", profile, "keyLength", 10};
        String what = profile + ", " + kind.id();
        assertTrue(
            results.median(Measurement.TABLES.reads, "rowsPerSecond", at).orElse(0) > 0, what);
        double hits = results.median(Measurement.TABLES.reads, "hitRatio", at).orElse(0);
        assertTrue(hits > 0 && hits <= 1, what + ": " + hits);
        double asked = results.median(Measurement.TABLES.reads, "filesAskedPerRow", at).orElse(0);
        assertEquals(4, asked, 0.04, what);
        assertTrue(results.median(Measurement.TABLES.reads, "repeats", at).isPresent(), what);
        assertTrue(
            results.median(Measurement.TABLES.reads, "warmUpSeconds", at).orElse(0) >= 0.3, what);
      }
      Object[] filter = {"filter", kind.id(), "files", 4};
      assertEquals(20_000, results.median(Measurement.TABLES.files, "keys", filter).orElse(0));
      assertTrue(
          results.median(Compactions.COMPACTION, "wallSeconds", "filter", kind.id()).orElse(0) > 0);
    }
    assertSizes(results);
  }

  /**
   * A file that is loaded is the only one of its store: HBase's own filter of 5,000 rows is up to
   * twice as large as 1 % needs, and ours has a bit per key less than 0.84 of that. Its size
   * depends on seeds that are drawn; how much is counted by building it.
   */
  private static void assertSizes(Results results) {
    Configuration conf = new Configuration(false);
    conf.set("winnow.filter", TableFilter.BUMPED_RIBBON.id());
    LoadPlan plan = LoadPlan.of(4, 0);
    double stock = 0;
    double ours = 0;
    double variance = 0;
    for (int file = 0; file < 4; file++) {
      int number = file;
      long keys = LongStream.range(0, 20_000).filter(index -> plan.holds(number, index)).count();
      StorePlan.PlannedFile planned = StorePlan.of(conf, BloomType.ROW).load(keys);
      stock += planned.stockBytes;
      FilterSizing sizing = BumpedRibbonSizing.forRate(planned.rate);
      SplittableRandom random = new SplittableRandom(file);
      LongSummaryStatistics sizes = new LongSummaryStatistics();
      double squares = 0;
      for (int build = 0; build < 100; build++) {
        FilterBuilder builder = FilterBuilder.of(sizing).verified(false);
        random.longs(keys).forEach(builder::add);
        long bytes = builder.finish().sizeInBytes();
        sizes.accept(bytes);
        squares += (double) bytes * bytes;
      }
      ours += sizes.getAverage();
      variance += squares / 100 - sizes.getAverage() * sizes.getAverage();
    }
    assertEquals(stock, size(results, TableFilter.BLOOM));
    assertEquals(ours, size(results, TableFilter.BUMPED_RIBBON), 6 * Math.sqrt(variance));
    assertTrue(ours < 0.77 * stock, ours + " of " + stock);
  }

  private static double size(Results results, TableFilter kind) {
    return results
        .median(Measurement.TABLES.files, "bytes", "filter", kind.id(), "files", 4)
        .orElseThrow();
  }

  @Test
  void helpAndWrongOptions() {
    PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), true);
    assertEquals(0, new Ycsb().run(nowhere, System.err, "--help"));
    assertEquals(64, new Ycsb().run(nowhere, System.err, "--rows=few"));
  }
}
