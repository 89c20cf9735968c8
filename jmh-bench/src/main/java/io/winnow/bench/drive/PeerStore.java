package io.winnow.bench.drive;

import java.io.IOException;
import java.nio.file.Path;

/** Key-value stores that users take today for maps and sets on flash: BerkeleyDB and RocksDB. */
enum PeerStore {
  JE(FlashMetrics.JE),
  ROCKS_BLOOM(FlashMetrics.ROCKS_BLOOM),
  ROCKS_RIBBON(FlashMetrics.ROCKS_RIBBON);

  /**
   * Approximate number of keys per second with which the slowest of RocksDB and BerkeleyDB is
   * loaded.
   */
  static final double KEYS_PER_SECOND = 150e3;

  private final String structure;

  PeerStore(String structure) {
    this.structure = structure;
  }

  String structure() {
    return structure;
  }

  /**
   * Opens an empty key-value store for a map or a set.
   *
   * @param scratch a directory in which a file is made to test for direct I/O
   */
  Store open(Path files, long memoryBytes, Path scratch) throws IOException {
    if (this == JE) {
      return JeStore.open(files, memoryBytes);
    }
    return RocksStore.open(files, memoryBytes, this == ROCKS_RIBBON, Drive.isDirect(scratch));
  }
}
