package io.winnow.ycsb;

import io.winnow.hbase.cli.Program;

/**
 * The size of the block cache: in bytes, or by the share that stock Bloom filters take of it.
 *
 * @param bytes 0 if the share sets the size
 * @param filterShare 0 if {@code bytes} sets the size
 */
record CacheSize(long bytes, double filterShare) {
  static CacheSize ofShare(double share) {
    return new CacheSize(0, share);
  }

  /**
   * Parses a size of the block cache: {@code 30m}, {@code 31457280} or {@code 40%}.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static CacheSize parse(String text) {
    return text.endsWith("%")
        ? ofShare(Program.number("cache", text.substring(0, text.length() - 1), 1, 1000) / 100)
        : new CacheSize(Program.bytes("cache", text, 1 << 20), 0);
  }

  /**
   * Returns the size of the block cache in bytes, for tables whose stock Bloom filters have the
   * given size.
   */
  long bytesFor(long bloomBytes) {
    return bytes > 0 ? bytes : Math.max(1 << 20, Math.round(bloomBytes / filterShare));
  }
}
