package io.winnow.hbase.read;

import io.winnow.ByteAccess;
import io.winnow.FilterFormatException;
import io.winnow.FilterLayout;
import io.winnow.FilterType;
import io.winnow.hbase.format.ChunkIndex;
import io.winnow.hbase.format.FilePrefixes;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.image.Filters;
import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The chunks of one store file's filter, which are loaded, checked and probed. They come from
 * HBase's block cache, must be those that the meta block lists, and are probed in place.
 *
 * <p>A chunk that cannot be loaded answers {@code true} and is loaded again later ({@link
 * LoadFailures}). A chunk whose bytes are damaged answers {@code true} as long as the file is open.
 * An interrupt is neither of the two. Both are counted, and logged once for a file.
 *
 * <p>The checksum of a block on the heap is compared each time the block was loaded anew, which
 * shows in its array; that of a block off the heap, the first time. In between a probe may read the
 * array in which the image was seen ({@link SeenImage}), and allocates nothing.
 *
 * <p>A chunk that the cache has evicted is loaded again if it earns the load ({@link ReloadShare});
 * otherwise it answers {@code true}.
 *
 * <p>Throws whatever HBase throws, except {@code IOException}. Thread-safe.
 */
final class FileChunks {
  private static final Logger LOG = LoggerFactory.getLogger(WinnowFilterReader.class);

  private final FilterMeta meta;
  private final ChunkIndex index;
  private final HFile.Reader reader;
  private final LongSupplier nanoTime;

  /**
   * Rule for look-ups of chunks in the block cache; null if each probe takes its block from HBase's
   * reader.
   */
  private final CacheWatch cache;

  // State of each chunk. Races are benign: layouts are immutable, and a lost count does not matter.
  private final AtomicReferenceArray<SeenImage> seen;
  private final FilterLayout[] offHeap;
  private final boolean[] givenUp;

  /** Failures to load chunks of the filter; null until there is one. */
  private LoadFailures failures;

  /** Share of evicted chunks that are loaded again; null until the cache has evicted one. */
  private ReloadShare reloads;

  // Each of these lines is logged once for a file, for the first chunk that it is about.
  private boolean loggedDamage;
  private boolean loggedFailure;
  private boolean loggedPause;
  private boolean loggedRecovery;

  FileChunks(FilterMeta meta, HFile.Reader reader, LongSupplier nanoTime) {
    this.meta = meta;
    this.index = meta.index;
    this.reader = reader;
    this.nanoTime = nanoTime;
    this.cache = CacheWatch.of(reader);
    this.seen = new AtomicReferenceArray<>(index.size());
    this.offHeap = new FilterLayout[index.size()];
    this.givenUp = new boolean[index.size()];
  }

  /**
   * Returns true if the file may have a key, by a probe of the filter chunk that the key belongs
   * to.
   */
  boolean mightContain(int chunk, long keyHash) {
    ReloadShare share = reloads;
    if (share != null) {
      share.begin();
    }
    SeenImage image = cache == null ? null : seen.getAcquire(chunk);
    byte[] bytes = image == null ? null : image.get();
    return bytes == null || cache.isDue(image)
        ? mightContainLookedUp(chunk, keyHash, image, bytes)
        : mightContain(image, bytes, keyHash);
  }

  /** Probes a chunk that the block cache has, and counts the hit. */
  private boolean mightContain(SeenImage image, byte[] bytes, long keyHash) {
    cache.countHit(image.blockBytes);
    return image.layout.mightContain(ByteAccess.ARRAY, bytes, image.offset, keyHash);
  }

  private boolean mightContainLookedUp(int chunk, long keyHash, SeenImage image, byte[] bytes) {
    if (bytes == null || !cache.lookUp(image)) {
      return mightContainRead(chunk, keyHash);
    }
    boolean answer = mightContain(image, bytes, keyHash);
    ReloadShare share = reloads;
    if (share != null) {
      share.answered(answer);
    }
    return answer;
  }

  private boolean mightContainRead(int chunk, long keyHash) {
    if (givenUp[chunk]) {
      return true;
    }
    boolean isReload = isEvicted(chunk);
    if (isReload && !mayReload(chunk)) {
      return true;
    }
    LoadFailures failed = failures;
    if (failed != null && !failed.mayTry(chunk, nanoTime.getAsLong())) {
      return true;
    }
    HFileBlock block;
    try {
      // As stock code reads it: cached, by positional read, not for a compaction, counted.
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
      if (failed != null && failed.inARow(chunk) > 0) {
        worksAgain(chunk, failed);
      }
      ReloadShare share = reloads;
      if (isReload) {
        ServerMetric.CHUNK_RELOADS.count();
        share.reloaded();
      }
      boolean answer = mightContain(chunk, block, keyHash);
      if (share != null) {
        share.answered(answer);
      }
      return answer;
    } finally {
      block.release();
    }
  }

  /** Returns true if the chunk was loaded before, and the block cache certainly lacks its block. */
  private boolean isEvicted(int chunk) {
    if (cache == null || (seen.getAcquire(chunk) == null && offHeap[chunk] == null)) {
      return false;
    }
    return cache.lacks(index.offset(chunk));
  }

  /** Returns true if an evicted chunk is loaded again, or else records that it is not. */
  private boolean mayReload(int chunk) {
    ReloadShare share = reloads;
    if (share == null) {
      share = new ReloadShare();
      reloads = share;
    }
    if (cache.reloadsAll() || share.loads(ThreadLocalRandom.current().nextInt())) {
      return true;
    }
    ServerMetric.LOADS_SKIPPED.count();
    share.skipped();
    SeenImage image = seen.getAcquire(chunk);
    if (image != null) {
      image.clear(); // each later get() might keep evicted memory through a garbage collection
    }
    return false;
  }

  /**
   * Returns true if the last probe by this thread was answered without its chunk, because the load
   * was skipped.
   */
  boolean hasSkipped() {
    ReloadShare share = reloads;
    return share != null && share.hasSkipped();
  }

  private boolean mightContain(int chunk, HFileBlock block, long keyHash) {
    ByteBuff bytes = block.getBufferReadOnly();
    int start = block.headerSize();
    int size = index.imageSizeInBytes(chunk);
    int found = bytes.limit() - start; // some releases have HBase's checksums behind the image
    if (found < size) {
      return giveUp(chunk, found + " bytes, must have " + size);
    }
    try {
      if (bytes.hasArray() && !block.isSharedMem()) {
        SeenImage image = onHeap(chunk, block, bytes, start, size);
        return image.layout.mightContain(ByteAccess.ARRAY, bytes.array(), image.offset, keyHash);
      }
      FilterLayout layout = offHeap[chunk];
      if (layout == null) {
        layout = checked(chunk, bytes, start, size);
        offHeap[chunk] = layout;
      }
      return layout.mightContain(ByteBuffAccess.INSTANCE, bytes, start, keyHash);
    } catch (FilterFormatException e) {
      return giveUp(chunk, e.getMessage());
    }
  }

  /**
   * Returns a chunk's image in a block on the heap whose memory nobody reuses. An array that was
   * seen before has the same bytes as then; any other array was loaded anew, and is checked.
   */
  private SeenImage onHeap(int chunk, HFileBlock block, ByteBuff bytes, int start, int size) {
    byte[] array = bytes.array();
    int offset = bytes.arrayOffset() + start;
    SeenImage image = seen.getAcquire(chunk);
    boolean isKnown = image != null && image.get() == array && image.offset == offset;
    if (!isKnown || !image.isIn(block)) {
      FilterLayout layout = isKnown ? image.layout : checked(chunk, bytes, start, size);
      Object key = cache == null ? null : cache.key(index.offset(chunk));
      image = new SeenImage(array, offset, layout, block, key);
      seen.setRelease(chunk, image);
    }
    return image;
  }

  /**
   * Checks the bytes of a chunk in a block, and returns the layout of the filter in it.
   *
   * @throws FilterFormatException if it is damaged, or is not the chunk that the meta block lists
   */
  private FilterLayout checked(int chunk, ByteBuff bytes, int start, int size) {
    int crc = ByteBuffAccess.INSTANCE.crc32c(bytes, start, size);
    if (crc != index.imageCrc(chunk)) {
      throw new FilterFormatException(
          String.format("image's checksum is 0x%08X, must be 0x%08X", crc, index.imageCrc(chunk)));
    }
    FilterLayout layout = Filters.readLayout(ByteBuffAccess.INSTANCE, bytes, start, size);
    if (!mayStandIn(layout.type())
        || layout.hashId() != meta.kind.imageHashId(meta.hash)
        || layout.keyCount() != keysInImage(chunk)
        || layout.sizeInBytes() != size) {
      throw new FilterFormatException(
          ("a filter of type " + layout.type() + ", hash id " + layout.hashId() + " and ")
              + (layout.keyCount() + " keys is not the one that the meta block lists"));
    }
    return layout;
  }

  private long keysInImage(int chunk) {
    FilePrefixes prefixes = meta.prefixes;
    return (long) index.keyCount(chunk) + (prefixes == null ? 0 : prefixes.in(chunk));
  }

  /**
   * Returns true if a chunk with a given type of filter may be in the file. A chunk too small for
   * layers is a homogeneous filter among bumped ones.
   */
  private boolean mayStandIn(FilterType type) {
    return type == meta.type
        || (type == FilterType.RIBBON && meta.type == FilterType.BUMPED_RIBBON);
  }

  /**
   * Returns the number of chunks that answer {@code true} to every probe, because they are damaged
   * or cannot be loaded.
   */
  int unusable() {
    int count = 0;
    for (int chunk = 0; chunk < givenUp.length; chunk++) {
      count += givenUp[chunk] || (failures != null && failures.inARow(chunk) > 0) ? 1 : 0;
    }
    return count;
  }

  private boolean giveUp(int chunk, String problem) {
    if (!givenUp[chunk]) {
      givenUp[chunk] = true;
      ServerMetric.CHUNKS_GIVEN_UP.count();
      if (!loggedDamage) {
        loggedDamage = true;
        LOG.error(
            "The {} is damaged, and is not probed any more: {}. Later damaged chunks of this file"
                + " are only counted (chunksGivenUp)",
            name(chunk),
            problem);
      }
    }
    return true;
  }

  private boolean notLoaded(int chunk, IOException cause) {
    if (Interrupts.isOne(cause)) {
      Thread.currentThread().interrupt();
      return true;
    }
    ServerMetric.LOAD_FAILURES.count();
    if (failures == null) {
      failures = new LoadFailures(index.size());
    }
    int inARow = failures.failed(chunk, nanoTime.getAsLong());
    if (!loggedFailure) {
      loggedFailure = true;
      LOG.warn(
          "Loading {} failed: {}. The next probe tries again. Most later failures of this file are"
              + " only counted (loadFailures)",
          name(chunk),
          cause.toString());
    } else if (inARow > LoadFailures.MAX_WITHOUT_PAUSE && !loggedPause) {
      loggedPause = true;
      LOG.warn(
          "Loading {} failed {} times in a row: {}. The next try is in {} s, later ones after"
              + " pauses of up to {} s, also for other chunks of this file",
          name(chunk),
          inARow,
          cause.toString(),
          LoadFailures.pauseSeconds(inARow),
          LoadFailures.MAX_PAUSE);
    }
    return true;
  }

  private void worksAgain(int chunk, LoadFailures failed) {
    int inARow = failed.inARow(chunk);
    failed.loaded(chunk);
    if (!loggedRecovery) {
      loggedRecovery = true;
      LOG.info("Loading {} works again, after {} failures", name(chunk), inARow);
    }
  }

  private String name(int chunk) {
    return String.format(
        "chunk %d at offset %d of the %s filter of %s",
        chunk, index.offset(chunk), meta.kind.label, reader.getName());
  }
}
