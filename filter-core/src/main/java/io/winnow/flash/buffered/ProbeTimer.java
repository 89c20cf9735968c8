package io.winnow.flash.buffered;

import io.winnow.flash.drive.Uninterrupted;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * Timer of deferred probes: a thread that sweeps each block whose oldest probe has waited for
 * {@code maxWait}.
 *
 * <p>Many blocks may be due at once, and one thread sweeps them one after the other. To be in time
 * for the last one, it begins as much earlier as recent sweeps have taken. It checks all blocks at
 * least twice per {@code maxWait}, so that it notices this early enough. It must be woken only for
 * the first probe after a time without any.
 */
final class ProbeTimer implements Runnable {
  static final int GROUP_BITS = 24; // for at most 2^24 groups; the other bits hold 9 minutes
  private static final long MIN_GUESS_NANOS = 1_000_000;

  /**
   * Divisor of the time of a sweep that gives the extra time: a sweep is allotted half as much time
   * again as recent ones took, because it takes longer when more probes come.
   */
  private static final int MARGIN = 2;

  /** Nanoseconds of pause before the timer repeats a step for which there was no memory. */
  private static final long PAUSE_NANOS = 10_000_000;

  private final BlockSweeps sweeps;
  private final long maxWaitNanos;
  private final Thread thread;

  /**
   * Nanoseconds until the probes of a block must be answered, for each block that has probes,
   * shifted left above the block's number.
   */
  private long[] waiting = new long[16];

  /**
   * Estimate of the nanoseconds that a sweep of a block takes: the longest recent one, which is
   * slowly forgotten.
   */
  private long sweepNanos;

  private volatile boolean idle;
  private volatile boolean stopped;

  ProbeTimer(BlockSweeps sweeps, long maxWaitNanos, String name) {
    this.sweeps = sweeps;
    this.maxWaitNanos = maxWaitNanos;
    this.sweepNanos = firstGuess(sweeps.blocks.length, maxWaitNanos);
    thread = new Thread(this, name);
    thread.setDaemon(true);
  }

  /**
   * Returns the estimate of the nanoseconds that a sweep of a block takes, before the first one. It
   * is so long that sweeps begin at once if all blocks wait: with a shorter one the last block of
   * the first round would be late.
   */
  static long firstGuess(int groups, long maxWaitNanos) {
    return Math.max(MIN_GUESS_NANOS, 2 * maxWaitNanos / groups);
  }

  void start() {
    thread.start();
  }

  /** Wakes the timer if it is idle, after a deferred probe was put into a block. */
  void probeWaits() {
    if (idle) {
      LockSupport.unpark(thread);
    }
  }

  /** Ends the timer's thread and waits for it, unless the thread itself calls this method. */
  void stop() {
    stopped = true;
    LockSupport.unpark(thread);
    if (Thread.currentThread() != thread) {
      Uninterrupted.join(thread);
    }
  }

  @Override
  public void run() {
    while (!stopped) {
      int count = survey();
      if (count == 0) {
        idle = true;
        if (survey() == 0 && !stopped) {
          LockSupport.park(this);
        }
        idle = false;
      } else {
        long pause = sweepDue(count);
        if (pause > 0 && !stopped) {
          LockSupport.parkNanos(this, Math.min(pause, maxWaitNanos / 2));
        }
      }
      Thread.interrupted(); // an interrupt would end every pause at once
    }
  }

  /**
   * Collects the blocks that have deferred probes, sorted by their remaining time.
   *
   * @return their number
   */
  private int survey() {
    long now = sweeps.now();
    int count = 0;
    for (int group = 0; group < sweeps.blocks.length; group++) {
      long since = sweeps.blocks[group].probesSince;
      if (since != BufferBlock.NO_PROBE) {
        if (count == waiting.length) {
          waiting = Arrays.copyOf(waiting, 2 * count);
        }
        waiting[count++] = Math.max(0, left(since, now)) << GROUP_BITS | group;
      }
    }
    Arrays.sort(waiting, 0, count);
    return count;
  }

  /**
   * Returns the nanoseconds until a deferred probe must be answered, from the time at which it
   * came.
   */
  private long left(long since, long now) {
    return Math.min(maxWaitNanos, since + maxWaitNanos - now);
  }

  /**
   * Sweeps the blocks that must be swept now if the probes of all blocks are to be answered in
   * time.
   *
   * @return 0 if there were any; otherwise the nanoseconds until the first one
   */
  private long sweepDue(int count) {
    long next = nextSweep(waiting, count, sweepNanos + sweepNanos / MARGIN);
    if (next > 0) {
      return next;
    }
    for (int i = 0; i < -next && !stopped; i++) {
      int group = (int) waiting[i] & (1 << GROUP_BITS) - 1;
      long since = sweeps.blocks[group].probesSince;
      long begin = sweeps.now();
      boolean swept = // by another thread meanwhile; the probes that wait now are younger
          since == BufferBlock.NO_PROBE || left(since, begin) > waiting[i] >>> GROUP_BITS;
      if (!swept) {
        answer(group);
        sweepNanos = Math.max(sweeps.now() - begin, sweepNanos - sweepNanos / 8);
      }
    }
    return 0;
  }

  /** Answers the probes of a block and delivers the answers; failures are only counted. */
  private void answer(int group) {
    try {
      sweeps.answer(group);
    } catch (RuntimeException | Error e) { // out of memory; the thread must go on for other blocks
      sweeps.counters.recordFailure(e);
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    Throwable thrown = sweeps.answers.deliver();
    if (thrown != null) {
      sweeps.counters.recordFailure(thrown);
    }
  }

  /**
   * Computes the time at which the next sweep must begin so that the probes of no block are
   * answered late, if each sweep takes {@code sweepNanos}.
   *
   * @return the nanoseconds until then; or, if sweeps must begin now, the number of blocks to sweep
   *     at once, from the first one on, as a negative number
   */
  static long nextSweep(long[] waiting, int count, long sweepNanos) {
    long latest = Long.MAX_VALUE;
    for (int i = count - 1; i >= 0; i--) {
      latest = Math.min(waiting[i] >>> GROUP_BITS, latest - sweepNanos);
      if (latest <= 0) {
        return -i - 1;
      }
    }
    return latest;
  }
}
