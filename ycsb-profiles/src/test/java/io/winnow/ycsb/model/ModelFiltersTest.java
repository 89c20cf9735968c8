package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.ycsb.TableFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelFiltersTest {
  private static final int CHUNK = 128 << 10;

  private static ModelFilters one(TableFilter kind, long keys) {
    return ModelFilters.uniform(kind, List.of(keys), 0.01, CHUNK);
  }

  /**
   * Measured in files that HBase wrote, rows of 25 bytes, 1 % asked. Sizes there include the meta
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
    ModelFilters stock = one(TableFilter.BLOOM, keys);
    assertEquals(stockBits, stock.bitsPerKey(), tolerance);
    assertEquals(stockRate, stock.falseReadsIfAbsent(), 0.1 * stockRate);
    ModelFilters bumped = one(TableFilter.BUMPED_RIBBON, keys);
    assertEquals(bumpedBits, bumped.bitsPerKey(), tolerance);
    assertEquals(0.01, bumped.falseReadsIfAbsent(), 1e-12);
  }

  @Test
  void whatAGetPaysForOneRate() {
    ModelFilters filters =
        ModelFilters.uniform(TableFilter.BUMPED_RIBBON, List.of(800_000L, 200_000L), 0.01, CHUNK);
    assertEquals(0.02, filters.falseReadsIfAbsent(), 1e-12);
    // The row is in one of the two files, and the other one is read unnecessarily.
    assertEquals(0.01, filters.falseReadsIfPresent(), 1e-12);
    assertEquals(0.0175, filters.falseReads(0.25), 1e-12);
    assertEquals(1_000_000, filters.keys());
  }

  @Test
  void ratesAreThoseOfTheRule() {
    List<Long> keys = List.of(8_000_000L, 200_000L);
    ModelFilters filters =
        ModelFilters.byStore(TableFilter.BUMPED_RIBBON, keys, 0.01, OptionalDouble.empty(), CHUNK);
    ModelFilters stock = ModelFilters.uniform(TableFilter.BLOOM, keys, 0.01, CHUNK);
    double large = filters.files().get(0).rate();
    double small = filters.files().get(1).rate();
    assertTrue(large < 0.01 && large > 0.006, "alone, it leaves some memory: " + large);
    assertTrue(small < 0.05 * large, "a fortieth of the keys: " + small);
    assertEquals(large + small, filters.falseReadsIfAbsent(), 1e-12);
    assertTrue(filters.bytes() < 0.84 * stock.bytes());
    ModelFilters half =
        ModelFilters.byStore(TableFilter.BUMPED_RIBBON, keys, 0.01, OptionalDouble.of(0.5), CHUNK);
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
      ModelFilters stock = ModelFilters.uniform(TableFilter.BLOOM, keys, 0.01, CHUNK);
      ModelFilters store =
          ModelFilters.byStore(
              TableFilter.BUMPED_RIBBON, keys, 0.01, OptionalDouble.empty(), CHUNK);
      String what = "seed " + seed + ", run " + run + ": " + keys;
      assertTrue(store.falseReadsIfAbsent() <= 1.001 * stock.falseReadsIfAbsent(), what);
      assertTrue(store.bytes() <= 0.84 * stock.bytes(), what);
      better += store.falseReadsIfAbsent() / stock.falseReadsIfAbsent();
    }
    assertTrue(better / stores < 0.7, "mean of " + better / stores);
  }
}
