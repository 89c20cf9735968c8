package io.winnow.hbase.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuickstartTest {
  private static Quickstart read(String... args) {
    return Program.read(new Quickstart(), args);
  }

  @Test
  void defaults() {
    Quickstart options = read();
    assertEquals(1_000_000, options.rows);
    assertEquals(0, options.port);
    assertNull(options.ownKeys);
    assertNull(options.json);
    assertNull(options.keep);
  }

  @Test
  void all() {
    Quickstart options =
        read("--rows", "5000", "--json=out.json", "--keep", "a b", "--port", "2181");
    assertEquals(5_000, options.rows);
    assertEquals(Path.of("out.json").toAbsolutePath(), options.json);
    assertEquals(Path.of("a b").toAbsolutePath(), options.keep);
    assertEquals(2181, options.port);
    assertEquals(Path.of("k").toAbsolutePath(), read("--keys", "k").ownKeys);
  }

  @ParameterizedTest
  @CsvSource({
    "--bogus, --bogus",
    "--row 5, --row",
    "--rows, rows",
    "--rows x, --rows x is not a number",
    "--rows 1, --rows 1 is not a number in 2..",
    "--rows -5, -5",
    "--port 65536, --port 65536",
    "--rows 5 --keys k, exclude each other",
    "more, Unexpected argument: more"
  })
  void wrongOnesAreNamed(String line, String message) {
    String actual =
        assertThrows(IllegalArgumentException.class, () -> read(line.split(" "))).getMessage();
    assertTrue(actual.contains(message), actual);
  }
}
