package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code ./winnow soak}, as the launcher starts it, for about a minute. */
@Order(1) // it waits most of the time
@Tag("long")
class SoakIT {
  private static final String WORK = "Soak.work";

  @Test
  void eachThingIsDoneAndNoRowIsLost() throws Exception {
    Path home = TestServer.emptyDirectory("soak");
    Path json = home.resolve("result.json");
    JavaProcess.Result result =
        JavaProcess.with(
                "-Dwinnow.home=" + home,
                "-Dlog4j2.configurationFile="
                    + "classpath:io/winnow/hbase/standalone/client-log4j2.properties",
                "-Dwinnow.agent.jar=" + TestServer.agentJar(),
                "-javaagent:" + TestServer.agentJar(),
                "-cp",
                JavaProcess.classPath())
            .andItsChildren()
            .run(
                "io.winnow.hbase.soak.Soak",
                "--hours",
                "0.015",
                "--seed",
                "5",
                "--json",
                "" + json);
    assertEquals(0, result.exitCode(), result.toString());
    assertTrue(result.output().contains("seed 5;"), result.output());
    assertTrue(result.output().contains("wrong answers"), result.output());
    assertTrue(result.output().contains("too few samples"), result.output());

    Results results = ResultFiles.read(json);
    for (String done :
        List.of(
            "flush",
            "alter",
            "compaction",
            "major compaction",
            "split",
            "merge",
            "move",
            "bulk load",
            "kill -9 of regionserver-2",
            "check of every row",
            "rows deleted",
            "regionserver-1: chunksBuilt",
            "regionserver-1: scanFilterRequests",
            "regionserver-1: segmentSkips")) {
      assertTrue(count(results, done) > 0, done + ": " + result);
    }
    assertEquals(0, count(results, "wrong answers"));
    assertTrue(count(results, "answers checked") > 100_000, result.output());
    for (String server : List.of("regionserver-1", "master", "regionserver-2")) {
      for (String metric :
          List.of("heapAfterCollection", "threads", "handles", "directMemory", "logBytes")) {
        double[] samples = results.samples("Soak.server", metric, "server", server, "life", "1");
        assertTrue(samples.length > 0 && samples[0] > 0, server + ", " + metric);
      }
    }
    assertFalse(Files.exists(home.resolve("target").resolve("soak")), "left behind");
  }

  private static double count(Results results, String what) {
    return results.median(WORK, "count", "what", what).orElse(0);
  }
}
