package io.winnow.flash.buffered;

/** Who is told the answers to deferred probes: see {@link BufferedBloomFilter#probe(long, int)}. */
@FunctionalInterface
public interface ProbeListener {
  /**
   * The answer to a probe. Called by whatever thread has found it out, by one at a time, and with
   * no lock of the filter held: it may insert and probe. It should be quick, since other answers
   * wait behind it. What it throws comes out of the call that told it, after the other answers.
   *
   * @param tag what was given with the probe
   * @param mightContain false if the key is certainly not in the filter
   */
  void answered(int tag, boolean mightContain);
}
