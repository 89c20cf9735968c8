package io.winnow.flash.buffered;

import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** What a {@link BufferedBloomFilter} did since it was opened. */
final class BufferedBloomCounters {
  /** Sweeps of blocks that were full, or by a drain or a sync. */
  final LongAdder sweeps = new LongAdder();

  /** Sweeps of blocks whose probes had waited for long enough. */
  final LongAdder timeouts = new LongAdder();

  /** Damaged pages that answer "present" from now on. */
  final LongAdder replacedPages = new LongAdder();

  /** Answers that had to be "present". */
  final LongAdder doubts = new LongAdder();

  final LongAccumulator longestWait = new LongAccumulator(Math::max, 0);

  volatile Throwable lastFailure;
}
