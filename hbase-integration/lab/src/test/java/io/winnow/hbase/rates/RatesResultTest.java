package io.winnow.hbase.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.hbase.cli.Program;
import io.winnow.hbase.report.Machine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RatesResultTest {
  private static final Rates OPTIONS = Program.read(new Rates(), "--flushes", "2");

  private static Moment moment(int flush, long bytes, double sum, long absent, long lost) {
    return new Moment(flush, Moment.FLUSH, 2, 800, bytes, sum, 100, absent, absent / 2, lost);
  }

  private static RatesResult result() {
    List<RatesResult.Outcome> outcomes = new ArrayList<>();
    for (Policy policy :
        List.of(Policy.stock(), Policy.file(), Policy.store(), Policy.store(0.7))) {
      boolean isStock = policy.name().equals(Policy.STOCK);
      outcomes.add(
          RatesResult.Outcome.of(
              policy,
              List.of(
                  moment(1, isStock ? 1000 : 700, 0.02, 2, 0),
                  moment(2, isStock ? 1200 : 800, 0.04, 6, isStock ? 0 : 1))));
    }
    return new RatesResult(Machine.setting("./winnow rates"), OPTIONS.workload(), outcomes);
  }

  @Test
  void theDocumentHasWhatOthersReadInIt() throws Exception {
    JsonNode policies = new ObjectMapper().readTree(result().json()).get("policies");
    assertEquals(
        List.of("stock", "file", "store", "store-0.7"), policies.findValuesAsText("policy"));
    JsonNode file = policies.get(1);
    assertEquals(7.5, file.get("bitsPerKey").doubleValue());
    assertEquals(0.04, file.get("falseReadsPerAbsentGet").doubleValue());
    assertEquals(0.02, file.get("falseReadsPerPresentGet").doubleValue());
    assertEquals(0.03, file.get("sumOfRates").doubleValue());
    assertEquals(1, file.get("rowsLost").longValue());
    assertEquals(0, policies.get(0).get("rowsLost").longValue());
  }

  @Test
  void theDocumentIsReadBack() throws Exception {
    assertEquals(result(), RatesResult.ofJson(result().json()));
  }

  @Test
  void lostRowsOfAllPoliciesAreLost() {
    assertEquals(3, result().rowsLost());
  }

  @Test
  void boundsAreJudged() {
    String bounds = RatesPage.of(result(), Map.of(), true).text();
    assertTrue(
        bounds.lines().anyMatch(l -> l.matches(" *absent Gets, over stock .* 1.00 .*not.*")),
        bounds);
    assertTrue(
        bounds.lines().anyMatch(l -> l.matches(" *bytes, over stock .* 0.68 +reached")), bounds);
  }

  @Test
  void momentsAreDrawn(@TempDir Path directory) throws Exception {
    Map<String, List<Moment>> moments = new LinkedHashMap<>();
    moments.put("stock", List.of(moment(1, 1000, 0.02, 2, 0)));
    RatesPage.of(result(), moments, false).writePlots(directory);
    String sums = Files.readString(directory.resolve("store-rates-sum.svg"));
    assertTrue(sums.contains(">stock<") && sums.contains("points=\"403.0,130.8\""), sums);
  }
}
