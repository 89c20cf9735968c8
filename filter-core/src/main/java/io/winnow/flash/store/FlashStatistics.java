package io.winnow.flash.store;

import java.util.Map;

/**
 * A structure at one moment, in numbers by an enum of its own; counts are since it was opened.
 * Immutable.
 */
public class FlashStatistics<C extends Enum<C>> {
  private final Map<C, Long> numbers;
  private final Throwable lastFailure;
  private final IoCounters.Snapshot io;
  private final IoMode ioMode;

  /**
   * All of it at this moment.
   *
   * @param now what is not counted, but is so now; what was counted is put into it
   */
  public FlashStatistics(
      FlashCounters<C> counters, Map<C, Long> now, IoCounters.Snapshot io, IoMode ioMode) {
    for (C what : counters.all) {
      now.putIfAbsent(what, counters.sum(what));
    }
    this.numbers = now;
    this.lastFailure = counters.lastFailure;
    this.io = io;
    this.ioMode = ioMode;
  }

  /** One of the numbers. */
  public long get(C what) {
    return numbers.get(what);
  }

  /** Why something failed last, or null. */
  public Throwable lastFailure() {
    return lastFailure;
  }

  /** Reads and writes of pages; not those of logs. */
  public IoCounters.Snapshot io() {
    return io;
  }

  /** Whether they go past the page cache. */
  public IoMode ioMode() {
    return ioMode;
  }

  @Override
  public String toString() {
    return FieldText.of(this);
  }
}
