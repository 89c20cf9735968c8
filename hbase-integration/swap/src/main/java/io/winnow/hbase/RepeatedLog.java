package io.winnow.hbase;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Says how often a line has to be logged that would come again and again: once, and then at most
 * once per interval, with the number of times it was held back.
 *
 * <p>Thread-safe. Remembers the subjects that came last, and no more than {@value #MAX_SUBJECTS};
 * an older one counts as new.
 */
public final class RepeatedLog {
  /** The line is not logged this time. */
  public static final long HELD_BACK = -1;

  static final int MAX_SUBJECTS = 1000;

  private final long intervalNanos;
  private final LongSupplier nanoTime;
  private final Map<Object, Line> lines = new LastOnes();

  public RepeatedLog(long intervalNanos, LongSupplier nanoTime) {
    this.intervalNanos = intervalNanos;
    this.nanoTime = nanoTime;
  }

  /**
   * To be asked each time that there is something to say.
   *
   * @return {@link #HELD_BACK}, or how often it was held back since the last line
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

  /** As if nothing had been logged yet: for tests. */
  public synchronized void forget() {
    lines.clear();
  }

  /** As if the interval were over for every line: for tests. */
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
