package io.winnow.hbase.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class EqualReadsTest {
  private static Moment moment(double... shares) {
    List<Moment.Share> files =
        Arrays.stream(shares).mapToObj(share -> new Moment.Share(share, share)).toList();
    return new Moment(1, Moment.FLUSH, 100, 100, 0, 10, 0, 0, 0, files);
  }

  @Test
  void ratesAreProportionalToShares() {
    assertEquals(0.008, EqualReads.ofFile(0.01, 0.8, 0), 1e-12);
    assertEquals(0.01 * 0.8 / 0.2, EqualReads.ofFile(0.01, 0.8, 1), 1e-12);
  }

  @Test
  void aFilterThatIsWorthNothingIsLeftOut() {
    assertEquals(1, EqualReads.ofFile(0.2, 0.8, 0.95));
    assertEquals(1, EqualReads.ofFile(0.01, 1, 1));
  }

  @Test
  void aStoreThatWasWrittenAtOncePaysItsRate() {
    List<Moment> moments = List.of(moment(0.5, 0.3, 0.2), moment(1), moment(0.9, 0.1));
    assertEquals(0.03, EqualReads.forFalseReads(moments, 0, 0, 0.03), 1e-9);
  }

  /** A file that was the store's only one keeps the rate of that time. */
  @Test
  void whatWasWrittenEarlierCountsWithItsRateOfThen() {
    Moment grown =
        new Moment(
            1,
            Moment.FLUSH,
            100,
            100,
            0,
            10,
            0,
            0,
            0,
            List.of(new Moment.Share(1, 0.5), new Moment.Share(0.5, 0.5)));
    assertEquals(0.02, EqualReads.forFalseReads(List.of(grown), 0, 0, 0.03), 1e-9);
  }

  @Test
  void presentRowsDoNotPayForTheFileThatHasThem() {
    // Two halves: a Get of a present row pays one of two.
    List<Moment> moments = List.of(moment(0.5, 0.5));
    assertEquals(0.04, EqualReads.forFalseReads(moments, 0, 1, 0.02), 1e-9);
  }

  @Test
  void withFiltersLeftOutItPaysAtMostWhatWasAskedFor() {
    List<Moment> moments = List.of(moment(0.9, 0.05, 0.05), moment(0.7, 0.2, 0.1));
    double rate = EqualReads.forFalseReads(moments, 0.95, 0.95, 0.05);
    double paid = 0;
    for (Moment moment : moments) {
      for (Moment.Share file : moment.shares()) {
        paid += EqualReads.ofFile(rate, file.whenWritten(), 0.95) * (1 - 0.95 * file.now()) / 2;
      }
    }
    assertTrue(paid <= 0.05 && paid > 0.03, "pays " + paid + " at " + rate);
  }
}
