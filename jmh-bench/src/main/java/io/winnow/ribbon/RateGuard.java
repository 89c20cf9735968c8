package io.winnow.ribbon;

import io.winnow.FilterImage;
import io.winnow.format.FilterHeader;
import java.nio.LongBuffer;
import java.util.SplittableRandom;

/** Runs the rate guard of the homogeneous builder alone, for a benchmark to know its share. */
public final class RateGuard {
  private final RibbonRate rate = new RibbonRate(64);
  private final long[] solution;
  private final int columns;
  private final int blocks;
  private final int lowerBlocks;

  /**
   * Over the solution in a homogeneous image of width 64. The columns that its first blocks were
   * relieved of, which the guard sees and the image does not hold, are made up.
   */
  public RateGuard(FilterImage image) {
    FilterHeader header = image.layout().header();
    blocks = (int) header.shape0();
    lowerBlocks = (int) (header.shape0() >>> 32);
    columns = (int) (header.shape1() >>> 40) & 0xFF;
    solution = new long[blocks * columns];
    LongBuffer words =
        image
            .buffer()
            .position(FilterHeader.SIZE_IN_BYTES)
            .slice()
            .order(java.nio.ByteOrder.LITTLE_ENDIAN)
            .asLongBuffer();
    SplittableRandom random = new SplittableRandom(1);
    for (int block = 0; block < blocks; block++) {
      int stored = columns - (block < lowerBlocks ? 1 : 0);
      words.get(solution, block * columns, stored);
      if (stored < columns) {
        solution[block * columns + stored] = random.nextLong();
      }
    }
  }

  /** The rate that the guard finds. */
  public double measure() {
    rate.measure(solution, columns, 64 * blocks);
    return rate.rate(lowerBlocks);
  }
}
