package io.winnow.hbase.rates;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The report of {@code ./winnow rates}: tables and plots of one run, and the measured part of
 * {@code docs/rates.md}.
 */
final class RatesPage {
  /** The form of the documents of results. */
  static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private RatesPage() {}

  /**
   * Returns the tables and plots of one run of {@code ./winnow rates}.
   *
   * @param isFullSize whether the run is compared with the goals
   */
  static PageTemplate of(RatesResult run, boolean isFullSize) {
    return page(
        run.setting(), Map.of("run", JSON.convertValue(run, Map.class), "isFullSize", isFullSize));
  }

  /**
   * Replaces the measured part of {@code docs/rates.md} and the plots of the region that takes in
   * rows by those of the committed results.
   */
  static void renew(Path home) throws IOException {
    List<RatesResult> runs = new ArrayList<>();
    for (Path file : results(home, "_rates")) {
      runs.add(JSON.readValue(file.toFile(), RatesResult.class));
    }
    Path docs = home.resolve("docs");
    RatesResult usual = runs.get(0);
    of(usual, false).writePlots(docs.resolve("plots"));
    page(
            usual.setting(),
            Map.of(
                "runs", JSON.convertValue(runs, List.class),
                "settings", Results.Setting.lines(runs.stream().map(RatesResult::setting))))
        .writeInto(docs, "rates");
  }

  private static PageTemplate page(Results.Setting setting, Map<String, ?> more) {
    return new PageTemplate(RatesPage.class, "rates.ftl", new Results(setting), more);
  }

  /** Returns a document of results as JSON. */
  static String json(Object result) {
    try {
      return JSON.writeValueAsString(result) + "\n";
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the committed results files of one command, the run with default options first. */
  static List<Path> results(Path home, String kind) throws IOException {
    return new ResultFiles(home.resolve("hbase-integration").resolve("results")).all(kind);
  }
}
