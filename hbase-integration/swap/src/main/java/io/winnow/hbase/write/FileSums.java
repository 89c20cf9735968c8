package io.winnow.hbase.write;

import io.winnow.FilterImage;
import io.winnow.hbase.format.ChunkIndex;
import io.winnow.hbase.format.FilePrefixes;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.settings.RateReason;
import io.winnow.hbase.settings.WinnowSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Index of the chunks of a file's filter and the sums over them, for the meta block. Not
 * thread-safe.
 */
final class FileSums {
  private final KeyKind kind;
  private final ChunkIndex.Writer index = new ChunkIndex.Writer();

  /** Number of row prefixes in each chunk of the index, or {@link FilePrefixes#LEFT_OUT}. */
  private final List<Integer> prefixCounts = new ArrayList<>();

  private long keyCount;
  private long keyCapacity;
  private long imageBytes;

  /** Sum, over all keys, of the false-positive rates for which their chunks were sized. */
  private double rateSum;

  /** Sum, over all keys, of the false-positive rates estimated from their chunks. */
  private double estimateSum;

  /**
   * Sum, over all keys, of the share of the store's keys that the file had when their chunk was
   * built.
   */
  private double shareSum;

  private final long[] keysByReason = new long[RateReason.values().length];

  /** Shape of the first chunk of the filter, in words. */
  private String shape = "";

  /** A chunk of the filter that was built: its image and its first key. */
  static final class Chunk {
    final FilterImage image;
    final byte[] firstKey;

    /** Number of row prefixes in the chunk, or {@link FilePrefixes#LEFT_OUT}. */
    final int prefixes;

    Chunk(FilterImage image, byte[] firstKey, int prefixes) {
      this.image = image;
      this.firstKey = firstKey;
      this.prefixes = prefixes;
    }

    /** Returns the number of keys in the chunk, without row prefixes. */
    long keyCount() {
      return image.layout().keyCount() - Math.max(0, prefixes);
    }

    int sizeInBytes() {
      return image.sizeInBytes() + firstKey.length;
    }
  }

  FileSums(KeyKind kind) {
    this.kind = kind;
  }

  /**
   * Adds the figures of a chunk that was built to the sums over the filter's chunks.
   *
   * @param capacity the keys that it was made for, if these are more than it has
   */
  void add(Chunk chunk, long capacity, ChunkRate rate) {
    long keys = chunk.keyCount();
    if (keyCount == 0) {
      shape = chunk.image.layout().describe();
    }
    keyCount += keys;
    keyCapacity += Math.max(keys, capacity);
    imageBytes += chunk.image.sizeInBytes();
    rateSum += keys * rate.settings().rate();
    estimateSum += keys * chunk.image.layout().estimatedRate();
    shareSum += keys * rate.share();
    keysByReason[rate.reason().ordinal()] += keys;
  }

  /** Adds the entry of a chunk to the chunk index, once the chunk's block was written. */
  void written(Chunk chunk, long offset, int onDiskSize, int uncompressedSize) {
    prefixCounts.add(chunk.prefixes);
    int keys = Math.toIntExact(chunk.keyCount());
    index.add(offset, onDiskSize, uncompressedSize, keys, chunk.image.crc32c(), chunk.firstKey);
  }

  /** Returns the number of keys in the chunks that were built. */
  long keyCount() {
    return keyCount;
  }

  /** Returns the number of keys for which the built chunks were sized. */
  long keyCapacity() {
    return keyCapacity;
  }

  /** Returns the bytes of the images of the chunks that were built. */
  long imageBytes() {
    return imageBytes;
  }

  /** Returns the sum, over all keys, of the false-positive rates estimated from their chunks. */
  double estimateSum() {
    return estimateSum;
  }

  /** Returns the size in bytes of the chunk index of the filter. */
  int indexBytes() {
    return index.sizeInBytes();
  }

  /** Returns true if the chunk index has no entry. */
  boolean isEmpty() {
    return index.size() == 0;
  }

  /**
   * Returns in words the reason for the false-positive rates of most keys, and the file's mean
   * share of its store.
   */
  private String whyThisRate() {
    RateReason most = RateReason.FIXED;
    for (RateReason reason : RateReason.values()) {
      most = keysByReason[reason.ordinal()] > keysByReason[most.ordinal()] ? reason : most;
    }
    return most == RateReason.FIXED
        ? most.inWords
        : String.format(
            Locale.ROOT, "%s; %.4g %% of its store", most.inWords, 100 * shareSum / keyCount);
  }

  /** Returns the bytes of the meta block for the chunks in the index. */
  byte[] metaBytes(WinnowSettings settings) {
    PrefixRule rule = settings.prefixRule;
    FilePrefixes prefixes =
        rule == null
            ? null
            : new FilePrefixes(rule, prefixCounts.stream().mapToInt(Integer::intValue).toArray());
    return new FilterMeta.Builder(settings.type(), settings.hash, kind)
        .keys(keyCount, keyCapacity)
        .images(imageBytes, settings.chunkBytes)
        .rates(
            keyCount == 0 ? settings.rate() : rateSum / keyCount,
            keyCount == 0 ? 0 : estimateSum / keyCount)
        .shape(shape + FilterMeta.LINE + whyThisRate())
        .build(index.finish(kind), prefixes)
        .toByteArray();
  }
}
