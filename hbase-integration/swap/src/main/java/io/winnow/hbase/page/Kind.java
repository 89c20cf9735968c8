package io.winnow.hbase.page;

/**
 * Number of store files that have filters of one kind, with the bytes and the keys of these
 * filters.
 */
final class Kind {
  static final Kind NOTHING = new Kind(0, 0, 0);

  final long files;
  final long bytes;
  final long keys;

  Kind(long files, long bytes, long keys) {
    this.files = files;
    this.bytes = bytes;
    this.keys = keys;
  }

  Kind plus(Kind other) {
    return new Kind(files + other.files, bytes + other.bytes, keys + other.keys);
  }
}
