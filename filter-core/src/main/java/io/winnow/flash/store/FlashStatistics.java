package io.winnow.flash.store;

import java.util.Map;

/**
 * A structure at one moment, in numbers by an enum of its own; counts are since it was opened.
 * Immutable.
 */
public final class FlashStatistics<C extends Enum<C>> {
  private final Map<C, Long> numbers;
  private final Throwable lastFailure;
  private final IoCounters.Snapshot io;
  private final IoMode ioMode;

  FlashStatistics(
      Map<C, Long> numbers, Throwable lastFailure, IoCounters.Snapshot io, IoMode ioMode) {
    this.numbers = numbers;
    this.lastFailure = lastFailure;
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
