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
 * <p>Elimination is a chain of dependent steps, about twenty per key. So three keys of a third are
 * eliminated at once, a step of each in turn, and the processor works on all three chains. Buckets
 * come in ascending order, so all rows so far end within 63 slots after the bucket, and no hash
 * that was chosen to be slow can move further (design note {@code docs/design/bumped-ribbon.md}).
 *
 * <p>Scratch, 16 bytes per slot and 28 per key of the largest bucket, is kept. Not thread-safe.
 */
final class BumpedSystem {
  private static final int CHAINS = 3;

  /** After the last key come rows at the slot behind the last one. No step takes them elsewhere. */
  private static final long IDLE_ROW = 1;

  /** The pivot of that slot. */
  private static final long IDLE_PIVOT = 2;

  private long[] rows = {};
  private long[] rightHandSides = {};
  private int slots;
  private long fingerprintMask;

  // The keys of one bucket, made ready.
  private int[] keyStarts = {};
  private long[] keyRows = {};
  private long[] keyRights = {};

  // The keys in elimination: the slot that each has reached, its row there, its right-hand side.
  private final int[] chainSlots = new int[CHAINS];
  private final long[] chainRows = new long[CHAINS];
  private final long[] chainRights = new long[CHAINS];

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
    rows = Scratch.cleared(rows, slots + 1);
    rightHandSides = Scratch.cleared(rightHandSides, slots + 1);
    rows[slots] = IDLE_PIVOT;
    fingerprintMask = (1L << columns) - 1; // columns <= 56
    moved = 0;
  }

  /** Makes the keys of the bucket that begins at this slot ready to be added. */
  void openBucket(int newBucketStart, long[] mixed, int from, int to) {
    bucketStart = newBucketStart;
    int count = to - from;
    if (keyStarts.length < count + CHAINS) {
      keyStarts = new int[2 * count + CHAINS];
      keyRows = new long[2 * count + CHAINS];
      keyRights = new long[2 * count + CHAINS];
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
   * contradict each other or those before, and then none is added. Thirds come from the last of the
   * bucket to the first.
   */
  boolean addThird(int from, int to) {
    occupiedCount = 0;
    agreed = false;
    if (from == to || addInChains(from, to)) {
      return true;
    }
    for (int i = 0; i < occupiedCount; i++) {
      rows[occupied[i]] = 0;
      rightHandSides[occupied[i]] = 0;
    }
    return false;
  }

  private boolean addInChains(int from, int to) {
    for (int i = to; i < to + CHAINS; i++) { // the keys that were here are added
      keyStarts[i] = slots;
      keyRows[i] = IDLE_ROW;
      keyRights[i] = 0;
    }
    System.arraycopy(keyStarts, from, chainSlots, 0, CHAINS);
    System.arraycopy(keyRows, from, chainRows, 0, CHAINS);
    System.arraycopy(keyRights, from, chainRights, 0, CHAINS);
    for (int next = from + CHAINS; next < to + CHAINS; next++) {
      int chain = advance(rows, rightHandSides, chainSlots, chainRows, chainRights);
      if (!settle(chainSlots[chain], chainRows[chain], chainRights[chain])) {
        return false;
      }
      chainSlots[chain] = keyStarts[next];
      chainRows[chain] = keyRows[next];
      chainRights[chain] = keyRights[next];
    }
    return true;
  }

  /**
   * Takes three rows a step further in turn, until one comes to a slot that is free or has the same
   * row. Answers which.
   *
   * <p>Unrolled by hand, and apart from what is done with a row that has arrived, so that the
   * chains stay in registers: with both in one loop the compiler has too few of them (benchmark
   * {@code KernelBuild}).
   */
  private static int advance(
      long[] rows, long[] rightHandSides, int[] slots, long[] chainRows, long[] chainRights) {
    int slotA = slots[0];
    long rowA = chainRows[0];
    long rightA = chainRights[0];
    int slotB = slots[1];
    long rowB = chainRows[1];
    long rightB = chainRights[1];
    int slotC = slots[2];
    long rowC = chainRows[2];
    long rightC = chainRights[2];
    int arrived;
    while (true) {
      long pivotA = rows[slotA];
      if (pivotA == 0 || rowA == pivotA) {
        arrived = 0;
        break;
      }
      rowA ^= pivotA;
      rightA ^= rightHandSides[slotA];
      int zerosA = Long.numberOfTrailingZeros(rowA); // 1..63: both rows had bit 0 set
      slotA += zerosA;
      rowA >>>= zerosA;
      long pivotB = rows[slotB];
      if (pivotB == 0 || rowB == pivotB) {
        arrived = 1;
        break;
      }
      rowB ^= pivotB;
      rightB ^= rightHandSides[slotB];
      int zerosB = Long.numberOfTrailingZeros(rowB);
      slotB += zerosB;
      rowB >>>= zerosB;
      long pivotC = rows[slotC];
      if (pivotC == 0 || rowC == pivotC) {
        arrived = 2;
        break;
      }
      rowC ^= pivotC;
      rightC ^= rightHandSides[slotC];
      int zerosC = Long.numberOfTrailingZeros(rowC);
      slotC += zerosC;
      rowC >>>= zerosC;
    }
    slots[0] = slotA;
    chainRows[0] = rowA;
    chainRights[0] = rightA;
    slots[1] = slotB;
    chainRows[1] = rowB;
    chainRights[1] = rightB;
    slots[2] = slotC;
    chainRows[2] = rowC;
    chainRights[2] = rightC;
    return arrived;
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
