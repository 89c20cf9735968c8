package io.winnow.quotient;

/** Fingerprints of an array, as they stand there. */
final class ArrayCursor implements FingerprintCursor {
  private final long[] fingerprints;
  private final long universe;
  private int next;

  ArrayCursor(long universe, long... fingerprints) {
    this.fingerprints = fingerprints;
    this.universe = universe;
  }

  @Override
  public long universe() {
    return universe;
  }

  @Override
  public boolean next() {
    if (next == fingerprints.length) {
      return false;
    }
    next++;
    return true;
  }

  @Override
  public long fingerprint() {
    return fingerprints[next - 1];
  }
}
