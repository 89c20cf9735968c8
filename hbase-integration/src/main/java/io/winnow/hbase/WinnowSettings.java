package io.winnow.hbase;

import io.winnow.FilterBuilder;
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

  private final FilterSizing sizing;
  private final KeyHash hash;
  private final KeyKind kind;
  private final boolean verify;
  private final int chunkBytes;

  WinnowSettings(FilterSizing sizing, KeyHash hash, KeyKind kind, boolean verify, int chunkBytes) {
    this.sizing = sizing;
    this.hash = hash;
    this.kind = kind;
    this.verify = verify;
    this.chunkBytes = chunkBytes;
  }

  /**
   * Whether the family asks for something else than the stock filter, even if that means nothing.
   */
  static boolean askedIn(Configuration conf) {
    return !Setting.FILTER.wordIn(conf).equals(STOCK_FILTER);
  }

  /**
   * The settings of a family for which {@link #askedIn} holds.
   *
   * @throws WrongSettingException for the first value that means nothing
   */
  static WinnowSettings of(Configuration conf, KeyKind kind) throws WrongSettingException {
    FilterType type = filterType(conf);
    KeyHash hash = KeyHash.ofLabel(Setting.HASH.in(conf));
    boolean verify = Boolean.parseBoolean(Setting.VERIFY.in(conf));
    double rate = perProbe(errorRate(conf), kind);
    int chunkBytes = blockSize(conf);
    FilterSizing sizing =
        switch (type) {
          case RIBBON -> ribbonSizing(conf, rate, chunkBytes);
          case BUMPED_RIBBON -> BumpedRibbonSizing.forRate(rate);
          case QUOTIENT -> QuotientSizing.forRate(rate);
        };
    return new WinnowSettings(sizing, hash, kind, verify, chunkBytes);
  }

  FilterType type() {
    return sizing.type();
  }

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

  FilterBuilder newBuilder() {
    FilterBuilder builder = FilterBuilder.of(sizing).verified(verify);
    return kind.imageHashId(hash) == 0 ? builder : builder.hashedBy(hash);
  }

  private static FilterType filterType(Configuration conf) throws WrongSettingException {
    String label = Setting.FILTER.in(conf);
    for (FilterType type : FilterType.values()) {
      if (type.label().equals(label)) {
        return type;
      }
    }
    throw new IllegalArgumentException(label + " is the stock filter");
  }

  private static RibbonSizing ribbonSizing(Configuration conf, double rate, int chunkBytes)
      throws WrongSettingException {
    int width = Integer.parseInt(Setting.RIBBON_WIDTH.in(conf));
    if (Setting.RIBBON_SIZING.in(conf).equals("rate")) {
      return RibbonSizing.forRate(rate, width);
    }
    String sizing = " with " + Setting.RIBBON_SIZING.key() + " = lindorm";
    if (width != 64) {
      throw Setting.RIBBON_WIDTH.wrongIn(conf, "64" + sizing);
    }
    if (chunkBytes < RibbonSizing.MIN_LINDORM_BYTES) {
      throw wrong(conf, BLOCK_SIZE, "at least " + RibbonSizing.MIN_LINDORM_BYTES + sizing);
    }
    return RibbonSizing.lindorm(chunkBytes, rate);
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
      overrides.put(BloomFilterFactory.IO_STOREFILE_BLOOM_MAX_FOLD, "7");
    }
    if (Hash.getInstance(Hash.getHashType(conf)) == null) {
      overrides.put("hbase.hash.type", "murmur");
    }
    return new CompoundConfiguration().add(conf).addStringMap(overrides);
  }

  private static boolean isStockMaxFoldUsable(Configuration conf) {
    try {
      int fold = BloomFilterFactory.getMaxFold(conf);
      return fold >= 0 && fold <= MAX_FOLD;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
