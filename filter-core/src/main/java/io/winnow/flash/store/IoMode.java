package io.winnow.flash.store;

/** Kind of I/O by which a file is read and written. */
public enum IoMode {
  /** Direct I/O: bypasses the page cache, so a read reads the drive. */
  DIRECT,

  /**
   * Buffered I/O: uses the page cache, because the file system has no direct I/O or it was not
   * requested.
   */
  BUFFERED
}
