package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.StoreView.OtherFile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** The rule by itself, and its guards in many stores. */
class StoreRateTest {
  private static final double ERROR_RATE = 0.01;

  private static OtherFile file(double keys) {
    return new OtherFile(keys, keys, null, null);
  }

  private static StoreView store(double expected, OtherFile... others) {
    return new StoreView(Occasion.FLUSH, expected, List.of(others));
  }

  private static double rule(double inAll, double presentShare, double keys, OtherFile... others) {
    return new StoreRate(store(keys, others), inAll, presentShare, null).rate(keys, null, null);
  }

  @Test
  void ratesOfAStoreAddUp() {
    double[] keys = {1_000_000, 300_000, 100_000, 30_000, 10_000};
    double sum = 0;
    for (int i = 0; i < keys.length; i++) {
      int written = i;
      OtherFile[] others =
          IntStream.range(0, keys.length)
              .filter(j -> j != written)
              .mapToObj(j -> file(keys[j]))
              .toArray(OtherFile[]::new);
      sum += rule(ERROR_RATE, 0, keys[i], others);
    }
    assertEquals(ERROR_RATE, sum, 1e-12);
  }

  @Test
  void presentRowsMoveMemoryFromTheLargestFile() {
    assertEquals(0.01 * 0.8 / (1 - 0.95 * 0.8), rule(0.01, 0.95, 80, file(20)), 1e-12);
    assertEquals(0.01 * 0.2 / (1 - 0.95 * 0.2), rule(0.01, 0.95, 20, file(80)), 1e-12);
    assertTrue(rule(0.01, 1, 1000) > 1, "one file, and every Get finds its row in it");
  }

  @Test
  void aFileOfNothingAndOneOfALittleHaveRates() {
    assertEquals(0.01, rule(0.01, 0, 0), 1e-12);
    assertEquals(StoreRate.LEAST, rule(0.01, 0, 1, file(1e9)));
  }

  private static byte[] row(String row) {
    return row.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void onlyFilesThatMayHaveTheRowsCount() {
    OtherFile early = new OtherFile(100, 100, row("a"), row("f"));
    OtherFile late = new OtherFile(100, 100, row("p"), row("z"));
    StoreRate rates = new StoreRate(store(100, early, late), 0.01, 0, null);
    assertEquals(0.01, rates.rate(100, row("g"), row("o")), 1e-12);
    assertEquals(0.005, rates.rate(100, row("f"), row("o")), 1e-12);
    assertEquals(0.005, rates.rate(100, row("g"), row("p")), 1e-12);
    assertEquals(0.01 / 3, rates.rate(100, row("b"), row("q")), 1e-12);
    assertEquals(0.005, rates.rate(100, row("g"), null), 1e-12, "no bound behind");
    assertEquals(0.005, rates.rate(100, null, row("o")), 1e-12, "no bound before");
    // A prefix of a row stands for all rows that begin with it.
    OtherFile within = new OtherFile(100, 100, row("mm7"), row("mm9"));
    StoreRate prefixes = new StoreRate(store(100, within), 0.01, 0, null);
    assertEquals(0.005, prefixes.rate(100, row("mm"), row("mm")), 1e-12);
    assertEquals(0.01, prefixes.rate(100, row("mn"), row("mo")), 1e-12);
  }

  /** Files that come and go as in a region under ingest, with the settings of a family. */
  private static final class Ingest {
    private final WinnowSettings settings;
    private final StockBloom stock;
    private final List<double[]> files = new ArrayList<>(); // keys, rate, bytes

    Ingest(Configuration conf) throws WrongSettingException {
      conf.set("winnow.filter", "bumped-ribbon");
      settings = WinnowSettings.of(conf, KeyKind.ROW, Occasion.FLUSH);
      stock = StockBloom.of(ERROR_RATE, 128 * 1024, 7);
    }

    void write(double keys) {
      OtherFile[] others =
          files.stream().map(f -> new OtherFile(f[0], f[2], null, null)).toArray(OtherFile[]::new);
      StoreRate rates = settings.inStore(store(keys, others)).rates();
      double rate = rates.rate(keys, null, null);
      WinnowSettings chosen = settings.atRate(rate);
      double chunk = Math.min(keys, chosen.keyLimit());
      files.add(new double[] {keys, rate, chosen.imageBytes((long) chunk) * keys / chunk});
    }

    double rates() {
      return files.stream().mapToDouble(f -> f[1]).sum();
    }

    double stockRates() {
      return files.stream().mapToDouble(f -> stock.rate(f[0])).sum();
    }

    double bytes() {
      return files.stream().mapToDouble(f -> f[2]).sum();
    }

    double stockBytes() {
      return files.stream().mapToDouble(f -> stock.bytes(f[0])).sum();
    }
  }

  /** With nothing but a filter set: fewer false reads, and less memory, than stock's. */
  @Test
  void noStoreIsWorseThanStock() throws WrongSettingException {
    Random random = new Random(13);
    double ratesOverStock = 0;
    int states = 0;
    for (int run = 0; run < 200; run++) {
      Ingest ingest = new Ingest(new Configuration(false));
      ingest.write(Math.exp(random.nextDouble(Math.log(1e6), Math.log(1e7))));
      double typical = Math.exp(random.nextDouble(Math.log(1e3), Math.log(1e6)));
      for (int i = 0; i < 40; i++) {
        ingest.write(Math.max(1, (int) (typical * random.nextDouble(0.3, 1.7))));
        if (ingest.files.size() > 1 + random.nextInt(12)) { // the small ones become one
          double keys = 0;
          while (ingest.files.size() > 1) {
            keys += ingest.files.remove(ingest.files.size() - 1)[0];
          }
          ingest.write(keys);
        }
        String state = "run " + run + ", " + typical + " keys, " + ingest.files.size() + " files";
        assertTrue(ingest.rates() <= 1.001 * ingest.stockRates(), state);
        assertTrue(ingest.bytes() <= 0.8 * ingest.stockBytes(), state);
        ratesOverStock += ingest.rates() / ingest.stockRates();
        states++;
      }
    }
    assertTrue(ratesOverStock / states < 0.8, "mean of " + ratesOverStock / states);
  }

  @Test
  void filesOfNextToNothingHaveRatesToo() throws WrongSettingException {
    for (String filter : List.of("ribbon", "bumped-ribbon")) {
      Configuration conf = new Configuration(false);
      conf.set("winnow.filter", filter);
      for (Occasion occasion : Occasion.values()) {
        WinnowSettings settings = WinnowSettings.of(conf, KeyKind.ROW, occasion);
        for (double keys : new double[] {0, 0.1, 0.99, 1}) {
          StoreRate rates = settings.inStore(store(keys, file(5e6), file(0))).rates();
          double rate = rates.rate(keys, null, null);
          assertTrue(rate >= StoreRate.LEAST && rate <= ERROR_RATE, keys + ": " + rate);
        }
      }
    }
  }

  @Test
  void veryLowRateIsKept() throws WrongSettingException {
    Configuration conf = new Configuration(false);
    conf.set("io.storefile.bloom.error.rate", "1e-8");
    Ingest ingest = new Ingest(conf);
    ingest.write(3e6);
    assertTrue(ingest.files.get(0)[1] <= 1e-8);
    assertEquals(1e-9, rule(1e-9, 0, 10, file(10)));
  }

  @Test
  void filtersWithoutRoomHaveTheRateOfAFile() throws WrongSettingException {
    Configuration conf = new Configuration(false);
    conf.set("winnow.filter", "quotient");
    StoreView store = store(10, file(10));
    assertNull(WinnowSettings.of(conf, KeyKind.ROW).inStore(store).rates());
    conf.set("winnow.store.error.rate", "0.02");
    assertNotNull(WinnowSettings.of(conf, KeyKind.ROW).inStore(store).rates());
    conf.set("winnow.filter", "ribbon");
    conf.set("winnow.ribbon.sizing", "lindorm");
    assertNull(WinnowSettings.of(conf, KeyKind.ROW).inStore(store).rates(), "of a fixed size");
    conf.set("winnow.filter", "bumped-ribbon");
    assertNotNull(
        WinnowSettings.of(conf, KeyKind.ROW, Occasion.FLUSH).inStore(store).rates(),
        "a flush's plain filter is not the family's");
  }

  /** One compaction, a file for each window: each knows how many keys they have together. */
  @Test
  void filesThatAreWrittenTogetherCountEachOther() {
    StoreView one = StoreView.ofOneOfSeveral(Occasion.OTHER, 50, 100, List.of(file(100)));
    StoreRate rates = new StoreRate(one, 0.01, 0, null);
    assertEquals(0.0025, rates.rate(50, null, null), 1e-12);
    assertEquals(0.005, rates.rate(100, null, null), 1e-12);
  }

  @Test
  void whoeverSetsARateGetsIt() throws WrongSettingException {
    Configuration conf = new Configuration(false);
    conf.set("winnow.store.error.rate", "0.03");
    Ingest ingest = new Ingest(conf);
    ingest.write(3e6);
    ingest.write(1e6);
    assertEquals(0.03, ingest.files.get(0)[1], 1e-12);
    assertEquals(0.0075, ingest.files.get(1)[1], 1e-12);
  }

  @Test
  void settingsSayWhetherThereIsARule() throws WrongSettingException {
    Configuration conf = new Configuration(false);
    conf.set("winnow.filter", "ribbon");
    StoreView store = store(10, file(10));
    assertNotNull(WinnowSettings.of(conf, KeyKind.ROW).inStore(store).rates());
    assertNotNull(WinnowSettings.of(conf, KeyKind.ROW).inStore(null).rates(), "of one file");
    assertNull(WinnowSettings.of(conf, KeyKind.DELETE_FAMILY).inStore(store).rates());
    conf.set("winnow.error.rate.scope", "file");
    assertNull(WinnowSettings.of(conf, KeyKind.ROW).inStore(store).rates());
  }

  @Test
  void occasionsHaveTheirFilters() throws WrongSettingException {
    Configuration conf = new Configuration(false);
    conf.set("winnow.filter", "bumped-ribbon");
    assertEquals(List.of("ribbon", "bumped-ribbon", "bumped-ribbon"), filters(conf));
    conf.set("winnow.filter", "quotient");
    assertEquals(List.of("quotient", "quotient", "quotient"), filters(conf));
    conf.set("winnow.filter.flush", "bumped-ribbon");
    conf.set("winnow.filter.compaction", "ribbon");
    assertEquals(List.of("bumped-ribbon", "ribbon", "quotient"), filters(conf));
    conf.set("winnow.filter", "bloom");
    conf.set("winnow.filter.compaction", " ");
    assertEquals(List.of("bumped-ribbon", "bloom", "bloom"), filters(conf));
  }

  private static List<String> filters(Configuration conf) throws WrongSettingException {
    List<String> filters = new ArrayList<>();
    for (Occasion occasion : Occasion.values()) {
      filters.add(
          WinnowSettings.askedIn(conf, occasion)
              ? WinnowSettings.of(conf, KeyKind.ROW, occasion).type().label()
              : "bloom");
    }
    return filters;
  }
}
