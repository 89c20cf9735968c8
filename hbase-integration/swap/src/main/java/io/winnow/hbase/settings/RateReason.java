package io.winnow.hbase.settings;

/** Reason for the false-positive rate of a file's filter. */
public enum RateReason {
  /** The settings want one rate for all files, or a kind of filter with a fixed rate. */
  FIXED("one rate for all files"),
  /** The file's share of its store's keys decides. */
  SHARE("share of the store"),
  /**
   * A lower rate would take more than the file's own part of the memory, and the other files left
   * none.
   */
  OWN_PART("own part of the memory"),
  /**
   * A lower rate would take more than the file's own part and half of the memory that the other
   * files left.
   */
  ROOM("room that others left"),
  /** A higher rate would let through more than HBase's own filter of the file. */
  STOCK("rate of HBase's own filter");

  private final String inWords;

  RateReason(String inWords) {
    this.inWords = inWords;
  }

  /** Returns the reason in words. */
  public String inWords() {
    return inWords;
  }
}
