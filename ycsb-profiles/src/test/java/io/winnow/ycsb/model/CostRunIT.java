package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.Results;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole of {@code ./winnow model --measure}, on few rows: the figures mean nothing. */
class CostRunIT {
  @TempDir Path home;

  @Test
  void aRunGivesCosts() throws IOException, InterruptedException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    Path file = Model.measure(new CostRun.Effort(2_000, 2, 0.2), home, out);
    String text = bytes.toString(StandardCharsets.UTF_8);
    assertTrue(text.contains("a question to a Bloom filter"), text);
    MeasuredCosts costs = MeasuredCosts.of(Results.ofJson(Files.readString(file)));
    double row = costs.cost(CostRun.MICROS, CostTerm.ROW).median();
    assertTrue(row > 1 && row < 1e6, text);
  }
}
