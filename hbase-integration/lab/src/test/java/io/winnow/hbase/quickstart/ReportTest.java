package io.winnow.hbase.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
          500_000,
          List.of(
              new Report.Measured("bloom", 9, 1_310_720, 10.48576, 0.0789, 0.0711, 9.0, 0),
              new Report.Measured("ribbon", 9, 904_000, 7.232, 0.02, 0.0101, 1.125, 3)));

  /** Of two tables of so many rows, whose absent gets pay this. */
  private static Report of(long rows, Double reads, Double otherReads) {
    return new Report(
        SETTING,
        rows,
        0,
        List.of(
            new Report.Measured("bloom", 9, 100, 14.0, reads, 0.0, null, 0),
            new Report.Measured("ribbon", 9, 100, 7.2, otherReads, 0.01, null, 0)));
  }

  @Test
  void table() {
    assertEquals(
        """
                                                        bloom   ribbon  ribbon/bloom
        store files                                         9        9
        filter bytes                                1,310,720  904,000          0.69
        bits per key                                   10.486    7.232          0.69
        unnecessary file reads, 1,000 absent gets        78.9     20.0          0.25
        unnecessary file reads, 1,000 present gets       71.1     10.1          0.14
        files read by a scan of one prefix               9.00     1.13          0.13
        rows lost                                           0        3
        """,
        REPORT.table());
    assertEquals(3, REPORT.rowsLost());
  }

  @Test
  void theConclusionComesFirst() {
    assertEquals(
        "In this store of 9 files, ribbon takes 0.69 of the memory of HBase's own filters; absent"
            + " gets read 0.25 times as many files unnecessarily, present gets 0.14 times, and a"
            + " scan of one prefix reads 1.13 files instead of 9.00.",
        REPORT.text().lines().findFirst().orElseThrow());
    String few = of(20_000, null, null).conclusion();
    assertTrue(few.contains("absent gets read unknown times"), few);
    assertFalse(few.contains("scan"), few);
  }

  @Test
  void whereNoKeyIsAbsentNothingIsCounted() {
    Report report = of(10, null, null);
    String line =
        report.table().lines().filter(one -> one.contains("1,000 absent")).findFirst().get();
    assertTrue(line.matches("unnecessary file reads, 1,000 absent gets +- +-"), line);
    assertTrue(report.text().contains("Absent gets are not counted: nothing fits between"));
    assertFalse(report.text().contains("NaN"), report::text);
    assertTrue(REPORT.text().contains("counted over 500,000 keys"));
  }

  @Test
  void fewRowsShowThatItWorks() {
    for (Double rate : new Double[] {0.0, 0.01}) {
      String text = of(10, rate, 0.01).text();
      assertTrue(text.contains("With 10 rows this shows only that it works"), text);
      assertTrue(text.contains("-"), text);
      assertFalse(text.contains("NaN") || text.contains("Infinity"), text);
    }
  }

  @Test
  void jsonIsReadBack() throws IOException {
    assertEquals(REPORT, Report.ofJson(REPORT.json()));
    for (Double rate : new Double[] {0.0, null}) {
      Report few = of(10, rate, 0.01);
      assertEquals(few, Report.ofJson(few.json()));
    }
    assertTrue(REPORT.json().contains("\"filter\" : \"bloom\""), REPORT::json);
    assertTrue(REPORT.json().contains("\"filesPerScan\" : 9.0"), REPORT::json);
  }
}
