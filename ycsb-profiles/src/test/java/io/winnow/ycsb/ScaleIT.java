package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.Results;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two launches of {@code ./winnow ycsb --scale}, on few rows. */
@Tag("long")
class ScaleIT extends YcsbCase {
  /** Numbers of reads do not depend on how busy the machine is. */
  @Test
  void launchesReadTheFilesThatHaveTheRows() throws Exception {
    String out =
        run("--scale", "--launches=1,puts", "--rounds=1", "--duration=0.5", "--rows=200000");
    assertTrue(out.contains("Three tables of 200,000 rows: about 0."), out);
    Results results = results();
    double bits =
        results.sum(ScaleStore.FILES, TableFiles.BYTES, "filter", "winnow")
            / ScaleStore.stockBytes(results);
    assertTrue(bits > 0.5 && bits < 0.9, bits + out);
    assertEquals(
        ScaleRows.FILES, results.values(ScaleStore.FILES, "file").size(), "files of each table");
    double stock = reads(results, "last-hour", "1", "stock");
    double winnow = reads(results, "last-hour", "1", "winnow-scans");
    assertTrue(winnow <= 1.1, "one file has the hour: " + winnow + out);
    assertTrue(stock >= winnow + 0.5, "each file has the entity's keys: " + stock + out);
    Object[] at = {"case", "last-hour", "launch", "1", "filter", "stock"};
    double mean = results.median(ScaleReads.READS, "meanMicros", at).orElse(0);
    assertTrue(mean >= 1_500 * stock, "each read waits 2 ms: " + mean + out);
    double absent = reads(results, "absent-batch", "1", "winnow");
    assertTrue(absent <= reads(results, "absent-batch", "1", "stock") + 0.1, absent + out);
    for (String filter : new String[] {"stock", "winnow"}) {
      Object[] puts = {"case", "put-new", "launch", "puts", "filter", filter};
      assertTrue(results.median(ScaleReads.READS, "operationsPerSecond", puts).orElse(0) > 0, out);
    }
    assertTrue(Files.exists(home.resolve("ycsb-profiles/target/plots/ycsb-scale.svg")));
  }

  private static double reads(Results results, String name, String launch, String filter) {
    return results
        .median(
            ScaleReads.READS,
            "fileReadsPerOperation",
            "case",
            name,
            "launch",
            launch,
            "filter",
            filter)
        .orElse(-1);
  }
}
