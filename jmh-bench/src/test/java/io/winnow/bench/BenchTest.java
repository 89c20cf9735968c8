package io.winnow.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code ./winnow bench} returns to the shell when it measures nothing. */
class BenchTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @TempDir Path directory;

  private int run(String... arguments) {
    return new Bench(directory).run(stream(out), stream(err), arguments);
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "-h"})
  void helpIsPrinted(String argument) {
    assertEquals(0, run(argument));
    assertEquals(new Bench(directory).help() + "\n", out.toString(StandardCharsets.UTF_8));
    assertEquals("", err.toString(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(strings = {"--nosuch", "--only", "--only nothing", "ask"})
  void wrongArgumentsAreRefused(String arguments) {
    assertEquals(64, run(arguments.split(" ")));
    String said = err.toString(StandardCharsets.UTF_8);
    assertTrue(said.startsWith("winnow bench: "), said);
    assertTrue(said.contains("usage: ./winnow bench"), said);
    assertEquals("", out.toString(StandardCharsets.UTF_8));
  }

  @Test
  void resultsThatAreNotThereAreNamed() {
    Path nothing = directory.resolve("nothing.json");
    assertEquals(1, run("--report=" + nothing));
    assertEquals(
        "winnow bench: there is no file " + nothing + "\n", err.toString(StandardCharsets.UTF_8));
  }
}
