package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.contest.Contest;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole of {@code ./winnow ycsb --stores} and {@code --scans}, on few rows. */
@Tag("long")
class StoresIT extends YcsbCase {
  /** The rates in the files do not depend on how busy the machine is, and few reads show them. */
  @Test
  void storesOfSeveralFilesHaveRatesByTheirShares() throws IOException {
    String out = run("--stores", "--profile=store-mixed", "--rounds=1", "--duration=1");
    assertTrue(out.contains("\nGoals and results\n"), out);
    Results results = results();
    double[] sums = new double[TableFilter.OF_STORES.size()];
    for (TableFilter policy : TableFilter.OF_STORES) {
      double keys = 0;
      for (int file = 0; file < 6; file++) {
        Object[] at = {"filter", policy.id(), "file", file};
        double its = results.median(Measurement.STORES.files, "keys", at).orElse(0);
        assertTrue(file == 0 ? its > 18_000 : its > 200 && its < 450, file + ": " + its + out);
        keys += its;
        sums[TableFilter.OF_STORES.indexOf(policy)] +=
            results.median(Measurement.STORES.files, "falsePositiveRate", at).orElse(1);
      }
      assertEquals(20_000, keys, out);
      Object[] at = {"filter", policy.id(), "profile", "store-mixed", "keyLength", 10};
      assertTrue(results.median(Measurement.STORES.reads, "rowsPerSecond", at).orElse(0) > 0, out);
      double read = results.median(Measurement.STORES.reads, "falseReadsPerRow", at).orElse(1);
      assertTrue(read >= (policy == TableFilter.FILE ? 0.005 : 0) && read < 0.2, read + out);
    }
    assertEquals(0.06, sums[TableFilter.OF_STORES.indexOf(TableFilter.FILE)], 0.02, out);
    assertTrue(
        sums[TableFilter.OF_STORES.indexOf(TableFilter.STORE)]
            <= 0.45 * sums[TableFilter.OF_STORES.indexOf(TableFilter.FILE)],
        out);
  }

  /** Cold, busy, at a fixed rate, with a BucketCache: each has its turns, and its own figures. */
  @Test
  void specialConditionsHaveTheirFigures() throws IOException {
    List<String> profiles =
        List.of("store-hot", "store-arrivals", "store-cold", "store-busy", "store-bucket");
    run(
        "--stores",
        "--profile=" + String.join(",", profiles),
        "--rounds=1",
        "--duration=0.5",
        "--cache=2m");
    Results results = results();
    for (String profile : profiles) {
      for (TableFilter policy : TableFilter.DEFAULTS) {
        Object[] at = {"filter", policy.id(), "profile", profile, "keyLength", 10};
        String what = profile + ", " + policy.id();
        assertTrue(results.median(Measurement.STORES.reads, "p999Micros", at).orElse(0) > 0, what);
        assertEquals(
            profile.equals("store-busy"),
            results.median(Measurement.STORES.reads, "busySeconds", at).isPresent(),
            what);
        assertEquals(
            profile.equals("store-cold"),
            results.median(Measurement.STORES.reads, Reads.DRIVE, at).isPresent(),
            what);
      }
      Object[] of = {"profile", profile};
      assertEquals(
          profile.equals("store-arrivals"),
          results.median(Reads.ARRIVALS, "perSecond", of).orElse(0) > 0,
          profile);
      assertEquals(
          profile.equals("store-bucket"),
          results.median(Measurement.STORES.setup, "bucketCacheBytes", of).orElse(0) > 0,
          profile);
      assertEquals(65_536, results.median(Measurement.STORES.setup, "blockBytes", of).orElse(0));
    }
    double rounds = results.median(Contest.FIRST_ROUNDS, "rounds").orElse(0);
    assertTrue(rounds >= 4 && rounds <= Workbench.MAX_FIRST_ROUNDS, rounds + " do not count");
  }

  /** Each scan is checked, row by row; files that are skipped show in the server's cache. */
  @Test
  void scansOfGroupsFindTheirRowsInFewFiles() throws IOException {
    run("--scans", "--rounds=1", "--duration=0.5");
    Results results = results();
    for (String profile : Profile.SCANS) {
      for (TableFilter policy : TableFilter.OF_SCANS) {
        Object[] at = {"filter", policy.id(), "profile", profile, "keyLength", 25};
        String what = profile + ", " + policy.id();
        double scans = results.median(Measurement.SCANS.reads, "scansPerSecond", at).orElse(0);
        assertTrue(scans > 0, what);
      }
    }
    for (TableFilter policy : TableFilter.OF_SCANS) {
      double keys = 0;
      for (int file = 0; file < 13; file++) {
        Object[] at = {"filter", policy.id(), "file", file};
        keys += results.median(Measurement.SCANS.files, "keys", at).orElse(0);
      }
      assertEquals(1.4, keys / 20_000, 0.1, policy.id());
    }
  }
}
