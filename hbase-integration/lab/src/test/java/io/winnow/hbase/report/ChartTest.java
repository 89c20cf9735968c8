package io.winnow.hbase.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

class ChartTest {
  private static String golden(String name) throws IOException {
    try (InputStream in = ChartTest.class.getResourceAsStream("/golden/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static Chart chart() {
    return new Chart("Time & space", "ns < 1 µs", List.of("10", "100", "1000"), 20)
        .add("bloom", new double[] {10, 40, Double.NaN}, null, null)
        .add(
            "ribbon",
            new double[] {5, 12.5, 99.96},
            new double[] {4, 12, 90},
            new double[] {6, 13, 110});
  }

  @Test
  void bars() throws Exception {
    String svg = chart().bars();
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
    assertEquals(golden("bars.svg"), svg);
  }

  @Test
  void nothingToDrawIsAnEmptyFrame() {
    String svg =
        new Chart("t", "y", List.of("a"), Double.NaN)
            .add("s", new double[] {Double.NaN}, null, null)
            .bars();
    assertTrue(!svg.contains("NaN"), svg);
  }

  @Test
  void seriesHaveAValuePerCategory() {
    Chart chart = new Chart("t", "y", List.of("a"), Double.NaN);
    assertThrows(IllegalArgumentException.class, () -> chart.add("s", new double[2], null, null));
  }
}
