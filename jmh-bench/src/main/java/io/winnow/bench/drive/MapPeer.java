package io.winnow.bench.drive;

import java.io.IOException;
import java.nio.file.Path;

/** Key-value stores that users take today for maps and sets on flash: BerkeleyDB and RocksDB. */
enum MapPeer {
  JE("berkeleydb-je"),
  ROCKS_BLOOM("rocksdb-bloom"),
  ROCKS_RIBBON("rocksdb-ribbon");

  /** Approximate number of keys per second with which the slowest of them is loaded. */
  static final double KEYS_PER_SECOND = 150e3;

  final String structure;

  MapPeer(String structure) {
    this.structure = structure;
  }

  /** Opens an empty key-value store. */
  FlashMap open(DriveCommand options, Path directory, long memoryBytes, int valueBytes)
      throws IOException {
    if (this == JE) {
      return new JeMap(directory, memoryBytes, valueBytes);
    }
    String filter = this == ROCKS_RIBBON ? "ribbonfilter" : "bloomfilter";
    return new RocksMap(directory, memoryBytes, valueBytes, filter, options.direct);
  }
}
