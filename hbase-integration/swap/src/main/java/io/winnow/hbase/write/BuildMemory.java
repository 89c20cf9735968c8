package io.winnow.hbase.write;

import io.winnow.build.ScratchPool;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.settings.MemoryLimit;
import java.util.TreeMap;

/**
 * The heap that filters under construction take, of all store files that this JVM writes, and its
 * limit ({@link MemoryLimit}).
 *
 * <p>A file's filter reserves what it will hold while it is made, before it takes it; one that gets
 * no reservation is not begun, or is given up. Beside what is held there is always room for the
 * largest build of any open file. Builds that would not fit at the same time wait for each other:
 * one takes milliseconds, and one alone always fits. Scratch that past builds left for later ones
 * is counted too, and dropped where it is in the way. So the sum stays below the limit; all figures
 * are bounds from {@link BuildCost}, not measurements. Thread-safe.
 */
public final class BuildMemory {
  private static final BuildMemory OF_THIS_JVM = new BuildMemory();

  /** A build that waits longer gives up: no flush may hang because of an account. */
  private static final long LONGEST_WAIT_MILLIS = 60_000;

  /** So long at most until one that waits looks again, though nobody told it to. */
  private static final long LONGEST_STEP_MILLIS = 10;

  /** A file that has yet to begin waits no longer: the stock filter can be had at once. */
  private static final long LONGEST_WAIT_TO_BEGIN_MILLIS = 1_000;

  static {
    ServerMetric.BUILD_MEMORY.measure(BuildMemory::bytesInUse);
    ServerMetric.BUILD_MEMORY_LIMIT.measure(MemoryLimit::ofThisJvm);
  }

  private long held;
  private long building;

  /** The build that has waited longest for room: none that comes later goes before it. */
  private Reservation first;

  /** How many open files' largest build takes so many bytes. */
  private final TreeMap<Long, Integer> builds = new TreeMap<>();

  BuildMemory() {}

  static BuildMemory ofThisJvm() {
    return OF_THIS_JVM;
  }

  /** Bytes that are reserved now for filters under construction, scratch included. */
  public static long bytesInUse() {
    return OF_THIS_JVM.bytes();
  }

  /** What is reserved, being built with, and left from builds. */
  synchronized long bytes() {
    return held + building + idleBytes();
  }

  private static long idleBytes() {
    return ScratchPool.idleKeys() * ScratchPool.MAX_BYTES_PER_KEY;
  }

  /**
   * Reserves memory for the filter of one file; null if that would pass the limit.
   *
   * @param limit in bytes, for what all files take
   * @param bytes what the file's filter will hold
   * @param scratch what its largest build takes beside that
   */
  Reservation reserve(long limit, long bytes, long scratch) {
    Reservation reservation = new Reservation(limit);
    return reservation.resize(bytes, scratch, LONGEST_WAIT_TO_BEGIN_MILLIS) ? reservation : null;
  }

  /** Says that memory was refused to a filter that is being written. */
  static final class FullException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FullException() {
      super("filters under construction take all the memory that they may", null, false, false);
    }
  }

  /**
   * The part of one file. Closing it more than once does nothing, and it may be closed by another
   * thread than its file's.
   */
  final class Reservation implements Runnable {
    private final long limit;
    private long bytes;
    private long scratch;
    private long inBuild;
    private boolean closed;

    private Reservation(long limit) {
      this.limit = limit;
    }

    /** Changes what is reserved; false, and nothing is changed, if that would pass the limit. */
    boolean resize(long newBytes, long newScratch) {
      return resize(newBytes, newScratch, LONGEST_WAIT_MILLIS);
    }

    private boolean resize(long newBytes, long newScratch, long longestWaitMillis) {
      synchronized (BuildMemory.this) {
        if (closed) {
          return true; // its file is done with
        }
        if ((newBytes > bytes || newScratch > scratch)
            && !isAdmitted(newBytes - bytes, newScratch, longestWaitMillis)) {
          return false;
        }
        if (closed) {
          return true; // while it waited
        }
        held += newBytes - bytes;
        bytes = newBytes;
        if (newScratch != scratch) {
          if (newScratch > 0) {
            builds.merge(newScratch, 1, Integer::sum);
          }
          // Whatever fails from here on, close() forgets one build and no more.
          long before = scratch;
          scratch = newScratch;
          forgetBuild(before);
        }
        dropIdleIfFull(0);
        return true;
      }
    }

    /** As {@link #resize}, never smaller than now. */
    void growTo(long newBytes, long newScratch) {
      if (!resize(Math.max(bytes, newBytes), Math.max(scratch, newScratch))) {
        throw new FullException();
      }
    }

    /** Waits for builds that go on, if it is they that are in the way. */
    private boolean isAdmitted(long more, long newScratch, long longestWaitMillis) {
      Wait wait = new Wait(longestWaitMillis);
      try {
        while (true) {
          long largest = builds.isEmpty() ? 0 : builds.lastKey();
          if (held + more + Math.max(largest, newScratch) > limit) {
            return false;
          }
          if (held + more + building <= limit) {
            return true;
          }
          if (!wait.goesOn()) {
            return false;
          }
        }
      } finally {
        wait.restoreInterrupt();
      }
    }

    /**
     * A chunk is built now, which takes this much scratch: waits until there is room for that.
     *
     * @throws FullException if that takes too long
     */
    void begin(long buildBytes) {
      synchronized (BuildMemory.this) {
        Wait wait = new Wait(LONGEST_WAIT_MILLIS);
        try {
          while (!mayBegin(buildBytes)) {
            if (!wait.goesOn()) {
              throw new FullException();
            }
          }
        } finally {
          if (first == this) {
            first = null; // in any case, or nobody would build any more
          }
          wait.restoreInterrupt();
        }
        dropIdleIfFull(buildBytes);
        inBuild = buildBytes;
        building += buildBytes;
      }
    }

    /** If not, and nobody waits yet, the next turn is this one's. */
    private boolean mayBegin(long buildBytes) {
      boolean fits = building == 0 || held + building + buildBytes <= limit;
      if (first == null && !fits) {
        first = this;
      }
      return fits && (first == null || first == this);
    }

    /** The build that {@link #begin} was for is over, well or not. */
    void end() {
      synchronized (BuildMemory.this) {
        building -= inBuild;
        inBuild = 0;
        dropIdleIfFull(0);
        BuildMemory.this.notifyAll();
      }
    }

    private void dropIdleIfFull(long more) {
      if (held + building + more + idleBytes() > limit) {
        ScratchPool.dropIdle();
      }
    }

    /** Gives everything back. */
    void close() {
      synchronized (BuildMemory.this) {
        if (!closed) {
          closed = true;
          held -= bytes;
          building -= inBuild;
          inBuild = 0; // the end of a build that goes on must not give it back again
          forgetBuild(scratch);
          BuildMemory.this.notifyAll();
        }
      }
    }

    @Override
    public void run() {
      close();
    }
  }

  private void forgetBuild(long scratch) {
    builds.computeIfPresent(scratch, (key, count) -> count == 1 ? null : count - 1);
  }

  /** A wait for what others take, for a bounded time, through interrupts. */
  private final class Wait {
    private final long longestMillis;
    private long deadline;
    private boolean interrupted;

    Wait(long longestMillis) {
      this.longestMillis = longestMillis;
    }

    /** Waits for a change; false if the time is over. */
    boolean goesOn() {
      long now = System.nanoTime();
      if (deadline == 0) {
        deadline = now + longestMillis * 1_000_000;
      }
      long left = (deadline - now) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      try {
        BuildMemory.this.wait(Math.min(left, LONGEST_STEP_MILLIS));
      } catch (InterruptedException e) {
        interrupted = true;
      }
      return true;
    }

    void restoreInterrupt() {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
