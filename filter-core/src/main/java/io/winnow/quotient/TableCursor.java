package io.winnow.quotient;

import io.winnow.FilterFormatException;
import io.winnow.bits.ByteAccess;
import java.util.ConcurrentModificationException;

/**
 * Reads a table from its first slot to its last: quotients from the occupieds, runs one after the
 * other. What the bytes say is checked on the way, so that bad ones are refused, not misread.
 */
final class TableCursor<T> implements FingerprintCursor {
  private final ByteAccess<T> access;
  private final T image;
  private final int payload;
  private final int blocks;
  private final QuotientShape shape;
  private final int remainderBits;
  private final int blockBytes;
  private final int metadataBytes;
  private final boolean isRankSelect;
  private final QuotientTable changing;
  private final int changes;

  private int quotientBlock = -1;
  private long occupieds;
  private long quotient;
  private int slot = -1;
  private int slotBlock = -1;
  private long ends;
  private boolean isRunOver = true;
  private long place = -1;
  private long fingerprint = -1;

  private TableCursor(
      ByteAccess<T> access,
      T image,
      int payload,
      int blocks,
      QuotientShape shape,
      QuotientTable changing) {
    this.access = access;
    this.image = image;
    this.payload = payload;
    this.blocks = blocks;
    this.shape = shape;
    this.remainderBits = shape.remainderBits();
    this.blockBytes = shape.blockBytes();
    this.metadataBytes = shape.scheme().metadataBytes();
    this.isRankSelect = shape.scheme() == QuotientScheme.RANK_SELECT;
    this.changing = changing;
    this.changes = changing == null ? 0 : changing.changes();
  }

  /** Over an image's table, whose first block is at {@code payload}. */
  static <T> TableCursor<T> of(
      ByteAccess<T> access, T image, int payload, int blocks, QuotientShape shape) {
    return new TableCursor<>(access, image, payload, blocks, shape, null);
  }

  static TableCursor<byte[]> of(QuotientTable table) {
    return new TableCursor<>(
        ByteAccess.ARRAY, table.bytes, QuotientTable.PAYLOAD, table.blocks, table.shape, table);
  }

  @Override
  public long universe() {
    return shape.universe();
  }

  @Override
  public long fingerprint() {
    return fingerprint;
  }

  /**
   * {@inheritDoc}
   *
   * @throws ConcurrentModificationException if the filter has changed
   * @throws FilterFormatException if the bytes contradict themselves
   */
  @Override
  public boolean next() {
    if (changing != null && changing.changes() != changes) {
      throw new ConcurrentModificationException("the filter has changed");
    }
    slot++;
    if (isRunOver) {
      while (occupieds == 0) {
        if (quotientBlock + 1 >= blocks) {
          slot--;
          return false;
        }
        quotientBlock++;
        occupieds = access.getLong(image, payload + quotientBlock * blockBytes);
      }
      quotient = ((long) quotientBlock << 6) + Long.numberOfTrailingZeros(occupieds);
      occupieds &= occupieds - 1;
      if (quotient >= shape.slots()) {
        throw new FilterFormatException(
            "slot " + quotient + " of " + shape.slots() + " is a quotient");
      }
      slot = Math.max(slot, (int) quotient);
    }
    if (slot >>> 6 != slotBlock) {
      goToBlock(slot >>> 6);
    }
    int bit = (slot & 63) * remainderBits;
    long word =
        access.getLong(image, payload + slotBlock * blockBytes + metadataBytes + (bit >>> 3));
    long next = quotient << remainderBits | word >>> (bit & 7) & (1L << remainderBits) - 1;
    if (next != place) {
      long nextFingerprint = shape.fingerprintAt(next);
      if (next < place || nextFingerprint < 0) {
        throw new FilterFormatException("no fingerprint of this filter in slot " + slot);
      }
      place = next;
      fingerprint = nextFingerprint;
    }
    isRunOver = (ends >>> slot & 1) != 0;
    return true;
  }

  private void goToBlock(int block) {
    if (block >= blocks) {
      throw new FilterFormatException("a run goes on beyond the last of " + blocks + " blocks");
    }
    slotBlock = block;
    int at = payload + block * blockBytes;
    if (isRankSelect) {
      ends = access.getLong(image, at + RankSelectTable.RUNENDS);
    } else { // a run ends where no continuation follows
      long continuations = access.getLong(image, at + ThreeBitTable.CONTINUATIONS);
      long first =
          block + 1 < blocks
              ? access.getLong(image, at + blockBytes + ThreeBitTable.CONTINUATIONS) << 63
              : 0;
      ends = ~(continuations >>> 1 | first);
    }
  }
}
