package io.winnow.hbase.page;

/** Files with filters of one kind, the filters' bytes and keys. */
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
