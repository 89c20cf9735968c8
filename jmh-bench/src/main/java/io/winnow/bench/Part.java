package io.winnow.bench;

import java.io.IOException;

/**
 * A part of a run that can be run alone, such as the queries of HBase's filters: one workload, or
 * several that belong together. An interrupted run keeps whole parts.
 */
public interface Part {
  String NS_PER_KEY = "nsPerKey";
  String BITS_PER_KEY = "bitsPerKey";
  String FALSE_POSITIVE_RATE = "falsePositiveRate";

  /** Returns the approximate seconds that the part takes. */
  double weight();

  void measure() throws IOException, InterruptedException;
}
