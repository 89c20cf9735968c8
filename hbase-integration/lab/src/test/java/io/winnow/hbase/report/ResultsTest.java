package io.winnow.hbase.report;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResultsTest {
  private static final Results.Setting SETTING =
      new Results.Setting(
          "2026-01-01",
          "A Processor",
          2,
          "Linux amd64",
          "a JDK",
          "0123456789",
          "./winnow bench",
          90);

  private static Results results() {
    Results results = new Results(SETTING);
    results.add(
        "Peers.query", Map.of("filter", "guava", "keyLength", "10"), "nsPerKey", 3, 1.0 / 3, 2);
    results.add("Peers.query", Map.of("filter", "guava", "keyLength", "10"), "nsPerKey", 4);
    results.add("Peers.query", Map.of("filter", "ribbon", "keyLength", "10"), "nsPerKey", 1);
    results.add("Peers.query", Map.of("filter", "ribbon", "keyLength", "10"), "bitsPerKey", 7.25);
    return results;
  }

  private static final String DOCUMENT =
      """
      {
        "setting" : {
          "date" : "2026-01-01",
          "machine" : "A Processor",
          "cores" : 2,
          "os" : "Linux amd64",
          "jdk" : "a JDK",
          "commit" : "0123456789",
          "command" : "./winnow bench",
          "seconds" : 90
        },
        "results" : [ {
          "benchmark" : "Peers.query",
          "parameters" : {
            "filter" : "guava",
            "keyLength" : "10"
          },
          "samples" : {
            "nsPerKey" : [ 3.0, 0.333333, 2.0, 4.0 ]
          }
        }, {
          "benchmark" : "Peers.query",
          "parameters" : {
            "filter" : "ribbon",
            "keyLength" : "10"
          },
          "samples" : {
            "bitsPerKey" : [ 7.25 ],
            "nsPerKey" : [ 1.0 ]
          }
        } ]
      }
      """;

  @Test
  void theDocumentIsWrittenAndReadBack() throws IOException {
    assertEquals(DOCUMENT, results().json());
    assertEquals(DOCUMENT, Results.ofJson(DOCUMENT).json());
  }

  @Test
  void samplesOfAllCases() {
    assertArrayEquals(
        new double[] {3, 0.333333, 2, 4, 1}, results().allSamples("Peers.query", "nsPerKey"));
    assertArrayEquals(
        new double[] {1}, results().allSamples("Peers.query", "nsPerKey", "filter", "ribbon"));
    assertArrayEquals(
        new double[] {7.25}, results().allSamples("Peers.query", "bitsPerKey"), "some have none");
    assertEquals(0, results().allSamples("Peers.query", "none").length);
  }

  @Test
  void medians() {
    assertEquals(2.5, results().median("Peers.query", "nsPerKey", "filter", "guava").getAsDouble());
    assertEquals(7.25, results().median("Peers.query", "bitsPerKey").orElse(7.25));
    assertTrue(results().median("Peers.query", "nsPerKey", "filter", "none").isEmpty());
    assertTrue(results().median("Peers.query", "nsPerKey", "colour", "blue").isEmpty());
    assertEquals(List.of("guava", "ribbon"), results().values("Peers.query", "filter"));
  }
}
