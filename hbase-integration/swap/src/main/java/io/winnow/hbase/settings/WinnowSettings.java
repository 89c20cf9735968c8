package io.winnow.hbase.settings;

import io.winnow.FilterBuilder;
import io.winnow.FilterSizing;
import io.winnow.FilterType;
import io.winnow.hash.KeyHash;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.format.PrefixRule;
import io.winnow.ribbon.RibbonSizing;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
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
   * Keys of a chunk at most, whatever the block size: building takes up to 53 bytes of heap for
   * each, and a region server that runs out of heap is killed.
   */
  private static final long MAX_CHUNK_KEYS = 1 << 22;

  private static final int MAX_FOLD = 20;
  private static final int UNUSABLE = -1;

  /** In the mean under ingest this takes 0.80 of stock's memory: docs/design/store-rates.md. */
  static final double DEFAULT_STORE_MEMORY = 0.84;

  /** From here on it is known at once how large a bumped Ribbon filter is. */
  private static final int FEW_KEYS = 8192;

  private static final double MOST_HALVINGS = 40;
  private static final int STEPS_TO_RATE = 6;
  private static final int MOST_STEPS_TO_RATE = 40;
  private static final double BITS_PER_HALVING = 1.03;
  private static final double SAME_BITS = 0.002;

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
  private static final class ByStore {
    final double memory;
    final StockBloom stock;

    /** Of the files that have most of the keys: a flush may write other filters. */
    final Sizings ofLargeFiles;

    ByStore(double memory, StockBloom stock, Sizings ofLargeFiles) {
      this.memory = memory;
      this.stock = stock;
      this.ofLargeFiles = ofLargeFiles;
    }
  }

  /** One sizing, whatever the rate. */
  public WinnowSettings(
      FilterSizing sizing, KeyHash hash, KeyKind kind, boolean verify, int chunkBytes) {
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
    this.sizing = sizings.of(sizedRate(rate, kind));
    this.hash = hash;
    this.kind = kind;
    this.verify = verify;
    this.chunkBytes = chunkBytes;
    this.byStore = byStore;
    this.prefixRule = prefixRule;
    this.rates = rates;
  }

  /** A filter of ours that a family asks for, by a name that may mean nothing. Immutable. */
  public static final class Asked {
    private final Setting setting;
    private final String name;
    private final Occasion occasion;

    private Asked(Setting setting, String name, Occasion occasion) {
      this.setting = setting;
      this.name = name;
      this.occasion = occasion;
    }

    /** For files of this occasion; null if the family asks for HBase's own. */
    public static Asked in(Configuration conf, Occasion occasion) {
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
      return name.isEmpty() || name.equals(FilterChoice.BLOOM.label())
          ? null
          : new Asked(setting, name, occasion);
    }

    private FilterChoice choice(Configuration conf) throws WrongSettingException {
      return FilterChoice.ofLabel(setting.checked(name, conf));
    }
  }

  /**
   * Whether the family asks for something else than the stock filter, on some occasion, even if
   * that means nothing.
   */
  public static boolean askedIn(Configuration conf) {
    for (Occasion occasion : Occasion.values()) {
      if (Asked.in(conf, occasion) != null) {
        return true;
      }
    }
    return false;
  }

  /** As {@link #of(Configuration, KeyKind, Occasion)}, for a file of which nothing is known. */
  public static WinnowSettings of(Configuration conf, KeyKind kind) throws WrongSettingException {
    return of(conf, kind, Occasion.OTHER);
  }

  /**
   * The settings of a family that asks for a filter of ours on this occasion.
   *
   * @throws WrongSettingException for the first value that means nothing
   */
  public static WinnowSettings of(Configuration conf, KeyKind kind, Occasion occasion)
      throws WrongSettingException {
    return of(conf, kind, Asked.in(conf, occasion));
  }

  /**
   * The settings of a family that asks for this filter. Each key is read once.
   *
   * @throws WrongSettingException for the first value that means nothing
   */
  public static WinnowSettings of(Configuration conf, KeyKind kind, Asked asked)
      throws WrongSettingException {
    FilterChoice choice = asked.choice(conf);
    // Nobody says what a flush writes: it is built fast, and the file is soon compacted away.
    boolean isDefaultOfFlush =
        asked.occasion == Occasion.FLUSH
            && asked.setting == Setting.FILTER
            && choice.ofFlush() != choice;
    FilterChoice written = isDefaultOfFlush ? choice.ofFlush() : choice;
    KeyHash hash = KeyHash.ofLabel(Setting.HASH.in(conf));
    boolean verify = Boolean.parseBoolean(Setting.VERIFY.in(conf));
    double rate = errorRate(conf);
    int chunkBytes = blockSize(conf);
    boolean hasShape = choice == FilterChoice.RIBBON;
    int width = hasShape ? Integer.parseInt(Setting.RIBBON_WIDTH.in(conf)) : 64;
    boolean isLindorm = hasShape && Setting.RIBBON_SIZING.in(conf).equals(LINDORM);
    Sizings sizings = written::forRate;
    if (isLindorm) {
      sizings = lindorm(conf, width, chunkBytes);
    } else if (hasShape) {
      sizings = ofProbe -> RibbonSizing.forRate(ofProbe, width);
    }
    double memory = Setting.STORE_MEMORY.numberIn(conf, DEFAULT_STORE_MEMORY);
    // Not where one rate was asked for by name, in this or another way.
    boolean isRateByStore =
        Setting.RATE_SCOPE.in(conf).equals("store")
            && written != FilterChoice.QUOTIENT
            && !isLindorm;
    ByStore byStore =
        isRateByStore
            ? new ByStore(
                memory,
                stock(conf, rate, chunkBytes, kind),
                isDefaultOfFlush ? choice::forRate : sizings)
            : null;
    return new WinnowSettings(
        sizings, rate, hash, kind, verify, chunkBytes, byStore, prefixRule(conf, kind), null);
  }

  /** Prefixes stand beside rows alone. */
  static PrefixRule prefixRule(Configuration conf, KeyKind kind) throws WrongSettingException {
    String text = Setting.SCAN_PREFIX.textIn(conf);
    return kind == KeyKind.ROW ? PrefixRule.parse(text) : null;
  }

  /** HBase's own filters of a family. */
  static StockBloom stock(Configuration conf, KeyKind kind) throws WrongSettingException {
    return stock(conf, errorRate(conf), blockSize(conf), kind);
  }

  private static StockBloom stock(Configuration conf, double rate, int chunkBytes, KeyKind kind) {
    int maxFold = stockMaxFold(conf);
    return StockBloom.of(
        perProbe(rate, kind),
        chunkBytes,
        maxFold == UNUSABLE ? StockBloom.DEFAULT_MAX_FOLD : maxFold);
  }

  /**
   * The same settings, for a file of this store. If that is not known, the file is its only one. So
   * is one with delete-family markers, whose filter is no Get's: it is asked of a file that is read
   * anyway.
   */
  public WinnowSettings inStore(StoreView store) {
    if (byStore == null) {
      return this;
    }
    boolean isKnown = store != null && store.isKnown() && kind != KeyKind.DELETE_FAMILY;
    StoreView view = isKnown ? store : StoreView.ofOnlyFile(Occasion.OTHER);
    return with(rate, new StoreRate(view, byStore.memory, new StoreSizes(byStore.stock)));
  }

  /** The same settings, for another rate of a question than the family's; at most the highest. */
  public WinnowSettings atRate(double rate) {
    return with(Math.min(rate, FilterSizing.MAX_RATE), rates);
  }

  private WinnowSettings with(double newRate, StoreRate newRates) {
    return new WinnowSettings(
        sizings, newRate, hash, kind, verify, chunkBytes, byStore, prefixRule, newRates);
  }

  /** The rule for the rates of the file; null if it has the family's rate. */
  public StoreRate rates() {
    return rates;
  }

  /** The family's filters beside HBase's own. */
  private final class StoreSizes implements StoreRate.Sizes {
    private final StockBloom stock;

    StoreSizes(StockBloom stock) {
      this.stock = stock;
    }

    @Override
    public double stockRate(double keys) {
      return ofQuestion(stock.rate(keys));
    }

    @Override
    public double askedRate() {
      return ofQuestion(stock.configuredRate());
    }

    @Override
    public double most(double before, double let, double keys, boolean closing) {
      double all = before + keys;
      double inAll = closing ? all * stock.rate(all) : stock.minSumOfRates(all);
      return ofQuestion(Math.max(0, inAll - let) / Math.max(1, keys));
    }

    @Override
    public double stockBytes(double keys) {
      return stock.bytes(keys);
    }

    @Override
    public double bytes(double keys, double rate) {
      return fileBytes(sizings, keys, rate);
    }

    @Override
    public double mostBytes(double keys, double rate) {
      return Math.max(bytes(keys, rate), fileBytes(RibbonSizing::forRate, keys, rate));
    }

    @Override
    public double rateWithin(double keys, double bytes) {
      return WinnowSettings.this.rateWithin(sizings, keys, bytes);
    }

    @Override
    public double rateOfStoreWithin(double keys, double bytes) {
      return WinnowSettings.this.rateWithin(byStore.ofLargeFiles, keys, bytes);
    }
  }

  /** The rate of a question from that of a probe: of ROWCOL keys it has two. */
  private double ofQuestion(double ofProbe) {
    return kind.hasQualifier() ? ofProbe * (2 - ofProbe) : ofProbe;
  }

  /**
   * The rate of a question with which the filter of a file takes so many bytes, and no more. Sizes
   * have steps, so that the search may go round in circles: after some turns the first that fits is
   * taken.
   */
  private double rateWithin(Sizings kindOfFilter, double keys, double bytes) {
    double halvings = Math.max(1, Math.min(MOST_HALVINGS, bytes * 8 / keys));
    for (int step = 0; step < MOST_STEPS_TO_RATE; step++) {
      double size = fileBytes(kindOfFilter, keys, Math.pow(2, -halvings));
      double off = (bytes - size) * 8 / keys - SAME_BITS; // rather a little less than too much
      if (Math.abs(off) < SAME_BITS || step >= STEPS_TO_RATE && size <= bytes) {
        break;
      }
      halvings = Math.max(1, Math.min(MOST_HALVINGS, halvings + off / BITS_PER_HALVING));
    }
    return Math.pow(2, -halvings);
  }

  /** About what the filter of a file takes. */
  private double fileBytes(Sizings kindOfFilter, double keys, double rate) {
    double ofProbe = sizedRate(rate, kind);
    FilterSizing sized = kindOfFilter.of(ofProbe);
    if (sized.type() == FilterType.BUMPED_RIBBON) {
      FilterSizing plain = RibbonSizing.forRate(ofProbe);
      if (Math.min(keys, plain.keyLimit(chunkBytes)) < FEW_KEYS) {
        return fewKeysBytes(sized, plain, keys);
      }
    }
    return fileBytes(sized, keys);
  }

  /**
   * About what a bumped Ribbon filter of few keys takes, or of many in chunks of few. From where on
   * it is a plain one is found by a long search, so its size is that of more keys, drawn out.
   */
  private double fewKeysBytes(FilterSizing bumped, FilterSizing plain, double keys) {
    double ofFew = bumped.expectedImageBytes(FEW_KEYS);
    double perKey = (bumped.expectedImageBytes(2 * FEW_KEYS) - ofFew) / FEW_KEYS;
    double fixed = ofFew - FEW_KEYS * perKey;
    double limit = Math.max(plain.keyLimit(chunkBytes), (chunkBytes - fixed) / perKey);
    double ofChunk = Math.max(1, Math.min(keys, limit));
    double bytes = Math.min(plain.expectedImageBytes((long) ofChunk), fixed + ofChunk * perKey);
    return bytes * Math.max(1, keys) / ofChunk;
  }

  private double fileBytes(FilterSizing sized, double keys) {
    double ofChunk = Math.max(1, Math.min(keys, MAX_CHUNK_KEYS));
    if (sized.expectedImageBytes((long) ofChunk) > chunkBytes) {
      ofChunk = Math.min(ofChunk, sized.keyLimit(chunkBytes));
    }
    return sized.expectedImageBytes((long) ofChunk) * Math.max(1, keys) / ofChunk;
  }

  /** Which part of a row is a key of its own; null if none is. */
  public PrefixRule prefixRule() {
    return prefixRule;
  }

  public FilterType type() {
    return sizing.type();
  }

  /** Of the filters of these settings. */
  public FilterSizing sizing() {
    return sizing;
  }

  /** Where it has a seed, one that was drawn for these settings: they are those of one file. */
  public KeyHash hash() {
    return hash;
  }

  /** The false-positive rate of one probe. */
  public double rate() {
    return sizing.rate();
  }

  /** The false-positive rate of a question. */
  public double rateOfQuestion() {
    return rate;
  }

  /** The size of a full chunk. */
  public int chunkBytes() {
    return chunkBytes;
  }

  /** The keys of a full chunk. */
  public long keyLimit() {
    return Math.min(sizing.keyLimit(chunkBytes), MAX_CHUNK_KEYS);
  }

  /** The expected size of the image of so many keys. */
  public long imageBytes(long keys) {
    return sizing.expectedImageBytes(keys);
  }

  /** The expected size of all images of a file of so many keys. */
  public double fileBytes(double keys) {
    return fileBytes(sizing, keys);
  }

  /** Whether a finished chunk is checked against its keys. */
  public boolean verifies() {
    return verify;
  }

  public FilterBuilder newBuilder() {
    FilterBuilder builder = FilterBuilder.of(sizing).verified(verify);
    return kind.imageHashId(hash) == 0 ? builder : builder.hashesOf(hash);
  }

  private static Sizings lindorm(Configuration conf, int width, int chunkBytes)
      throws WrongSettingException {
    String sizing = " with " + Setting.RIBBON_SIZING.key() + " = " + LINDORM;
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

  /** The rate of a probe that a filter is made for: HBase takes lower ones than a filter has. */
  private static double sizedRate(double errorRate, KeyKind kind) {
    return Math.max(perProbe(errorRate, kind), FilterSizing.MIN_RATE);
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

  /** Whether a setting of this key has an effect on our filters: ours, and two of HBase's own. */
  static boolean isRead(String key) {
    return key.startsWith(Setting.PREFIX) || key.equals(ERROR_RATE) || key.equals(BLOCK_SIZE);
  }

  /** The same configuration, with the default of this key, which we read. */
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
   * The configuration with which stock code makes its filter for a family whose request cannot be
   * met: the family's own, except that it asks for the stock filter, and has HBase's defaults where
   * stock code would fail.
   */
  public static Configuration forStockFilter(Configuration conf) {
    Map<String, String> overrides = new TreeMap<>();
    overrides.put(Setting.FILTER.key(), FilterChoice.BLOOM.label());
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

  /** HBase's own setting, or {@link #UNUSABLE}. */
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
