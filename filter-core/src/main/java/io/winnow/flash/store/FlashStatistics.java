package io.winnow.flash.store;

import io.winnow.base.FieldText;
import java.util.Map;

/**
 * State values and counters of a structure on flash at one moment, one for each constant of an
 * enum; counters count from the opening. Immutable.
 *
 * @param <C> the enum that names the numbers
 */
public final class FlashStatistics<C extends Enum<C>> {
  private final Map<C, Long> numbers;
  private final Throwable lastFailure;
  private final IoSnapshot io;
  private final boolean direct;

  /** Creates statistics from the state values and counters of one moment. */
  public FlashStatistics(
      Map<C, Long> numbers, Throwable lastFailure, IoSnapshot io, boolean direct) {
    this.numbers = numbers;
    this.lastFailure = lastFailure;
    this.io = io;
    this.direct = direct;
  }

  /** Returns the state value or counter of an enum's constant. */
  public long get(C what) {
    return numbers.get(what);
  }

  /** Returns the last failure of the structure on flash, or null. */
  public Throwable lastFailure() {
    return lastFailure;
  }

  /** Returns the counters of the reads and writes of pages, without those of logs. */
  public IoSnapshot io() {
    return io;
  }

  /** Returns whether pages are read and written with direct I/O. */
  public boolean isDirect() {
    return direct;
  }

  @Override
  public String toString() {
    return FieldText.of(this);
  }
}
