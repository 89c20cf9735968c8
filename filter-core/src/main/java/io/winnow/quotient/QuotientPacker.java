package io.winnow.quotient;

import io.winnow.FilterFormatException;
import io.winnow.FilterImage;
import io.winnow.bits.ByteAccess;
import java.util.function.Consumer;

/**
 * Packs hashes into the image of a filter, and verifies that it holds them.
 *
 * <p>Cost: linear in the number of hashes, whatever they are, but for a sort of those that are
 * crafted to be alike. Memory: 8 bytes per hash for a sorted copy, the table and the image. The
 * sorted copy is kept for the next call. Not thread-safe.
 */
final class QuotientPacker {
  /** Steps of probes per hash that the verification may take, see {@link #isFound}. */
  private static final long PROBE_STEPS_PER_HASH = 1;

  private static final long LEAST_PROBE_STEPS = 1000;

  private final HashSorter sorter = new HashSorter();
  private final Consumer<byte[]> fault;

  QuotientPacker() {
    this(image -> {});
  }

  /** With a fault of the machine, for tests: what happens to an image before it is verified. */
  QuotientPacker(Consumer<byte[]> fault) {
    this.fault = fault;
  }

  /**
   * The image of the first {@code count} hashes. If it is verified and does not hold them all, the
   * image of a filter that answers {@code true} to everything.
   *
   * @throws IllegalStateException if they are more than a filter can hold
   */
  FilterImage pack(QuotientSizing sizing, long[] hashes, int count, int hashId, boolean verified) {
    int keys = sorter.sort(hashes, count);
    if (!sizing.fits(keys)) {
      throw new IllegalStateException(keys + " keys are more than a filter can hold");
    }
    QuotientShape shape = sizing.shape(keys);
    QuotientTable table = table(shape, keys);
    byte[] image = table.image();
    QuotientLayout layout =
        QuotientLayout.write(image, shape, hashId, keys, sizing.rate(), table.rate());
    fault.accept(image);
    if (verified && !holds(image, layout, keys, hashes, count)) {
      image = new byte[QuotientTable.PAYLOAD];
      layout = QuotientLayout.write(image, shape, hashId, keys, sizing.rate(), 1);
    }
    return FilterImage.wrap(image, layout);
  }

  /** The table of the sorted hashes, each fingerprint once. */
  private QuotientTable table(QuotientShape shape, int keys) {
    long[] sorted = sorter.sorted();
    QuotientTable table = QuotientTable.of(shape);
    TableWriter writer = new TableWriter(table);
    long last = -1;
    for (int i = 0; i < keys; i++) {
      long place = shape.placeOfMixed(sorted[i]);
      if (place != last) {
        writer.append(place);
        last = place;
      }
    }
    writer.finish();
    return table;
  }

  /** Reading in order checks the bytes, probing checks the probe. */
  private boolean holds(byte[] image, QuotientLayout layout, int keys, long[] hashes, int count) {
    try {
      long longestWay = read(image, layout, keys);
      return longestWay > 0 && isFound(image, layout, longestWay, hashes, count);
    } catch (FilterFormatException e) {
      return false;
    }
  }

  /**
   * Reads the table beside the sorted hashes: 0 if its places are not theirs, otherwise the longest
   * way of a probe. That may go through the blocks of a cluster and the slots of a run.
   */
  private long read(byte[] image, QuotientLayout layout, int keys) {
    TableCursor<byte[]> cursor =
        layout.fingerprints(ByteAccess.ARRAY, image, QuotientTable.PAYLOAD);
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
      byte[] image, QuotientLayout layout, long longestWay, long[] hashes, int count) {
    long steps = Math.max(LEAST_PROBE_STEPS, PROBE_STEPS_PER_HASH * count);
    long probes = Math.min(count, steps / longestWay + 1);
    for (long i = 0; i < probes; i++) {
      long hash = hashes[(int) (i * count / probes)];
      if (!layout.probe(ByteAccess.ARRAY, image, QuotientTable.PAYLOAD, hash)) {
        return false;
      }
    }
    return true;
  }
}
