package io.winnow.hbase.report;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnfinishedTest {
  @TempDir Path dir;

  private static Results run(String command, String commit, String machine) {
    return new Results(
        new Results.Setting(
            "2026-01-01", machine, 2, "Linux amd64", "a JDK", commit, command, 100));
  }

  private static Results run() {
    return run("./winnow ycsb --stores", "0123", "A Processor");
  }

  @Test
  void aRunGoesOnWithWhatIsFinished() throws IOException {
    Unfinished unfinished = new Unfinished(dir, "_stores");
    Results first = run();
    first.add("reads", Map.of("profile", "hot", "filter", "stock"), "rows", 1, 2);
    first.add("reads", Map.of("profile", "cold", "filter", "stock"), "rows", 3);
    unfinished.write(first, 60);
    Results earlier = unfinished.read(run());
    assertEquals(60, earlier.setting().seconds());
    Results second = run();
    assertTrue(earlier.hasCases("reads", Map.of("profile", "hot")));
    assertFalse(earlier.hasCases("reads", Map.of("profile", "busy")));
    second.copyCases(earlier, "reads", Map.of("profile", "hot"));
    assertArrayEquals(new double[] {1, 2}, second.samples("reads", "rows", "profile", "hot"));
    assertEquals(0, second.samples("reads", "rows", "profile", "cold").length);
    Results.Setting whole =
        second.withSeconds(run().setting().command() + " --resume", 90).setting();
    assertEquals("./winnow ycsb --stores --resume", whole.command(), "a page says so");
    assertEquals(90, whole.seconds());
    unfinished.delete();
    assertRefused("no run to resume", run());
  }

  @Test
  void notOfAnotherCommandCommitOrMachine() {
    new Unfinished(dir, "_stores").write(run(), 60);
    assertRefused("./winnow ycsb --scans", run("./winnow ycsb --scans", "0123", "A Processor"));
    assertRefused("commit 4567", run("./winnow ycsb --stores", "4567", "A Processor"));
    assertRefused("start without", run("./winnow ycsb --stores", "0123", "Another"));
  }

  private void assertRefused(String told, Results now) {
    IOException e = assertThrows(IOException.class, () -> new Unfinished(dir, "_stores").read(now));
    assertTrue(e.getMessage().contains(told), e.getMessage());
  }
}
