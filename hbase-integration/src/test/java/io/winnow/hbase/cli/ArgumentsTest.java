package io.winnow.hbase.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentsTest {
  private static Arguments parse(String line) {
    String[] args = line.isEmpty() ? new String[0] : line.split(" ");
    return Arguments.parse(
        List.of("wide", "narrow"), List.of("rows", "share", "dir"), List.of("report"), args);
  }

  @Test
  void whatWasGivenIsThereAndWhatWasNotHasItsDefault() {
    Arguments given = parse("--wide --rows 80e9 --share=0.25 --dir a/../b --report");
    assertTrue(given.has("wide") && given.has("report") && !given.has("narrow"));
    assertEquals(80_000_000_000L, given.whole("rows", 1, 1, 1e12));
    assertEquals(0.25, given.number("share", 1, 0, 1));
    assertEquals(Path.of("b").toAbsolutePath(), given.path("dir"));
    assertNull(given.path("report"));
    assertEquals("x.json", parse("--report x.json").text("report"));
    Arguments none = parse("");
    assertEquals(7, none.whole("rows", 7, 1, 1e12));
    assertNull(none.path("dir"));
    assertFalse(none.has("help"));
    assertTrue(parse("-h").has("help") && parse("--help").has("help"));
  }

  @ParameterizedTest
  @CsvSource({
    "--rows x, --rows x is not a number in 2..100000000000",
    "--rows 1, --rows 1 is not a number in 2..",
    "--rows NaN, is not a number",
    "--rows 2.5, --rows 2.5 is not a whole number",
    "--rows, Missing argument",
    "--rwos 5, Unrecognized option",
    "more, Unexpected argument: more",
    "--wide --narrow, --wide and --narrow exclude each other",
  })
  void whatIsWrongIsTold(String line, String message) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> {
              Arguments arguments = parse(line);
              arguments.exclude("wide", "narrow");
              arguments.whole("rows", 5, 2, 1e11);
            });
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }
}
