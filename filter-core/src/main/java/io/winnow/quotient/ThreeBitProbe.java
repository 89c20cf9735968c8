package io.winnow.quotient;

import static io.winnow.quotient.ThreeBitTable.CONTINUATIONS;
import static io.winnow.quotient.ThreeBitTable.SHIFTEDS;

import io.winnow.bits.ByteAccess;

/**
 * Looks a place up in a table of the three-bit scheme, wherever its bytes lie.
 *
 * <p>In most cases it reads a block's metadata and one or two remainders: one or two adjacent cache
 * lines. Whatever the bytes are, it ends, and reads inside of them; where they contradict
 * themselves it answers {@code true}.
 */
final class ThreeBitProbe {
  private static final int REMAINDERS = QuotientScheme.THREE_BIT.metadataBytes();

  private ThreeBitProbe() {}

  static <T> boolean contains(
      ByteAccess<T> access,
      T image,
      int payload,
      int blocks,
      int blockBytes,
      int remainderBits,
      long place) {
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
      int slot = RankSelectProbe.select(~continuations & -1L << cluster, number);
      long mask = (1L << remainderBits) - 1;
      long wanted = place & mask;
      while (slot < 64) { // from the run's start up to its end
        int remainderAt = slot * remainderBits;
        long remainder =
            access.getLong(image, at + REMAINDERS + (remainderAt >>> 3)) >>> (remainderAt & 7)
                & mask;
        if (remainder >= wanted) {
          return remainder == wanted;
        }
        slot++;
        if (slot < 64 && (continuations >>> slot & 1) == 0) {
          return false;
        }
      }
    }
    return containsFar(access, image, payload, blocks, blockBytes, remainderBits, place);
  }

  /** A cluster that starts before the block of the quotient, or a run that ends after it. */
  private static <T> boolean containsFar(
      ByteAccess<T> access,
      T image,
      int payload,
      int blocks,
      int blockBytes,
      int remainderBits,
      long place) {
    int quotient = (int) (place >>> remainderBits);
    int cluster = -1;
    int number = 0;
    long upTo = -1L >>> ~quotient;
    for (int block = quotient >>> 6; block >= 0 && cluster < 0; block--) {
      int at = payload + block * blockBytes;
      long anchors = ~access.getLong(image, at + SHIFTEDS) & upTo;
      int from = anchors == 0 ? 0 : 63 - Long.numberOfLeadingZeros(anchors);
      number += Long.bitCount(access.getLong(image, at) & upTo & -1L << from);
      cluster = anchors == 0 ? -1 : (block << 6) + from;
      upTo = -1;
    }
    if (cluster < 0) {
      return true;
    }
    int slot = runStart(access, image, payload, blocks, blockBytes, cluster, number);
    if (slot < 0) {
      return true;
    }
    long mask = (1L << remainderBits) - 1;
    long wanted = place & mask;
    while (true) {
      int slotBlock = payload + (slot >>> 6) * blockBytes;
      int remainderAt = (slot & 63) * remainderBits;
      long remainder =
          access.getLong(image, slotBlock + REMAINDERS + (remainderAt >>> 3)) >>> (remainderAt & 7)
              & mask;
      if (remainder >= wanted) {
        return remainder == wanted;
      }
      slot++;
      if (slot >>> 6 == blocks) {
        return false;
      }
      int next = payload + (slot >>> 6) * blockBytes + CONTINUATIONS;
      if ((access.getLong(image, next) >>> slot & 1) == 0) {
        return false;
      }
    }
  }

  /** The {@code number}-th slot from a cluster's start on that starts a run; -1 if none. */
  private static <T> int runStart(
      ByteAccess<T> access,
      T image,
      int payload,
      int blocks,
      int blockBytes,
      int cluster,
      int number) {
    int left = number;
    long mask = -1L << cluster;
    for (int block = cluster >>> 6; block < blocks; block++) {
      long heads = ~access.getLong(image, payload + block * blockBytes + CONTINUATIONS) & mask;
      int here = Long.bitCount(heads);
      if (left <= here) {
        return (block << 6) + RankSelectProbe.select(heads, left);
      }
      left -= here;
      mask = -1;
    }
    return -1;
  }
}
