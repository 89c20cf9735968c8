package io.winnow.hbase.read;

import io.winnow.FilterFormatException;
import io.winnow.FilterLayout;
import io.winnow.FilterType;
import io.winnow.Filters;
import io.winnow.bits.ByteAccess;
import io.winnow.hbase.format.ChunkIndex;
import io.winnow.hbase.format.FilePrefixes;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.metrics.ServerMetric;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The chunks of one store file's filter: takes them from HBase's block cache, sees to it that they
 * are what the meta block says, and asks them, in the block as the cache holds it.
 *
 * <p>A chunk that cannot be loaded is answered for with {@code true} and tried again ({@link
 * LoadFailures}); one whose bytes are wrong is answered for from then on. An interrupt is neither.
 * Each of the first two is counted, and logged once for a file.
 *
 * <p>A block on the heap has its checksum compared each time that it was loaded anew, which is told
 * by its array; one off the heap, the first time. In between a probe may go to where the array was
 * seen ({@link SeenImage}), and allocates nothing.
 *
 * <p>Throws whatever HBase throws but {@code IOException}. Thread-safe.
 */
final class FileChunks {
  private static final Logger LOG = LoggerFactory.getLogger(WinnowFilterReader.class);

  private final FilterMeta meta;
  private final ChunkIndex index;
  private final HFile.Reader reader;
  private final LongSupplier nanoTime;

  /** Null where every block is looked up. */
  private final CacheWatch cache;

  // What is known of the chunks. Races are benign: layouts are immutable, a lost count is made up.
  private final AtomicReferenceArray<SeenImage> seen;
  private final FilterLayout[] offHeap;
  private final boolean[] givenUp;

  /** Null until one fails. */
  private LoadFailures failures;

  // Which lines were logged: each comes once for a file, whichever chunk is the first.
  private boolean toldOfDamage;
  private boolean toldOfFailure;
  private boolean toldOfPause;
  private boolean toldOfEnd;

  FileChunks(FilterMeta meta, HFile.Reader reader, LongSupplier nanoTime) {
    this.meta = meta;
    this.index = meta.index();
    this.reader = reader;
    this.nanoTime = nanoTime;
    this.cache = CacheWatch.of(reader);
    this.seen = new AtomicReferenceArray<>(index.size());
    this.offHeap = new FilterLayout[index.size()];
    this.givenUp = new boolean[index.size()];
  }

  /** Whether a key of this chunk with this hash may be in the file. */
  boolean mightContain(int chunk, long keyHash) {
    SeenImage image = cache == null ? null : seen.getAcquire(chunk);
    byte[] bytes = image == null ? null : image.get();
    if (bytes == null || (cache.isDue(image) && !cache.lookUp(image))) {
      return mightContainLookedUp(chunk, keyHash);
    }
    cache.countHit(image.blockBytes());
    return image.layout().mightContain(ByteAccess.ARRAY, bytes, image.offset(), keyHash);
  }

  private boolean mightContainLookedUp(int chunk, long keyHash) {
    LoadFailures failed = failures;
    if (givenUp[chunk] || (failed != null && !failed.mayTry(chunk, nanoTime.getAsLong()))) {
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
      if (failed != null && failed.inARow(chunk) > 0) {
        worksAgain(chunk, failed);
      }
      return mightContain(chunk, block, keyHash);
    } finally {
      block.release();
    }
  }

  private boolean mightContain(int chunk, HFileBlock block, long keyHash) {
    ByteBuff bytes = block.getBufferReadOnly();
    int start = block.headerSize();
    int size = index.imageSizeInBytes(chunk);
    int found = bytes.limit() - start; // with HBase's checksums behind it, in some releases
    if (found < size) {
      return giveUp(chunk, found + " bytes, must have " + size);
    }
    try {
      if (bytes.hasArray() && !block.isSharedMem()) {
        SeenImage image = onHeap(chunk, block, bytes, start, size);
        return image
            .layout()
            .mightContain(ByteAccess.ARRAY, bytes.array(), image.offset(), keyHash);
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
   * The image in memory that nobody reuses: an array that was seen before has the bytes that it had
   * then, and any other one was loaded anew.
   */
  private SeenImage onHeap(int chunk, HFileBlock block, ByteBuff bytes, int start, int size) {
    byte[] array = bytes.array();
    int offset = bytes.arrayOffset() + start;
    SeenImage image = seen.getAcquire(chunk);
    boolean isKnown = image != null && image.get() == array && image.offset() == offset;
    if (!isKnown || !image.isIn(block)) {
      FilterLayout layout = isKnown ? image.layout() : checked(chunk, bytes, start, size);
      Object key = cache == null ? null : cache.key(index.offset(chunk));
      image = new SeenImage(array, offset, layout, block, key);
      seen.setRelease(chunk, image);
    }
    return image;
  }

  /**
   * The layout of the chunk in a block.
   *
   * @throws FilterFormatException if that is not the chunk that the meta block tells of
   */
  private FilterLayout checked(int chunk, ByteBuff bytes, int start, int size) {
    int crc = ByteBuffAccess.INSTANCE.crc32c(bytes, start, size);
    if (crc != index.imageCrc(chunk)) {
      throw new FilterFormatException(
          String.format("image's checksum is 0x%08X, must be 0x%08X", crc, index.imageCrc(chunk)));
    }
    FilterLayout layout = Filters.readLayout(ByteBuffAccess.INSTANCE, bytes, start, size);
    if (!mayStandIn(layout.type())
        || layout.hashId() != meta.kind().imageHashId(meta.hash())
        || layout.keyCount() != keysInImage(chunk)
        || layout.sizeInBytes() != size) {
      throw new FilterFormatException(
          ("a filter of type " + layout.type() + ", hash id " + layout.hashId() + " and ")
              + (layout.keyCount() + " keys is not the one that the meta block tells of"));
    }
    return layout;
  }

  private long keysInImage(int chunk) {
    FilePrefixes prefixes = meta.prefixes();
    return (long) index.keyCount(chunk) + (prefixes == null ? 0 : prefixes.in(chunk));
  }

  /** A chunk too small for layers to pay is a homogeneous filter among bumped ones. */
  private boolean mayStandIn(FilterType type) {
    return type == meta.type()
        || (type == FilterType.RIBBON && meta.type() == FilterType.BUMPED_RIBBON);
  }

  /** Chunks that answer {@code true} to everything, since they are damaged or cannot be loaded. */
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
      if (!toldOfDamage) {
        toldOfDamage = true;
        LOG.error(
            "{} is damaged, and is not asked any more: {}. More of this file's chunks get no line,"
                + " the metric chunksGivenUp counts them",
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
    if (!toldOfFailure) {
      toldOfFailure = true;
      LOG.warn(
          "{} could not be loaded: {}. It is tried again with the next question. More failures of"
              + " this file's chunks get no line, the metric loadFailures counts them",
          name(chunk),
          cause.toString());
    } else if (inARow > LoadFailures.AT_ONCE && !toldOfPause) {
      toldOfPause = true;
      LOG.warn(
          "{} could not be loaded, {} times in a row: {}. It is tried again in {} s, then after"
              + " pauses of up to {} s, and so are others of this file",
          name(chunk),
          inARow,
          cause.toString(),
          LoadFailures.pauseSeconds(inARow),
          LoadFailures.LONGEST_PAUSE);
    }
    return true;
  }

  private void worksAgain(int chunk, LoadFailures failed) {
    int inARow = failed.inARow(chunk);
    failed.loaded(chunk);
    if (!toldOfEnd) {
      toldOfEnd = true;
      LOG.info("{} is loaded again, after {} failures", name(chunk), inARow);
    }
  }

  private String name(int chunk) {
    return String.format(
        "Chunk %d at offset %d of the %s filter of %s",
        chunk, index.offset(chunk), meta.kind().label(), reader.getName());
  }
}
