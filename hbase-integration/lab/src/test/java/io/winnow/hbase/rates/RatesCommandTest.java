package io.winnow.hbase.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RatesCommandTest {
  private static final String HELP = new Rates().help();

  private static Rates read(String... args) {
    return Program.read(new Rates(), args);
  }

  @Test
  void defaultsAreThoseOfTheHelp() {
    Rates options = read();
    assertEquals(defaultOf("large"), options.large);
    assertEquals(defaultOf("flushes"), options.flushes);
    assertEquals(defaultOf("rows-per-flush"), options.rowsPerFlush);
    assertEquals(defaultOf("error-rate"), options.errorRate);
    assertEquals(List.of(0.7, 0.6, 0.5), options.memory);
    assertTrue(HELP.contains("(default: 0.7,0.6,0.5)"), HELP);
    assertEquals(List.of(), read("--memory", "none").memory);
    assertEquals(defaultOf("gets"), options.gets);
    assertEquals(defaultOf("chunk"), options.chunk);
    assertEquals(defaultOf("seed"), options.seed);
    assertEquals(defaultOf("seeds"), options.seeds);
    assertEquals(0, options.majorAt);
  }

  private static double defaultOf(String name) {
    Matcher matcher =
        Pattern.compile("--" + name + " .*?\\(default: ([0-9.]+)\\)", Pattern.DOTALL).matcher(HELP);
    assertTrue(matcher.find(), name);
    return Double.parseDouble(matcher.group(1));
  }

  @Test
  void all() {
    Rates options =
        read(
            "--large 160 --flushes 50 --rows-per-flush 1e3 --major-at 25 --error-rate 0.02"
                .concat(" --memory 0.9,0.75 --gets 7 --chunk 1024 --seed 3 --seeds 2 --json r.json")
                .concat(" --plots p --report")
                .split(" "));
    assertEquals(160, options.large);
    assertEquals(50, options.flushes);
    assertEquals(1000, options.rowsPerFlush);
    assertEquals(25, options.majorAt);
    assertEquals(0.02, options.errorRate);
    assertEquals(List.of(0.9, 0.75), options.memory);
    assertEquals(7, options.gets);
    assertEquals(1024, options.chunk);
    assertEquals(3, options.seed);
    assertEquals(2, options.seeds);
  }

  @ParameterizedTest
  @CsvSource({
    "--large -1, --large -1 is not a number in 0..",
    "--flushes 0, --flushes 0 is not a number in 1..",
    "--flushes 10 --major-at 11, --major-at 11 is not a number in 0..10",
    "--rows-per-flush 1000000, are too many",
    "--error-rate 0, --error-rate 0 is not",
    "--memory 1.5, --memory 1.5 is not",
    "--gets 0, --gets 0 is not",
    "--bogus, --bogus"
  })
  void wrongOnesAreNamed(String line, String message) {
    String actual =
        assertThrows(IllegalArgumentException.class, () -> read(line.split(" "))).getMessage();
    assertTrue(actual.contains(message), actual);
  }
}
