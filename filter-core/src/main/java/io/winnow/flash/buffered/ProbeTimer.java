package io.winnow.flash.buffered;

import io.winnow.flash.store.Uninterrupted;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * Answers probes that have waited for long enough: a thread that sweeps each block whose oldest
 * probe has waited for {@code maxWait}.
 *
 * <p>Many blocks may be due at once, and one thread sweeps them one after the other. So that the
 * last of them is not late, it begins so much earlier as sweeps have taken of late. It looks at all
 * blocks twice per {@code maxWait} at least, early enough to see that coming; nobody has to wake it
 * but for the first probe after a time without any.
 */
final class ProbeTimer implements Runnable {
  static final int GROUP_BITS = 24; // 2^24 groups are the most; in the other bits, 9 minutes
  private static final long LEAST_GUESS_NANOS = 1_000_000;

  /** Sweeps take longer as more probes come: each is given half as much time again as of late. */
  private static final int MARGIN = 2;

  /** The pause before it tries again a step for which there was no memory. */
  private static final long PAUSE_NANOS = 10_000_000;

  private final BlockSweeps sweeps;
  private final long maxWaitNanos;
  private final Thread thread;

  /** Of each block that has probes: the nanoseconds that it has left, above its number. */
  private long[] waiting = new long[16];

  /** What a sweep takes: the longest of late, forgotten by and by. */
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
   * What a sweep is taken to last before there was one. If all blocks wait, sweeps then begin at
   * once: with too short a guess the last block of the first round would be late.
   */
  static long firstGuess(int groups, long maxWaitNanos) {
    return Math.max(LEAST_GUESS_NANOS, 2 * maxWaitNanos / groups);
  }

  void start() {
    thread.start();
  }

  /** To be called after a probe was put into a block: costs a look if the timer is awake. */
  void probeWaits() {
    if (idle) {
      LockSupport.unpark(thread);
    }
  }

  /** Returns when the thread has ended, unless it is the one that calls. */
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
      Thread.interrupted(); // would make every pause end at once
    }
  }

  /** Collects the blocks that have probes, the one with the least time left first. */
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

  private long left(long since, long now) {
    return Math.min(maxWaitNanos, since + maxWaitNanos - now);
  }

  /**
   * Sweeps the blocks that have to be swept now if all are to be in time.
   *
   * @return 0 if there were any, else how many nanoseconds there are until the first one
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
      boolean swept = // by somebody else meanwhile, and what waits now is younger
          since == BufferBlock.NO_PROBE || left(since, begin) > waiting[i] >>> GROUP_BITS;
      if (!swept) {
        answer(group);
        sweepNanos = Math.max(sweeps.now() - begin, sweepNanos - sweepNanos / 8);
      }
    }
    return 0;
  }

  private void answer(int group) {
    try {
      sweeps.answer(group);
    } catch (RuntimeException | Error e) { // out of memory; the timer is for all others, too
      sweeps.counters.recordFailure(e);
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    Throwable thrown = sweeps.answers.deliver();
    if (thrown != null) {
      sweeps.counters.recordFailure(thrown);
    }
  }

  /**
   * When sweeps have to begin so that none is late, if each takes so long.
   *
   * @return in how many nanoseconds the first one has to; if that is now, how many of the blocks,
   *     from the first one on, have to be swept at once, as a negative number
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
