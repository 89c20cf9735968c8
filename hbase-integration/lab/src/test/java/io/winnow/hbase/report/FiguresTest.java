package io.winnow.hbase.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class FiguresTest {
  private static final Figures FIGURES = new Figures(new Results(null));

  @Test
  void warmUpsThatReachedTheirMaximumAreSaid() {
    assertEquals(
        " Of 3 warm-ups, 1 reached the maximum of rounds.", FIGURES.warmUps(List.of(1, 0.0, 1)));
    assertEquals(" Of 1 warm-up, 0 reached the maximum of rounds.", FIGURES.warmUps(List.of(1.0)));
    assertEquals("", FIGURES.warmUps(List.of()), "none was recorded");
  }
}
