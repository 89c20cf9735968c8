package io.winnow.bench.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.bench.Run;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Results;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Runs of the benches on a drive, small or made up, with the checks that tests share. */
final class Benches {
  private Benches() {}

  /** Runs a command that ends well, and returns what it prints. */
  static String run(DriveCommand command, String... arguments) {
    return run(0, command, arguments);
  }

  static String run(int exitCode, DriveCommand command, String... arguments) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    assertEquals(exitCode, command.run(out, out, arguments), bytes::toString);
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** Runs a command in a directory, and returns the file of its results. */
  static Path measure(DriveCommand command, Path home, String... arguments) throws IOException {
    Path drive = home.resolve("drive");
    String[] all =
        Stream.concat(Stream.of(arguments), Stream.of("--dir", drive.toString()))
            .toArray(String[]::new);
    String text = run(command, all);
    assertTrue(text.contains("[100 %") && !text.contains("NaN"), text);
    assertEquals(List.of(), files(drive), "nothing is left behind");
    return files(home.resolve("jmh-bench/results")).get(0);
  }

  /** Makes a page of results, and checks its headings and its files. */
  static String page(DriveCommand command, Path home, Path results, String... headings)
      throws IOException {
    String said = run(command, "--report=" + results);
    String page = Files.readString(home.resolve(said.substring(0, said.indexOf(','))));
    for (String heading : headings) {
      assertTrue(page.contains("\n## " + heading + "\n"), heading);
    }
    assertTrue(page.contains(results.getFileName().toString()), page);
    assertFalse(page.contains("NaN"), page);
    for (Path file : files(home.resolve("docs/plots"))) {
      assertTrue(page.contains("plots/" + file.getFileName() + ")"), file.toString());
      assertFalse(Files.readString(file).contains("NaN"), file.toString());
    }
    return page;
  }

  static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  /** Returns a run that has no figures yet, of which nothing is printed. */
  static Run made() {
    Results results = new Results(new Results.Setting("2026-01-01", "", 2, "", "", "", "", 0));
    PrintStream nowhere = new PrintStream(new ByteArrayOutputStream());
    return new Run(results).begin(nowhere, 1);
  }

  /** Returns the verdict on the first goal of a page whose name contains a text. */
  static String verdict(DriveCommand command, Run run, String part) {
    return command.page(run.results, "").bounds().stream()
        .filter(bound -> bound.what().contains(part))
        .findFirst()
        .map(Bound::verdict)
        .orElseThrow();
  }
}
