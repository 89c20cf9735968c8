package io.winnow.flash.buffered;

/** Receives the answers to deferred probes: see {@link BufferedBloomFilter#probe(long, int)}. */
@FunctionalInterface
public interface ProbeListener {
  /**
   * Receives the answer to a deferred probe. Any thread that found the answer calls this, one
   * thread at a time, with no lock of the filter held: it may insert and probe. It should be quick,
   * since other answers wait. An exception is thrown by the call that delivered the answer, after
   * the other answers.
   *
   * @param tag the tag of the probe
   * @param mightContain false if the key is certainly not in the filter
   */
  void answered(int tag, boolean mightContain);
}
