package io.winnow.quotient;

import io.winnow.ByteAccess;
import io.winnow.FilterFormatException;
import io.winnow.FilterImage;
import io.winnow.KeyHash;
import io.winnow.base.KeyBuffer;
import java.util.function.Consumer;

/**
 * Builds immutable quotient filters, one after the other: sorts the hashes, writes the table in one
 * pass at the scheme's highest load, and verifies that it has all fingerprints.
 *
 * <p>Building never fails. The table has each fingerprint once, so its rate is known exactly; the
 * image's key count is the number of distinct hashes. An image that does not hold every hash, which
 * only a fault of the machine could explain, is replaced by one whose answer is always {@code
 * true}.
 *
 * <p>Cost: linear in the number of hashes, except that hashes crafted to agree are sorted. Scratch:
 * 8 bytes per hash for a sorted copy, which is kept for the next filter, and the table. Not
 * thread-safe.
 */
final class QuotientConstruction {
  /**
   * Minimum of steps that the probes of an image may take when a quotient filter is verified; for
   * many hashes it is one step per hash.
   */
  private static final int MIN_PROBE_STEPS = 1000;

  private final HashSorter sorter = new HashSorter();
  private final Consumer<byte[]> fault;

  /**
   * Creates a builder of quotient filters.
   *
   * @param fault changes each image before it is verified: a test's fault of the machine, or
   *     nothing
   */
  QuotientConstruction(Consumer<byte[]> fault) {
    this.fault = fault;
  }

  /**
   * Builds the quotient filter of the keys in a buffer.
   *
   * @throws IllegalStateException if they are more than a filter can hold
   */
  FilterImage build(QuotientSizing sizing, KeyBuffer buffer, KeyHash keyHash, boolean verified) {
    int keys = sorter.sort(buffer);
    if (!sizing.fits(keys)) {
      throw new IllegalStateException(keys + " keys are more than a filter can hold");
    }
    QuotientShape shape = sizing.shape(keys);
    QuotientTable table = table(shape, keys);
    byte[] image = table.image();
    fault.accept(image);
    FilterImage built =
        QuotientLayout.image(image, shape, keyHash, keys, sizing.rate(), table.rate());
    if (verified && !holds(image, (QuotientLayout) built.layout(), keys, buffer)) {
      byte[] everything = new byte[QuotientTable.PAYLOAD];
      return QuotientLayout.image(everything, shape, keyHash, keys, sizing.rate(), 1);
    }
    return built;
  }

  /** Returns a quotient filter's table of the sorted hashes, each fingerprint once. */
  private QuotientTable table(QuotientShape shape, int keys) {
    long[] sorted = sorter.sorted;
    TableWriter writer = new TableWriter(shape);
    for (int i = 0; i < keys; i++) {
      writer.append(shape.placeOfMixed(sorted[i]), true);
    }
    return writer.finish();
  }

  /**
   * Returns whether a quotient filter's image has the fingerprints of all keys, and probes find
   * them. Reading it in order checks the bytes, probing checks the probe.
   */
  private boolean holds(byte[] image, QuotientLayout layout, int keys, KeyBuffer buffer) {
    try {
      long maxSteps = read(image, layout, keys);
      return maxSteps > 0 && isFound(image, layout, maxSteps, buffer);
    } catch (FilterFormatException e) {
      return false;
    }
  }

  /**
   * Reads the table of a quotient filter's image beside the sorted hashes, and compares their
   * fingerprints. A probe's steps may go through the blocks of a cluster and the slots of a run.
   *
   * @return the largest number of steps of a probe, or 0 if the table differs from the hashes
   */
  private long read(byte[] image, QuotientLayout layout, int keys) {
    TableCursor<byte[]> cursor = layout.fingerprints(ByteAccess.ARRAY, image);
    QuotientShape shape = layout.shape();
    long[] sorted = sorter.sorted;
    long last = -1;
    int slot = -1;
    int cluster = 0; // its first slot
    int run = 0;
    int longestCluster = 0;
    int longestRun = 0;
    for (int i = 0; i < keys; i++) {
      long place = shape.placeOfMixed(sorted[i]);
      if (place == last) {
        continue;
      }
      if (!cursor.next() || cursor.place != place) {
        return 0;
      }
      int quotient = (int) (place >>> shape.remainderBits());
      slot = Math.max(slot + 1, quotient);
      cluster = slot == quotient ? slot : cluster;
      run = last >>> shape.remainderBits() == quotient ? run : slot;
      longestCluster = Math.max(longestCluster, slot - cluster);
      longestRun = Math.max(longestRun, slot - run);
      last = place;
    }
    boolean hasMore = cursor.next(); // if false, the blocks were checked up to the end
    return hasMore ? 0 : 1 + longestCluster / QuotientShape.BLOCK_SLOTS + longestRun;
  }

  /**
   * Returns whether probes of a quotient filter's image find a sample of the hashes: several
   * percent of random ones, fewer if hashes were crafted so that their probes take many steps.
   */
  private static boolean isFound(
      byte[] image, QuotientLayout layout, long maxSteps, KeyBuffer buffer) {
    int count = buffer.count();
    int steps = Math.max(MIN_PROBE_STEPS, count);
    long probes = Math.min(count, steps / maxSteps + 1);
    for (long i = 0; i < probes; i++) {
      long hash = buffer.get((int) (i * count / probes));
      if (!layout.mightContain(ByteAccess.ARRAY, image, 0, hash)) {
        return false;
      }
    }
    return true;
  }
}
