package io.winnow.quotient;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.MembershipFilter;
import io.winnow.hash.KeyBuffer;
import io.winnow.hash.KeyHash;

/**
 * Builds quotient filters from streamed key hashes: sorts them, and writes the table in one pass at
 * the scheme's highest load.
 *
 * <p>Building never fails. The table is that of the set of fingerprints, each once, whose rate is
 * known exactly; the image's key count is that of the distinct hashes. Every filter is probed with
 * every hash that it was built from before it is handed out, unless {@link #verified} says
 * otherwise; a hash that is not found, which only a fault of the machine could explain, is an
 * {@link IllegalStateException}.
 *
 * <p>Memory: 8 bytes per key while keys come in, in an array that doubles; at finish another 8 for
 * the sorted copy, the table and the image. Not thread-safe.
 */
public final class QuotientBuilder implements FilterBuilder {
  private final QuotientSizing sizing;
  private final KeyBuffer keys = new KeyBuffer();
  private final HashSorter sorter = new HashSorter();
  private int hashId;
  private boolean verified = true;

  private QuotientBuilder(QuotientSizing sizing) {
    this.sizing = sizing;
  }

  public static QuotientBuilder of(QuotientSizing sizing) {
    return new QuotientBuilder(sizing);
  }

  /** Records in the image which function made the hashes. */
  public QuotientBuilder hashedBy(KeyHash hash) {
    hashId = hash.id();
    return this;
  }

  /** Whether a finished filter is probed with every hash that it was built from: the default. */
  public QuotientBuilder verified(boolean newVerified) {
    verified = newVerified;
    return this;
  }

  @Override
  public void add(long keyHash) {
    keys.add(keyHash);
  }

  @Override
  public long pendingCount() {
    return keys.count();
  }

  @Override
  public FilterImage finish() {
    long[] sorted = sorter.sort(keys.hashes(), keys.count());
    int count = dropRepeats(sorted, keys.count());
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
    FilterImage image = QuotientFilter.image(table, hashId, count, sizing.rate(), rate);
    if (verified) {
      verify(image, sorted, count);
    }
    keys.clear();
    return image;
  }

  private static int dropRepeats(long[] sorted, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (i == 0 || sorted[i] != sorted[i - 1]) {
        sorted[kept++] = sorted[i];
      }
    }
    return kept;
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
