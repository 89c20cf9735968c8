package io.winnow.hbase.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTest {
  private static final Results.Setting SETTING =
      new Results.Setting("2026-01-01", "m", 2, "os", "jdk", "c", "./winnow quickstart", 60);

  private static final Report REPORT =
      new Report(
          SETTING,
          1_000_000,
          12,
          500_000,
          List.of(
              new Report.Measured(
                  "bloom", 1_310_720, 10, 10.48576, 0.0099, 21_234.0, 81_000.0, 0, null, null),
              new Report.Measured(
                  "ribbon",
                  904_000,
                  7,
                  7.232,
                  0.01,
                  21_000.0,
                  90_001.0,
                  3,
                  new PairedRatio(0.99, 0.97, 1.01),
                  new PairedRatio(1.11, 1.02, 1.2))));

  /** Of two tables of so many rows, with these rates, whose gets were not timed. */
  private static Report untimed(long rows, Double rate, Double otherRate) {
    return new Report(
        SETTING,
        rows,
        0,
        0,
        List.of(
            new Report.Measured("bloom", 100, 1, 14.0, rate, null, null, 0, null, null),
            new Report.Measured("ribbon", 100, 1, 7.2, otherRate, null, null, 0, null, null)));
  }

  @Test
  void table() {
    assertEquals(
        """
                                 bloom   ribbon         ribbon/bloom
        filter bytes         1,310,720  904,000                 0.69
        chunks                      10        7
        bits per key            10.486    7.232                 0.69
        false-positive rate    0.990 %  1.000 %                 1.01
        gets/s, hits            21,234   21,000  0.99 (0.97 to 1.01)
        gets/s, misses          81,000   90,001  1.11 (1.02 to 1.20)
        rows lost                    0        3
        """,
        REPORT.table());
    assertEquals(3, REPORT.rowsLost());
  }

  @Test
  void whatIsNotCertainIsNamedAndTheRestIsNot() {
    String text = REPORT.text();
    assertTrue(text.contains("12 rounds"), text);
    assertTrue(
        text.contains("No difference is certain, since the interval holds 1: ribbon, hits."));
    assertFalse(text.contains("unlike"), text);
  }

  @Test
  void unlikeRatesAreExplained() {
    String text = untimed(20_000, 0.002, 0.01).text();
    assertTrue(text.contains("unlike false-positive rates"), text);
    assertTrue(text.contains("bloom 1.56, ribbon 1.08"), text);
    assertTrue(text.contains("not timed"), text);
    assertFalse(untimed(20_000, 0.0095, 0.01).text().contains("unlike"));
  }

  @Test
  void whereNoKeyIsAbsentThereIsNoRate() {
    Report report = untimed(10, null, null);
    String line =
        report.table().lines().filter(one -> one.startsWith("false-positive")).findFirst().get();
    assertTrue(line.matches("false-positive rate +- +-"), line);
    assertTrue(report.text().contains("No false-positive rate: nothing fits between"));
    assertFalse(report.text().contains("NaN"), report::text);
    assertTrue(REPORT.text().contains("counted over 500,000 keys that are absent"));
  }

  @Test
  void fewRowsShowThatItWorks() {
    for (Double rate : new Double[] {0.0, 0.01}) {
      String text = untimed(10, rate, 0.01).text();
      assertTrue(text.contains("With 10 rows this shows that it works, and no more"), text);
      assertTrue(text.contains("-"), text);
      assertFalse(text.contains("NaN") || text.contains("Infinity"), text);
    }
  }

  @Test
  void jsonIsReadBack() throws IOException {
    assertEquals(REPORT, Report.ofJson(REPORT.json()));
    for (Double rate : new Double[] {0.0, null}) {
      Report untimed = untimed(10, rate, 0.01);
      assertEquals(untimed, Report.ofJson(untimed.json()));
    }
    assertTrue(REPORT.json().contains("\"filter\" : \"bloom\""), REPORT::json);
    assertTrue(REPORT.json().contains("\"hitsPerSecond\" : 21234.0"), REPORT::json);
  }
}
