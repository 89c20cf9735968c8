package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.FilterSizing;
import io.winnow.hbase.cli.Program;
import io.winnow.ribbon.BumpedRibbonSizing;
import io.winnow.ribbon.RibbonSizing;
import io.winnow.ycsb.TableFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterFiguresTest {
  private static final Model DEFAULTS = Program.read(new Model());

  private static FilterFigures uniform(TableFilter kind, List<Long> keys) {
    return FilterFigures.of(kind, keys, DEFAULTS, "file", null);
  }

  private static FilterFigures byStore(List<Long> keys, Double memory) {
    return FilterFigures.of(TableFilter.BUMPED_RIBBON, keys, DEFAULTS, "store", memory);
  }

  /**
   * Measured in files that HBase wrote, rows of 25 bytes, rate 1 %. Sizes there include the meta
   * block, some 400 bytes, which shows in small files.
   */
  @ParameterizedTest
  @CsvSource({
    "5000, 13.5, 0.0021, 7.6",
    "20000, 13.2, 0.0021, 7.0",
    "60000, 17.5, 0.00044, 6.8",
    "150000, 10.5, 0.0081, 6.8",
    "400000, 10.5, 0.0085, 6.8"
  })
  void filesOfMeasuredSizes(long keys, double stockBits, double stockRate, double bumpedBits) {
    double tolerance = 0.05 + 8 * 400.0 / keys;
    FilterFigures stock = uniform(TableFilter.BLOOM, List.of(keys));
    assertEquals(stockBits, stock.bitsPerKey(), tolerance);
    assertEquals(stockRate, stock.falseReadsIfAbsent(), 0.1 * stockRate);
    FilterFigures bumped = uniform(TableFilter.BUMPED_RIBBON, List.of(keys));
    assertEquals(bumpedBits, bumped.bitsPerKey(), tolerance);
    assertEquals(0.01, bumped.falseReadsIfAbsent(), 1e-12);
  }

  /** Filters that are built, within the 1.5 % that the sizings promise. */
  @ParameterizedTest
  @ValueSource(longs = {1_000, 20_000, 140_000, 200_000, 500_000})
  void sizesAreThoseThatBuildersBuild(long keys) {
    assertSize(TableFilter.RIBBON, RibbonSizing.forRate(0.01), keys);
    assertSize(TableFilter.BUMPED_RIBBON, BumpedRibbonSizing.forRate(0.01), keys);
  }

  private static void assertSize(TableFilter kind, FilterSizing sizing, long keys) {
    SplittableRandom random = new SplittableRandom(keys);
    long limit = sizing.keyLimit(DEFAULTS.chunk);
    long bytes = 0;
    for (long left = keys; left > 0; left -= limit) {
      FilterBuilder builder = FilterBuilder.of(sizing);
      for (long i = 0; i < Math.min(limit, left); i++) {
        builder.add(random.nextLong());
      }
      bytes += builder.finish().sizeInBytes();
    }
    assertEquals(1, uniform(kind, List.of(keys)).bytes() / bytes, 0.015, keys + " keys");
  }

  @Test
  void getWithOneRateForAllFiles() {
    FilterFigures filters = uniform(TableFilter.BUMPED_RIBBON, List.of(800_000L, 200_000L));
    assertEquals(0.02, filters.falseReadsIfAbsent(), 1e-12);
    // The row is in one of the two files, and the other one is read unnecessarily.
    assertEquals(0.01, filters.falseReadsIfPresent(), 1e-12);
    assertEquals(0.0175, filters.falseReads(0.25), 1e-12);
    assertEquals(1_000_000, filters.keys());
  }

  @Test
  void ratesAreThoseOfTheRule() {
    List<Long> keys = List.of(8_000_000L, 200_000L);
    FilterFigures filters = byStore(keys, null);
    FilterFigures stock = uniform(TableFilter.BLOOM, keys);
    double large = filters.files().get(0).rate();
    double small = filters.files().get(1).rate();
    assertTrue(large < 0.01 && large > 0.006, "alone, it leaves some memory: " + large);
    assertTrue(small < 0.05 * large, "a fortieth of the keys: " + small);
    assertEquals(large + small, filters.falseReadsIfAbsent(), 1e-12);
    assertTrue(filters.bytes() < 0.84 * stock.bytes());
    FilterFigures half = byStore(keys, 0.5);
    assertTrue(half.bytes() <= 0.5 * stock.bytes() && half.bytes() > 0.35 * stock.bytes());
    assertTrue(half.falseReadsIfAbsent() > filters.falseReadsIfAbsent());
  }

  /** Fewer false reads than stock's and less memory, whatever the files. */
  @Test
  void byDefaultNoStoreIsWorseThanStock() {
    long seed = 13;
    Random random = new Random(seed);
    double better = 0;
    int stores = 300;
    for (int run = 0; run < stores; run++) {
      List<Long> keys = new ArrayList<>();
      keys.add(Math.round(Math.exp(random.nextDouble(Math.log(1e6), Math.log(1e7)))));
      int files = 1 + random.nextInt(10);
      for (int file = 1; file < files; file++) {
        keys.add(Math.round(Math.exp(random.nextDouble(Math.log(1e3), Math.log(1e6)))));
      }
      FilterFigures stock = uniform(TableFilter.BLOOM, keys);
      FilterFigures store = byStore(keys, null);
      String what = "seed " + seed + ", run " + run + ": " + keys;
      assertTrue(store.falseReadsIfAbsent() <= 1.001 * stock.falseReadsIfAbsent(), what);
      assertTrue(store.bytes() <= 0.84 * stock.bytes(), what);
      better += store.falseReadsIfAbsent() / stock.falseReadsIfAbsent();
    }
    assertTrue(better / stores < 0.7, "mean of " + better / stores);
  }
}
