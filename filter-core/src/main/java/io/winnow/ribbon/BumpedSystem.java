package io.winnow.ribbon;

/**
 * The linear system of one layer of a bumped Ribbon filter, in echelon form: a row and its
 * right-hand side for each occupied slot.
 *
 * <p>Keys are added one third of a bucket at a time. A row can fail: if it depends on others and
 * its right-hand side contradicts theirs. Then the whole third is removed, by clearing the slots
 * that it occupied: they are the latest, so no other row was reduced by them. Within a third the
 * order of rows does not matter: it changes neither the occupied slots nor whether the rows
 * contradict.
 *
 * <p>Elimination is a chain of dependent steps, about twenty per key. So three keys of a third are
 * eliminated together, one step of each in turn, and the processor works on all three chains.
 * Buckets come in ascending order, so all earlier rows end within 63 slots after the bucket, and
 * hashes that were chosen to be slow cannot move further (design note {@code
 * docs/design/bumped-ribbon.md}).
 *
 * <p>The memory, 16 bytes per slot and 28 per key of the largest bucket, is kept for the next
 * layer. Not thread-safe.
 */
final class BumpedSystem {
  /** Number of keys whose rows are eliminated from a linear system at the same time. */
  private static final int CHAINS = 3;

  /**
   * Row of an idle chain of elimination steps, which has no key any more: at the slot after the
   * last one, from which no step moves it.
   */
  private static final long IDLE_ROW = 1;

  /**
   * Pivot row of the slot after the linear system's last one, which the rows of keys never reach.
   */
  private static final long IDLE_PIVOT = 2;

  private long[] rows = {};
  private long[] rightHandSides = {};
  private int slots;
  private long fingerprintMask;

  // The prepared keys of one bucket.
  private int[] keyStarts = {};
  private long[] keyRows = {};
  private long[] keyRights = {};

  // The keys in elimination: the slot that each has reached, its row there, and its right-hand
  // side.
  private final int[] chainSlots = new int[CHAINS];
  private final long[] chainRows = new long[CHAINS];
  private final long[] chainRights = new long[CHAINS];

  /** Slots of the linear system that the keys added last, a third of a bucket, have occupied. */
  private int[] occupied = {};

  private int occupiedCount;

  /**
   * Is true if the row of one of the keys added last depended on other rows and agreed with them,
   * as a repeated key's row does.
   */
  boolean agreed;

  private int bucketStart;

  /**
   * Number of slots by which the elimination moved keys' rows in the linear system, each counted
   * from the first slot of the key's bucket (a group of neighboring slots).
   */
  long moved;

  /**
   * Clears the linear system of a bumped Ribbon filter's layer, and sets the numbers of slots and
   * columns.
   */
  void reset(int newSlots, int columns) {
    slots = newSlots;
    rows = Scratch.cleared(rows, slots + 1);
    rightHandSides = Scratch.cleared(rightHandSides, slots + 1);
    rows[slots] = IDLE_PIVOT;
    fingerprintMask = (1L << columns) - 1; // columns <= 56
    moved = 0;
  }

  /** Computes the rows of the keys in a bucket before these are added to the linear system. */
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
   * Adds the rows of the keys in one third of a bucket to the linear system. Thirds are added from
   * the last one to the first.
   *
   * @return false if they contradict each other or earlier ones; then none is added
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

  /**
   * Adds the rows of keys to the linear system, some at the same time.
   *
   * @return false at the first contradiction
   */
  private boolean addInChains(int from, int to) {
    for (int i = to; i < to + CHAINS; i++) { // the former keys here were added already
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
   * Moves the rows of three keys one elimination step each in turn, until one reaches a slot that
   * is free or has an equal row, and returns the number of this key.
   *
   * <p>The loop is unrolled by hand, and separate from the handling of a row that has arrived, so
   * that the chains stay in registers: for both in one loop the compiler has too few of them
   * (benchmark {@code KernelBuild}).
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

  /**
   * Adds a key's row to the linear system at a slot that is free or has an equal row.
   *
   * @return false if it contradicts that row
   */
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

  /** Solves the linear system of a bumped Ribbon filter's layer for all columns. */
  void solve(int columns, long[] solution) {
    BackSubstitution.solve(rows, rightHandSides, slots, columns, 0, solution);
  }
}
