package io.winnow.hbase.dedup.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BenchOptionsTest {
  @Test
  void defaultsAreThoseOfTheHelp() {
    BenchOptions options = BenchOptions.parse();
    assertEquals(4 << 20, options.memory());
    for (String line :
        new String[] {
          "\\(default: 4M\\)",
          "--batch N .*\\(default: " + options.batch() + "\\)",
          "--threads N .*\\(default: " + options.threads() + "\\)",
          "--rows N .*\\(default: " + options.rows() + "\\)",
          "\\(default: " + options.rounds() + "\\)",
          "--sweep-rounds N .*\\(default: " + options.sweepRounds() + "\\)"
        }) {
      assertTrue(BenchOptions.USAGE.lines().anyMatch(any -> any.matches(".*" + line + ".*")), line);
    }
  }

  @Test
  void quickIsLess() {
    BenchOptions quick = BenchOptions.parse("--quick", "--rounds", "3");
    assertTrue(quick.rows() < BenchOptions.parse().rows());
    assertEquals(0, quick.sweepRounds());
    assertEquals(3, quick.rounds());
  }

  @Test
  void memoryIsInMebibytes() {
    assertEquals(1 << 19, BenchOptions.parse("--memory", "0.5M").memory());
    assertEquals(64 << 20, BenchOptions.parse("--memory", "64").memory());
    for (String wrong : new String[] {"0.1M", "2G", "much"}) {
      assertThrows(
          IllegalArgumentException.class, () -> BenchOptions.parse("--memory", wrong), wrong);
    }
  }

  @Test
  void commandIsToldWithoutFiles() {
    assertEquals(
        "./winnow dedup bench --quick --rounds 3",
        BenchOptions.command("--quick", "--json", "a", "--plots=b", "--dir", "c", "--rounds", "3"));
  }
}
