package io.winnow.flash.buffered;

import io.winnow.base.Arguments;
import io.winnow.flash.drive.FlashCounters;
import io.winnow.flash.drive.Pool;
import io.winnow.flash.drive.VersionedPages;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * The blocks of a {@link BufferedBloomFilter}, which hold waiting keys and probes, and the sweeps
 * that apply them to the pages. A sweep answers a block's probes from its group of pages and adds
 * its keys to them.
 *
 * <p>Thread-safe: all access to a block is under its monitor.
 */
final class BlockSweeps implements Closeable {
  /**
   * Maximum of simultaneous sweeps of a buffered Bloom filter's blocks, each of which has memory
   * for a group of pages.
   */
  private static final int SWEEPS = 2;

  /** Bytes of heap that a block takes besides the memory for its waiting keys and probes. */
  private static final int BLOCK_OVERHEAD = 96;

  private static final int MAX_BLOCK_BYTES = 1 << 30;

  /** Maximum of pages of a buffered Bloom filter: an array has a version number for each. */
  private static final int MAX_PAGES = Integer.MAX_VALUE - 8;

  final BufferBlock[] blocks;
  private final Wholeness wholeness;
  final FlashCounters<BufferedBloomCount> counters;

  /** Nanoseconds of the longest time that a deferred probe waited for its answer. */
  final LongAccumulator longestWait = new LongAccumulator(Math::max, 0);

  /**
   * Permits for simultaneous sweeps of a buffered Bloom filter's blocks. A thread that holds one
   * takes no lock before it releases it.
   */
  private final Semaphore permits = new Semaphore(SWEEPS);

  private final Pool<GroupPages> pool;

  /** Answers to deferred probes that sweeps have found and not delivered yet. */
  final AnswerQueue answers;

  private final long origin = System.nanoTime();

  BlockSweeps(BufferedBloomFile file, Wholeness wholeness, BufferedBloomOptions options) {
    BufferedBloomSizing sizing = file.sizing;
    this.wholeness = wholeness;
    this.counters = file.counters;
    this.answers = new AnswerQueue(options.listener);
    this.blocks = new BufferBlock[sizing.groups()];
    int blockBytes = blockBytes(sizing, options.memoryBytes);
    for (int group = 0; group < blocks.length; group++) {
      blocks[group] = new BufferBlock(sizing.entryBytes(), blockBytes);
    }
    this.pool = new Pool<>(SWEEPS, () -> new GroupPages(file), GroupPages::close);
  }

  /**
   * Returns the bytes of memory for each block of waiting keys and probes.
   *
   * @throws IllegalArgumentException if it is too small, or there are too many pages
   */
  static int blockBytes(BufferedBloomSizing sizing, long memoryBytes) {
    Arguments.check(
        sizing.pages() <= MAX_PAGES,
        sizing.pages() + " pages, must be below 2^31: set larger pages, or make several filters");
    long shared =
        (long) SWEEPS * sizing.groupBytes() + VersionedPages.BYTES_PER_PAGE * sizing.pages();
    long perBlock = (memoryBytes - shared) / sizing.groups() - BLOCK_OVERHEAD;
    int min = BufferBlock.minBytes(sizing.entryBytes());
    Arguments.check(
        perBlock >= min,
        String.format(
            "%s bytes of memory, must be at least %s for %s blocks, two sweeps of %s bytes, and"
                + " two bytes for each of %s pages",
            memoryBytes,
            shared + (long) sizing.groups() * (BLOCK_OVERHEAD + min),
            sizing.groups(),
            sizing.groupBytes(),
            sizing.pages()));
    return (int) Math.min(MAX_BLOCK_BYTES, perBlock);
  }

  /** Returns the nanoseconds since this object was created. */
  long now() {
    return System.nanoTime() - origin;
  }

  /**
   * Makes room in a full block of waiting keys and probes by a sweep; the caller holds the block's
   * monitor. The keys are written only if they take more than half of it; otherwise the probes are
   * answered.
   *
   * @return the reason why keys stayed in the block, or null
   */
  IOException makeRoom(int group) {
    return sweep(group, blocks[group].isHalfAdds(), BufferedBloomCount.SWEEPS);
  }

  /**
   * Answers the probes that wait in a block, if there are any, and leaves its keys: the longer keys
   * wait, the more of them share a write.
   */
  void answer(int group) {
    synchronized (blocks[group]) {
      if (blocks[group].probes() > 0) {
        sweep(group, false, BufferedBloomCount.TIMEOUTS);
      }
    }
  }

  /**
   * Sweeps all blocks, including their keys, those with the longest waiting probes first.
   *
   * @param deliver whether answers are delivered at once
   * @return the first exception of a listener, or null
   * @throws IOException if pages could not be read or written; all blocks were tried
   */
  Throwable sweepAll(boolean deliver) throws IOException {
    IOException failure = null;
    Throwable thrownByListener = null;
    for (int group : oldestProbesFirst()) {
      BufferBlock block = blocks[group];
      synchronized (block) {
        if (!block.isEmpty()) {
          IOException thrown = sweep(group, true, BufferedBloomCount.SWEEPS);
          failure = failure == null ? thrown : failure;
        }
      }
      Throwable thrown = deliver ? answers.deliver() : null;
      thrownByListener = thrownByListener == null ? thrown : thrownByListener;
    }
    if (failure != null) {
      throw new IOException(failure.getMessage(), failure);
    }
    return thrownByListener;
  }

  /** Returns the numbers of all blocks, sorted by the waiting time of their probes. */
  private int[] oldestProbesFirst() {
    long[] since = new long[blocks.length]; // a copy, since the values change during the sort
    Arrays.setAll(since, group -> blocks[group].probesSince);
    return IntStream.range(0, blocks.length)
        .boxed()
        .sorted(Comparator.comparingLong(group -> since[group]))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  /**
   * Applies the waiting keys and probes of a block to its pages; the caller holds the block's
   * monitor.
   *
   * @param write whether its keys are written
   * @param reason the counter of such sweeps
   * @return the reason why keys stayed in the block, or null
   */
  private IOException sweep(int group, boolean write, BufferedBloomCount reason) {
    BufferBlock block = blocks[group];
    long since = block.probesSince;
    permits.acquireUninterruptibly();
    try {
      GroupPages pages = pool.take();
      try {
        return pages.sweep(block, group, write, wholeness.whole, answers);
      } finally {
        counters.count(reason);
        pool.putBack(pages);
      }
    } finally {
      permits.release();
      if (since != BufferBlock.NO_PROBE) {
        longestWait.accumulate(now() - since);
      }
    }
  }

  /** Returns the sum over all blocks of a number that each block has. */
  long sum(ToLongFunction<BufferBlock> count) {
    long sum = 0;
    for (BufferBlock block : blocks) {
      synchronized (block) {
        sum += count.applyAsLong(block);
      }
    }
    return sum;
  }

  /** Frees the memory of the sweeps of blocks, once none runs any more. */
  @Override
  public void close() {
    pool.close();
  }
}
