package io.winnow.quotient;

import io.winnow.FilterImage;
import io.winnow.MembershipFilter;
import io.winnow.build.KeyBuffer;
import io.winnow.hash.KeyHash;

/**
 * Builds quotient filters that do not change, one after the other: sorts the hashes, and writes the
 * table in one pass at the scheme's highest load.
 *
 * <p>The table is that of the set of fingerprints, each once, whose rate is known exactly; the
 * image's key count is that of the distinct hashes.
 *
 * <p>Scratch: 16 bytes per key for the hashes and their sorted copy, and the table. Not
 * thread-safe.
 */
final class QuotientConstruction {
  private final HashSorter sorter = new HashSorter();
  private long[] hashes = {};

  /** Builds the filter of these keys. */
  FilterImage build(QuotientSizing sizing, KeyBuffer keys, KeyHash keyHash, boolean verified) {
    if (hashes.length < keys.count()) {
      hashes = new long[keys.count()];
    }
    keys.copyTo(hashes);
    long[] sorted = sorter.sort(hashes, keys.count());
    int count = KeyBuffer.distinctInSorted(sorted, keys.count());
    if (!sizing.fits(count)) {
      throw new IllegalStateException(count + " keys are more than a filter can hold");
    }
    QuotientShape shape = sizing.shape(count);
    QuotientTable table = QuotientTable.of(shape);
    TableWriter writer = new TableWriter(table);
    long last = -1;
    for (int i = 0; i < count; i++) {
      long place = shape.place(sorted[i]);
      if (place != last) {
        writer.append(place);
        last = place;
      }
    }
    writer.finish();
    double rate = table.count() / (double) shape.universe();
    FilterImage image = QuotientFilter.image(table, keyHash, count, sizing.rate(), rate);
    if (verified) {
      verify(image, sorted, count);
    }
    return image;
  }

  private static void verify(FilterImage image, long[] hashes, int count) {
    MembershipFilter filter = image.open();
    for (int i = 0; i < count; i++) {
      if (!filter.mightContain(hashes[i])) {
        throw new IllegalStateException(
            String.format("lost hash 0x%016X: %s", hashes[i], image.layout().describe()));
      }
    }
  }
}
