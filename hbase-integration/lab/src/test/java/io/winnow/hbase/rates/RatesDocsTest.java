package io.winnow.hbase.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What docs/rates.md and docs/scans.md say was measured is what the committed results say. */
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

  /** If it is not: {@code ./winnow scans --report}. */
  @Test
  void thePageOfScansShowsTheResults() throws Exception {
    String page = Files.readString(ScansPage.file(HOME));
    assertEquals(ScansPage.renewed(page, HOME), page);
    var stores = ScansPage.stores(ScansPage.results(HOME));
    assertEquals("usual", stores.get(0).shape().name());
    assertEquals(Scans.plot(stores.get(0)), Files.readString(ScansPage.plot(HOME)));
    for (var store : ScansPage.others(stores)) {
      assertEquals(Scans.table(store).csv(), Files.readString(ScansPage.csv(HOME, store)));
    }
    String goals = Files.readString(HOME.resolve("docs/design/asked-scans.md"));
    assertTrue(goals.endsWith(ScansPage.asked(stores)), goals);
  }
}
