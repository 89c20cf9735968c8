package io.winnow.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.winnow.hbase.report.Results;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real servers write files once; the figures mean nothing, that they are there does. */
class ServerWritesTest {
  @Test
  @Tag("long")
  void serversFlushAndCompact() throws Exception {
    System.setProperty("winnow.home", "..");
    // There is no agent to start servers with where nothing was packaged.
    assumeTrue(Files.exists(WritePath.built("winnow-lab.jar")), "no agent");
    Results results =
        new Results(
            new Results.Setting("2026-01-01", "a machine", 1, "an OS", "a JDK", "0", "a test", 0));
    Run run = new Run(results).begin(new PrintStream(OutputStream.nullOutputStream()), 1);
    WritePath.Shape server = WritePath.Shape.SERVER;
    new WritePath(Effort.SMOKE, run).launch(server, 25);
    for (WritePath.Pair pair : server.pairs()) {
      for (WritePath.Work work : server.works) {
        for (String metric : new String[] {WritePath.WALL, WritePath.CPU}) {
          Samples at = server.samples(run, pair, work, 25);
          double[] times = SmokeTest.values(run, at, metric);
          assertEquals(1, times.length, at + ", " + metric);
          assertTrue(times[0] > 10 && times[0] < 1e7, at + ", " + metric + ": " + times[0]);
        }
      }
    }
  }

  @Test
  void cpuTimeOfAProcessIsThatOfTheThreadsThatAreStillThere() {
    Map<String, Long> before = Map.of("1", 100L, "2", 500L);
    Map<String, Long> after = Map.of("1", 130L, "3", 7L);
    assertEquals(37, ProcessCpu.between(before, after));
  }
}
