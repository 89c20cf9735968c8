package io.winnow.ribbon;

/**
 * The linear system of one bumped layer: one row and its right-hand side per occupied slot, in
 * echelon form.
 *
 * <p>Keys are added a third of a bucket at a time. Here rows can fail: depend on others while their
 * right-hand side contradicts. Then none of the third is kept. Taking it back is clearing the slots
 * that it has occupied: they are the latest, so that no other row was reduced by them. Within a
 * third the order of rows does not matter: it changes neither which slots get occupied nor whether
 * the rows contradict.
 *
 * <p>Elimination is a chain of dependent steps, about twenty per key. So two keys of a third are
 * eliminated at once, a step of each in turn, and the processor works on both chains. Buckets come
 * in ascending order, so all rows so far end within 63 slots after the bucket, and no hash that was
 * chosen to be slow can move further (design note {@code docs/design/bumped-ribbon.md}).
 *
 * <p>Scratch, 16 bytes per slot and 28 per key of the largest bucket, is kept. Not thread-safe.
 */
final class BumpedSystem {
  private long[] rows = {};
  private long[] rightHandSides = {};
  private int slots;
  private long fingerprintMask;

  // The keys of one bucket, made ready.
  private int[] keyStarts = {};
  private long[] keyRows = {};
  private long[] keyRights = {};

  /** The slots that the third has occupied. */
  private int[] occupied = {};

  private int occupiedCount;
  private boolean agreed;

  // How far rows have moved, counted from the first slot of their bucket.
  private int bucketStart;
  private long moved;

  /** Clears the system and gives it this many slots and columns. */
  void reset(int newSlots, int columns) {
    slots = newSlots;
    rows = Scratch.cleared(rows, slots);
    rightHandSides = Scratch.cleared(rightHandSides, slots);
    fingerprintMask = (1L << columns) - 1; // columns <= 56
    moved = 0;
  }

  /** Makes the keys of the bucket that begins at this slot ready to be added. */
  void openBucket(int newBucketStart, long[] mixed, int from, int to) {
    bucketStart = newBucketStart;
    int count = to - from;
    if (keyStarts.length < count) {
      keyStarts = new int[2 * count];
      keyRows = new long[2 * count];
      keyRights = new long[2 * count];
      occupied = new int[2 * count];
    }
    long starts = BumpedLayer.starts(slots);
    for (int i = 0; i < count; i++) {
      long x = mixed[from + i];
      keyStarts[i] = RibbonHasher.plainStart(x, starts);
      keyRows[i] = RibbonHasher.row(x);
      keyRights[i] = RibbonHasher.fingerprint(x) & fingerprintMask;
    }
  }

  /**
   * Adds the bucket's keys {@code from} to {@code to - 1}, which are a third of it; false if they
   * contradict each other or those before, and then none is added.
   */
  boolean addThird(int from, int to) {
    occupiedCount = 0;
    agreed = false;
    if (addInTwoChains(from, to)) {
      return true;
    }
    for (int i = 0; i < occupiedCount; i++) {
      rows[occupied[i]] = 0;
      rightHandSides[occupied[i]] = 0;
    }
    return false;
  }

  private boolean addInTwoChains(int from, int to) {
    if (to - from < 2) {
      return from == to || addOne(keyStarts[from], keyRows[from], keyRights[from]);
    }
    long[] rows = this.rows;
    long[] rightHandSides = this.rightHandSides;
    int slotA = keyStarts[from];
    long rowA = keyRows[from];
    long rightA = keyRights[from];
    int slotB = keyStarts[from + 1];
    long rowB = keyRows[from + 1];
    long rightB = keyRights[from + 1];
    int next = from + 2;
    while (true) {
      long pivotA = rows[slotA];
      if (pivotA != 0 && rowA != pivotA) {
        rowA ^= pivotA;
        rightA ^= rightHandSides[slotA];
        int zeros = Long.numberOfTrailingZeros(rowA); // 1..63: both rows had bit 0 set
        slotA += zeros;
        rowA >>>= zeros;
      } else if (!settle(slotA, rowA, rightA)) {
        return false;
      } else if (next == to) {
        return addOne(slotB, rowB, rightB);
      } else {
        slotA = keyStarts[next];
        rowA = keyRows[next];
        rightA = keyRights[next++];
      }
      long pivotB = rows[slotB];
      if (pivotB != 0 && rowB != pivotB) {
        rowB ^= pivotB;
        rightB ^= rightHandSides[slotB];
        int zeros = Long.numberOfTrailingZeros(rowB);
        slotB += zeros;
        rowB >>>= zeros;
      } else if (!settle(slotB, rowB, rightB)) {
        return false;
      } else if (next == to) {
        return addOne(slotA, rowA, rightA);
      } else {
        slotB = keyStarts[next];
        rowB = keyRows[next];
        rightB = keyRights[next++];
      }
    }
  }

  private boolean addOne(int startSlot, long startRow, long startRight) {
    int slot = startSlot;
    long row = startRow;
    long right = startRight;
    while (rows[slot] != 0 && row != rows[slot]) {
      row ^= rows[slot];
      right ^= rightHandSides[slot];
      int zeros = Long.numberOfTrailingZeros(row);
      slot += zeros;
      row >>>= zeros;
    }
    return settle(slot, row, right);
  }

  /** A row came to a slot that is free, or that has the same row; false if that contradicts. */
  private boolean settle(int slot, long row, long right) {
    moved += slot - bucketStart;
    if (rows[slot] == 0) {
      rows[slot] = row;
      rightHandSides[slot] = right;
      occupied[occupiedCount++] = slot;
    } else if (right != rightHandSides[slot]) {
      return false;
    } else {
      agreed = true;
    }
    return true;
  }

  /** Whether in the third added last a row depended on others and agreed: a repeat does that. */
  boolean hasAgreed() {
    return agreed;
  }

  /** How far rows have moved altogether, each counted from the first slot of its bucket. */
  long moved() {
    return moved;
  }

  void solve(int columns, long[] solution) {
    BackSubstitution.solve(rows, rightHandSides, slots, columns, 0, solution);
  }
}
