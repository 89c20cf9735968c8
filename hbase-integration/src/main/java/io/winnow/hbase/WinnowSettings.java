package io.winnow.hbase;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.FilterSizing;
import io.winnow.FilterType;
import io.winnow.hash.KeyHash;
import io.winnow.quotient.QuotientSizing;
import io.winnow.ribbon.BumpedRibbonSizing;
import io.winnow.ribbon.RibbonSizing;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.util.BloomFilterFactory;
import org.apache.hadoop.hbase.util.Hash;

/**
 * What a column family's configuration says about its filters. Immutable.
 *
 * <p>The family's CONFIGURATION overrides the table's, and that hbase-site.xml. {@link Setting}
 * lists keys and values.
 *
 * <p>HBase's own keys keep their meaning: the error rate is that of a whole question, so that each
 * of the two probes of ROWCOL gets less; the block size is that of a full chunk, as long as that
 * holds no more than 4 million keys.
 */
final class WinnowSettings {
  static final String FILTER = Setting.FILTER.key();

  private static final String STOCK_FILTER = "bloom";
  private static final String NOT_SET = "";

  private static final String ERROR_RATE = BloomFilterFactory.IO_STOREFILE_BLOOM_ERROR_RATE;
  private static final double DEFAULT_ERROR_RATE = 0.01;

  private static final String BLOCK_SIZE = BloomFilterFactory.IO_STOREFILE_BLOOM_BLOCK_SIZE;
  private static final int DEFAULT_BLOCK_SIZE = 128 * 1024;
  private static final int MIN_BLOCK_SIZE = 128;
  private static final int MAX_BLOCK_SIZE = 64 << 20;

  /**
   * Keys of a chunk at most, whatever the block size: building takes up to 53 bytes of heap for
   * each, and a region server that runs out of heap is killed.
   */
  private static final long MAX_CHUNK_KEYS = 1 << 22;

  private static final int MAX_FOLD = 20;

  private final Sizings sizings;

  /** That of a question. */
  private final double rate;

  private final FilterSizing sizing;
  private final KeyHash hash;
  private final KeyKind kind;
  private final boolean verify;
  private final int chunkBytes;
  private final ByStore byStore;

  /** Which part of a row is a key of its own; null if none is. */
  private final PrefixRule prefixRule;

  /** Null if the file has the family's rate. */
  private final StoreRate rates;

  /** Sizes filters of one kind for the rate of a probe. */
  @FunctionalInterface
  private interface Sizings {
    FilterSizing of(double rate);
  }

  /** How rates come from a store: null where a file has its own. */
  private record ByStore(double inAll, double presentShare, StockBloom guard) {}

  /** One sizing, whatever the rate. */
  WinnowSettings(FilterSizing sizing, KeyHash hash, KeyKind kind, boolean verify, int chunkBytes) {
    this(rate -> sizing, sizing.rate(), hash, kind, verify, chunkBytes, null, null, null);
  }

  private WinnowSettings(
      Sizings sizings,
      double rate,
      KeyHash hash,
      KeyKind kind,
      boolean verify,
      int chunkBytes,
      ByStore byStore,
      PrefixRule prefixRule,
      StoreRate rates) {
    this.sizings = sizings;
    this.rate = rate;
    this.sizing = sizings.of(perProbe(rate, kind));
    this.hash = hash;
    this.kind = kind;
    this.verify = verify;
    this.chunkBytes = chunkBytes;
    this.byStore = byStore;
    this.prefixRule = prefixRule;
    this.rates = rates;
  }

  /**
   * Whether the family asks for something else than the stock filter, on some occasion, even if
   * that means nothing.
   */
  static boolean askedIn(Configuration conf) {
    return askedIn(conf, Occasion.OTHER)
        || askedIn(conf, Occasion.FLUSH)
        || askedIn(conf, Occasion.MINOR_COMPACTION);
  }

  /** As {@link #askedIn(Configuration)}, for files of this occasion. */
  static boolean askedIn(Configuration conf, Occasion occasion) {
    return !filterOf(conf, occasion).wordIn(conf).equals(STOCK_FILTER);
  }

  /** The setting that says which filter files of this occasion get. */
  private static Setting filterOf(Configuration conf, Occasion occasion) {
    Setting own =
        switch (occasion) {
          case FLUSH -> Setting.FILTER_FLUSH;
          case MINOR_COMPACTION -> Setting.FILTER_COMPACTION;
          case OTHER -> Setting.FILTER;
        };
    return own.isSetIn(conf) ? own : Setting.FILTER;
  }

  /** As {@link #of(Configuration, KeyKind, Occasion)}, for a file of which nothing is known. */
  static WinnowSettings of(Configuration conf, KeyKind kind) throws WrongSettingException {
    return of(conf, kind, Occasion.OTHER);
  }

  /**
   * The settings of a family for which {@link #askedIn(Configuration, Occasion)} holds.
   *
   * @throws WrongSettingException for the first value that means nothing
   */
  static WinnowSettings of(Configuration conf, KeyKind kind, Occasion occasion)
      throws WrongSettingException {
    FilterType type = filterType(conf, occasion);
    KeyHash hash = KeyHash.ofLabel(Setting.HASH.in(conf));
    boolean verify = Boolean.parseBoolean(Setting.VERIFY.in(conf));
    double rate = errorRate(conf);
    int chunkBytes = blockSize(conf);
    Sizings sizings =
        switch (type) {
          case RIBBON ->
              isDefaultOfFlush(conf, occasion)
                  ? RibbonSizing::forRate
                  : ribbonSizings(conf, chunkBytes);
          case BUMPED_RIBBON -> BumpedRibbonSizing::forRate;
          case QUOTIENT -> QuotientSizing::forRate;
        };
    boolean isFixed =
        type == FilterType.RIBBON && isLindorm(conf) && !isDefaultOfFlush(conf, occasion);
    ByStore byStore = byStore(conf, kind, type, rate);
    return new WinnowSettings(
        sizings,
        rate,
        hash,
        kind,
        verify,
        chunkBytes,
        isFixed ? null : byStore,
        prefixRule(conf, kind),
        null);
  }

  /** Prefixes stand beside rows alone. */
  private static PrefixRule prefixRule(Configuration conf, KeyKind kind)
      throws WrongSettingException {
    String text = Setting.SCAN_PREFIX.textIn(conf);
    return kind == KeyKind.ROW ? PrefixRule.parse(text) : null;
  }

  /**
   * A question whether a row has delete-family markers is not a Get's, and costs a seek at most:
   * its filters have their own rate.
   */
  private static ByStore byStore(Configuration conf, KeyKind kind, FilterType type, double rate)
      throws WrongSettingException {
    boolean isByStore = Setting.RATE_SCOPE.in(conf).equals("store");
    double inAll = Setting.STORE_RATE.numberIn(conf, rate);
    double presentShare = Setting.PRESENT_SHARE.numberIn(conf, 0);
    boolean isGuarded =
        presentShare == 0 && !Setting.STORE_RATE.isSetIn(conf) && isStockMaxFoldUsable(conf);
    // A quotient filter saves no memory that could buy lower rates.
    boolean hasNoRoom = type == FilterType.QUOTIENT && isGuarded;
    if (!isByStore || kind == KeyKind.DELETE_FAMILY || hasNoRoom) {
      return null;
    }
    return new ByStore(inAll, presentShare, isGuarded ? stock(conf, kind) : null);
  }

  /** HBase's own filters of a family. */
  static StockBloom stock(Configuration conf, KeyKind kind) throws WrongSettingException {
    return StockBloom.of(
        perProbe(errorRate(conf), kind),
        blockSize(conf),
        isStockMaxFoldUsable(conf) ? maxFold(conf) : StockBloom.DEFAULT_MAX_FOLD);
  }

  /** The same settings, for a file of this store; null if that is not known. */
  WinnowSettings inStore(StoreView store) {
    if (byStore == null || store == null || !store.isKnown()) {
      return this;
    }
    Guard guard = byStore.guard() == null ? null : new Guard(byStore.guard());
    return with(rate, new StoreRate(store, byStore.inAll(), byStore.presentShare(), guard));
  }

  /** The same settings, for another rate of a question than the family's; at most the highest. */
  WinnowSettings atRate(double rate) {
    return with(Math.min(rate, FilterSizing.MAX_RATE), rates);
  }

  private WinnowSettings with(double newRate, StoreRate newRates) {
    return new WinnowSettings(
        sizings, newRate, hash, kind, verify, chunkBytes, byStore, prefixRule, newRates);
  }

  /** The rule for the rates of the file; null if it has the family's rate. */
  StoreRate rates() {
    return rates;
  }

  /** Compares with stock. */
  private final class Guard implements StoreRate.Guard {
    private final StockBloom stock;

    Guard(StockBloom stock) {
      this.stock = stock;
    }

    @Override
    public double stockRate(double keys) {
      double ofProbe = stock.rate(keys);
      return kind.hasQualifier() ? ofProbe * (2 - ofProbe) : ofProbe;
    }

    @Override
    public double stockBytes(double keys) {
      return stock.bytes(keys);
    }

    @Override
    public double bytes(double keys, double rate) {
      return atRate(rate).fileBytes(keys);
    }
  }

  /** Which part of a row is a key of its own; null if none is. */
  PrefixRule prefixRule() {
    return prefixRule;
  }

  FilterType type() {
    return sizing.type();
  }

  /** Where it has a seed, one that was drawn for these settings: they are those of one file. */
  KeyHash hash() {
    return hash;
  }

  /** The false-positive rate of one probe. */
  double rate() {
    return sizing.rate();
  }

  /** The size of a full chunk. */
  int chunkBytes() {
    return chunkBytes;
  }

  /** The keys of a full chunk. */
  long keyLimit() {
    return Math.min(sizing.keyLimit(chunkBytes), MAX_CHUNK_KEYS);
  }

  /** The expected size of the image of so many keys. */
  long imageBytes(long keys) {
    return sizing.expectedImageBytes(keys);
  }

  /** The expected size of all images of a file of so many keys. */
  double fileBytes(double keys) {
    double ofChunk = Math.max(1, Math.min(keys, keyLimit()));
    return imageBytes((long) ofChunk) * keys / ofChunk;
  }

  /** Whether a finished chunk is checked against its keys. */
  boolean verifies() {
    return verify;
  }

  FilterBuilder newBuilder() {
    FilterBuilder builder = FilterBuilder.of(sizing).verified(verify);
    return kind.imageHashId(hash) == 0 ? builder : builder.hashesOf(hash);
  }

  /** Builds the filter of what was added, for the rate of these settings. */
  FilterImage build(FilterBuilder builder) {
    return builder.finish(sizing);
  }

  private static FilterType filterType(Configuration conf, Occasion occasion)
      throws WrongSettingException {
    Setting setting = filterOf(conf, occasion);
    String label = setting.in(conf);
    for (FilterType type : FilterType.values()) {
      if (type.label().equals(label)) {
        return isDefaultOfFlush(conf, occasion) ? FilterType.RIBBON : type;
      }
    }
    throw new IllegalArgumentException(label + " is the stock filter");
  }

  /**
   * Whether a flush of a family with bumped Ribbon filters writes plain ones, since nobody says
   * which: they build fast, and the file is soon compacted away.
   */
  private static boolean isDefaultOfFlush(Configuration conf, Occasion occasion) {
    return occasion == Occasion.FLUSH
        && filterOf(conf, occasion) == Setting.FILTER
        && Setting.FILTER.wordIn(conf).equals(FilterType.BUMPED_RIBBON.label());
  }

  /** Chunks of a fixed size, made for one rate. */
  private static boolean isLindorm(Configuration conf) {
    return Setting.RIBBON_SIZING.wordIn(conf).equals("lindorm");
  }

  private static Sizings ribbonSizings(Configuration conf, int chunkBytes)
      throws WrongSettingException {
    int width = Integer.parseInt(Setting.RIBBON_WIDTH.in(conf));
    Setting.RIBBON_SIZING.in(conf);
    if (!isLindorm(conf)) {
      return rate -> RibbonSizing.forRate(rate, width);
    }
    String sizing = " with " + Setting.RIBBON_SIZING.key() + " = lindorm";
    if (width != 64) {
      throw Setting.RIBBON_WIDTH.wrongIn(conf, "64" + sizing);
    }
    if (chunkBytes < RibbonSizing.MIN_LINDORM_BYTES) {
      throw wrong(conf, BLOCK_SIZE, "at least " + RibbonSizing.MIN_LINDORM_BYTES + sizing);
    }
    return rate -> RibbonSizing.lindorm(chunkBytes, rate);
  }

  /** A question about a ROWCOL file is two probes, of which neither may be wrong. */
  private static double perProbe(double errorRate, KeyKind kind) {
    // 1 - sqrt(1 - e), in a form that loses no digits where e is small
    return kind.hasQualifier() ? errorRate / (1 + Math.sqrt(1 - errorRate)) : errorRate;
  }

  private static double errorRate(Configuration conf) throws WrongSettingException {
    double rate;
    try {
      rate = conf.getDouble(ERROR_RATE, DEFAULT_ERROR_RATE);
    } catch (NumberFormatException e) {
      rate = Double.NaN;
    }
    if (!(rate > 0 && rate <= FilterSizing.MAX_RATE)) {
      throw wrong(conf, ERROR_RATE, "a number above 0 and at most " + FilterSizing.MAX_RATE);
    }
    return rate;
  }

  private static int blockSize(Configuration conf) throws WrongSettingException {
    int bytes;
    try {
      bytes = conf.getInt(BLOCK_SIZE, DEFAULT_BLOCK_SIZE);
    } catch (NumberFormatException e) {
      bytes = -1;
    }
    if (bytes < MIN_BLOCK_SIZE || bytes > MAX_BLOCK_SIZE) {
      throw wrong(
          conf, BLOCK_SIZE, "a number of bytes from " + MIN_BLOCK_SIZE + " to " + MAX_BLOCK_SIZE);
    }
    return bytes;
  }

  private static WrongSettingException wrong(Configuration conf, String key, String allowed) {
    return new WrongSettingException(key, conf.get(key), allowed);
  }

  /**
   * The configuration with which stock code makes its filter for a family whose request cannot be
   * met: the family's own, except that it asks for the stock filter, and has HBase's defaults where
   * stock code would fail.
   */
  static Configuration forStockFilter(Configuration conf) {
    Map<String, String> overrides = new TreeMap<>();
    overrides.put(FILTER, STOCK_FILTER);
    overrides.put(Setting.FILTER_FLUSH.key(), NOT_SET);
    overrides.put(Setting.FILTER_COMPACTION.key(), NOT_SET);
    try {
      // Single precision, and smaller for ROWCOL: stock code cannot work with a rate that becomes 0
      if (1 - Math.sqrt(1 - (float) errorRate(conf)) <= 0) {
        overrides.put(ERROR_RATE, String.valueOf(DEFAULT_ERROR_RATE));
      }
    } catch (WrongSettingException e) {
      overrides.put(ERROR_RATE, String.valueOf(DEFAULT_ERROR_RATE));
    }
    try {
      blockSize(conf);
    } catch (WrongSettingException e) {
      overrides.put(BLOCK_SIZE, String.valueOf(DEFAULT_BLOCK_SIZE));
    }
    if (!isStockMaxFoldUsable(conf)) {
      overrides.put(
          BloomFilterFactory.IO_STOREFILE_BLOOM_MAX_FOLD,
          String.valueOf(StockBloom.DEFAULT_MAX_FOLD));
    }
    if (Hash.getInstance(Hash.getHashType(conf)) == null) {
      overrides.put("hbase.hash.type", "murmur");
    }
    return new CompoundConfiguration().add(conf).addStringMap(overrides);
  }

  private static int maxFold(Configuration conf) {
    return conf.getInt(BloomFilterFactory.IO_STOREFILE_BLOOM_MAX_FOLD, StockBloom.DEFAULT_MAX_FOLD);
  }

  private static boolean isStockMaxFoldUsable(Configuration conf) {
    try {
      int fold = maxFold(conf);
      return fold >= 0 && fold <= MAX_FOLD;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
