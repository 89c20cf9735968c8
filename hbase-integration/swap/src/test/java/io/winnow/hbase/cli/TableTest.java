package io.winnow.hbase.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class TableTest {
  private static Table table() {
    return new Table("times", "filter", "ns", "ratio")
        .row("bloom", Table.number(1234.56, 1), "")
        .row(
            "ribbon",
            Table.number(OptionalDouble.of(7), 1),
            Table.ratio(OptionalDouble.of(7), OptionalDouble.of(28)))
        .row("none", Table.number(OptionalDouble.empty(), 1), Table.number(Double.NaN, 2));
  }

  @Test
  void asText() {
    assertEquals(
        """
        times
          filter       ns  ratio
          bloom   1,234.6
          ribbon      7.0   0.25
          none          -      -
        """,
        table().text());
  }

  @Test
  void asTextWithoutATitle() {
    assertEquals(
        """
              a
        x   100
        yy
        """,
        new Table("", "", "a").row("x", "100").row("yy", "").plain());
  }

  @Test
  void asMarkdown() {
    assertEquals(
        """
        | filter | ns | ratio |
        | --- | ---: | ---: |
        | bloom | 1,234.6 |  |
        | ribbon | 7.0 | 0.25 |
        | none | - | - |
        """,
        table().markdown());
  }

  @Test
  void rowsHaveTheWidthOfTheHeader() {
    assertThrows(IllegalArgumentException.class, () -> table().row("one"));
  }

  @Test
  void oneIsNoPlural() {
    assertEquals("0 files", Table.counted(0, "file"));
    assertEquals("1 file", Table.counted(1, "file"));
    assertEquals("2,000 files", Table.counted(2000, "file"));
  }
}
