package io.winnow.hbase.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.MadeAgain;
import io.winnow.hbase.report.Results;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/rates.md and docs/scans.md say was measured is what the committed results say. */
class RatesDocsTest {
  private static final Path HOME = Path.of("..", "..");

  /** If it is not: {@code ./winnow rates --report}. */
  @Test
  void thePageShowsTheResults(@TempDir Path home) throws Exception {
    int files = MadeAgain.compare(HOME, home, () -> RatesPage.renew(home), "rates");
    assertEquals(3, files, "the page and two plots");
    String page = Files.readString(HOME.resolve("docs/rates.md"));
    assertTrue(page.contains("| default |  |"), "the run with defaults");
    Results usual = RatesPage.results(HOME, "_rates").get(0);
    assertEquals("./winnow rates", usual.setting().command());
  }

  /** If it is not: {@code ./winnow scans --report}. */
  @Test
  void thePageOfScansShowsTheResults(@TempDir Path home) throws Exception {
    int files =
        MadeAgain.compare(HOME, home, () -> ScansPage.renew(home), "scans", "scans-by-time");
    assertEquals(4, files, "two pages, the plot, all tables");
    Results usual = RatesPage.results(HOME, "_scans").get(0);
    assertEquals(List.of("usual"), usual.values(Scans.SHAPES, "store"));
  }
}
