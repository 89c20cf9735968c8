package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class YcsbTest {
  private static Ycsb read(String... args) {
    return Program.read(new Ycsb(), args);
  }

  @Test
  void nothingAskedForIsTheDefaultRun() {
    Ycsb options = read();
    assertTrue(options.isDefault());
    assertFalse(options.cluster);
    assertEquals(List.of(10, 25, 50, 300), options.keyLengths);
    assertEquals(25, options.usualKeyLength());
    assertEquals(24, options.rounds);
    assertEquals(6, options.otherRounds());
    assertEquals(new CacheSize(0, 0.4), options.cache);
    assertNull(options.report);
  }

  @Test
  void everyOption() {
    Ycsb options =
        read(
            "--rows=50000",
            "--cache=30m",
            "--profile=skewed,lindorm",
            "--key-lengths=50,10",
            "--rounds=12",
            "--duration=0.5",
            "--files=6",
            "--threads=4",
            "--cluster");
    assertFalse(options.isDefault());
    assertEquals(50_000, options.rows);
    assertEquals(30 << 20, options.cache.bytes());
    assertEquals(List.of("skewed", "lindorm"), options.profiles);
    assertEquals(List.of(50, 10), options.keyLengths);
    assertEquals(50, options.usualKeyLength());
    assertEquals(12, options.rounds);
    assertEquals(6, options.otherRounds());
    assertEquals(0.5, options.duration);
    assertEquals(6, options.files);
    assertEquals(4, options.threads);
    assertTrue(options.cluster);
  }

  @Test
  void storesOfSeveralFiles() {
    Ycsb options = read("--stores", "--profile=store-mixed", "--files=5");
    assertTrue(options.stores);
    assertFalse(options.isDefault());
    assertEquals(24, options.rounds);
    assertEquals(BlockSizes.DEFAULT, options.blocks, "as HBase comes");
    assertEquals(BlockSizes.SMALL, read().blocks);
    assertEquals(BlockSizes.DEFAULT, read("--scans").blocks);
    assertEquals(BlockSizes.SMALL, read("--stores", "--blocks=8k").blocks);
    assertFalse(read("--stores", "--blocks=8k").isDefault());
    assertTrue(read("--stores", "--blocks=64k", "--resume").isDefault(), "says what is so");
    assertTrue(read("--stores").isDefault(), "of its kind");
    assertTrue(read("--sweep").isDefault(), "of its kind");
    assertTrue(read("--scans").isDefault(), "of its kind");
    assertFalse(read("--scans", "--cache=1g").isDefault());
    assertEquals(List.of("store-mixed"), options.profiles);
    assertEquals(5, options.files);
    assertEquals(4, read("--stores", "--rounds=4").rounds);
    for (String[] wrong :
        new String[][] {
          {"--stores", "--sweep"},
          {"--stores", "--profile=lindorm"},
          {"--stores", "--files=1"},
          {"--stores", "--files=34"},
          {"--profile=store-mixed"},
          {"--scans", "--stores"},
          {"--scans", "--sweep"},
          {"--scans", "--key-lengths=13"},
          {"--scans", "--profile=store-mixed"},
          {"--stores", "--profile=scan-rows"},
          {"--scale", "--stores"},
          {"--scale", "--cluster"},
          {"--scale", "--launches=8"},
          {"--launches=1"}
        }) {
      assertThrows(IllegalArgumentException.class, () -> read(wrong), List.of(wrong).toString());
    }
  }

  /** The help is a text: what it says of defaults must be so. */
  @Test
  void theHelpTellsTheDefaults() throws IOException {
    for (String told :
        List.of(
            "(default: %,d; --stores %,d;".formatted(Ycsb.DEFAULT_ROWS, Ycsb.STORES_ROWS),
            "--scans %,d; --scale %,d)".formatted(Ycsb.SCANS_ROWS, Ycsb.SCALE_ROWS),
            "(default: %d, other profiles than Lindorm's at most %d;"
                .formatted(Ycsb.DEFAULT_ROUNDS, Ycsb.OTHER_ROUNDS),
            "--stores %d, with rows read equally often at most %d, in special conditions %d;"
                .formatted(Ycsb.DEFAULT_ROUNDS, Ycsb.RATES_ROUNDS, Ycsb.OTHER_ROUNDS),
            "--scans %d; --scale %d in each launch, %d of secondary figures)"
                .formatted(Ycsb.SCANS_ROUNDS, Ycsb.SCALE_ROUNDS, Ycsb.OTHER_ROUNDS),
            "%d at most".formatted(Reads.MAX_BUCKET_ROUNDS),
            "(default: 10,25,50,300)",
            "--files 2 to %d (default: %d)"
                .formatted(Ycsb.MAX_STORE_FILES, Profile.of(Profile.STORES.get(0)).files(0)),
            "multiple of " + Ycsb.ORDERS,
            "0.6 to 4 times as long (default: %s; --scale %.0f)"
                .formatted(new Ycsb().duration, Ycsb.SCALE_DURATION))) {
      assertTrue(new Ycsb().help().contains(told), told);
    }
    for (String profile : Profile.ALL) {
      assertTrue(new Ycsb().help().contains(profile), profile);
    }
    for (String profile : Profile.SCANS) {
      assertTrue(new Ycsb().help().contains(profile), profile);
    }
    for (String profile : Profile.STORES) {
      assertTrue(new Ycsb().help().contains(profile), profile);
    }
    for (String launch : Scale.NAMES.subList(6, Scale.NAMES.size())) {
      assertTrue(new Ycsb().help().contains(launch), launch);
    }
  }

  @Test
  void reportWithAndWithoutAFile() {
    assertEquals("", read("--report").report);
    assertEquals("some.json", read("--report=some.json").report);
  }

  @Test
  void whereTheDataLiesDoesNotMakeARunAnother() {
    assertTrue(read("--dir=somewhere").isDefault());
    assertFalse(read("--dir=somewhere", "--rounds=6").isDefault());
  }

  @Test
  void wrongOnesAreToldByName() {
    refused("--rows=999", "--rows 999");
    refused("--rows=1e4.5", "--rows 1e4.5");
    refused("--rounds=1.5", "--rounds 1.5");
    refused("--rounds=7", "multiple of 6");
    refused("--rounds=20", "--rounds 20");
    refused("--duration=0", "--duration 0");
    refused("--profile=none", "no profile none");
    refused("--key-lengths=10,7", "--key-lengths 7");
    refused("--cache=much", "much");
    refused("--nonsense", "--nonsense");
    refused("more", "more");
  }

  @Test
  void whatExcludesEachOther() {
    assertThrows(IllegalArgumentException.class, () -> read("--sweep", "--cache=1g"));
  }

  private static void refused(String argument, String told) {
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> read(argument));
    assertTrue(e.getMessage().contains(told), e.getMessage());
  }

  @Test
  void cacheSizes() {
    assertEquals(1_572_864, CacheSize.parse("1.5m").bytesFor(1));
    assertEquals(2_000_000, CacheSize.parse("2000000").bytesFor(1));
    assertEquals(25_000_000, CacheSize.parse("40%").bytesFor(10_000_000));
    assertEquals(1 << 20, CacheSize.parse("40%").bytesFor(1_000), "as small as it may be");
    for (String wrong : List.of("", "1000", "-5m", "0%", "2000%", "3x")) {
      assertThrows(IllegalArgumentException.class, () -> CacheSize.parse(wrong), wrong);
    }
  }
}
