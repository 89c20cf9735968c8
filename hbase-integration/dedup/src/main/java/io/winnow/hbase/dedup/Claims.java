package io.winnow.hbase.dedup;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * The rows that threads are writing now, so that two threads do not both write one row as new. A
 * thread claims rows by their hashes, writes them, and releases them. Another thread that wants one
 * of them waits, and then finds it in the filter.
 *
 * <p>A thread that holds a claim never waits, so no two threads wait for each other.
 */
final class Claims {
  private final Map<Long, Claim> held = new ConcurrentHashMap<>();

  /**
   * The rows that one thread has claimed to write alone. The thread closes the claim when the rows
   * are written or the attempt has failed.
   */
  final class Claim implements AutoCloseable {
    private final long[] hashes;
    private final int[] rows;
    private final CountDownLatch released = new CountDownLatch(1);
    private int count;

    private Claim(long[] hashes, int maxRows) {
      this.hashes = hashes;
      this.rows = new int[maxRows];
    }

    /**
     * Claims all of the wanted rows that no thread holds, if there are any. Returns a claim that
     * holds some of the other rows, or null if there is none.
     */
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

    /**
     * Returns the indexes of the rows that this thread has claimed, in the order in which they were
     * wanted.
     */
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
   * Claims all of the wanted rows that no thread holds, and waits until it has at least one. If
   * several wanted rows have the same hash, it claims the first of them.
   *
   * @param hashes the hashes of all rows of the batch, by index
   * @param wanted the indexes of the wanted rows; not empty
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
