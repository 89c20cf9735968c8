package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import io.winnow.ycsb.TableFilter;
import org.junit.jupiter.api.Test;

class ModelTest {
  private static Model read(String... args) {
    return Program.read(new Model(), args);
  }

  @Test
  void theDefaultIsANodeOfATerabyte() {
    Model options = read();
    assertEquals(80_000_000_000L, options.fleet().rows());
    assertEquals(10_000_000, options.fleet().keysPerFile());
    assertEquals(12.8 * (1 << 30), options.fleet().cacheBytes(), 1);
    assertEquals(365, options.fleet().rowBytes());
    assertEquals(ReadPattern.hotSet(2_400_000, 0.95), options.pattern());
    assertEquals(0, options.costs().diskMicros());
  }

  @Test
  void everyOption() {
    Model options =
        read(
            "--rows=3e6",
            "--key-length=300",
            "--files=8",
            "--rewritten=0.1",
            "--regions=1",
            "--servers=1",
            "--cache=0.5",
            "--rate=0.001",
            "--chunk=65536",
            "--absent=0.5",
            "--zipf",
            "--reads=10",
            "--row-us=1",
            "--found-us=4",
            "--block-us=2",
            "--read-us=3",
            "--disk-us=100",
            "--on-disk=0.25",
            "--probe-ns=300,60,70");
    assertEquals(
        new Fleet(3_000_000, 300, 1740, 1, 1, 8, 0.1, 1 << 29, 0.001, 65_536, -1), options.fleet());
    assertEquals(ReadPattern.zipf(3e6), options.pattern());
    assertTrue(options.output().contains("50 % of the rows that are read are absent"));
    assertEquals(25, options.costs().diskMicros());
    assertEquals(4, options.costs().foundMicros());
    assertEquals(70, options.costs().probeNanos().get(TableFilter.BUMPED_RIBBON));
    assertEquals(ReadPattern.uniform(), read("--hot-reads=0").pattern());
  }

  @Test
  void nonsenseIsRefusedByName() {
    for (String[] args :
        new String[][] {
          {"--rows", "many"},
          {"--rows", "0.5"},
          {"--rate", "0.9"},
          {"--files", "1.5"},
          {"--probe-ns", "1,2"},
          {"--absent", "-1"}
        }) {
      IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> read(args));
      assertTrue(e.getMessage().contains(args[0] + " " + args[1]), e.getMessage());
    }
    assertThrows(IllegalArgumentException.class, () -> read("--zipf", "--hot-rows=0.1"));
    assertThrows(IllegalArgumentException.class, () -> read("--cache=1", "--heap=8"));
    assertThrows(IllegalArgumentException.class, () -> read("surplus"));
  }
}
