package io.winnow.hbase.settings;

/** Why a file's filter has its rate. */
public enum RateReason {
  /** One rate for all files was asked for, or the filter is of a fixed kind. */
  ASKED("one rate for all files"),
  /** It follows from the file's share of its store's keys. */
  SHARE("share of the store"),
  /** A lower one would take more than the file's own part of the memory, and no other left some. */
  OWN_PART("own part of the memory"),
  /** A lower one would take more than its own part and half of what the others left. */
  ROOM("room that others left"),
  /** HBase's own filter of the file would let through no more. */
  STOCK("rate of HBase's own filter");

  private final String inWords;

  RateReason(String inWords) {
    this.inWords = inWords;
  }

  public String inWords() {
    return inWords;
  }
}
