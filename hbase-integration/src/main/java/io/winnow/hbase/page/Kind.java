package io.winnow.hbase.page;

/** Files with filters of one kind, the filters' bytes and keys. */
record Kind(long files, long bytes, long keys) {
  static final Kind NOTHING = new Kind(0, 0, 0);

  Kind plus(Kind other) {
    return new Kind(files + other.files, bytes + other.bytes, keys + other.keys);
  }
}
