package io.winnow.hbase.write;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.hbase.format.ChunkIndex;
import io.winnow.hbase.format.FilePrefixes;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.settings.RateReason;
import io.winnow.hbase.settings.StoreRate;
import io.winnow.hbase.settings.WinnowSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;

/**
 * The filter of one store file while it is made: a chunk per {@link WinnowSettings#keyLimit} keys,
 * and what the meta block says of them.
 *
 * <p>Every key that was added is in the chunk that {@link ChunkIndex} finds for it. Adding costs
 * one hash and 8 bytes; a chunk is solved when it is full, the last one, made for the keys it has,
 * when the file is closed. What is held is reserved before it is taken.
 *
 * <p>Any method may throw, and then this filter is of no use any more. Not thread-safe.
 */
final class FilterAssembly {
  /** A rate that differs by less from the one before is not worth another sizing. */
  private static final double SAME_RATE = 0.01;

  private final KeyKind kind;

  /** Null if all chunks have the rate of the settings. */
  private final StoreRate rates;

  /** For the chunk that is filled; so are the rate of a question, the limit and the cost. */
  private WinnowSettings settings;

  private double rate;
  private long keyLimit;
  private BuildCost cost;
  private final BuildMemory.Reservation memory;

  /** Keys that there is memory for. */
  private long roomForKeys;

  /** Made with the first key: most store files have no delete-family marker. */
  private FilterBuilder builder;

  private byte[] firstKey;
  private long lastHash;

  /** Which part of a row is a key of its own; null if none is. */
  private final PrefixRule prefixRule;

  /** The prefix that was met last, in memory of its own; null before the first. */
  private byte[] lastPrefix;

  /** Of the chunk that is filled, until it is known whether they are too many. */
  private long[] prefixHashes = {};

  private int pendingPrefixes;

  /** Of the chunks in the file. */
  private final List<Integer> prefixCounts = new ArrayList<>();

  private final Queue<Chunk> ready = new ArrayDeque<>();
  private long readyBytes;
  private final ChunkIndex.Writer index = new ChunkIndex.Writer();
  private long addedKeys;
  private long keyCount;
  private long keyCapacity;
  private long imageBytes;
  private double weightedRate;
  private double weightedEstimate;
  private String shape = "";

  /** How the rate of the chunk that is filled came about; null if all have that of the settings. */
  private StoreRate.Decision decision;

  private double weightedShare;
  private final long[] keysByReason = new long[RateReason.values().length];

  private static final class Chunk {
    final FilterImage image;
    final byte[] firstKey;

    /** Their number, or {@link FilePrefixes#LEFT_OUT}. */
    final int prefixes;

    Chunk(FilterImage image, byte[] firstKey, int prefixes) {
      this.image = image;
      this.firstKey = firstKey;
      this.prefixes = prefixes;
    }

    long keyCount() {
      return image.layout().keyCount() - Math.max(0, prefixes);
    }

    int sizeInBytes() {
      return image.sizeInBytes() + firstKey.length;
    }
  }

  /**
   * @param memory what is reserved for it
   * @param roomForKeys the keys that this is enough for
   */
  FilterAssembly(
      WinnowSettings settings, KeyKind kind, BuildMemory.Reservation memory, long roomForKeys) {
    this.rates = settings.rates();
    this.kind = kind;
    this.memory = memory;
    this.roomForKeys = roomForKeys;
    this.prefixRule = settings.prefixRule();
    use(settings);
  }

  private void use(WinnowSettings chosen) {
    settings = chosen;
    keyLimit = chosen.keyLimit();
    cost = new BuildCost(chosen);
  }

  /**
   * Chooses the rate of the chunk that is filled.
   *
   * @param keys of the whole file, as far as one knows
   * @param lastRow null if it is not known yet
   */
  private void chooseRate(double keys, byte[] lastRow) {
    decision = rates.decide(keys, kind.row(firstKey), lastRow);
    choose(decision.rate());
  }

  /**
   * Chooses the rate of the chunk that has its keys. Whatever was expected before, the whole file
   * lets through no more than stock's filter of the keys that came.
   */
  private void chooseRate(double keys, byte[] lastRow, boolean closing) {
    decision = rates.decide(keys, kind.row(firstKey), lastRow);
    double most = rates.maxChunkRate(keyCount, weightedEstimate, builder.pendingCount(), closing);
    if (most < decision.rate()) {
      decision = new StoreRate.Decision(most, decision.share(), RateReason.STOCK);
    }
    choose(decision.rate());
  }

  private void choose(double chosen) {
    if (chosen < rate || !isSameRate(chosen, rate)) {
      rate = chosen;
      use(settings.atRate(chosen));
      reserve(0);
    }
  }

  static boolean isSameRate(double chosen, double before) {
    return Math.abs(chosen - before) <= SAME_RATE * before;
  }

  /** Keys of the whole file, while more of them may come. */
  private double expectedKeys() {
    return Math.max(rates.expectedKeys(), addedKeys + 1);
  }

  /** Adds the cell's key, which must be greater than, or equal to, that of the cell before. */
  void add(ExtendedCell cell) {
    add(cell, kind.hash(settings.hash(), cell));
  }

  /** As {@link #add(ExtendedCell)}, with the hash of the cell's key. */
  void add(ExtendedCell cell, long hash) {
    boolean hasNewPrefix = prefixRule != null && takePrefix(cell);
    long pending = pending();
    // A prefix and its first row are in one chunk: they may be the same bytes.
    if (pending > 0 && pending + (hasNewPrefix ? 2 : 1) > keyLimit) {
      finishChunk(cell, false);
      pending = 0;
    }
    if (firstKey == null) {
      // The row that opens a chunk may be the last one once more; and if it is its own prefix, that
      // is looked for in this chunk now.
      hasNewPrefix |= lastPrefix != null && isLastPrefix(cell);
      firstKey = hasNewPrefix ? lastPrefix : kind.indexKey(cell);
      if (rates != null) {
        chooseRate(expectedKeys(), null);
      }
    } else if (hash == lastHash && !hasNewPrefix) {
      return; // a repeat within the chunk; after a cut it opens the next, where it is looked for
    }
    int more = hasNewPrefix ? 2 : 1;
    if (pending + more > roomForKeys) {
      roomForKeys = BuildCost.steps(pending + more);
      reserve(0);
    }
    if (hasNewPrefix) {
      addPrefix();
    }
    if (builder == null) {
      builder = settings.newBuilder();
    }
    builder.add(hash);
    lastHash = hash;
    addedKeys++;
  }

  /** Keys of the chunk that is filled, with its prefixes. */
  private long pending() {
    return (builder == null ? 0 : builder.pendingCount()) + pendingPrefixes;
  }

  /**
   * Whether the row has another prefix than the row before. It is copied at once: HBase may use the
   * memory of a cell again.
   */
  private boolean takePrefix(ExtendedCell cell) {
    if (lastPrefix != null && PrefixRule.isPrefixOf(lastPrefix, cell)) {
      return false;
    }
    byte[] prefix = prefixRule.prefixOf(cell);
    if (prefix == null) {
      return false;
    }
    lastPrefix = prefix;
    return true;
  }

  private boolean isLastPrefix(ExtendedCell cell) {
    return cell.getRowLength() == lastPrefix.length && PrefixRule.isPrefixOf(lastPrefix, cell);
  }

  private void addPrefix() {
    if (pendingPrefixes == prefixHashes.length) {
      int longer = Math.max(BuildCost.STEP / 16, 2 * pendingPrefixes);
      reserve((long) Long.BYTES * longer);
      prefixHashes = Arrays.copyOf(prefixHashes, longer);
    }
    prefixHashes[pendingPrefixes++] =
        PrefixRule.hash(settings.hash(), lastPrefix, 0, lastPrefix.length);
  }

  /**
   * Gives the prefixes to the builder, unless they are too many; how many, or {@link
   * FilePrefixes#LEFT_OUT}.
   */
  private int settlePrefixes() {
    int prefixes = pendingPrefixes;
    pendingPrefixes = 0;
    if (FilePrefixes.areTooMany(prefixes, builder.pendingCount())) {
      return FilePrefixes.LEFT_OUT;
    }
    builder.add(prefixHashes, 0, prefixes);
    return prefixes;
  }

  private void reserve(long more) {
    long keys = Math.max(pending(), Math.min(roomForKeys, keyLimit)); // of the chunk that is filled
    long images = Math.max(cost.image(keys), readyBytes);
    long bytes =
        cost.held(roomForKeys, images, index.sizeInBytes())
            + (long) Long.BYTES * prefixHashes.length
            + more;
    memory.growTo(bytes, cost.scratch(keys));
  }

  /**
   * Solves the chunk that has keys, if there is one.
   *
   * @param last a cell that is not before the last of them
   * @param closing whether no key comes any more
   */
  void finishChunk(ExtendedCell last, boolean closing) {
    if (firstKey == null) {
      return;
    }
    if (rates != null) {
      chooseRate(closing ? addedKeys : expectedKeys(), CellUtil.cloneRow(last), closing);
    }
    long pending = builder.pendingCount();
    int prefixes = settlePrefixes();
    long start = System.nanoTime();
    memory.begin(cost.scratch(builder.pendingCount()));
    FilterImage image;
    try {
      image = builder.finish(settings.sizing());
    } finally {
      memory.end();
    }
    Chunk chunk = new Chunk(image, firstKey, prefixes);
    long keys = chunk.keyCount();
    ServerMetric.CHUNKS_BUILT.count();
    ServerMetric.KEYS_BUILT.add(keys);
    ServerMetric.BUILD_NANOS.add(System.nanoTime() - start);
    ServerMetric.REBUILDS.add(image.rebuilds());
    if (ready.isEmpty() && index.size() == 0) {
      shape = image.layout().describe();
    }
    ready.add(chunk);
    readyBytes += chunk.sizeInBytes();
    keyCount += keys;
    keyCapacity += Math.max(keys, pending);
    imageBytes += image.sizeInBytes();
    weightedRate += keys * settings.rate();
    weightedEstimate += keys * image.layout().estimatedRate();
    weightedShare += decision == null ? 0 : keys * decision.share();
    RateReason reason = decision == null ? RateReason.FIXED : decision.reason();
    keysByReason[reason.ordinal()] += keys;
    firstKey = null;
    if (closing) {
      holdWhatIsBuilt();
    } else {
      reserve(0);
    }
  }

  /**
   * No key comes any more. What was held for keys goes now, and not with the last block: where a
   * disk is full, HBase closes its writer as far as that goes, and tells us of nothing more.
   */
  private void holdWhatIsBuilt() {
    dropBuffers();
    long indexBytes = index.sizeInBytes(); // once the chunks that wait are in it
    for (Chunk chunk : ready) {
      indexBytes += ChunkIndex.ENTRY_SIZE_IN_BYTES + chunk.firstKey.length;
    }
    memory.resize(cost.held(0, readyBytes, indexBytes) + BuildCost.meta(indexBytes), 0);
  }

  private void dropBuffers() {
    builder = null;
    roomForKeys = 0;
    prefixHashes = new long[0];
  }

  /** Whether the chunk that is filled is verified, if the settings ask for that. For trials. */
  void verifyThisChunk(boolean verify) {
    if (builder != null) {
      builder.verified(verify && settings.verifies());
    }
  }

  /** Whether the chunk that is filled has its keys. */
  boolean isFull() {
    return builder != null && pending() >= keyLimit;
  }

  /** Whether a chunk waits for its block; with the last ones, all that is held for keys goes. */
  boolean hasReadyChunk(ExtendedCell last, boolean closing) {
    if (builder != null && (closing || isFull())) {
      finishChunk(last, closing);
    }
    if (closing && ready.isEmpty()) {
      dropBuffers();
      if (index.size() == 0) {
        memory.close(); // no key, and so no meta block
      } else {
        long indexBytes = index.sizeInBytes(); // and the meta block, so that nobody takes its room
        memory.resize(cost.held(0, 0, indexBytes) + BuildCost.meta(indexBytes), 0);
      }
    }
    return !ready.isEmpty();
  }

  /** Keys of the image whose block is written next, its prefixes not counted. */
  long nextKeyCount() {
    return ready.element().keyCount();
  }

  /** The image whose block is written next. */
  FilterImage nextImage() {
    return ready.element().image;
  }

  void blockWritten(long offset, int onDiskSize, int uncompressedSize) {
    Chunk chunk = ready.remove();
    int keys = Math.toIntExact(chunk.keyCount());
    prefixCounts.add(chunk.prefixes);
    index.add(offset, onDiskSize, uncompressedSize, keys, chunk.image.crc32c(), chunk.firstKey);
    readyBytes -= chunk.sizeInBytes();
    reserve(0);
  }

  /** Keys added. */
  long addedKeys() {
    return addedKeys;
  }

  /** Keys that the chunks built so far were made for. */
  long keyCapacity() {
    return keyCapacity;
  }

  /** The size of the images built so far. */
  long imageBytes() {
    return imageBytes;
  }

  /** Of most keys. */
  private String whyThisRate() {
    RateReason most = RateReason.FIXED;
    for (RateReason reason : RateReason.values()) {
      most = keysByReason[reason.ordinal()] > keysByReason[most.ordinal()] ? reason : most;
    }
    return most == RateReason.FIXED
        ? most.inWords()
        : String.format(
            Locale.ROOT,
            "%s; %.4g %% of its store",
            most.inWords(),
            100 * weightedShare / keyCount);
  }

  /** The meta block, once every chunk is in the file. */
  byte[] metaBytes() {
    if (firstKey != null || !ready.isEmpty()) {
      throw new IllegalStateException("there are chunks that are still to be written");
    }
    reserve(BuildCost.meta(index.sizeInBytes()));
    return new FilterMeta(
            settings.type(),
            settings.hash(),
            kind,
            keyCount,
            keyCapacity,
            imageBytes,
            keyCount == 0 ? settings.rate() : weightedRate / keyCount,
            keyCount == 0 ? 0 : weightedEstimate / keyCount,
            settings.chunkBytes(),
            shape + FilterMeta.LINE + whyThisRate(),
            index.finish(kind),
            prefixRule == null
                ? null
                : new FilePrefixes(
                    prefixRule, prefixCounts.stream().mapToInt(Integer::intValue).toArray()))
        .toByteArray();
  }
}
