package io.winnow.hbase.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RatesOptionsTest {
  @Test
  void defaultsAreThoseOfTheHelp() {
    RatesOptions options = RatesOptions.parse();
    assertEquals(defaultOf("large"), options.large());
    assertEquals(defaultOf("flushes"), options.flushes());
    assertEquals(defaultOf("rows-per-flush"), options.rowsPerFlush());
    assertEquals(defaultOf("error-rate"), options.errorRate());
    assertEquals(List.of(0.7, 0.6, 0.5), options.memory());
    assertTrue(RatesOptions.USAGE.contains("(default: 0.7,0.6,0.5)"), RatesOptions.USAGE);
    assertEquals(List.of(), RatesOptions.parse("--memory", "none").memory());
    assertEquals(defaultOf("gets"), options.gets());
    assertEquals(defaultOf("chunk"), options.chunk());
    assertEquals(defaultOf("seed"), options.seed());
    assertEquals(0, options.majorAt());
    assertNull(options.json());
    assertNull(options.plots());
    assertFalse(options.report());
    assertFalse(options.help());
  }

  private static double defaultOf(String name) {
    Matcher matcher =
        Pattern.compile("--" + name + " .*?\\(default: ([0-9.]+)\\)", Pattern.DOTALL)
            .matcher(RatesOptions.USAGE);
    assertTrue(matcher.find(), name);
    return Double.parseDouble(matcher.group(1));
  }

  @Test
  void all() {
    RatesOptions options =
        RatesOptions.parse(
            "--large 160 --flushes 50 --rows-per-flush 1e3 --major-at 25 --error-rate 0.02"
                .concat(" --memory 0.9,0.75 --gets 7 --chunk 1024 --seed 3 --json r.json")
                .concat(" --plots p --report")
                .split(" "));
    assertEquals(
        new RatesOptions(
            160,
            50,
            1000,
            25,
            0.02,
            List.of(0.9, 0.75),
            7,
            1024,
            3,
            Path.of("r.json").toAbsolutePath(),
            Path.of("p").toAbsolutePath(),
            true,
            false),
        options);
    assertTrue(RatesOptions.parse("--help").help());
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
        assertThrows(IllegalArgumentException.class, () -> RatesOptions.parse(line.split(" ")))
            .getMessage();
    assertTrue(actual.contains(message), actual);
  }

  @Test
  void theCommandIsToldWithoutNamesOfFiles() {
    assertEquals(
        "./winnow rates --large 0 --gets 5",
        Rates.command("--json", "/home/me/r.json", "--large", "0", "--plots=/p", "--gets", "5"));
  }
}
