package io.winnow.hbase.read;

import io.winnow.FilterFormatException;
import io.winnow.hbase.format.ChunkIndex;
import io.winnow.hbase.format.FilePrefixes;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.settings.FilterChoice;
import java.io.DataInput;
import java.io.IOException;
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
 * Answers from the chunks of one store file whether a key may be in it.
 *
 * <p>Never answers {@code false} for a key that the file's writer was given. A chunk that cannot be
 * loaded, or is not what the meta block says, is answered for with {@code true}; and no method
 * throws anything: whatever {@code Throwable} a probe meets, the answer is {@code true}. Immutable
 * but for what it remembers of chunks seen, and thread-safe.
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
  private final long keyCount;
  private final long keyLimit;
  private final long imageBytes;
  private boolean doubted;

  private WinnowFilterReader(
      FilterMeta meta, HFile.Reader reader, BloomFilterMetrics metrics, LongSupplier nanoTime) {
    this.meta = meta;
    this.index = meta.index();
    this.chunks = new FileChunks(meta, reader, nanoTime);
    this.reader = reader;
    this.metrics = metrics;
    this.keyCount = meta.keyCount();
    this.keyLimit = meta.keyLimit();
    this.imageBytes = meta.imageBytes();
  }

  /**
   * Opens the filter whose meta block follows, its version int read already.
   *
   * @param metrics may be null
   * @throws FilterFormatException if the block is damaged or does not go with the file
   * @throws IOException if reading it fails
   */
  public static WinnowFilterReader open(
      DataInput metaAfterVersion, HFile.Reader reader, BloomFilterMetrics metrics)
      throws IOException {
    return open(metaAfterVersion, reader, metrics, System::nanoTime);
  }

  /**
   * The same, with a clock by which chunks that could not be loaded are tried again.
   *
   * @param nanoTime as {@link System#nanoTime} tells it
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
        && meta.kind() != KeyKind.DELETE_FAMILY
        && !Bytes.toString(type).equals(meta.kind().name())) {
      throw new FilterFormatException(
          "filter of " + meta.kind() + " keys in a file of type " + Bytes.toString(type));
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

  /** The same; HBase 3 asks with this one. */
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
    if (meta.kind().hasQualifier()) {
      return true; // half a key
    }
    int chunk = index.chunkOf(key, offset, length);
    return chunk >= 0 && chunks.mightContain(chunk, meta.hash().hash(key, offset, length));
  }

  private boolean mightContain(Cell key, BloomType type) {
    if (meta.kind().hasQualifier() != (type == BloomType.ROWCOL)) {
      return true; // another question than the file was made for
    }
    int chunk = index.chunkOf(key);
    return chunk >= 0 && chunks.mightContain(chunk, meta.kind().hash(meta.hash(), key));
  }

  /** Whether it has prefixes of rows beside the rows. */
  public boolean hasPrefixes() {
    return meta.prefixes() != null;
  }

  /** The part of its bytes that rows take; the others are those of prefixes. */
  public double shareOfRows() {
    FilePrefixes prefixes = meta.prefixes();
    return prefixes == null ? 1 : meta.keyCount() / (double) (meta.keyCount() + prefixes.sum());
  }

  /**
   * Returns the length of the prefix that all rows with this start have, or {@link
   * PrefixRule#NONE}.
   *
   * @param length of the start
   */
  public int prefixLength(byte[] start, int length) {
    FilePrefixes prefixes = meta.prefixes();
    return prefixes == null ? PrefixRule.NONE : prefixes.rule().lengthIn(start, 0, length);
  }

  /**
   * Whether the file may have rows that begin with these bytes. True, too, if the filter has no
   * prefixes, or no prefix of the rows ends within the bytes.
   *
   * <p>Not counted as a question of the general filter.
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
   * Returns true if the file may have rows with a prefix.
   *
   * <p>Not counted as a query of the general filter.
   *
   * @param row begins with the prefix
   * @param length of the prefix, from {@link #prefixLength}
   */
  public boolean mayHavePrefix(byte[] row, int length) {
    try {
      int chunk = index.chunkOf(row, 0, length);
      return chunk >= 0
          && (meta.prefixes().areLeftOutOf(chunk)
              || chunks.mightContain(chunk, PrefixRule.hash(meta.hash(), row, 0, length)));
    } catch (Throwable e) {
      return inDoubt(e);
    }
  }

  /** A probe failed: true. Throws nothing itself, though stack or heap may be at their end. */
  private boolean inDoubt(Throwable cause) {
    try {
      if (Interrupts.isOne(cause)) {
        Thread.currentThread().interrupt();
        return true;
      }
      ServerMetric.PROBE_FAILURES.count();
      if (!doubted) {
        doubted = true;
        LOG.error(
            "A probe of the {} filter of {} failed: answered without, and so is every like one",
            meta.kind().label(),
            reader.getName(),
            cause);
      }
    } catch (Throwable again) {
      // The answer matters, and not the line.
    }
    return true;
  }

  /** What was built for the family; single chunks may be of a plainer kind. */
  @Override
  public FilterChoice choice() {
    return FilterChoice.of(meta.type());
  }

  /** The false-positive rate of one probe that the filter was made for. */
  public double configuredRate() {
    return meta.configuredRate();
  }

  /** Chunks that were asked for, and cannot be used. */
  int unusableChunks() {
    return chunks.unusable();
  }

  /** The false-positive rate of one probe, estimated from the chunks that were built. */
  public double estimatedRate() {
    return meta.estimatedRate();
  }

  /** In words: what decided on the rate, and which part of its store the file was. */
  public String whyThisRate() {
    String why = meta.whyThisRate().replace(BloomFilterUtil.STATS_RECORD_SEP, ", ");
    return why.isEmpty() ? "not told" : why;
  }

  /** Always: chunks are taken from HBase's block cache as they are needed. */
  @Override
  public boolean supportsAutoLoading() {
    return true;
  }

  @Override
  public long getKeyCount() {
    return keyCount;
  }

  @Override
  public long getMaxKeys() {
    return keyLimit;
  }

  @Override
  public long getByteSize() {
    return imageBytes;
  }

  /** What {@code hbase hfile -m} prints, one fact per line there. */
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
        meta.type().label(),
        meta.shape().replace(BloomFilterUtil.STATS_RECORD_SEP, ", "),
        meta.kind().label(),
        meta.imageBytes(),
        meta.keyCount(),
        meta.keyLimit(),
        100.0 * meta.keyCount() / meta.keyLimit(),
        index.size(),
        meta.chunkBytes(),
        8.0 * meta.imageBytes() / meta.keyCount(),
        meta.configuredRate(),
        meta.estimatedRate(),
        whyThisRate(),
        meta.hash().label(),
        prefixFacts());
  }

  private String prefixFacts() {
    FilePrefixes prefixes = meta.prefixes();
    return prefixes == null
        ? ""
        : String.format(
            "\nPrefixes: %s, %d beside the keys, left out of %d chunks",
            prefixes.rule().label(), prefixes.sum(), prefixes.chunksWithout());
  }
}
