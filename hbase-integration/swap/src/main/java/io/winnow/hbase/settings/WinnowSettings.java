package io.winnow.hbase.settings;

import io.winnow.FilterBuilder;
import io.winnow.FilterSizing;
import io.winnow.FilterType;
import io.winnow.KeyHash;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.format.SegmentRule;
import io.winnow.ribbon.RibbonSizing;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.util.BloomFilterFactory;
import org.apache.hadoop.hbase.util.Hash;

/**
 * Filter settings of a column family, and the sizes and rates that follow from them for the filter
 * of a file. Immutable.
 *
 * <p>The family's CONFIGURATION overrides the table's, and that hbase-site.xml. {@link Setting}
 * lists keys and values.
 *
 * <p>HBase's own keys keep their meaning. The error rate is that of a whole query, so each of the
 * two probes of ROWCOL has a lower one. The block size is that of a full chunk, as long as such a
 * chunk holds no more than 4 million keys.
 */
public final class WinnowSettings {
  private static final String LINDORM = "lindorm";
  private static final String NOT_SET = "";

  private static final String ERROR_RATE = BloomFilterFactory.IO_STOREFILE_BLOOM_ERROR_RATE;
  private static final double DEFAULT_ERROR_RATE = 0.01;

  private static final String BLOCK_SIZE = BloomFilterFactory.IO_STOREFILE_BLOOM_BLOCK_SIZE;
  private static final int DEFAULT_BLOCK_SIZE = 128 * 1024;
  private static final int MIN_BLOCK_SIZE = 128;
  private static final int MAX_BLOCK_SIZE = 64 << 20;

  /**
   * Maximum number of keys in a chunk of a filter, for any block size. Building takes up to 53
   * bytes of heap for each, and a region server that runs out of heap is killed.
   */
  static final long MAX_CHUNK_KEYS = 1 << 22;

  private static final int MAX_FOLD = 20;

  /** Number that stands for a value of an HBase setting that HBase's code cannot use. */
  private static final int UNUSABLE = -1;

  /**
   * Default of the setting {@link Setting#STORE_MEMORY}: the memory of a store's filters as a share
   * of that of HBase's own. Under ingest, filters then take 0.80 of the memory of stock's on
   * average: docs/design/store-rates.md.
   */
  static final double DEFAULT_STORE_MEMORY = 0.84;

  /**
   * Function that returns the sizing of the family's kind of filter for the false-positive rate of
   * a probe.
   */
  private final DoubleFunction<FilterSizing> sizings;

  /** False-positive rate of a query to the filter, which may be two probes. */
  private final double rate;

  /** The sizing of the filters that are built with the settings. */
  public final FilterSizing sizing;

  /**
   * The hash function that filters with these settings apply to keys. If it has a seed, this was
   * drawn for these settings, which are those of one file.
   */
  public final KeyHash hash;

  private final KeyKind kind;
  private final boolean verify;

  /** The size in bytes of a full chunk of the filter. */
  public final int chunkBytes;

  /**
   * Function that returns the rule for the rates of a file in a store; null if all files have one
   * rate.
   */
  private final Function<StoreView, StoreRate> rateRule;

  /**
   * Rule for the row prefixes that filters have as keys beside the rows; null if there are none.
   */
  public final PrefixRule prefixRule;

  /** Rule for the false-positive rates of the file's filter; null if it has the family's rate. */
  public final StoreRate rates;

  /** Creates filter settings whose sizing does not depend on the false-positive rate. */
  public WinnowSettings(
      FilterSizing sizing, KeyHash hash, KeyKind kind, boolean verify, int chunkBytes) {
    this(rate -> sizing, sizing.rate(), hash, kind, verify, chunkBytes, null, null, null);
  }

  private WinnowSettings(
      DoubleFunction<FilterSizing> sizings,
      double rate,
      KeyHash hash,
      KeyKind kind,
      boolean verify,
      int chunkBytes,
      Function<StoreView, StoreRate> rateRule,
      PrefixRule prefixRule,
      StoreRate rates) {
    this.sizings = sizings;
    this.rate = rate;
    this.sizing = sizings.apply(sizedRate(rate, kind));
    this.hash = hash;
    this.kind = kind;
    this.verify = verify;
    this.chunkBytes = chunkBytes;
    this.rateRule = rateRule;
    this.prefixRule = prefixRule;
    this.rates = rates;
  }

  /**
   * Setting that selects a Winnow filter for the files of a flush, a minor compaction or others, by
   * a name that may be wrong. Immutable.
   */
  public static final class FilterSetting {
    private final Setting setting;
    private final String name;
    private final Occasion occasion;

    private FilterSetting(Setting setting, String name, Occasion occasion) {
      this.setting = setting;
      this.name = name;
      this.occasion = occasion;
    }

    /**
     * Returns the setting that selects the filter of files of a flush, a minor compaction or
     * others; null if it selects HBase's own.
     */
    public static FilterSetting in(Configuration conf, Occasion occasion) {
      Setting ofOccasion =
          occasion == Occasion.FLUSH
              ? Setting.FILTER_FLUSH
              : occasion == Occasion.MINOR_COMPACTION ? Setting.FILTER_COMPACTION : Setting.FILTER;
      Setting setting = ofOccasion;
      String name = setting.valueIn(conf);
      if (name.isEmpty() && setting != Setting.FILTER) {
        setting = Setting.FILTER;
        name = setting.valueIn(conf);
      }
      return name.isEmpty() || name.equals(FilterChoice.BLOOM.label)
          ? null
          : new FilterSetting(setting, name, occasion);
    }

    private FilterChoice choice(Configuration conf) throws WrongSettingException {
      return FilterChoice.ofLabel(setting.checked(name, conf));
    }
  }

  /**
   * Returns true if a configuration selects another filter than the stock filter for any files,
   * even by a wrong name.
   */
  public static boolean wantsWinnow(Configuration conf) {
    for (Occasion occasion : Occasion.values()) {
      if (FilterSetting.in(conf, occasion) != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the filter settings of a family for a file that is written for an unknown reason.
   *
   * @throws WrongSettingException for the first value that is not allowed
   */
  public static WinnowSettings of(Configuration conf, KeyKind kind) throws WrongSettingException {
    return of(conf, kind, Occasion.OTHER);
  }

  /**
   * Returns the filter settings of a family that selects a Winnow filter for files written for the
   * given reason.
   *
   * @throws WrongSettingException for the first value that is not allowed
   */
  public static WinnowSettings of(Configuration conf, KeyKind kind, Occasion occasion)
      throws WrongSettingException {
    return of(conf, kind, FilterSetting.in(conf, occasion));
  }

  /**
   * Returns the filter settings of a family with the Winnow filter that a setting selects. Reads
   * each key once.
   *
   * @param filter the setting that selects the filter
   * @throws WrongSettingException for the first value that is not allowed
   */
  public static WinnowSettings of(Configuration conf, KeyKind kind, FilterSetting filter)
      throws WrongSettingException {
    FilterChoice choice = filter.choice(conf);
    // No setting is for flushes: their filter is built fast, as the file is soon compacted away.
    boolean isDefaultOfFlush =
        filter.occasion == Occasion.FLUSH
            && filter.setting == Setting.FILTER
            && choice.ofFlush() != choice;
    FilterChoice written = isDefaultOfFlush ? choice.ofFlush() : choice;
    KeyHash hash = KeyHash.ofLabel(Setting.HASH.in(conf));
    boolean verify = Boolean.parseBoolean(Setting.VERIFY.in(conf));
    double rate = errorRate(conf);
    int chunkBytes = blockSize(conf);
    boolean hasShape = choice == FilterChoice.RIBBON;
    int width = hasShape ? Integer.parseInt(Setting.RIBBON_WIDTH.in(conf)) : 64;
    boolean isLindorm = hasShape && Setting.RIBBON_SIZING.in(conf).equals(LINDORM);
    DoubleFunction<FilterSizing> sizings = written::forRate;
    if (isLindorm) {
      sizings = lindorm(conf, width, chunkBytes);
    } else if (hasShape) {
      sizings = ofProbe -> RibbonSizing.forRate(ofProbe, width);
    }
    double memory = Setting.STORE_MEMORY.numberIn(conf, DEFAULT_STORE_MEMORY);
    // Not if the settings fix one rate, in this or another way.
    String scope = Setting.RATE_SCOPE.in(conf);
    boolean isRateByStore = !scope.equals("file") && written != FilterChoice.QUOTIENT && !isLindorm;
    Function<StoreView, StoreRate> rateRule = null;
    if (isRateByStore) {
      StockBloom stock = stock(conf, rate, chunkBytes, kind);
      DoubleFunction<FilterSizing> ofLargeFiles = isDefaultOfFlush ? choice::forRate : sizings;
      StoreSizes sizes = new StoreSizes(stock, kind, chunkBytes, sizings, ofLargeFiles);
      boolean knowsCache = scope.equals("auto");
      rateRule = store -> new StoreRate(store, memory, sizes, knowsCache && store.isCacheShort);
    }
    return new WinnowSettings(
        sizings, rate, hash, kind, verify, chunkBytes, rateRule, prefixRule(conf, kind), null);
  }

  /**
   * Returns the rule for row prefixes in filters; null if there are none. Only filters of rows have
   * prefixes.
   */
  static PrefixRule prefixRule(Configuration conf, KeyKind kind) throws WrongSettingException {
    String text = Setting.SCAN_PREFIX.textIn(conf);
    return kind == KeyKind.ROW ? PrefixRule.parse(text) : null;
  }

  /**
   * Returns the rule for the segments of a file's rows that a configuration sets; null if the file
   * keeps none. It does not depend on the kind of filter.
   *
   * @throws WrongSettingException if the value is not allowed
   */
  public static SegmentRule segmentRule(Configuration conf) throws WrongSettingException {
    return SegmentRule.parse(Setting.SCAN_SEGMENT.textIn(conf));
  }

  /**
   * Returns a calculator of the sizes and rates of the filters that HBase would write for a family.
   *
   * @throws WrongSettingException for the first value that is not allowed
   */
  static StockBloom stock(Configuration conf, KeyKind kind) throws WrongSettingException {
    return stock(conf, errorRate(conf), blockSize(conf), kind);
  }

  private static StockBloom stock(Configuration conf, double rate, int chunkBytes, KeyKind kind) {
    int maxFold = stockMaxFold(conf);
    return StockBloom.of(
        kind.rateOfProbe(rate),
        chunkBytes,
        maxFold == UNUSABLE ? StockBloom.DEFAULT_MAX_FOLD : maxFold);
  }

  /**
   * Returns these filter settings with the rates for a new file of a store. If the store is
   * unknown, the file counts as its only one. So does a filter of delete-family markers: a Get
   * queries it only for a file that it reads anyway.
   *
   * @param store the view of the store; null if unknown
   */
  public WinnowSettings inStore(StoreView store) {
    if (rateRule == null) {
      return this;
    }
    boolean isKnown = store != null && store.isKnown() && kind != KeyKind.DELETE_FAMILY;
    StoreView view = isKnown ? store : StoreView.ofOnlyFile(Occasion.OTHER);
    return with(rate, rateRule.apply(view));
  }

  /**
   * Returns these filter settings with another false-positive rate of a query. A rate above the
   * highest becomes the highest.
   */
  public WinnowSettings atRate(double rate) {
    return with(Math.min(rate, FilterSizing.MAX_RATE), rates);
  }

  /** Returns these filter settings without a rule for row prefixes. */
  public WinnowSettings withoutPrefixes() {
    return new WinnowSettings(sizings, rate, hash, kind, verify, chunkBytes, rateRule, null, rates);
  }

  private WinnowSettings with(double newRate, StoreRate newRates) {
    return new WinnowSettings(
        sizings, newRate, hash, kind, verify, chunkBytes, rateRule, prefixRule, newRates);
  }

  public FilterType type() {
    return sizing.type();
  }

  /** Returns the false-positive rate of one probe of the filter. */
  public double rate() {
    return sizing.rate();
  }

  /** Returns the false-positive rate of a query to the filter, which may be two probes. */
  public double rateOfQuery() {
    return rate;
  }

  /** Returns the number of keys in a full chunk of the filter. */
  public long keyLimit() {
    return Math.min(sizing.keyLimit(chunkBytes), MAX_CHUNK_KEYS);
  }

  /** Returns the expected size in bytes of the filter image of a number of keys. */
  public long imageBytes(long keys) {
    return sizing.expectedImageBytes(keys);
  }

  /** Returns the expected size in bytes of all filter images of a file with a number of keys. */
  public double fileBytes(double keys) {
    return StoreSizes.fileBytes(sizing, chunkBytes, keys);
  }

  /** Returns true if a finished chunk of the filter is checked against its keys. */
  public boolean verifies() {
    return verify;
  }

  /** Returns a builder of one chunk of a filter with these settings. */
  public FilterBuilder newBuilder() {
    FilterBuilder builder = FilterBuilder.of(sizing).verified(verify);
    return kind.imageHashId(hash) == 0 ? builder : builder.hashesOf(hash);
  }

  private static DoubleFunction<FilterSizing> lindorm(Configuration conf, int width, int chunkBytes)
      throws WrongSettingException {
    String sizing = " with " + Setting.RIBBON_SIZING.key + " = " + LINDORM;
    if (width != 64) {
      throw Setting.RIBBON_WIDTH.wrongIn(conf, "64" + sizing);
    }
    if (chunkBytes < RibbonSizing.MIN_LINDORM_BYTES) {
      throw wrong(conf, BLOCK_SIZE, "at least " + RibbonSizing.MIN_LINDORM_BYTES + sizing);
    }
    return rate -> RibbonSizing.lindorm(chunkBytes, rate);
  }

  /**
   * Converts the false-positive rate of a query to that of a probe for which a filter is sized.
   * HBase allows lower rates than a filter can have.
   */
  static double sizedRate(double errorRate, KeyKind kind) {
    return Math.max(kind.rateOfProbe(errorRate), FilterSizing.MIN_RATE);
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

  /**
   * Returns true if a configuration key has an effect on Winnow's filters: each key of Winnow has,
   * and two of HBase's own.
   */
  static boolean isRead(String key) {
    return key.startsWith(Setting.PREFIX) || key.equals(ERROR_RATE) || key.equals(BLOCK_SIZE);
  }

  /** Returns a configuration with the default for one of the keys that Winnow reads. */
  static Configuration withDefault(Configuration conf, String key) {
    String value = NOT_SET;
    if (key.equals(ERROR_RATE)) {
      value = String.valueOf(DEFAULT_ERROR_RATE);
    } else if (key.equals(BLOCK_SIZE)) {
      value = String.valueOf(DEFAULT_BLOCK_SIZE);
    }
    return FamilyConfiguration.over(conf, Map.of(key, value));
  }

  private static WrongSettingException wrong(Configuration conf, String key, String allowed) {
    return new WrongSettingException(key, conf.get(key), allowed);
  }

  /**
   * Returns the configuration with which stock code makes its filter for a family whose settings
   * cannot be followed: the family's own, but it selects the stock filter, and has HBase's defaults
   * instead of values with which stock code would fail.
   */
  public static Configuration forStockFilter(Configuration conf) {
    Map<String, String> overrides = new TreeMap<>();
    overrides.put(Setting.FILTER.key, FilterChoice.BLOOM.label);
    overrides.put(Setting.FILTER_FLUSH.key, NOT_SET);
    overrides.put(Setting.FILTER_COMPACTION.key, NOT_SET);
    try {
      // In single precision, and for ROWCOL, the rate may become 0, with which stock code would
      // fail.
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
    if (stockMaxFold(conf) == UNUSABLE) {
      overrides.put(
          BloomFilterFactory.IO_STOREFILE_BLOOM_MAX_FOLD,
          String.valueOf(StockBloom.DEFAULT_MAX_FOLD));
    }
    if (Hash.getInstance(Hash.getHashType(conf)) == null) {
      overrides.put("hbase.hash.type", "murmur");
    }
    return FamilyConfiguration.over(conf, overrides);
  }

  /**
   * Returns the value of HBase's own setting {@code io.storefile.bloom.max.fold}, or {@link
   * #UNUSABLE}.
   */
  private static int stockMaxFold(Configuration conf) {
    try {
      int fold =
          conf.getInt(BloomFilterFactory.IO_STOREFILE_BLOOM_MAX_FOLD, StockBloom.DEFAULT_MAX_FOLD);
      return fold >= 0 && fold <= MAX_FOLD ? fold : UNUSABLE;
    } catch (NumberFormatException e) {
      return UNUSABLE;
    }
  }
}
