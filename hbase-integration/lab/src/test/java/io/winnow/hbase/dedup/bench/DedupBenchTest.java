package io.winnow.hbase.dedup.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import org.junit.jupiter.api.Test;

class DedupBenchTest {
  private static DedupBench read(String... args) {
    return Program.read(new DedupBench(), args);
  }

  @Test
  void defaultsAreThoseOfTheHelp() {
    DedupBench options = read();
    assertEquals(4 << 20, options.memory);
    for (String line :
        new String[] {
          "\\(default: 4M\\)",
          "--batch N .*\\(default: " + options.batch + "\\)",
          "--threads N .*\\(default: " + options.threads + "\\)",
          "--rows N .*\\(default: " + options.rows + "\\)",
          "\\(default: " + options.rounds + "\\)",
          "--sweep-rounds N .*\\(default: " + options.sweepRounds + "\\)"
        }) {
      assertTrue(options.help().lines().anyMatch(any -> any.matches(".*" + line + ".*")), line);
    }
  }

  @Test
  void quickIsLess() {
    DedupBench quick = read("--quick", "--rounds", "3");
    assertTrue(quick.rows < read().rows);
    assertEquals(0, quick.sweepRounds);
    assertEquals(3, quick.rounds);
  }

  @Test
  void memoryIsInMebibytes() {
    assertEquals(1 << 19, read("--memory", "0.5M").memory);
    assertEquals(64 << 20, read("--memory", "64").memory);
    for (String wrong : new String[] {"0.1M", "2G", "much"}) {
      assertThrows(IllegalArgumentException.class, () -> read("--memory", wrong), wrong);
    }
  }
}
