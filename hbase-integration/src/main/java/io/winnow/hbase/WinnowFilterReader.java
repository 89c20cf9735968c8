package io.winnow.hbase;

import io.winnow.FilterFormatException;
import io.winnow.FilterLayout;
import io.winnow.FilterType;
import io.winnow.Filters;
import io.winnow.bits.ByteAccess;
import java.io.DataInput;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
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
 * loaded, or is not what the meta block says, is answered for with {@code true}; a probe throws
 * nothing. Immutable but for what it remembers of chunks seen, and thread-safe.
 *
 * <p>A probe is a binary search over the first keys, one hash, and the filter's own reads in place,
 * in the block as HBase's cache holds it. The block is looked up as stock code does it, when the
 * chunk is first asked for and again as the cache changes ({@link CacheWatch}); in between a probe
 * goes to where it was, counts the hit, and allocates nothing. The first time that a chunk is seen,
 * its checksum is compared, which reads all of it.
 */
public final class WinnowFilterReader implements BloomFilter {
  private static final Logger LOG = LoggerFactory.getLogger(WinnowFilterReader.class);

  /** Failures in a row after which a chunk is no longer tried, or each Get would pay for one. */
  static final int MAX_LOAD_FAILURES = 10;

  private final FilterMeta meta;
  private final ChunkIndex index;
  private final HFile.Reader reader;
  private final BloomFilterMetrics metrics;
  private final CacheWatch cache;

  // What is known of the chunks. Races are benign: layouts are immutable, a lost count is made up.
  private final FilterLayout[] layouts;
  private final AtomicReferenceArray<SeenImage> seen;
  private final byte[] loadFailures;
  private final boolean[] givenUp;
  private boolean doubted;

  private WinnowFilterReader(FilterMeta meta, HFile.Reader reader, BloomFilterMetrics metrics) {
    this.meta = meta;
    this.index = meta.index();
    this.reader = reader;
    this.metrics = metrics;
    this.cache = CacheWatch.of(reader);
    this.seen = new AtomicReferenceArray<>(index.size());
    this.layouts = new FilterLayout[index.size()];
    this.loadFailures = new byte[index.size()];
    this.givenUp = new boolean[index.size()];
  }

  /**
   * Opens the filter whose meta block follows, its version int read already.
   *
   * @param metrics may be null
   * @throws FilterFormatException if the block is damaged or does not go with the file
   * @throws IOException if reading it fails
   */
  static WinnowFilterReader open(
      DataInput metaAfterVersion, HFile.Reader reader, BloomFilterMetrics metrics)
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
    return new WinnowFilterReader(meta, reader, metrics);
  }

  @Override
  public boolean contains(byte[] key, int offset, int length, ByteBuff unused) {
    return counted(mightContain(key, offset, length));
  }

  @Override
  public boolean contains(Cell key, ByteBuff unused, BloomType type) {
    return counted(mightContain(key, type));
  }

  /** The same; HBase 3 asks with this one. */
  public boolean contains(ExtendedCell key, ByteBuff unused, BloomType type) {
    return counted(mightContain(key, type));
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
    try {
      int chunk = index.chunkOf(key, offset, length);
      return chunk >= 0 && mightContain(chunk, meta.hash().hash(key, offset, length));
    } catch (RuntimeException e) {
      return inDoubt(e);
    }
  }

  private boolean mightContain(Cell key, BloomType type) {
    if (meta.kind().hasQualifier() != (type == BloomType.ROWCOL)) {
      return true; // another question than the file was made for
    }
    try {
      int chunk = index.chunkOf(key);
      return chunk >= 0 && mightContain(chunk, meta.kind().hash(meta.hash(), key));
    } catch (RuntimeException e) {
      return inDoubt(e);
    }
  }

  private boolean mightContain(int chunk, long keyHash) {
    SeenImage image = seen.getAcquire(chunk);
    byte[] bytes = image == null ? null : image.inCache(cache, keyHash);
    if (bytes == null) {
      return mightContainLookedUp(chunk, keyHash);
    }
    cache.countHit();
    return image.layout().mightContain(ByteAccess.ARRAY, bytes, image.offset(), keyHash);
  }

  private boolean mightContainLookedUp(int chunk, long keyHash) {
    if (givenUp[chunk]) {
      return true;
    }
    HFileBlock block;
    try {
      // As stock code asks for it: cached, by positional read, not for a compaction, counted.
      block =
          reader.readBlock(
              index.offset(chunk),
              index.onDiskSize(chunk),
              true,
              true,
              false,
              true,
              BlockType.BLOOM_CHUNK,
              null);
    } catch (IOException e) {
      return notLoaded(chunk, e);
    }
    try {
      return mightContain(chunk, block, keyHash);
    } finally {
      block.release();
    }
  }

  private boolean mightContain(int chunk, HFileBlock block, long keyHash) {
    ByteBuff bytes = block.getBufferReadOnly();
    int start = block.headerSize();
    int size = block.getUncompressedSizeWithoutHeader();
    if (size != index.imageSizeInBytes(chunk) || bytes.limit() - start < size) {
      return giveUp(chunk, size + " bytes, must have " + index.imageSizeInBytes(chunk));
    }
    if (loadFailures[chunk] != 0) {
      loadFailures[chunk] = 0;
    }
    FilterLayout layout = layouts[chunk];
    if (layout == null) {
      layout = firstSeen(chunk, bytes, start, size);
      if (layout == null) {
        return true;
      }
      layouts[chunk] = layout;
    }
    if (!bytes.hasArray()) {
      return layout.mightContain(ByteBuffAccess.INSTANCE, bytes, start, keyHash);
    }
    int offset = bytes.arrayOffset() + start;
    if (cache != null && !block.isSharedMem()) {
      remember(chunk, bytes.array(), offset, layout);
    }
    return layout.mightContain(ByteAccess.ARRAY, bytes.array(), offset, keyHash);
  }

  /**
   * Memory that the block cache owns and nobody reuses can be found again without it. From the
   * second look-up on, by which the cache takes a block for one that is used.
   */
  private void remember(int chunk, byte[] bytes, int offset, FilterLayout layout) {
    SeenImage image = seen.getAcquire(chunk);
    if (image != null && image.get() == bytes) {
      image.lookedUp(cache);
    } else {
      seen.setRelease(chunk, new SeenImage(bytes, offset, layout));
    }
  }

  /** The chunk's layout; null if the chunk cannot be believed. */
  private FilterLayout firstSeen(int chunk, ByteBuff bytes, int start, int size) {
    try {
      int crc = ByteBuffAccess.INSTANCE.crc32c(bytes, start, size);
      if (crc != index.imageCrc(chunk)) {
        throw new FilterFormatException(
            String.format(
                "image's checksum is 0x%08X, must be 0x%08X", crc, index.imageCrc(chunk)));
      }
      FilterLayout layout = Filters.readLayout(ByteBuffAccess.INSTANCE, bytes, start, size);
      if (!mayStandIn(layout.type())
          || layout.hashId() != meta.kind().imageHashId(meta.hash())
          || layout.keyCount() != index.keyCount(chunk)
          || layout.sizeInBytes() != size) {
        throw new FilterFormatException(
            ("a filter of type " + layout.type() + ", hash id " + layout.hashId() + " and ")
                + (layout.keyCount() + " keys is not the one that the meta block tells of"));
      }
      return layout;
    } catch (RuntimeException e) {
      giveUp(chunk, e.toString());
      return null;
    }
  }

  /** A chunk too small for layers to pay is a homogeneous filter among bumped ones. */
  private boolean mayStandIn(FilterType type) {
    return type == meta.type()
        || (type == FilterType.RIBBON && meta.type() == FilterType.BUMPED_RIBBON);
  }

  private boolean giveUp(int chunk, String problem) {
    if (!givenUp[chunk]) {
      givenUp[chunk] = true;
      LOG.error(
          "Chunk {} at offset {} of the {} filter of {} is damaged, and is not asked any more: {}",
          chunk,
          index.offset(chunk),
          meta.kind().label(),
          reader.getName(),
          problem);
    }
    return true;
  }

  private boolean notLoaded(int chunk, IOException cause) {
    int failures = ++loadFailures[chunk];
    if (failures >= MAX_LOAD_FAILURES) {
      return giveUp(chunk, failures + " failures to load it, the last one " + cause);
    }
    if (failures == 1) {
      LOG.warn(
          "Chunk {} at offset {} of the {} filter of {} could not be loaded: answered without. {}",
          chunk,
          index.offset(chunk),
          meta.kind().label(),
          reader.getName(),
          cause.toString());
    }
    return true;
  }

  private boolean inDoubt(RuntimeException cause) {
    if (!doubted) {
      doubted = true;
      LOG.error(
          "A probe of the {} filter of {} failed: answered without, and so is every like one",
          meta.kind().label(),
          reader.getName(),
          cause);
    }
    return true;
  }

  /** What was built for the family; single chunks may be of a plainer kind. */
  public FilterType type() {
    return meta.type();
  }

  /** Always: chunks are taken from HBase's block cache as they are needed. */
  @Override
  public boolean supportsAutoLoading() {
    return true;
  }

  @Override
  public long getKeyCount() {
    return meta.keyCount();
  }

  @Override
  public long getMaxKeys() {
    return meta.keyLimit();
  }

  @Override
  public long getByteSize() {
    return meta.imageBytes();
  }

  /** What {@code hbase hfile -m} prints, one fact per line there. */
  @Override
  public String toString() {
    String facts =
        String.format(
            Locale.ROOT,
            """
            Kind: Winnow %s (%s), %s keys
            Bytes: %d
            Keys: %d
            Key limit: %d
            Percentage filled: %.0f%%
            Number of chunks: %d of %d bytes when full
            Bits per key: %.4f
            Configured false-positive rate: %.6f per probe
            Estimated false-positive rate: %.6f per probe
            Hash: %s""",
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
            meta.hash().label());
    return facts.replace("\n", BloomFilterUtil.STATS_RECORD_SEP);
  }
}
