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

/** The index of a file's chunks and the sums over them, for the meta block. Not thread-safe. */
final class FileSums {
  private final KeyKind kind;
  private final ChunkIndex.Writer index = new ChunkIndex.Writer();

  /** The number of prefixes in each chunk of the index, or {@link FilePrefixes#LEFT_OUT}. */
  private final List<Integer> prefixCounts = new ArrayList<>();

  private long keyCount;
  private long keyCapacity;
  private long imageBytes;

  /** The sum over the keys of the rates that their chunks were made for. */
  private double rateSum;

  /** The sum over the keys of the rates estimated from their chunks. */
  private double estimateSum;

  /** The sum over the keys of the file's shares of its store. */
  private double shareSum;

  private final long[] keysByReason = new long[RateReason.values().length];

  /** The shape of the first chunk, in words. */
  private String shape = "";

  /** A chunk that was built. */
  static final class Chunk {
    final FilterImage image;
    final byte[] firstKey;

    /** The number of prefixes, or {@link FilePrefixes#LEFT_OUT}. */
    final int prefixes;

    Chunk(FilterImage image, byte[] firstKey, int prefixes) {
      this.image = image;
      this.firstKey = firstKey;
      this.prefixes = prefixes;
    }

    /** Returns the number of keys without prefixes. */
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
   * Adds a chunk that was built.
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

  /** Adds the chunk whose block was written to the index. */
  void written(Chunk chunk, long offset, int onDiskSize, int uncompressedSize) {
    prefixCounts.add(chunk.prefixes);
    int keys = Math.toIntExact(chunk.keyCount());
    index.add(offset, onDiskSize, uncompressedSize, keys, chunk.image.crc32c(), chunk.firstKey);
  }

  /** Returns the keys of the chunks. */
  long keyCount() {
    return keyCount;
  }

  /** Returns the keys that the chunks were made for. */
  long keyCapacity() {
    return keyCapacity;
  }

  /** Returns the bytes of the images. */
  long imageBytes() {
    return imageBytes;
  }

  /** Returns the sum, over the keys, of the rates estimated from their chunks. */
  double estimateSum() {
    return estimateSum;
  }

  /** Returns the bytes of the index. */
  int indexBytes() {
    return index.sizeInBytes();
  }

  /** Returns true if the index has no chunk. */
  boolean isEmpty() {
    return index.size() == 0;
  }

  /** Returns, in words, the reason for the rates of most keys, and the file's mean share. */
  private String whyThisRate() {
    RateReason most = RateReason.FIXED;
    for (RateReason reason : RateReason.values()) {
      most = keysByReason[reason.ordinal()] > keysByReason[most.ordinal()] ? reason : most;
    }
    return most == RateReason.FIXED
        ? most.inWords()
        : String.format(
            Locale.ROOT, "%s; %.4g %% of its store", most.inWords(), 100 * shareSum / keyCount);
  }

  /** Returns the meta block of the chunks in the index. */
  byte[] metaBytes(WinnowSettings settings) {
    PrefixRule rule = settings.prefixRule();
    FilePrefixes prefixes =
        rule == null
            ? null
            : new FilePrefixes(rule, prefixCounts.stream().mapToInt(Integer::intValue).toArray());
    return new FilterMeta.Builder(settings.type(), settings.hash(), kind)
        .keys(keyCount, keyCapacity)
        .images(imageBytes, settings.chunkBytes())
        .rates(
            keyCount == 0 ? settings.rate() : rateSum / keyCount,
            keyCount == 0 ? 0 : estimateSum / keyCount)
        .shape(shape + FilterMeta.LINE + whyThisRate())
        .build(index.finish(kind), prefixes)
        .toByteArray();
  }
}
