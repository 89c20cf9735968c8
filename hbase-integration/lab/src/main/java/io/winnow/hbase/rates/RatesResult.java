package io.winnow.hbase.rates;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The JSON document of a run of {@code ./winnow rates}.
 *
 * @param policies the policies, for all of which the same Gets were counted
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record RatesResult(Results.Setting setting, Workload workload, List<Outcome> policies) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /** The options of a run that set which rows are written and read. */
  record Workload(
      int large,
      int flushes,
      int rowsPerFlush,
      int majorAt,
      double errorRate,
      int getsPerMoment,
      int chunkBytes,
      long seed) {}

  /**
   * Figures of one filter policy: means over all moments after flushes and compactions at which its
   * region was measured.
   *
   * @param memory the value of {@code winnow.store.memory}; null if it is not set
   * @param rowsLost sum over all moments
   */
  record Outcome(
      String policy,
      double bitsPerKey,
      double falseReadsPerAbsentGet,
      double falseReadsPerPresentGet,
      double sumOfRates,
      long rowsLost,
      Double memory,
      double files,
      int mostFiles,
      int moments) {
    static Outcome of(Policy policy, List<Moment> moments) {
      return new Outcome(
          policy.name(),
          mean(moments, Moment::bitsPerKey),
          mean(moments, Moment::falseReadsPerAbsentGet),
          mean(moments, Moment::falseReadsPerPresentGet),
          mean(moments, Moment::sumOfRates),
          moments.stream().mapToLong(Moment::rowsLost).sum(),
          policy.memory(),
          mean(moments, Moment::files),
          moments.stream().mapToInt(Moment::files).max().orElse(0),
          moments.size());
    }
  }

  /**
   * Returns the mean of a figure over all moments at which a region was measured, rounded to six
   * significant digits: more would be noise in the document.
   */
  private static double mean(List<Moment> moments, ToDoubleFunction<Moment> figure) {
    return rounded(moments.stream().mapToDouble(figure).average().orElseThrow());
  }

  private static double rounded(double value) {
    return Double.parseDouble(String.format(Locale.ROOT, "%.6g", value));
  }

  long rowsLost() {
    return policies.stream().mapToLong(Outcome::rowsLost).sum();
  }

  String json() {
    try {
      return JSON.writeValueAsString(this) + "\n";
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  static RatesResult ofJson(String json) throws IOException {
    return JSON.readValue(json, RatesResult.class);
  }
}
