package io.winnow.hbase.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.settings.StoreView.OtherFile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rule by itself, and its guards in many stores. */
class StoreRateTest {
  private static final double ERROR_RATE = 0.01;

  private static OtherFile file(double keys) {
    return new OtherFile(keys, keys, null, null);
  }

  private static StoreView store(double expected, OtherFile... others) {
    return new StoreView(Occasion.FLUSH, expected, List.of(others));
  }

  /** Filters of ours and of stock's that have so many bits per key as the formulas say. */
  private static final class Formulas implements StoreRate.Sizes {
    @Override
    public double stockRate(double keys) {
      return ERROR_RATE;
    }

    @Override
    public double configuredStockRate() {
      return ERROR_RATE;
    }

    @Override
    public double stockBytes(double keys) {
      return keys * 9.585 / 8; // 1.44 log2(100)
    }

    @Override
    public double bytes(double keys, double rate) {
      return -keys * Math.log(rate) / Math.log(2) / 8;
    }

    @Override
    public double maxBytes(double keys, double rate) {
      return 1.08 * bytes(keys, rate);
    }

    @Override
    public double rateWithin(double keys, double bytes) {
      return Math.pow(2, -bytes * 8 / keys);
    }

    @Override
    public double rateOfStoreWithin(double keys, double bytes) {
      return rateWithin(keys, bytes);
    }

    @Override
    public double maxChunkRate(double before, double let, double keys, boolean closing) {
      return ERROR_RATE;
    }
  }

  private static StoreRate.Decision decide(double memory, StoreView store) {
    return new StoreRate(store, memory, new Formulas(), false)
        .decide(store.expectedKeys, null, null);
  }

  /** The rate of a filter with this share of stock's bits. */
  private static double withMemory(double memory) {
    return Math.pow(2, -9.585 * memory);
  }

  @Test
  void anOnlyFileLeavesABitForThoseThatCome() {
    StoreRate.Decision alone = decide(0.84, store(1e6));
    assertEquals(2 * withMemory(0.84), alone.rate, 1e-9);
    assertEquals(1, alone.share);
    assertEquals(RateReason.SHARE, alone.reason);
  }

  @Test
  void aSmallFileHasItsShare() {
    // The other file left some memory: half of stock's bits.
    OtherFile large = new OtherFile(9e6, 9e6 * 0.5 * 9.585 / 8, null, null);
    StoreRate.Decision small = decide(0.84, store(1e6, large));
    assertEquals(0.1, small.share, 1e-12);
    assertEquals(RateReason.SHARE, small.reason);
    assertEquals(0.1 * 2 * withMemory(0.84), small.rate, 1e-9, "fewer than two files count");
    OtherFile[] equal = new OtherFile[7];
    java.util.Arrays.fill(equal, new OtherFile(1e6, 1e6 * 0.5 * 9.585 / 8, null, null));
    StoreRate.Decision eighth = decide(0.84, store(1e6, equal));
    assertEquals(withMemory(0.84), eighth.rate, 1e-9, "eight files count, and it has an eighth");
  }

  @Test
  void aFileTakesItsOwnPartAndHalfOfWhatOthersLeft() {
    double ofStock = 1e6 * 9.585 / 8;
    OtherFile full = new OtherFile(1e8, 0.84 * 100 * ofStock, null, null);
    StoreRate.Decision own = decide(0.84, store(1e6, full));
    assertEquals(RateReason.OWN_PART, own.reason);
    assertEquals(withMemory(0.84), own.rate, 1e-9);
    OtherFile left = new OtherFile(1e8, 0.84 * 100 * ofStock - 0.2 * ofStock, null, null);
    StoreRate.Decision room = decide(0.84, store(1e6, left));
    assertEquals(RateReason.ROOM, room.reason);
    assertEquals(withMemory(0.94), room.rate, 1e-9);
    OtherFile empty = new OtherFile(1e8, 0, null, null);
    StoreRate.Decision most = decide(0.84, store(1e6, empty));
    assertEquals(
        withMemory(StoreRate.MAX_SHARE_OF_STOCK), most.rate, 1e-9, "however much there is");
  }

  @Test
  void stocksRateIsKeptWhereItsMemoryIsThere() {
    StoreRate.Decision fits = decide(0.76, store(1e6));
    assertEquals(RateReason.STOCK, fits.reason);
    assertEquals(ERROR_RATE, fits.rate);
    StoreRate.Decision doesNot = decide(0.7, store(1e6));
    assertEquals(RateReason.SHARE, doesNot.reason, "memory comes first");
    assertEquals(2 * withMemory(0.7), doesNot.rate, 1e-9);
  }

  /** Rows in the order of time: no file comes that needs what this one leaves. */
  @Test
  void filesThatDoNotMeetLeaveNothing() {
    OtherFile early = new OtherFile(1e6, 1e6, row("a"), row("f"));
    OtherFile late = new OtherFile(1e6, 1e6, row("p"), row("z"));
    StoreRate rates = new StoreRate(store(1e6, early, late), 0.84, new Formulas(), false);
    StoreRate.Decision between = rates.decide(1e6, row("g"), row("o"));
    assertEquals(1, between.share);
    assertEquals(withMemory(0.84), between.rate, 1e-6);
    // So do files that are compacted: what they were tells what will come.
    StoreView ofBoth = new StoreView(Occasion.OTHER, 2e6, 0, List.of(), List.of(early, late));
    StoreRate compacted = new StoreRate(ofBoth, 0.84, new Formulas(), false);
    assertEquals(withMemory(0.84), compacted.decide(2e6, row("a"), row("z")).rate, 1e-6);
    StoreView ofOne = new StoreView(Occasion.OTHER, 2e6, 0, List.of(), List.of(early, early));
    StoreRate met = new StoreRate(ofOne, 0.84, new Formulas(), false);
    assertEquals(2 * withMemory(0.84), met.decide(2e6, row("a"), row("f")).rate, 1e-6);
  }

  @Test
  void aFileOfNothingAndOneOfALittleHaveRates() {
    assertEquals(2 * withMemory(0.84), decide(0.84, store(0)).rate, 1e-9);
    StoreRate.Decision little = decide(1.25, store(1, new OtherFile(1e12, 1e11, null, null)));
    assertTrue(little.rate >= StoreRate.MIN_RATE, "" + little.rate);
  }

  private static byte[] row(String row) {
    return row.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void onlyFilesThatMayHaveTheRowsCount() {
    OtherFile early = new OtherFile(100, 100, row("a"), row("f"));
    OtherFile late = new OtherFile(100, 100, row("p"), row("z"));
    StoreRate rates = new StoreRate(store(100, early, late), 0.84, new Formulas(), false);
    assertEquals(1, rates.decide(100, row("g"), row("o")).share, 1e-12);
    assertEquals(0.5, rates.decide(100, row("f"), row("o")).share, 1e-12);
    assertEquals(0.5, rates.decide(100, row("g"), row("p")).share, 1e-12);
    assertEquals(1 / 3.0, rates.decide(100, row("b"), row("q")).share, 1e-12);
    assertEquals(0.5, rates.decide(100, row("g"), null).share, 1e-12, "no bound behind");
    assertEquals(0.5, rates.decide(100, null, row("o")).share, 1e-12, "no bound before");
    // A prefix of a row stands for all rows that begin with it.
    OtherFile within = new OtherFile(100, 100, row("mm7"), row("mm9"));
    StoreRate prefixes = new StoreRate(store(100, within), 0.84, new Formulas(), false);
    assertEquals(0.5, prefixes.decide(100, row("mm"), row("mm")).share, 1e-12);
    assertEquals(1, prefixes.decide(100, row("mn"), row("mo")).share, 1e-12);
  }

  @Test
  void filesOfNextToNothingHaveRatesToo() throws WrongSettingException {
    for (String filter : List.of("ribbon", "bumped-ribbon")) {
      Configuration conf = new Configuration(false);
      conf.set("winnow.filter", filter);
      for (Occasion occasion : Occasion.values()) {
        WinnowSettings settings = WinnowSettings.of(conf, KeyKind.ROW, occasion);
        for (double keys : new double[] {0, 0.1, 0.99, 1}) {
          StoreRate rates = settings.inStore(store(keys, file(5e6), file(0))).rates;
          double rate = rates.decide(keys, null, null).rate;
          assertTrue(rate >= StoreRate.MIN_RATE && rate <= ERROR_RATE, keys + ": " + rate);
        }
      }
    }
  }

  /** Where no other file left anything; sizes have steps, and some numbers of keys lie on them. */
  @Test
  void noFileTakesMoreThanItsOwnPart() throws WrongSettingException {
    Random random = new Random(3);
    double[] some = {403_559, 386_252, 88_593_259};
    double[] all =
        DoubleStream.generate(() -> 1e3 * Math.pow(1e5, random.nextDouble())).limit(500).toArray();
    for (double memory : new double[] {0.84, 0.7, 0.6, 0.5}) {
      Configuration conf = new Configuration(false);
      conf.set("winnow.filter", "bumped-ribbon");
      conf.set("winnow.store.memory", String.valueOf(memory));
      StockBloom stock = WinnowSettings.stock(conf, KeyKind.ROW);
      for (Occasion occasion : Occasion.values()) {
        WinnowSettings settings = WinnowSettings.of(conf, KeyKind.ROW, occasion);
        for (double keys :
            DoubleStream.concat(DoubleStream.of(some), DoubleStream.of(all)).toArray()) {
          double own = memory * stock.bytes(keys);
          OtherFile full = new OtherFile(keys, own, row("a"), row("f"));
          StoreRate rates = settings.inStore(store(keys, full)).rates;
          double rate = rates.decide(keys, row("g"), row("o")).rate;
          double bytes = settings.atRate(rate).fileBytes(keys);
          assertTrue(bytes <= own + StoreRate.SMALL_BYTES, keys + ": " + bytes + ", own " + own);
        }
      }
    }
  }

  @Test
  void veryLowRateIsKept() {
    Configuration conf = new Configuration(false);
    conf.set("winnow.filter", "bumped-ribbon");
    conf.set("io.storefile.bloom.error.rate", "1e-8");
    assertTrue(StorePlan.of(conf, BloomType.ROW).flush(3e6).rate <= 1e-8);
  }

  @ParameterizedTest
  @CsvSource({"ribbon, ROW", "ribbon, ROWCOL", "bumped-ribbon, ROW", "bumped-ribbon, ROWCOL"})
  void rateBelowThatOfAnyFilterIsTakenForTheLowest(String filter, KeyKind kind)
      throws WrongSettingException {
    Configuration conf = new Configuration(false);
    conf.set("winnow.filter", filter);
    for (String asked : List.of("4e-15", "1e-30", "4.9e-324")) {
      conf.set("io.storefile.bloom.error.rate", asked);
      WinnowSettings settings =
          WinnowSettings.of(conf, kind, Occasion.FLUSH).inStore(store(1e5, file(5e6)));
      double rate = settings.rates.decide(1e5, null, null).rate;
      settings.atRate(rate).newBuilder();
      assertTrue(rate >= 0 && rate <= 0.5, asked + ": " + rate);
    }
  }

  @Test
  void whatIsAskedForByNameHasNoRule() throws WrongSettingException {
    Configuration conf = new Configuration(false);
    conf.set("winnow.filter", "quotient");
    StoreView store = store(10, file(10));
    assertNull(WinnowSettings.of(conf, KeyKind.ROW).inStore(store).rates);
    conf.set("winnow.filter", "ribbon");
    conf.set("winnow.ribbon.sizing", "lindorm");
    assertNull(WinnowSettings.of(conf, KeyKind.ROW).inStore(store).rates, "of a fixed size");
    conf.set("winnow.filter", "bumped-ribbon");
    assertNotNull(
        WinnowSettings.of(conf, KeyKind.ROW, Occasion.FLUSH).inStore(store).rates,
        "a flush's plain filter is not the family's");
  }

  /** One compaction, a file for each window: each knows how many keys they have together. */
  @Test
  void filesThatAreWrittenTogetherCountEachOther() {
    StoreView one = new StoreView(Occasion.OTHER, 50, 100, List.of(file(100)), List.of());
    StoreRate rates = new StoreRate(one, 0.84, new Formulas(), false);
    assertEquals(0.25, rates.decide(50, null, null).share, 1e-12);
    assertEquals(0.5, rates.decide(100, null, null).share, 1e-12);
  }

  @ParameterizedTest
  @CsvSource({"0.84, 0.01", "0.77, 0.01", "0.5, 0.036", "1.25, 0.01"})
  void aShortCacheGivesEachFileTheRateOfItsStockFilter(double memory, double expected) {
    for (StoreView store :
        List.of(store(1e4, file(10), file(1e6)), store(1e6, file(10)), store(1e5))) {
      StoreRate rates = new StoreRate(store, memory, new Formulas(), true);
      StoreRate.Decision decision = rates.decide(store.expectedKeys, null, null);
      assertEquals(expected, decision.rate, 0.001);
      assertEquals(RateReason.CACHE, decision.reason);
      double max = rates.maxChunkRate(0, 0, store.expectedKeys, true);
      assertEquals(expected > ERROR_RATE ? 0.5 : ERROR_RATE, max, 1e-12, "no more than stock's");
    }
  }

  @Test
  void onlyTheScopeAutoKnowsTheCache() throws WrongSettingException {
    Configuration conf = new Configuration(false);
    conf.set("winnow.filter", "bumped-ribbon");
    StoreView pressed = store(1000, file(1e6)).whereCacheIsShort();
    for (String scope : List.of("", "auto", "store")) {
      conf.set("winnow.error.rate.scope", scope);
      StoreRate rates = WinnowSettings.of(conf, KeyKind.ROW).inStore(pressed).rates;
      RateReason expected = scope.equals("store") ? RateReason.SHARE : RateReason.CACHE;
      assertEquals(expected, rates.decide(1000, null, null).reason, scope);
    }
  }

  @Test
  void settingsSayWhetherThereIsARule() throws WrongSettingException {
    Configuration conf = new Configuration(false);
    conf.set("winnow.filter", "ribbon");
    StoreView store = store(10, file(10));
    assertNotNull(WinnowSettings.of(conf, KeyKind.ROW).inStore(store).rates);
    assertNotNull(WinnowSettings.of(conf, KeyKind.ROW).inStore(null).rates, "of one file");
    assertEquals(
        0, WinnowSettings.of(conf, KeyKind.DELETE_FAMILY).inStore(store).rates.others(), "alone");
    conf.set("winnow.error.rate.scope", "file");
    assertNull(WinnowSettings.of(conf, KeyKind.ROW).inStore(store).rates);
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
          WinnowSettings.FilterSetting.in(conf, occasion) != null
              ? WinnowSettings.of(conf, KeyKind.ROW, occasion).type().label()
              : "bloom");
    }
    return filters;
  }
}
