package io.winnow.bench.drive;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The figures of a run's results for other programs, as JSON and as CSV: one object or line for
 * each structure and workload, with all its metrics. Metrics that do not apply are left out.
 */
final class RunsDocument {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final List<ObjectNode> runs = new ArrayList<>();

  private RunsDocument() {}

  static RunsDocument of(Results results) throws IOException {
    RunsDocument document = new RunsDocument();
    for (JsonNode entry : JSON.readTree(results.json()).path("results")) {
      if (entry.path("benchmark").asText().equals(FlashMetrics.RUN)) {
        ObjectNode run = JSON.createObjectNode();
        run.set(FlashMetrics.STRUCTURE, entry.path("parameters").path(FlashMetrics.STRUCTURE));
        run.set(FlashMetrics.WORKLOAD, entry.path("parameters").path(FlashMetrics.WORKLOAD));
        entry
            .path("samples")
            .properties()
            .forEach(metric -> put(run, metric.getKey(), metric.getValue().path(0)));
        document.runs.add(run);
      }
    }
    return document;
  }

  /** Adds a metric to a JSON object; whole numbers have no fraction. */
  private static void put(ObjectNode run, String metric, JsonNode value) {
    double number = value.asDouble();
    if (number == Math.rint(number) && Math.abs(number) < 1e15) {
      run.put(metric, (long) number);
    } else {
      run.put(metric, number);
    }
  }

  /**
   * Returns the figures of a run's results as JSON: {@code {"runs": [{"structure": ..., "workload":
   * ..., ...}, ...]}}.
   */
  String json() throws IOException {
    ArrayNode all = JSON.createArrayNode().addAll(runs);
    ObjectNode root = JSON.createObjectNode();
    root.set("runs", all);
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
  }

  /**
   * Returns the figures of a run's results as CSV: a line for each structure and workload, with a
   * column for each metric that any of them has.
   */
  String csv() {
    Set<String> columns =
        new LinkedHashSet<>(List.of(FlashMetrics.STRUCTURE, FlashMetrics.WORKLOAD));
    runs.forEach(run -> run.fieldNames().forEachRemaining(columns::add));
    StringBuilder csv = new StringBuilder(String.join(",", columns)).append('\n');
    for (ObjectNode run : runs) {
      List<String> cells = new ArrayList<>();
      for (String column : columns) {
        String text = run.path(column).asText();
        cells.add(text.contains(",") ? '"' + text + '"' : text);
      }
      csv.append(String.join(",", cells)).append('\n');
    }
    return csv.toString();
  }
}
