package io.winnow.flash.bufferhash;

import java.util.Arrays;

/**
 * Description in memory of an incarnation (a written buffer) on flash: its place, and the fence
 * (bits of the first key's hash) of each of its pages.
 *
 * <p>A <em>lost</em> incarnation exists, but its index cannot be read: its keys are unknown, and
 * lookups that need it fail.
 */
final class Incarnation {
  final long sequence;
  private final long firstDataPage;
  final int records;
  private final boolean crossing;
  private final int[] fences;

  /**
   * Is true from the moment before the incarnation's slot is overwritten; a reader checks it after
   * it has read a page.
   */
  volatile boolean evicted;

  /** Creates the description of an incarnation (a written buffer) whose index is known. */
  Incarnation(long sequence, long firstDataPage, int records, boolean crossing, int[] fences) {
    this.sequence = sequence;
    this.firstDataPage = firstDataPage;
    this.records = records;
    this.crossing = crossing;
    this.fences = fences;
  }

  /** Returns the description of an incarnation that exists on flash but cannot be read. */
  static Incarnation lost(long firstPage) {
    return new Incarnation(-1, firstPage, 0, false, null);
  }

  /** Returns whether the incarnation's index cannot be read. */
  boolean isLost() {
    return fences == null;
  }

  /**
   * Returns the number in the file of the incarnation's i-th data page; of its i-th index page if
   * the index cannot be read.
   */
  long page(int i) {
    return firstDataPage + i;
  }

  /** Returns the number of data pages of the incarnation. */
  int pages() {
    return fences.length;
  }

  /**
   * Returns the first page of the incarnation that may have records with a fence (bits of the key's
   * hash).
   */
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

  /**
   * Returns whether the page after {@code page} may also have records with the fence (bits of the
   * key's hash).
   */
  boolean goesOn(int page, int fence) {
    return page + 1 < fences.length && fences[page + 1] == (fence ^ Integer.MIN_VALUE);
  }
}
