package io.winnow.flash.bufferhash;

import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.PageStore;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The filter of an incarnation, made anew from its records. */
final class FilterRebuild {
  private FilterRebuild() {}

  /**
   * Reads all pages of an incarnation, one at a time.
   *
   * @param frame of one page
   * @return false if its keys are not all known: without a filter it is asked each time
   */
  static boolean build(
      IncarnationFilters filters,
      int slot,
      Incarnation incarnation,
      Geometry geometry,
      PageStore store,
      PageFrame frame)
      throws IOException {
    long[] hashes = new long[incarnation.records()];
    int count = 0;
    for (int page = 0; page < incarnation.pages(); page++) {
      try {
        store.read(incarnation.page(page), frame);
      } catch (DamagedPageException e) {
        return false;
      }
      int records = TablePage.number(frame, 0);
      if (TablePage.sequence(frame, 0) != incarnation.sequence()
          || PageReader.end(frame, 0, geometry) < 0
          || count + records > hashes.length) {
        return false;
      }
      ByteBuffer bytes = frame.bytes();
      int at = TablePage.payload(frame, 0);
      for (int i = 0; i < records; i++) {
        hashes[count++] = Records.hash(bytes, at);
        at += Records.bytes(bytes, at);
      }
    }
    if (count != hashes.length) {
      return false;
    }
    filters.build(slot, hashes, count);
    return true;
  }
}
