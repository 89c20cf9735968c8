package io.winnow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.quotient.QuotientFilter;
import io.winnow.quotient.QuotientScheme;
import io.winnow.quotient.QuotientSizing;
import io.winnow.ribbon.BumpedRibbonSizing;
import io.winnow.ribbon.RibbonSizing;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What every kind of filter can be asked for. */
class FilterSizingTest {
  private static final List<FilterSizing> SIZINGS =
      List.of(
          BumpedRibbonSizing.forRate(0.01),
          RibbonSizing.forRate(0.001),
          RibbonSizing.forRate(0.01, 128),
          RibbonSizing.lindorm(1 << 17, 0.01),
          QuotientSizing.forRate(0.01),
          QuotientSizing.forRate(0.25, QuotientScheme.THREE_BIT));

  @Test
  void ratesAreAboveZeroAndAtMostAHalf() {
    for (double rate : new double[] {FilterSizing.MIN_RATE, 1e-9, 0.01, 0.5}) {
      assertEquals(rate, FilterSizing.checkRate(rate));
    }
    for (double rate :
        new double[] {0, -0.01, 1e-30, Math.nextDown(0x1p-48), Math.nextUp(0.5), 1, Double.NaN}) {
      var e = assertThrows(IllegalArgumentException.class, () -> FilterSizing.checkRate(rate));
      assertTrue(e.getMessage().contains("rate is " + rate), e.getMessage());
      assertTrue(e.getMessage().contains("(2^-48) to 0.5"), e.getMessage());
    }
  }

  @Test
  void keysAreNotFewerThanNoneAndFitAFilter() {
    for (long keys : new long[] {0, 1, 1 << 30}) {
      assertEquals(keys, FilterSizing.checkKeys(keys));
    }
    for (FilterSizing sizing : SIZINGS) {
      for (long keys : new long[] {Long.MIN_VALUE, -1, (1 << 30) + 1, 1L << 57, Long.MAX_VALUE}) {
        refused(() -> sizing.expectedImageBytes(keys), keys + " keys, must be 0 to 1073741824");
      }
      assertEquals(64, sizing.expectedImageBytes(0), "a header alone");
      long most = sizing.expectedImageBytes(1 << 30);
      assertTrue(most > sizing.expectedImageBytes((1 << 30) - 1000), sizing + ": " + most);
    }
  }

  @Test
  void bytesAreNotFewerThanNone() {
    for (long bytes : new long[] {0, 1, Long.MAX_VALUE}) {
      assertEquals(bytes, FilterSizing.checkBytes(bytes));
    }
    for (FilterSizing sizing : SIZINGS) {
      for (long bytes : new long[] {-1, Long.MIN_VALUE}) {
        refused(() -> sizing.keyLimit(bytes), "image of " + bytes + " bytes, must be 0 or more");
      }
      long most = sizing.keyLimit(Long.MAX_VALUE);
      assertTrue(most >= sizing.keyLimit(1 << 30) && most <= 1 << 30, sizing + ": " + most);
    }
  }

  @Test
  void aPersonUnderstandsThem() {
    assertEquals(
        List.of(
            "bumped-ribbon, rate 0.01",
            "ribbon of width 64, rate 0.001",
            "ribbon of width 128, rate 0.01",
            "ribbon of width 64 in chunks of 131072 bytes, as Lindorm, rate 0.01",
            "quotient (rank-select), rate 0.01",
            "quotient (three-bit), rate 0.25"),
        SIZINGS.stream().map(Object::toString).toList());
    FilterBuilder builder = FilterBuilder.of(SIZINGS.get(0)).hashedBy(KeyHash.seeded(77));
    builder.add(new byte[] {1});
    assertEquals(
        "builder of a filter (bumped-ribbon, rate 0.01) with 1 hashes added, hash xxh3-seeded",
        builder.toString());
    FilterImage image = builder.finish();
    String words =
        "ribbon filter of 1 keys in 128 bytes, 1024.00 bits per key, rate 0.01 configured and"
            + " 0.00781 estimated, hash xxh3-seeded (width 64, 64 slots, 7 columns, one fewer in 0"
            + " %)";
    assertEquals(words, image.toString());
    assertEquals(words, image.open().toString());
    assertEquals(words, image.layout().toString());
    QuotientFilter filter = QuotientFilter.of(QuotientSizing.forRate(0.01).shape(1000));
    filter.insert(5);
    String quotient = filter.toString();
    assertTrue(quotient.startsWith("quotient filter of 1 fingerprints in "), quotient);
    assertTrue(quotient.contains("hash unknown (rank-select, 1053 slots"), quotient);
  }

  private static void refused(Executable misuse, String words) {
    var e = assertThrows(IllegalArgumentException.class, misuse);
    assertTrue(e.getMessage().contains(words), e.getMessage());
  }
}
