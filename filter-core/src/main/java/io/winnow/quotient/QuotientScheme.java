package io.winnow.quotient;

import io.winnow.FilterFormatException;

/**
 * Encodings of the relation between remainders and runs in a quotient filter. The ids are
 * schema-critical.
 *
 * <p>Both schemes divide the table into blocks of 64 slots; a block is its metadata, then its 64
 * remainders, packed.
 */
public enum QuotientScheme {
  /**
   * Rank-and-select scheme of a quotient filter: bit vectors occupieds and runends, and an offset
   * per block, in 2.125 bits per slot, up to 95 % load. Pandey et al. 2017, section 3. The default.
   */
  RANK_SELECT(1, "rank-select", 8 + 8 + 1, 95),

  /**
   * Scheme of a quotient filter with three bits per slot (is_occupied, is_continuation,
   * is_shifted), up to 3/4 load. Bender et al. 2011, section 2.
   */
  THREE_BIT(2, "three-bit", 8 + 8 + 8, 75);

  private final int id;
  private final String label;

  /**
   * Size in bytes of the metadata of a block of slots in this scheme, which precede the remainders.
   */
  final int metadataBytes;

  private final int maxPercent;

  QuotientScheme(int id, String label, int metadataBytes, int maxPercent) {
    this.id = id;
    this.label = label;
    this.metadataBytes = metadataBytes;
    this.maxPercent = maxPercent;
  }

  /**
   * Returns the id of a quotient filter's scheme in the header of an image: schema-critical, never
   * reused.
   */
  public int id() {
    return id;
  }

  /** Returns the name of a quotient filter's scheme, which people read. */
  public String label() {
    return label;
  }

  /** Returns the size in bytes of a block of 64 slots in this scheme. */
  int blockBytes(int remainderBits) {
    return metadataBytes + QuotientShape.BLOCK_SLOTS * remainderBits / Byte.SIZE;
  }

  /** Returns the fraction of a quotient filter's slots that may be filled in this scheme. */
  public double maxLoad() {
    return maxPercent / 100.0;
  }

  /**
   * Returns the number of fingerprints that fill this number of slots to the scheme's highest load;
   * at least 1.
   */
  int capacity(int slots) {
    return (int) Math.max(1, (long) slots * maxPercent / 100);
  }

  /**
   * Returns the smallest number of slots for this number of fingerprints at the scheme's highest
   * load; at least 1.
   */
  long slotsFor(long count) {
    return Math.max(1, (count * 100 + maxPercent - 1) / maxPercent);
  }

  /**
   * Returns the scheme of quotient filters with this id.
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
