package io.winnow.quotient;

import io.winnow.FilterFormatException;
import io.winnow.FilterImage;
import io.winnow.bits.ByteAccess;
import io.winnow.build.KeyBuffer;
import io.winnow.hash.KeyHash;
import java.util.function.Consumer;

/**
 * Builds quotient filters that do not change, one after the other: sorts the hashes, writes the
 * table in one pass at the scheme's highest load, and verifies that it holds them.
 *
 * <p>Building never fails. The table is that of the set of fingerprints, each once, whose rate is
 * known exactly; the image's key count is that of the distinct hashes. An image that does not hold
 * every hash, which only a fault of the machine could explain, is replaced by one that answers
 * {@code true} to everything.
 *
 * <p>Cost: linear in the number of hashes, whatever they are, except a sort of those that are
 * crafted to be alike. Scratch: 8 bytes per hash for a sorted copy, which is kept for the next
 * filter, and the table. Not thread-safe.
 */
final class QuotientConstruction {
  /** Steps that the probes of the verification may take, where it is not one per hash. */
  private static final int LEAST_PROBE_STEPS = 1000;

  private final HashSorter sorter = new HashSorter();
  private final Consumer<byte[]> fault;

  QuotientConstruction() {
    this(image -> {});
  }

  /** With a fault of the machine, for tests: what happens to an image before it is verified. */
  QuotientConstruction(Consumer<byte[]> fault) {
    this.fault = fault;
  }

  /**
   * Builds the filter of these keys.
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

  /** The table of the sorted hashes, each fingerprint once. */
  private QuotientTable table(QuotientShape shape, int keys) {
    long[] sorted = sorter.sorted();
    TableWriter writer = new TableWriter(shape);
    for (int i = 0; i < keys; i++) {
      writer.append(shape.placeOfMixed(sorted[i]), true);
    }
    return writer.finish();
  }

  /** Reading in order checks the bytes, probing checks the probe. */
  private boolean holds(byte[] image, QuotientLayout layout, int keys, KeyBuffer buffer) {
    try {
      long longestWay = read(image, layout, keys);
      return longestWay > 0 && isFound(image, layout, longestWay, buffer);
    } catch (FilterFormatException e) {
      return false;
    }
  }

  /**
   * Reads the table beside the sorted hashes: 0 if its places are not theirs, otherwise the longest
   * way of a probe. That may go through the blocks of a cluster and the slots of a run.
   */
  private long read(byte[] image, QuotientLayout layout, int keys) {
    TableCursor<byte[]> cursor = layout.fingerprints(ByteAccess.ARRAY, image);
    QuotientShape shape = layout.shape();
    long[] sorted = sorter.sorted();
    long last = -1;
    int slot = -1;
    int cluster = 0; // where it starts
    int run = 0;
    int longestCluster = 0;
    int longestRun = 0;
    for (int i = 0; i < keys; i++) {
      long place = shape.placeOfMixed(sorted[i]);
      if (place == last) {
        continue;
      }
      if (!cursor.next() || cursor.place() != place) {
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
    boolean hasMore = cursor.next(); // if not, this checked the blocks up to the end
    return hasMore ? 0 : 1 + longestCluster / QuotientShape.BLOCK_SLOTS + longestRun;
  }

  /**
   * Whether probes find a sample of the hashes: a few in a hundred of random ones, fewer where
   * hashes are crafted so that their ways are long.
   */
  private static boolean isFound(
      byte[] image, QuotientLayout layout, long longestWay, KeyBuffer buffer) {
    int count = buffer.count();
    int steps = Math.max(LEAST_PROBE_STEPS, count);
    long probes = Math.min(count, steps / longestWay + 1);
    for (long i = 0; i < probes; i++) {
      long hash = buffer.get((int) (i * count / probes));
      if (!layout.mightContain(ByteAccess.ARRAY, image, 0, hash)) {
        return false;
      }
    }
    return true;
  }
}
