package io.winnow.flash.bufferhash;

import java.util.Arrays;

/**
 * What memory knows of an incarnation on flash: where it is, and the fence of each of its pages.
 *
 * <p>One that is <em>lost</em> was there, and its index cannot be read: nobody knows what keys it
 * had, and who would have to look into it gets an error.
 */
final class Incarnation {
  final long sequence;
  private final long firstDataPage;
  final int records;
  private final boolean crossing;
  private final int[] fences;

  /** Set before its slot is overwritten: who reads its pages then looks whether it was. */
  volatile boolean evicted;

  private Incarnation(
      long sequence, long firstDataPage, int records, boolean crossing, int[] fences) {
    this.sequence = sequence;
    this.firstDataPage = firstDataPage;
    this.records = records;
    this.crossing = crossing;
    this.fences = fences;
  }

  static Incarnation of(Geometry geometry, long sequence, Index index) {
    return new Incarnation(
        sequence,
        geometry.firstPage(index.superTable, index.slot) + geometry.indexPages,
        index.records,
        index.crossing,
        index.fences);
  }

  static Incarnation lost(Geometry geometry, int superTable, int slot) {
    return new Incarnation(-1, geometry.firstPage(superTable, slot), 0, false, null);
  }

  boolean isLost() {
    return fences == null;
  }

  /** The number in the table of one of its pages; of a lost one, of its first index page. */
  long page(int i) {
    return firstDataPage + i;
  }

  int pages() {
    return fences.length;
  }

  /** The first page that may have records of a fence. */
  int firstPage(int fence) {
    int at = Arrays.binarySearch(fences, fence ^ Integer.MIN_VALUE);
    if (at < 0) {
      return Math.max(-at - 2, 0);
    }
    while (at > 0 && fences[at - 1] == fences[at]) {
      at--;
    }
    return crossing && at > 0 ? at - 1 : at;
  }

  /** Whether the page after this one may have records of the fence, too. */
  boolean goesOn(int page, int fence) {
    return page + 1 < fences.length && fences[page + 1] == (fence ^ Integer.MIN_VALUE);
  }
}
