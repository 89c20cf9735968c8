package io.winnow.hbase.read;

import io.winnow.FilterFormatException;
import io.winnow.hbase.format.ChunkIndex;
import io.winnow.hbase.format.FilePrefixes;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.format.RangeKeys;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.settings.FilterChoice;
import java.io.DataInput;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.BloomFilterUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Filter of one store file, which answers from its chunks whether a key may be in the file.
 *
 * <p>Never answers {@code false} for a key that the file's writer appended. A chunk that cannot be
 * loaded, or is not the one that the meta block lists, answers {@code true}. No method throws
 * anything: whatever {@code Throwable} a probe meets, the answer is {@code true}. Immutable except
 * for what it keeps about chunks seen, and thread-safe.
 *
 * <p>A probe is a binary search over the first keys, one hash, and the filter's own reads ({@link
 * FileChunks}).
 */
public final class WinnowFilterReader implements BloomFilter, FilterChoice.Chosen {
  private static final Logger LOG = LoggerFactory.getLogger(WinnowFilterReader.class);

  private final FilterMeta meta;
  private final ChunkIndex index;
  private final FileChunks chunks;
  private final HFile.Reader reader;
  private final BloomFilterMetrics metrics;

  /** First row of the file; null if it is the first key of the filter, or is not known. */
  private final byte[] firstRow;

  private boolean loggedDoubt;

  private WinnowFilterReader(
      FilterMeta meta, HFile.Reader reader, BloomFilterMetrics metrics, LongSupplier nanoTime) {
    this.meta = meta;
    this.index = meta.index;
    this.chunks = new FileChunks(meta, reader, nanoTime);
    this.reader = reader;
    this.metrics = metrics;
    this.firstRow = meta.prefixes == null ? null : reader.getFirstRowKey().orElse(null);
  }

  /**
   * Opens the Winnow filter of a store file from its meta block.
   *
   * @param metaAfterVersion the meta block without its version number, which was read already
   * @param metrics may be null
   * @throws FilterFormatException if the block is damaged or does not fit the file
   * @throws IOException if reading it fails
   */
  public static WinnowFilterReader open(
      DataInput metaAfterVersion, HFile.Reader reader, BloomFilterMetrics metrics)
      throws IOException {
    return open(metaAfterVersion, reader, metrics, System::nanoTime);
  }

  /**
   * Opens the Winnow filter of a store file, with a clock that decides when chunks are loaded again
   * after a failure.
   *
   * @param metaAfterVersion the meta block without its version number, which was read already
   * @param metrics may be null
   * @param nanoTime the clock, in nanoseconds like {@link System#nanoTime}
   * @throws FilterFormatException if the block is damaged or does not fit the file
   * @throws IOException if reading it fails
   */
  public static WinnowFilterReader open(
      DataInput metaAfterVersion,
      HFile.Reader reader,
      BloomFilterMetrics metrics,
      LongSupplier nanoTime)
      throws IOException {
    FilterMeta meta =
        FilterMeta.readAfterVersion(
            metaAfterVersion, reader.getTrailer().getLoadOnOpenDataOffset());
    byte[] type = reader.getHFileInfo().get(HStoreFile.BLOOM_FILTER_TYPE_KEY);
    if (type != null
        && meta.kind != KeyKind.DELETE_FAMILY
        && !Bytes.toString(type).equals(meta.kind.name())) {
      throw new FilterFormatException(
          "filter of " + meta.kind + " keys in a file of type " + Bytes.toString(type));
    }
    return new WinnowFilterReader(meta, reader, metrics, nanoTime);
  }

  @Override
  public boolean contains(byte[] key, int offset, int length, ByteBuff unused) {
    try {
      return counted(mightContain(key, offset, length));
    } catch (Throwable e) {
      return inDoubt(e);
    }
  }

  @Override
  public boolean contains(Cell key, ByteBuff unused, BloomType type) {
    try {
      return counted(mightContain(key, type));
    } catch (Throwable e) {
      return inDoubt(e);
    }
  }

  /** Probes the filter for the key of a cell, in the form in which HBase 3 calls it. */
  public boolean contains(ExtendedCell key, ByteBuff unused, BloomType type) {
    return contains((Cell) key, unused, type);
  }

  private boolean counted(boolean answer) {
    if (metrics != null) {
      metrics.incrementRequests(answer);
    }
    return answer;
  }

  private boolean mightContain(byte[] key, int offset, int length) {
    if (meta.kind.hasQualifier()) {
      return true; // half a key
    }
    int chunk = index.chunkOf(key, offset, length);
    return chunk >= 0
        && !(chunk == 0 && isBeforeFirstRow(key, offset, length))
        && chunks.mightContain(chunk, meta.hash.hash(key, offset, length));
  }

  /**
   * Returns true if a row sorts before all rows of the file, though not before the first prefix.
   * HBase's own filter rules out each row before the first one, and Phoenix relies on that: its
   * compactions lose a row of the table if a Get of it reads a local index of a merged region.
   */
  private boolean isBeforeFirstRow(byte[] row, int offset, int length) {
    return firstRow != null
        && Arrays.compareUnsigned(row, offset, offset + length, firstRow, 0, firstRow.length) < 0;
  }

  private boolean mightContain(Cell key, BloomType type) {
    if (meta.kind.hasQualifier() != (type == BloomType.ROWCOL)) {
      return true; // the filter has keys of another kind
    }
    int chunk = index.chunkOf(key);
    return chunk >= 0 && chunks.mightContain(chunk, meta.kind.hash(meta.hash, key));
  }

  /** Returns true if the filter has row prefixes as keys beside the rows. */
  public boolean hasPrefixes() {
    return meta.prefixes != null;
  }

  /**
   * Returns the share of the filter's bytes that belongs to rows; the rest belongs to row prefixes.
   */
  public double shareOfRows() {
    FilePrefixes prefixes = meta.prefixes;
    return prefixes == null ? 1 : meta.keyCount / (double) (meta.keyCount + prefixes.sum());
  }

  /**
   * Returns the length in bytes of the prefix of all rows that have a given start, by the filter's
   * rule, or {@link PrefixRule#NONE}.
   *
   * @param length the length of the start
   */
  public int prefixLength(byte[] start, int length) {
    FilePrefixes prefixes = meta.prefixes;
    return prefixes == null ? PrefixRule.NONE : prefixes.rule.lengthIn(start, 0, length);
  }

  /**
   * Returns true if the file may have rows that begin with given bytes, by the filter's row
   * prefixes. Also returns true if the filter has no prefixes, or no prefix of the rows ends within
   * the bytes.
   *
   * <p>Not counted as a query of the general filter.
   */
  public boolean mayHaveRowsWith(byte[] start, int length) {
    try {
      int prefix = prefixLength(start, length);
      return prefix == PrefixRule.NONE || mayHavePrefix(start, prefix);
    } catch (Throwable e) {
      return inDoubt(e);
    }
  }

  /**
   * Returns true if the file may have rows with a given prefix.
   *
   * <p>Not counted as a query of the general filter.
   *
   * @param row a row, or its start, that begins with the prefix
   * @param length the length of the prefix, from {@link #prefixLength}
   */
  public boolean mayHavePrefix(byte[] row, int length) {
    try {
      int chunk = index.chunkOf(row, 0, length);
      return chunk >= 0
          && (meta.prefixes.areLeftOutOf(chunk)
              || chunks.mightContain(chunk, PrefixRule.hash(meta.hash, row, 0, length)));
    } catch (Throwable e) {
      return inDoubt(e);
    }
  }

  /**
   * Returns the keys of all rows of a range, if its rows have several of the filter's prefixes, or
   * none; null if they are too many, or if the filter has no prefixes.
   *
   * @param to the row before which the range ends; null for an open end
   */
  public RangeKeys keysOf(byte[] from, byte[] to) {
    FilePrefixes prefixes = meta.prefixes;
    return prefixes == null ? null : RangeKeys.of(prefixes.rule, from, to);
  }

  /**
   * Returns true if the file may have a row with one of some keys.
   *
   * <p>Not counted as a query of the general filter.
   *
   * @param keys from {@link #keysOf}
   */
  public boolean mayHave(RangeKeys keys) {
    for (byte[] prefix : keys.prefixes) {
      if (mayHavePrefix(prefix, prefix.length)) {
        return true;
      }
    }
    try {
      for (byte[] row : keys.rows) {
        if (mightContain(row, 0, row.length)) {
          return true;
        }
      }
      return false;
    } catch (Throwable e) {
      return inDoubt(e);
    }
  }

  /**
   * Counts and logs a probe that failed, and answers it with {@code true}. Throws nothing itself,
   * even if stack or heap are exhausted.
   *
   * @return true
   */
  private boolean inDoubt(Throwable cause) {
    try {
      if (Interrupts.isOne(cause)) {
        Thread.currentThread().interrupt();
        return true;
      }
      ServerMetric.PROBE_FAILURES.count();
      if (!loggedDoubt) {
        loggedDoubt = true;
        LOG.error(
            "Probing the {} filter of {} failed: the file is read. Later failures of this file are"
                + " only counted (probeFailures)",
            meta.kind.label,
            reader.getName(),
            cause);
      }
    } catch (Throwable again) {
      // The answer matters more than the line.
    }
    return true;
  }

  /**
   * Returns true if the last query of this filter by this thread was answered <i>maybe</i> because
   * the load of its chunk was skipped. Such an answer is not the filter's, and so neither right nor
   * a false positive.
   */
  public boolean hasSkippedLoad() {
    return chunks.hasSkipped();
  }

  /** Returns the kind of filter that the file has; single chunks may be of a simpler kind. */
  @Override
  public FilterChoice choice() {
    return FilterChoice.of(meta.type);
  }

  /** Returns the false-positive rate of one probe for which the filter was sized. */
  public double configuredRate() {
    return meta.configuredRate;
  }

  /** Returns the number of chunks that were probed and are damaged or cannot be loaded. */
  int unusableChunks() {
    return chunks.unusable();
  }

  /**
   * Returns the false-positive rate of one probe of the filter, estimated from the chunks that were
   * built.
   */
  public double estimatedRate() {
    return meta.estimatedRate;
  }

  /**
   * Returns in words the reason for the filter's false-positive rate, and the file's share of its
   * store.
   */
  public String whyThisRate() {
    String why = meta.whyThisRate().replace(BloomFilterUtil.STATS_RECORD_SEP, ", ");
    return why.isEmpty() ? "unknown" : why;
  }

  /**
   * Returns true: HBase need not load the filter, because its chunks are taken from the block cache
   * as probes need them.
   */
  @Override
  public boolean supportsAutoLoading() {
    return true;
  }

  @Override
  public long getKeyCount() {
    return meta.keyCount;
  }

  @Override
  public long getMaxKeys() {
    return meta.keyLimit;
  }

  @Override
  public long getByteSize() {
    return meta.imageBytes;
  }

  /** Returns the facts about the filter that {@code hbase hfile -m} prints, one a line there. */
  @Override
  public String toString() {
    try {
      return facts().replace("\n", BloomFilterUtil.STATS_RECORD_SEP);
    } catch (Throwable e) {
      return "Kind: Winnow";
    }
  }

  private String facts() {
    return String.format(
        Locale.ROOT,
        "Kind: Winnow %s (%s), %s keys\n"
            + "Bytes: %d\n"
            + "Keys: %d\n"
            + "Key limit: %d\n"
            + "Percentage filled: %.0f%%\n"
            + "Number of chunks: %d of %d bytes when full\n"
            + "Bits per key: %.4f\n"
            + "Configured false-positive rate: %.7f per probe\n"
            + "Estimated false-positive rate: %.7f per probe\n"
            + "Why this rate: %s\n"
            + "Hash: %s%s",
        meta.type.label(),
        meta.shape().replace(BloomFilterUtil.STATS_RECORD_SEP, ", "),
        meta.kind.label,
        meta.imageBytes,
        meta.keyCount,
        meta.keyLimit,
        100.0 * meta.keyCount / meta.keyLimit,
        index.size(),
        meta.chunkBytes,
        8.0 * meta.imageBytes / meta.keyCount,
        meta.configuredRate,
        meta.estimatedRate,
        whyThisRate(),
        meta.hash.label(),
        prefixFacts());
  }

  private String prefixFacts() {
    FilePrefixes prefixes = meta.prefixes;
    return prefixes == null
        ? ""
        : String.format(
            "\nPrefixes: %s, %d beside the keys, left out of %d chunks",
            prefixes.rule.label(), prefixes.sum(), prefixes.chunksWithout());
  }
}
