package io.winnow.hbase.write;

import io.winnow.base.ScratchPool;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.settings.MemoryLimit;
import java.util.TreeMap;

/**
 * Account of the heap that filters under construction take, over all store files that this JVM
 * writes, with a limit.
 *
 * <p>A file's filter reserves the memory that it will hold before it allocates it. A filter that
 * gets no reservation is not begun, or is given up. Beside the memory that is held there is always
 * room for the largest build of any open file. Builds that would not fit at the same time wait for
 * each other: one takes milliseconds, and a single one always fits. Scratch that past builds left
 * for later ones is counted too, and dropped if its room is needed. So the sum stays below the
 * limit. All figures are bounds from {@link BuildCost}, not measurements. Thread-safe.
 */
public final class BuildMemory {
  private static final BuildMemory OF_THIS_JVM = new BuildMemory();

  /**
   * Longest wait of a filter's build for memory, in milliseconds, after which the filter is given
   * up, since no flush may hang.
   */
  private static final long MAX_WAIT_MILLIS = 60_000;

  /**
   * Longest time between two checks of a build that waits for memory, in milliseconds, even if it
   * was not notified.
   */
  private static final long MAX_STEP_MILLIS = 10;

  /**
   * Longest wait of a file for memory before its filter is begun, in milliseconds, after which the
   * file gets the stock filter.
   */
  private static final long MAX_WAIT_TO_BEGIN_MILLIS = 1_000;

  static {
    ServerMetric.BUILD_MEMORY.measure(OF_THIS_JVM::underConstruction);
    ServerMetric.BUILD_MEMORY_LIMIT.measure(MemoryLimit::ofThisJvm);
  }

  private long held;
  private long building;

  /**
   * Memory reservation of the filter whose build has waited longest for memory: no later build goes
   * before it.
   */
  private Reservation first;

  /**
   * Counts of the files that are being written, by the memory in bytes that the largest build for a
   * file's filter takes.
   */
  private final TreeMap<Long, Integer> builds = new TreeMap<>();

  BuildMemory() {}

  static BuildMemory ofThisJvm() {
    return OF_THIS_JVM;
  }

  /**
   * Returns the bytes that are reserved now for filters under construction in this JVM, scratch
   * memory included. Scratch of a build that is just ending may count twice.
   */
  public static long bytesInUse() {
    return OF_THIS_JVM.bytes();
  }

  /**
   * Returns the bytes that filters under construction hold, use for builds, and have left over from
   * past builds.
   */
  synchronized long bytes() {
    return held + building + idleBytes();
  }

  /** Returns the bytes that filters under construction hold and use for builds, and no others. */
  synchronized long underConstruction() {
    return held + building;
  }

  private static long idleBytes() {
    return ScratchPool.idleKeys() * ScratchPool.MAX_BYTES_PER_KEY;
  }

  /**
   * Reserves memory for the filter of one file that is written.
   *
   * @param limit the bytes that all files together may take
   * @param bytes the bytes that the file's filter will hold
   * @param scratch the bytes that its largest build takes beside that
   * @return the reservation; null if it would pass the limit
   */
  Reservation reserve(long limit, long bytes, long scratch) {
    Reservation reservation = new Reservation(limit);
    return reservation.resize(bytes, scratch, MAX_WAIT_TO_BEGIN_MILLIS) ? reservation : null;
  }

  /** Exception for a filter under construction that gets no more memory. */
  static final class FullException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FullException() {
      super("filters under construction take all the memory that they may", null, false, false);
    }
  }

  /** Memory that is reserved for the filter of one file under construction. */
  final class Reservation implements Runnable {
    private final long limit;
    private long bytes;
    private long scratch;
    private long inBuild;
    private boolean closed;

    private Reservation(long limit) {
      this.limit = limit;
    }

    /**
     * Changes the number of bytes that are reserved for the filter of a file.
     *
     * @return false, with nothing changed, if the new one would pass the limit
     */
    boolean resize(long newBytes, long newScratch) {
      return resize(newBytes, newScratch, MAX_WAIT_MILLIS);
    }

    private boolean resize(long newBytes, long newScratch, long maxWaitMillis) {
      synchronized (BuildMemory.this) {
        if (closed) {
          return true; // its file is finished
        }
        if ((newBytes > bytes || newScratch > scratch)
            && !isAdmitted(newBytes - bytes, newScratch, maxWaitMillis)) {
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
          // If anything fails from here on, close() removes one build and no more.
          long before = scratch;
          scratch = newScratch;
          removeBuild(before);
        }
        dropIdleIfFull(0);
        return true;
      }
    }

    /**
     * Enlarges the memory reservation of a file's filter, and never makes it smaller.
     *
     * @throws FullException if the new one would pass the limit
     */
    void growTo(long newBytes, long newScratch) {
      if (!resize(Math.max(bytes, newBytes), Math.max(scratch, newScratch))) {
        throw new FullException();
      }
    }

    /**
     * Waits for memory if only filter builds in progress take it, and returns true if there is
     * enough in the end.
     *
     * @param more the bytes to hold in addition
     * @return true if there is room
     */
    private boolean isAdmitted(long more, long newScratch, long maxWaitMillis) {
      Wait wait = new Wait(maxWaitMillis);
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
     * Begins the build of a chunk, and waits until there is room for its scratch memory.
     *
     * @param buildBytes the bytes of scratch
     * @throws FullException if that takes too long
     */
    void begin(long buildBytes) {
      synchronized (BuildMemory.this) {
        Wait wait = new Wait(MAX_WAIT_MILLIS);
        try {
          while (!mayBegin(buildBytes)) {
            if (!wait.goesOn()) {
              throw new FullException();
            }
          }
        } finally {
          if (first == this) {
            first = null; // always, or no build would ever begin again
          }
          wait.restoreInterrupt();
        }
        dropIdleIfFull(buildBytes);
        inBuild = buildBytes;
        building += buildBytes;
      }
    }

    /**
     * Returns true if there is memory to build a chunk now, and no earlier build waits for it. If
     * it may not and no other waits, it gets the next turn.
     */
    private boolean mayBegin(long buildBytes) {
      boolean fits = building == 0 || held + building + buildBytes <= limit;
      if (first == null && !fits) {
        first = this;
      }
      return fits && (first == null || first == this);
    }

    /** Ends the build of a chunk, whether it succeeded or not, and releases its scratch memory. */
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

    /** Releases all memory that is reserved for the filter of a file. */
    void close() {
      synchronized (BuildMemory.this) {
        if (!closed) {
          closed = true;
          held -= bytes;
          building -= inBuild;
          inBuild = 0; // the end of a build in progress must not release it again
          removeBuild(scratch);
          BuildMemory.this.notifyAll();
        }
      }
    }

    @Override
    public void run() {
      close();
    }
  }

  private void removeBuild(long scratch) {
    builds.computeIfPresent(scratch, (key, count) -> count == 1 ? null : count - 1);
  }

  /** Wait of bounded length for memory that other filters use, which interrupts do not end. */
  private final class Wait {
    private final long maxMillis;
    private long deadline;
    private boolean interrupted;

    Wait(long maxMillis) {
      this.maxMillis = maxMillis;
    }

    /**
     * Waits until the account of memory changes, or for a short time.
     *
     * @return false if the time is over
     */
    boolean goesOn() {
      long now = System.nanoTime();
      if (deadline == 0) {
        deadline = now + maxMillis * 1_000_000;
      }
      long left = (deadline - now) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      try {
        BuildMemory.this.wait(Math.min(left, MAX_STEP_MILLIS));
      } catch (InterruptedException e) {
        interrupted = true;
      }
      return true;
    }

    /** Interrupts the thread again if it was interrupted while it waited for memory. */
    void restoreInterrupt() {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
