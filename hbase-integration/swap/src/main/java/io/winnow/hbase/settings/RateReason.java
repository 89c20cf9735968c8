package io.winnow.hbase.settings;

/** Reason for the false-positive rate of a store file's filter. */
public enum RateReason {
  /**
   * Rate that is fixed: the settings want one rate for all files, or a kind of filter with a fixed
   * rate.
   */
  FIXED("one rate for all files"),
  /** Rate that follows from the file's share of its store's keys. */
  SHARE("share of the store"),
  /**
   * Rate that is raised because a lower one would take more than the file's own part of the filter
   * memory, and the other files of the store left none.
   */
  OWN_PART("own part of the memory"),
  /**
   * Rate that is raised because a lower one would take more than the file's own part of the filter
   * memory and half of the memory that the other files of the store left.
   */
  ROOM("room that others left"),
  /**
   * Rate that is lowered to that of HBase's own filter, so that the file is read in vain no more
   * often than with that filter.
   */
  STOCK("rate of HBase's own filter"),
  /**
   * Rate of HBase's own filter, or that of the file's own part of the filter memory if this is
   * higher, because the block cache is too small for the server's filters: smaller filters then
   * save more reads than lower rates.
   */
  CACHE("the block cache is short: one rate for all files");

  /** The reason for the false-positive rate of a filter, in words. */
  public final String inWords;

  RateReason(String inWords) {
    this.inWords = inWords;
  }
}
