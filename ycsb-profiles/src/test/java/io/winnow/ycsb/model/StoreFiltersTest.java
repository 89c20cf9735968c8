package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.ycsb.FilterKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreFiltersTest {
  private static final int CHUNK = 128 << 10;

  private static StoreFilters one(FilterKind kind, long keys) {
    return StoreFilters.uniform(kind, List.of(keys), 0.01, CHUNK);
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
    StoreFilters stock = one(FilterKind.BLOOM, keys);
    assertEquals(stockBits, stock.bitsPerKey(), tolerance);
    assertEquals(stockRate, stock.falseReadsIfAbsent(), 0.1 * stockRate);
    StoreFilters bumped = one(FilterKind.BUMPED_RIBBON, keys);
    assertEquals(bumpedBits, bumped.bitsPerKey(), tolerance);
    assertEquals(0.01, bumped.falseReadsIfAbsent(), 1e-12);
  }

  @Test
  void whatAGetPaysForOneRate() {
    StoreFilters filters =
        StoreFilters.uniform(FilterKind.BUMPED_RIBBON, List.of(800_000L, 200_000L), 0.01, CHUNK);
    assertEquals(0.02, filters.falseReadsIfAbsent(), 1e-12);
    // The row is in one of the two files, and the other one is asked in vain.
    assertEquals(0.01, filters.falseReadsIfPresent(), 1e-12);
    assertEquals(0.0175, filters.falseReads(0.25), 1e-12);
    assertEquals(1_000_000, filters.keys());
  }

  @Test
  void ratesByShare() {
    StoreFilters filters = StoreFilters.byShare(List.of(800_000L, 200_000L), 0.01, 0, CHUNK);
    assertEquals(0.01, filters.files().get(0).rate(), 1e-12, "alone when it was written");
    assertEquals(0.002, filters.files().get(1).rate(), 1e-12);
    assertEquals(0.012, filters.falseReadsIfAbsent(), 1e-12);
    assertEquals(0.8 * 0.002 + 0.2 * 0.01, filters.falseReadsIfPresent(), 1e-12);
  }

  @Test
  void presentRowsMoveMemoryFromTheLargeFile() {
    List<Long> keys = List.of(800_000L, 200_000L);
    StoreFilters filters = StoreFilters.byShare(keys, 0.01, 0.95, CHUNK);
    assertEquals(0.2, filters.files().get(0).rate(), 1e-9); // 0.01 / (1 - 0.95)
    assertEquals(0.002 / 0.81, filters.files().get(1).rate(), 1e-9);
    assertTrue(filters.bytes() < StoreFilters.byShare(keys, 0.01, 0, CHUNK).bytes());
  }

  /** Where all Gets find their row, the only file that has it needs no filter. */
  @Test
  void aFilterThatSparesNothingIsLeftOut() {
    StoreFilters filters = StoreFilters.byShare(List.of(800_000L, 200_000L), 0.01, 1, CHUNK);
    assertEquals(0, filters.files().get(0).bytes());
    assertEquals(1, filters.files().get(0).rate());
    assertEquals(0.002 / 0.8, filters.files().get(1).rate(), 1e-12);
  }

  @Test
  void tinyRatesEndSomewhere() {
    StoreFilters filters = StoreFilters.byShare(List.of(10_000_000_000L, 1L), 0.01, 0, CHUNK);
    assertEquals(1e-6, filters.files().get(1).rate(), 1e-15);
  }

  /** Fewer false reads than stock's and a fifth less memory, whatever the files. */
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
      StoreFilters stock = StoreFilters.uniform(FilterKind.BLOOM, keys, 0.01, CHUNK);
      StoreFilters store = StoreFilters.byDefault(keys, 0.01, CHUNK);
      String what = "seed " + seed + ", run " + run + ": " + keys;
      assertTrue(store.falseReadsIfAbsent() <= 1.001 * stock.falseReadsIfAbsent(), what);
      assertTrue(store.bytes() <= 0.8 * stock.bytes(), what);
      better += store.falseReadsIfAbsent() / stock.falseReadsIfAbsent();
    }
    assertTrue(better / stores < 0.7, "mean of " + better / stores);
  }
}
