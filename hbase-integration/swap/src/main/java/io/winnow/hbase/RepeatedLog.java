package io.winnow.hbase;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limit for lines that repeat in a log: a line is logged once, and then at most once per interval,
 * with the number of times that it was held back.
 *
 * <p>Thread-safe. Keeps the last {@value #MAX_SUBJECTS} subjects; an older one counts as new.
 */
public final class RepeatedLog {
  /** Number that stands for a log line that is held back and not written. */
  public static final long HELD_BACK = -1;

  static final int MAX_SUBJECTS = 1000;

  private final long intervalNanos;
  private final LongSupplier nanoTime;
  private final Map<Object, Line> lines = new LastOnes();

  /**
   * Creates a limit for repeated log lines, which has seen none yet.
   *
   * @param nanoTime a clock as {@link System#nanoTime}
   */
  public RepeatedLog(long intervalNanos, LongSupplier nanoTime) {
    this.intervalNanos = intervalNanos;
    this.nanoTime = nanoTime;
  }

  /** Returns a limit that lets a line pass once in some minutes. */
  public static RepeatedLog everyMinutes(int minutes) {
    return new RepeatedLog(TimeUnit.MINUTES.toNanos(minutes), System::nanoTime);
  }

  /** Returns a limit that lets a line pass once. */
  public static RepeatedLog once() {
    return new RepeatedLog(Long.MAX_VALUE, System::nanoTime);
  }

  /**
   * Decides if a line of the log is written now or held back.
   *
   * @param subject the identity of the line
   * @return {@link #HELD_BACK}, or the number of times that the line was held back since it was
   *     logged last
   */
  public synchronized long next(Object subject) {
    long now = nanoTime.getAsLong();
    Line line = lines.get(subject);
    if (line == null) {
      lines.put(subject, new Line(now));
      return 0;
    }
    if (now - line.loggedAt < intervalNanos) {
      line.heldBack++;
      return HELD_BACK;
    }
    long heldBack = line.heldBack;
    line.loggedAt = now;
    line.heldBack = 0;
    return heldBack;
  }

  /** Forgets all log lines seen so far, for tests. */
  public synchronized void forget() {
    lines.clear();
  }

  /** Ends the time for which repeated log lines are held back, for tests. */
  public synchronized void expire() {
    long now = nanoTime.getAsLong();
    lines.values().forEach(line -> line.loggedAt = now - intervalNanos);
  }

  private static final class Line {
    private long loggedAt;
    private long heldBack;

    Line(long loggedAt) {
      this.loggedAt = loggedAt;
    }
  }

  private static final class LastOnes extends LinkedHashMap<Object, Line> {
    private static final long serialVersionUID = 1L;

    LastOnes() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<Object, Line> eldest) {
      return size() > MAX_SUBJECTS;
    }
  }
}
