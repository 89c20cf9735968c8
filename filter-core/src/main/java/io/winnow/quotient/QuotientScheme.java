package io.winnow.quotient;

import io.winnow.FilterFormatException;

/**
 * How a quotient filter remembers which run a remainder belongs to. The ids are schema-critical.
 *
 * <p>Both schemes cut the table into blocks of 64 slots; a block is its metadata, then its 64
 * remainders, packed.
 */
public enum QuotientScheme {
  /**
   * Occupieds, runends and an offset per block, 2.125 bits per slot, good to 95 % load: Pandey et
   * al. 2017, section 3. The default.
   */
  RANK_SELECT(1, "rank-select", 8 + 8 + 1, 95),

  /**
   * Three bits per slot (is_occupied, is_continuation, is_shifted), good to 3/4 load: Bender et al.
   * 2011, section 2.
   */
  THREE_BIT(2, "three-bit", 8 + 8 + 8, 75);

  private final int id;
  private final String label;
  private final int metadataBytes;
  private final int maxPercent;

  QuotientScheme(int id, String label, int metadataBytes, int maxPercent) {
    this.id = id;
    this.label = label;
    this.metadataBytes = metadataBytes;
    this.maxPercent = maxPercent;
  }

  /** The id in the image's header: schema-critical, never reused. */
  public int id() {
    return id;
  }

  public String label() {
    return label;
  }

  /** Bytes of a block before its remainders. */
  int metadataBytes() {
    return metadataBytes;
  }

  int blockBytes(int remainderBits) {
    return metadataBytes + QuotientShape.BLOCK_SLOTS * remainderBits / Byte.SIZE;
  }

  /** The share of slots that may be filled, by choice of this library. */
  public double maxLoad() {
    return maxPercent / 100.0;
  }

  /** How many fingerprints fill these slots to the highest load; 1 at least. */
  int capacity(int slots) {
    return (int) Math.max(1, (long) slots * maxPercent / 100);
  }

  /** The fewest slots that take these fingerprints; 1 at least. */
  long slotsFor(long count) {
    return Math.max(1, (count * 100 + maxPercent - 1) / maxPercent);
  }

  /**
   * The scheme with this id.
   *
   * @throws FilterFormatException if there is none
   */
  static QuotientScheme ofId(int id) {
    for (QuotientScheme scheme : values()) {
      if (scheme.id == id) {
        return scheme;
      }
    }
    throw new FilterFormatException("unknown quotient scheme id " + id);
  }
}
