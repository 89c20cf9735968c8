package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Unfinished;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./winnow ycsb --scale} does before it measures. */
class ScaleTest {
  private static final Results.Setting SETTING =
      new Results.Setting(
          "2026-01-01", "A Processor", 2, "Linux amd64", "a JDK", "0123", "./winnow ycsb", 900);

  @TempDir Path directory;

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private Unfinished unfinished;

  @BeforeEach
  void nothingIsUnfinished() {
    unfinished = new Unfinished(directory, "_scale");
  }

  /**
   * Plans a run.
   *
   * @param words the command line of the processes of its launches
   */
  private Scale run(List<String> words, String... options) {
    Ycsb read = Program.read(new Ycsb(), options);
    return new Scale(
        read,
        words,
        directory,
        ScaleStore.of(directory, read.rows, SETTING.commit()),
        SETTING,
        unfinished,
        new PrintStream(printed, true, StandardCharsets.UTF_8));
  }

  private String printed() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  @Test
  void diskAndTimeAreAnnouncedAndATooSmallDiskIsRefused() throws IOException {
    Scale run = run(List.of(), "--scale", "--launches=1");
    run.announce(new ScaleStore.Cost(900, 1_000_000), 0);
    assertTrue(
        printed().startsWith("Three tables of 100,000,000 rows: about 0.0 GB in "), printed());
    // A start, and eight turns of each of three cases.
    assertTrue(
        printed().endsWith("About 15:00 minutes to make them, then 7:56 to measure.\n"), printed());
    double free = directory.toFile().getUsableSpace();
    ScaleStore.Cost tooMuch = new ScaleStore.Cost(900, free);
    IOException e = assertThrows(IOException.class, () -> run.announce(tooMuch, 0));
    assertTrue(e.getMessage().endsWith("take another --dir, or fewer --rows"), e.getMessage());
    run.announce(tooMuch, free); // an interrupted run has written as much as is free
  }

  @Test
  void aResumedRunGoesOnWithTheLaunchThatHasNotEnded() throws Exception {
    Results earlier = new Results(SETTING);
    earlier.add(ScaleStore.FILES, Map.of("filter", "stock", "file", "0"), TableFiles.BYTES, 1_000);
    for (ScaleCase one : ScaleCase.PRIMARY) {
      earlier.add(
          ScaleReads.READS,
          ScaleReads.at(one, ScaleReads.Storage.MS_2, "1"),
          "operationsPerSecond",
          100);
    }
    unfinished.write(earlier, 60);
    Results whole = run(List.of(), "--scale", "--launches=1", "--resume").run();
    assertEquals(earlier.withSeconds(60).json(), whole.json());
    assertEquals("", printed(), "no launch is left");
    Scale more = run(List.of("--report=missing.json"), "--scale", "--launches=1,2", "--resume");
    IOException e = assertThrows(IOException.class, more::run);
    assertEquals("launch 2 ended with code 1; --resume goes on with it", e.getMessage());
    assertTrue(printed().startsWith("Launch 2, 3 figures; about 7:56 minutes"), printed());
    assertFalse(printed().contains("Launch 1"), printed());
  }
}
