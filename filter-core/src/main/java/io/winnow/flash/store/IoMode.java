package io.winnow.flash.store;

/** How pages travel between a store and its drive. */
public enum IoMode {
  /** Past the page cache: what is read is read from the drive. */
  DIRECT,

  /** Through the page cache, since the file system has no direct I/O or none was asked for. */
  BUFFERED
}
