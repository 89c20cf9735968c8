package io.winnow.flash.buffered;

import io.winnow.flash.store.Arguments;
import io.winnow.flash.store.FlashCounters;
import io.winnow.flash.store.Pool;
import io.winnow.flash.store.VersionedPages;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * The blocks of a {@link BufferedBloomFilter}, in which keys and probes wait, and the sweeps that
 * bring what a block has to its group of pages.
 *
 * <p>Thread-safe: what is done to a block is done under its monitor.
 */
final class BlockSweeps implements Closeable {
  /** How many sweeps there are at a time, each with memory for a group. */
  private static final int SWEEPS = 2;

  /** What a block takes beside its bytes. */
  private static final int BLOCK_OVERHEAD = 96;

  private static final int MAX_BLOCK_BYTES = 1 << 30;

  final BufferBlock[] blocks;
  private final Wholeness wholeness;
  final FlashCounters<BufferedBloomCount> counters;

  /** The longest that a deferred probe waited. */
  final LongAccumulator longestWait = new LongAccumulator(Math::max, 0);

  /** For each sweep under way; who has one takes no lock before it is given back. */
  private final Semaphore permits = new Semaphore(SWEEPS);

  private final Pool<GroupPages> pool;

  /** Where sweeps put what they found. */
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
   * What memory there is for each block.
   *
   * @throws IllegalArgumentException if that is too little
   */
  static int blockBytes(BufferedBloomSizing sizing, long memoryBytes) {
    long shared =
        (long) SWEEPS * sizing.groupBytes() + VersionedPages.BYTES_PER_PAGE * sizing.pages();
    long perBlock = (memoryBytes - shared) / sizing.groups() - BLOCK_OVERHEAD;
    int least = BufferBlock.minBytes(sizing.entryBytes());
    Arguments.check(
        perBlock >= least,
        String.format(
            "%s bytes of memory, must be %s at least for %s blocks, two sweeps of %s bytes, and"
                + " two bytes for each of %s pages",
            memoryBytes,
            shared + (long) sizing.groups() * (BLOCK_OVERHEAD + least),
            sizing.groups(),
            sizing.groupBytes(),
            sizing.pages()));
    return (int) Math.min(MAX_BLOCK_BYTES, perBlock);
  }

  /** The time in nanoseconds, from 0 on. */
  long now() {
    return System.nanoTime() - origin;
  }

  /**
   * Makes room in a block that is full. Called under its monitor. Its keys are written only if they
   * take most of it: else its probes make way.
   *
   * @return why keys had to stay in the block, or null
   */
  IOException makeRoom(int group) {
    return sweep(group, blocks[group].isHalfAdds(), BufferedBloomCount.SWEEPS);
  }

  /**
   * Answers a block's probes, if there are any, and leaves its keys there: they are in no hurry,
   * and the longer they wait, the more share a write.
   */
  void answer(int group) {
    synchronized (blocks[group]) {
      if (blocks[group].probes() > 0) {
        sweep(group, false, BufferedBloomCount.TIMEOUTS);
      }
    }
  }

  /**
   * Sweeps all blocks, keys included; those whose probes wait the longest come first.
   *
   * @param deliver whether answers are told at once
   * @return what a listener threw, or null
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

  private int[] oldestProbesFirst() {
    long[] since = new long[blocks.length]; // as it is now, while probes go on
    Arrays.setAll(since, group -> blocks[group].probesSince);
    return IntStream.range(0, blocks.length)
        .boxed()
        .sorted(Comparator.comparingLong(group -> since[group]))
        .mapToInt(Integer::intValue)
        .toArray();
  }

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

  /** What all blocks come to. */
  long sum(ToLongFunction<BufferBlock> count) {
    long sum = 0;
    for (BufferBlock block : blocks) {
      synchronized (block) {
        sum += count.applyAsLong(block);
      }
    }
    return sum;
  }

  /** Called when nobody sweeps any more. */
  @Override
  public void close() {
    pool.close();
  }
}
