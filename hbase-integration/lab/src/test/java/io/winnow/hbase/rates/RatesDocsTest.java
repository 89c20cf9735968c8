package io.winnow.hbase.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What docs/rates.md says was measured is what the committed results say. */
class RatesDocsTest {
  private static final Path HOME = Path.of("..", "..");

  /** If it is not: {@code ./winnow rates --report}. */
  @Test
  void thePageShowsTheResults() throws Exception {
    String page = Files.readString(RatesPage.file(HOME));
    assertEquals(RatesPage.renewed(page, HOME), page);
    assertTrue(page.contains("| default |  |"), "the run with defaults");
    assertEquals(RatesReport.gains(RatesPage.usual(HOME)), Files.readString(RatesPage.gains(HOME)));
    assertEquals("./winnow rates", RatesPage.usual(HOME).setting().command());
  }
}
