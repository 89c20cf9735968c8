package io.winnow.bench.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.bench.Run;
import io.winnow.hbase.cli.Program;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Unfinished;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriveCommandTest {
  @TempDir private Path home;

  private DriveCommand command(String name) {
    return name.equals("cascade") ? new CascadeBench(home) : new FlashBench(home);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ':',
      value = {
        "cascade: --keys many",
        "cascade: --keys 12",
        "cascade: --memory 1K",
        "cascade: --memory 5X",
        "cascade: --memory 9999999999G",
        "cascade: --rate 0",
        "cascade: --fan-out 1",
        "cascade: --only everything",
        "cascade: --quick --keys 1e6",
        "cascade: --beside a.jar",
        "cascade: keys",
        "flash: --scale 0",
        "flash: --scale many",
        "flash: --seconds 0",
        "flash: --only everything",
        "flash: --colour blue",
        "flash: keys"
      })
  void wrongOptionsAreRefused(String name, String arguments) {
    String[] all = arguments.split(" ");
    Exception e =
        assertThrows(IllegalArgumentException.class, () -> Program.read(command(name), all));
    assertFalse(e.getMessage().isEmpty());
    Benches.run(Program.WRONG_USAGE, command(name), all);
  }

  @ParameterizedTest
  @CsvSource({
    "cascade, keys memory rate dir fan-out threads only quick json resume report help",
    "flash, scale seconds dir only quick json resume report help"
  })
  void helpNamesEveryOptionAndPart(String name, String options) {
    String help = Benches.run(command(name), "--help");
    for (String option : options.split(" ")) {
      assertTrue(help.contains("--" + option), option);
    }
    for (String part : command(name).parts()) {
      assertTrue(help.contains(part), part);
    }
  }

  /** Results that differ from those of a usual run have a name of their own. */
  @ParameterizedTest
  @CsvSource({
    "cascade, --dir /elsewhere, ''",
    "cascade, '--only mix,bloom', _mix-bloom",
    "cascade, --quick --only mix, _quick_mix",
    "cascade, --keys 8.59e9 --memory 256m, _8590000000-keys",
    "cascade, --rate 0.01, _500000000-keys",
    "flash, --dir /elsewhere, ''",
    "flash, --quick, _quick",
    "flash, --scale 0.5, _scale-0.5",
    "flash, --only sets, _scale-1.0"
  })
  void resultsAreNamedAfterTheRun(String name, String arguments, String variant) {
    assertEquals(variant, Program.read(command(name), arguments.split(" ")).variant());
  }

  /** A page is of one run: a later one of a part alone has other conditions. */
  @Test
  void aPartThatRanAgainStandsOnNoPage() throws IOException {
    Path directory = Files.createDirectories(home.resolve("jmh-bench/results"));
    write(directory.resolve("cascade_2026-01-02_x_aaaa.json"), 480_000);
    write(directory.resolve("cascade_2026-01-03_x_bbbb_mix.json"), 490_000);
    Benches.run(command("cascade"), "--report");
    String page = Files.readString(home.resolve("docs/cascade-bench.md"));
    assertTrue(page.contains("480,000 keys"), page);
    assertFalse(page.contains("490,000"), page);
    assertTrue(page.contains("cascade_2026-01-02_x_aaaa.json"), page);
  }

  @Test
  void aResumedRunMeasuresOnlyPartsThatAreMissing() throws IOException {
    String parts = "tombstones,bloom";
    Results earlier =
        new Results(Machine.setting("./winnow cascade bench --quick --only " + parts));
    earlier.add("finished", Map.of("part", "tombstones"), "seconds", 1);
    new Unfinished(home.resolve("jmh-bench/target"), "_cascade-bench_quick_tombstones-bloom")
        .write(earlier, 1);
    Path json = Benches.measure(command("cascade"), home, "--quick", "--only", parts, "--resume");
    List<String> filters = ResultFiles.read(json).values("cascade.ingest", "filter");
    assertTrue(filters.contains("plain Bloom"), filters::toString);
    assertFalse(filters.contains("cascade, tombstones"), filters::toString);
  }

  private void write(Path file, double keys) throws IOException {
    Run run = Benches.made();
    run.samples("cascade.setup", "io", "DIRECT").add("keys", keys);
    Files.writeString(file, run.results.json());
  }
}
