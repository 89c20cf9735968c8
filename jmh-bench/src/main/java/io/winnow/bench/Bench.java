package io.winnow.bench;

/** What {@code ./winnow bench} runs. */
public final class Bench {
  /** What HBase's own start script opens, as far as store files care. */
  static final String OPEN_NIO = "--add-opens=java.base/java.nio=ALL-UNNAMED";

  static final String OPEN_LANG = "--add-opens=java.base/java.lang=ALL-UNNAMED";

  /** The bytes that a benchmark's keys may take. */
  static final int MAX_SLAB = 400_000_000;

  private Bench() {}

  /** So many keys, or fewer where they are long. */
  static int keysThatFit(int n, int keyLength) {
    return Math.min(n, MAX_SLAB / keyLength);
  }
}
