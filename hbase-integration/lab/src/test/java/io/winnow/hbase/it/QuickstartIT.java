package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code ./winnow quickstart}, as the launcher starts it, with few rows. */
@Tag("long")
class QuickstartIT {
  private static final int ROWS = 3000;
  private static final int SIGTERM = 128 + 15;
  private static final List<String> KINDS = List.of("bloom", "ribbon", "bumped-ribbon");

  private static List<String> options(Path temporary, boolean agent) {
    List<String> options = new ArrayList<>(List.of("-Djava.io.tmpdir=" + temporary));
    options.add(
        "-Dlog4j2.configurationFile="
            + "classpath:io/winnow/hbase/standalone/client-log4j2.properties");
    if (agent) {
      options.add("-Dwinnow.agent.jar=" + TestServer.agentJar());
      options.add("-javaagent:" + TestServer.agentJar());
    }
    options.addAll(List.of("-cp", JavaProcess.classPath()));
    options.add("io.winnow.hbase.quickstart.Quickstart");
    return options;
  }

  /** Runs it; returns its results. */
  private static Results run(boolean agent) {
    try {
      Path temporary = TestServer.emptyDirectory(agent ? "quickstart" : "quickstart-without");
      Path json = temporary.resolve("result.json");
      JavaProcess.Result result =
          JavaProcess.with(options(temporary, agent).toArray(String[]::new))
              .andItsChildren()
              .run("--rows", Integer.toString(ROWS), "--json", json.toString());
      assertEquals(0, result.exitCode(), result.toString());
      assertTrue(result.output().contains("bumped-ribbon/bloom"), result.output());
      assertTrue(result.output().contains("In this store of 9 files, bumped-"), result.output());
      assertTrue(result.errors().contains("Reading every row back"), result.errors());
      assertEquals(List.of(json), filesIn(temporary), "left behind");
      return ResultFiles.read(json);
    } catch (IOException e) {
      throw new CompletionException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CompletionException(e);
    }
  }

  private static List<Path> filesIn(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  @Test
  void noRowIsLostAndTheFiltersAreThoseThatWereAskedFor() {
    CompletableFuture<Results> running = CompletableFuture.supplyAsync(() -> run(false));
    Results with = run(true);
    Results without = running.join();
    for (Results results : List.of(with, without)) {
      assertEquals(ROWS, results.sum("quickstartRun", "rows"));
      assertTrue(results.sum("quickstartRun", "absentKeys") >= 100_000);
      assertEquals(KINDS, results.values("quickstart", "filter"));
      for (String kind : KINDS) {
        assertEquals(0, figure(results, "rowsLost", kind), kind);
        assertEquals(9, figure(results, "files", kind), "a large file and eight flushes");
        double reads = figure(results, "readsPerAbsentGet", kind);
        assertTrue(reads > 0 && reads < 9 * 0.015, kind + ": " + reads); // 1 % is asked for
        assertTrue(figure(results, "readsPerPresentGet", kind) >= 0, kind);
      }
    }
    for (String kind : KINDS) {
      // Without the agent, all tables have HBase's filter, which the agent leaves as it is.
      for (String same : List.of("filterBytes", "readsPerAbsentGet")) {
        assertEquals(figure(with, same, "bloom"), figure(without, same, kind), kind);
      }
      assertEquals(9, figure(without, "filesPerScan", kind));
      if (!kind.equals("bloom")) {
        double stock = figure(with, "readsPerAbsentGet", "bloom");
        assertNotEquals(stock, figure(with, "readsPerAbsentGet", kind), kind);
        assertTrue(figure(with, "filesPerScan", kind) < 4, kind);
        assertTrue(figure(with, "bitsPerKey", kind) < figure(with, "bitsPerKey", "bloom"), kind);
      }
    }
  }

  private static double figure(Results results, String metric, String kind) {
    return results.median("quickstart", metric, "filter", kind).orElseThrow();
  }

  /** As Ctrl-C does: not a word, nothing is left, whatever it was about. */
  @Test
  void stoppedAtAnyMomentItEndsQuietly() throws Exception {
    for (String moment : List.of("rows", "Starting HBase in ", "Loading")) {
      Path temporary = TestServer.emptyDirectory("quickstart-stopped");
      Path output = temporary.resolve("output");
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.add(JavaProcess.QUICK);
      command.addAll(options(temporary, true));
      command.addAll(List.of("--rows", "200000"));
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
      builder.environment().putAll(JavaProcess.QUICK_CHILDREN);
      Process process = builder.start();
      List<ProcessHandle> servers;
      try {
        while (process.isAlive() && !Files.readString(output).contains(moment)) {
          TimeUnit.MILLISECONDS.sleep(20);
        }
        TimeUnit.MILLISECONDS.sleep(500);
        servers = process.descendants().toList();
        process.destroy();
        assertTrue(process.waitFor(10, TimeUnit.MINUTES), moment);
      } finally {
        process.destroyForcibly();
      }
      String said = Files.readString(output);
      assertEquals(SIGTERM, process.exitValue(), said);
      assertFalse(said.contains("winnow quickstart: "), said);
      assertFalse(said.contains("Exception") || said.contains("\tat "), said);
      assertEquals(List.of(output), filesIn(temporary), "left behind, stopped at " + moment);
      for (ProcessHandle server : servers) {
        server.onExit().get(10, TimeUnit.MINUTES);
      }
    }
  }
}
