package io.winnow.quotient;

import io.winnow.ByteAccess;
import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import java.util.ConcurrentModificationException;
import java.util.function.IntSupplier;

/**
 * Reads the fingerprints of a quotient filter's table from its first slot to its last: each
 * quotient that has a run, with the remainders in its run. It checks all bytes that probes rely on,
 * so in a table that it read to the end every probe finds the fingerprints that it returned.
 */
final class TableCursor<T> implements FingerprintCursor {
  private final ByteAccess<T> access;
  private final T image;
  private final int payload;
  private final TableReader reader;
  private final KeyHash keyHash;
  private final IntSupplier changes;
  private final int changesBefore;

  private int quotientBlock = -1;
  private long occupieds;
  private long quotient;

  private int slot = -1;
  private boolean isRunOver = true;

  /** Place (quotient and remainder) of the fingerprint that {@link #next} advanced to. */
  long place = -1;

  private long fingerprint = -1;

  /**
   * Slots of the present block of a quotient filter that the cursor has read, with their roles in
   * runs.
   */
  private final TableReader.BlockSeen seen = new TableReader.BlockSeen();

  private long ends;

  /**
   * Creates a cursor over the quotient filter's table at a given offset of an image.
   *
   * @param changes returns the number of changes of the table; the cursor is valid until it changes
   */
  TableCursor(
      ByteAccess<T> access,
      T image,
      int payload,
      TableReader reader,
      KeyHash keyHash,
      IntSupplier changes) {
    this.access = access;
    this.image = image;
    this.payload = payload;
    this.reader = reader;
    this.keyHash = keyHash;
    this.changes = changes;
    this.changesBefore = changes.getAsInt();
  }

  @Override
  public long universe() {
    return reader.shape.universe();
  }

  @Override
  public long fingerprint() {
    return fingerprint;
  }

  @Override
  public KeyHash keyHash() {
    return keyHash;
  }

  /**
   * {@inheritDoc}
   *
   * @throws ConcurrentModificationException if the filter has changed
   * @throws FilterFormatException if the bytes contradict themselves
   */
  @Override
  public boolean next() {
    if (changes.getAsInt() != changesBefore) {
      throw new ConcurrentModificationException("the filter has changed");
    }
    slot++;
    boolean isHead = isRunOver;
    if (isHead && !goToNextQuotient()) {
      slot--;
      goToBlock(reader.blocks);
      return false;
    }
    if (slot >>> 6 != seen.block) {
      goToBlock(slot >>> 6);
    }
    long bit = 1L << slot;
    seen.filled |= bit;
    if (isHead) {
      seen.heads |= bit;
      seen.anchors |= slot == quotient ? bit : 0;
    }
    isRunOver = (ends & bit) != 0;
    goToPlace(quotient << reader.remainderBits | reader.remainder(access, image, payload, slot));
    return true;
  }

  /**
   * Advances to a place (quotient and remainder) in the quotient filter, and checks that a
   * fingerprint has it.
   */
  private void goToPlace(long next) {
    if (next != place) {
      fingerprint = reader.shape.fingerprintAt(next);
      if (next < place || fingerprint < 0) {
        throw new FilterFormatException("slot " + slot + " has no fingerprint of this filter");
      }
      place = next;
    }
  }

  /**
   * Advances to the next quotient of the quotient filter that has a run, and to the start of this
   * run.
   *
   * @return false if there is none
   */
  private boolean goToNextQuotient() {
    while (occupieds == 0) {
      if (quotientBlock + 1 >= reader.blocks) {
        return false;
      }
      quotientBlock++;
      occupieds = reader.word(access, image, payload, quotientBlock, TableReader.OCCUPIEDS);
      if (!reader.isReached(access, image, payload, quotientBlock, slot)) {
        throw new FilterFormatException("wrong offset in block " + quotientBlock);
      }
    }
    quotient = ((long) quotientBlock << 6) + Long.numberOfTrailingZeros(occupieds);
    occupieds &= occupieds - 1;
    if (quotient >= reader.shape.slots()) {
      throw new FilterFormatException(
          "slot " + quotient + " of " + reader.shape.slots() + " is a quotient");
    }
    slot = Math.max(slot, (int) quotient);
    if (slot >= reader.end()) {
      throw new FilterFormatException("more runs than " + reader.blocks + " blocks can hold");
    }
    return true;
  }

  /**
   * Advances to a block of the quotient filter's slots, after a check that the metadata of the
   * blocks before it match their contents.
   */
  private void goToBlock(int block) {
    for (; seen.block < block; seen.goToNext()) {
      if (seen.block >= 0 && !reader.isSound(access, image, payload, seen)) {
        throw new FilterFormatException(
            "metadata that contradict the slots in block " + seen.block);
      }
    }
    if (block < reader.blocks) {
      ends = reader.ends(access, image, payload, block);
    } else if (!isRunOver) {
      throw new FilterFormatException(
          "a run continues after the last of " + reader.blocks + " blocks");
    }
  }

  @Override
  public String toString() {
    return "a cursor at fingerprint " + fingerprint + " of " + universe();
  }
}
