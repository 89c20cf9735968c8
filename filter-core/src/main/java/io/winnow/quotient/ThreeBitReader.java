package io.winnow.quotient;

import io.winnow.ByteAccess;

/**
 * Reads tables of quotient filters with three metadata bits per slot. A block's metadata:
 * is_occupied of its 64 slots, is_continuation, is_shifted.
 *
 * <p>A slot whose three bits are 0 is free. A remainder that is not shifted is in its canonical
 * slot and starts a cluster; within the cluster, runs have the order of the occupied quotients. The
 * marks are the slots that continue no run: within a cluster, those that start one.
 */
final class ThreeBitReader extends TableReader {
  static final int CONTINUATIONS = 8;
  static final int SHIFTEDS = 16;

  private static final int REMAINDERS = QuotientScheme.THREE_BIT.metadataBytes;

  ThreeBitReader(QuotientShape shape, int blocks) {
    super(shape, blocks);
  }

  @Override
  <T> boolean contains(ByteAccess<T> access, T image, int payload, long place) {
    int quotient = (int) (place >>> remainderBits);
    int at = payload + (quotient >>> 6) * blockBytes;
    long occupieds = access.getLong(image, at);
    if ((occupieds >>> quotient & 1) == 0) {
      return false;
    }
    int bit = quotient & 63;
    // The cluster starts at the nearest remainder that is not shifted.
    long anchors = ~access.getLong(image, at + SHIFTEDS) << (63 - bit);
    if (anchors != 0) {
      int cluster = bit - Long.numberOfLeadingZeros(anchors);
      long continuations = access.getLong(image, at + CONTINUATIONS);
      int number = Long.bitCount(occupieds << (63 - bit) >>> (63 - bit + cluster));
      int slot = select(~continuations & -1L << cluster, number);
      long wanted = place & remainderMask;
      while (slot < 64) { // from the run's start up to its end
        long remainder = remainderIn(access, image, at + REMAINDERS, slot);
        if (remainder >= wanted) {
          return remainder == wanted;
        }
        slot++;
        if (slot < 64 && (continuations >>> slot & 1) == 0) {
          return false;
        }
      }
    }
    return containsFar(access, image, payload, place);
  }

  @Override
  <T> int runStart(ByteAccess<T> access, T image, int payload, int quotient) {
    int runs = 0; // from the cluster's start up to the quotient, excluded
    long upTo = -1L >>> ~quotient; // of the block's slots those up to the quotient
    long lower = upTo >>> 1;
    for (int block = quotient >>> 6; block >= 0; block--) {
      long anchors = ~word(access, image, payload, block, SHIFTEDS) & upTo;
      long occupieds = word(access, image, payload, block, OCCUPIEDS) & lower;
      if (anchors != 0) {
        int cluster = (block << 6) + 63 - Long.numberOfLeadingZeros(anchors);
        runs += Long.bitCount(occupieds & -1L << cluster);
        return mark(access, image, payload, cluster, runs + 1);
      }
      runs += Long.bitCount(occupieds);
      upTo = -1;
      lower = -1;
    }
    return end();
  }

  @Override
  <T> int runEnd(ByteAccess<T> access, T image, int payload, int start) {
    return mark(access, image, payload, start + 1, 1) - 1;
  }

  @Override
  <T> long marks(ByteAccess<T> access, T image, int payload, int block) {
    return ~word(access, image, payload, block, CONTINUATIONS);
  }

  @Override
  <T> long ends(ByteAccess<T> access, T image, int payload, int block) {
    long next = block + 1 < blocks ? marks(access, image, payload, block + 1) : 1;
    return marks(access, image, payload, block) >>> 1 | next << 63;
  }

  @Override
  <T> boolean isSound(ByteAccess<T> access, T image, int payload, BlockSeen seen) {
    long continuations = word(access, image, payload, seen.block, CONTINUATIONS);
    long shifteds = word(access, image, payload, seen.block, SHIFTEDS);
    return continuations == (seen.filled & ~seen.heads)
        && shifteds == (seen.filled & ~seen.anchors);
  }
}
