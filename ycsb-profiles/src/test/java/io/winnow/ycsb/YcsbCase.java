package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.hbase.report.Results;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code ./winnow ycsb} on few rows, in this JVM. */
abstract class YcsbCase {
  @TempDir Path home;

  @AfterEach
  void forgetHome() {
    System.clearProperty("winnow.home");
  }

  /** What it prints, if it succeeds. */
  final String run(String... options) {
    System.setProperty("winnow.home", home.toString());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    List<String> all = new ArrayList<>(List.of(options));
    all.add("--dir=" + home.resolve("data"));
    if (!all.contains("--scale")) {
      all.add("--rows=20000");
    }
    if (!all.contains("--scale") && !all.contains("--scans")) {
      all.add("--key-lengths=10");
    }
    int code =
        new Ycsb()
            .run(
                new PrintStream(bytes, true, StandardCharsets.UTF_8),
                System.err,
                all.toArray(String[]::new));
    String out = bytes.toString(StandardCharsets.UTF_8);
    assertEquals(0, code, out);
    return out;
  }

  final Results results() throws IOException {
    try (Stream<Path> files = Files.list(home.resolve("ycsb-profiles").resolve("results"))) {
      List<Path> all = files.toList();
      assertEquals(1, all.size());
      return Results.ofJson(Files.readString(all.get(0)));
    }
  }
}
