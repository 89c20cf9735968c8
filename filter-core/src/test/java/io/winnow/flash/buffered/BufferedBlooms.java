package io.winnow.flash.buffered;

import java.time.Duration;

/** Small filters for tests. */
final class BufferedBlooms {
  /** No probe waits for so long. */
  static final Duration LONG = Duration.ofMinutes(9);

  private BufferedBlooms() {}

  /** Small enough that blocks are full all the time. */
  static BufferedBloomOptions small() {
    return BufferedBloomOptions.defaults()
        .pages(16)
        .hashFunctions(3)
        .requestBytes(4 * 4096)
        .memoryBudget(2 * 4 * 4096 + 4 * 1000)
        .maxWait(LONG);
  }
}
