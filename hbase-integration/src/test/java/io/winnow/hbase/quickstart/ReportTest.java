package io.winnow.hbase.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTest {

  private static final Report REPORT =
      new Report(
          1_000_000,
          List.of(
              new Report.Measured(
                  "bloom", 1_310_720, 10, 10.48576, 0.00812345, 21_234.4, 81_000, 0),
              new Report.Measured("ribbon", 904_000, 7, 7.232, 0.01, 21_000, 80_000.6, 3)));

  @Test
  void table() {
    assertEquals(
        """
                                 bloom   ribbon  ribbon/bloom
        filter bytes         1,310,720  904,000          0.69
        chunks                      10        7
        bits per key            10.486    7.232          0.69
        false-positive rate    0.812 %  1.000 %          1.23
        gets/s, hits            21,234   21,000          0.99
        gets/s, misses          81,000   80,001          0.99
        rows lost                    0        3
        """,
        REPORT.text());
    assertEquals(3, REPORT.rowsLost());
  }

  @Test
  void json() {
    assertEquals(
        """
        {"rows": 1000000, "tables": [
          {"filter": "bloom", "filterBytes": 1310720, "chunks": 10, "bitsPerKey": 10.4858,\
         "falsePositiveRate": 0.008123, "hitsPerSecond": 21234, "missesPerSecond": 81000, "rowsLost": 0},
          {"filter": "ribbon", "filterBytes": 904000, "chunks": 7, "bitsPerKey": 7.2320,\
         "falsePositiveRate": 0.010000, "hitsPerSecond": 21000, "missesPerSecond": 80001, "rowsLost": 3}
        ]}
        """,
        REPORT.json());
  }
}
