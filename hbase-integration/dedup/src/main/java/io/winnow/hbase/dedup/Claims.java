package io.winnow.hbase.dedup;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * Which rows are being written, so that two threads do not take the same row for new at the same
 * time. A thread claims rows by their hashes, writes them, and lets them go; who comes meanwhile
 * waits, and finds them in the filter then.
 *
 * <p>Nobody waits who has a claim: so no two threads wait for each other.
 */
final class Claims {
  private final Map<Long, Claim> held = new ConcurrentHashMap<>();

  /** Rows of one thread. To be closed when it is known what came of them, or that it is not. */
  final class Claim implements AutoCloseable {
    private final long[] hashes;
    private final int[] rows;
    private final CountDownLatch released = new CountDownLatch(1);
    private int count;

    private Claim(long[] hashes, int most) {
      this.hashes = hashes;
      this.rows = new int[most];
    }

    /** Returns a claim that has some of the others, or null. */
    private Claim take(int[] wanted) {
      Claim other = null;
      for (int row : wanted) {
        Claim holder = held.putIfAbsent(hashes[row], this);
        if (holder == null) {
          rows[count] = row;
          count++;
        } else if (holder != this) {
          other = holder;
        }
      }
      return other;
    }

    /** The indexes of the rows that it has, in the order in which they were wanted. */
    int[] rows() {
      return Arrays.copyOf(rows, count);
    }

    @Override
    public void close() {
      for (int i = 0; i < count; i++) {
        held.remove(hashes[rows[i]], this);
      }
      released.countDown();
    }
  }

  /**
   * Claims those of some rows that nobody has; waits till there is one at least. Of rows with the
   * same hash it claims the first.
   *
   * @param hashes of all rows, by their indexes
   * @param wanted indexes; not empty
   */
  Claim claim(long[] hashes, int[] wanted) throws InterruptedException {
    while (true) {
      Claim claim = new Claim(hashes, wanted.length);
      Claim other;
      try {
        other = claim.take(wanted);
      } catch (RuntimeException | Error e) {
        claim.close(); // there was no memory for all of them
        throw e;
      }
      if (claim.count > 0) {
        return claim;
      }
      other.released.await();
    }
  }
}
