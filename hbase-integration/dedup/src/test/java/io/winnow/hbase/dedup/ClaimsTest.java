package io.winnow.hbase.dedup;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClaimsTest {
  private final Claims claims = new Claims();

  @Test
  void onlyWhatNobodyHasIsClaimed() throws InterruptedException {
    long[] hashes = {10, 20, 30, 20};
    try (Claims.Claim first = claims.claim(hashes, new int[] {0, 1})) {
      assertArrayEquals(new int[] {0, 1}, first.rows());
      try (Claims.Claim second = claims.claim(hashes, new int[] {1, 2, 3})) {
        assertArrayEquals(new int[] {2}, second.rows());
      }
    }
    try (Claims.Claim third = claims.claim(hashes, new int[] {0, 1, 2, 3})) {
      assertArrayEquals(new int[] {0, 1, 2}, third.rows()); // 3 has the hash of 1
    }
  }

  @Test
  void whoFindsNothingFreeWaits() throws Exception {
    long[] hashes = {10, 20};
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      Claims.Claim first = claims.claim(hashes, new int[] {0, 1});
      Future<Integer> waiting =
          pool.submit(
              () -> {
                try (Claims.Claim second = claims.claim(hashes, new int[] {1})) {
                  return second.rows()[0];
                }
              });
      TimeUnit.MILLISECONDS.sleep(50);
      assertFalse(waiting.isDone());
      first.close();
      assertEquals(1, waiting.get(10, TimeUnit.MINUTES));
    } finally {
      pool.shutdownNow();
    }
  }

  /** Each thread wants all rows, in an order of its own; no row has two holders at a time. */
  @Test
  void threadsThatWantTheSameRowsAllComeToThem() throws Exception {
    int rows = 64;
    long[] hashes = IntStream.range(0, rows).mapToLong(i -> i * 31L).toArray();
    AtomicIntegerArray holders = new AtomicIntegerArray(rows);
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      List<Future<Integer>> threads = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        int shift = thread * 17;
        threads.add(pool.submit(() -> takeAll(hashes, shift, holders)));
      }
      for (Future<Integer> thread : threads) {
        assertEquals(200 * rows, thread.get(10, TimeUnit.MINUTES));
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private int takeAll(long[] hashes, int shift, AtomicIntegerArray holders)
      throws InterruptedException {
    int taken = 0;
    for (int round = 0; round < 200; round++) {
      int start = shift + round;
      int[] wanted =
          IntStream.range(0, hashes.length).map(i -> (i + start) % hashes.length).toArray();
      while (wanted.length > 0) {
        try (Claims.Claim claim = claims.claim(hashes, wanted)) {
          int[] rows = claim.rows();
          for (int row : rows) {
            assertEquals(1, holders.incrementAndGet(row), "holders of row " + row);
          }
          for (int row : rows) {
            holders.decrementAndGet(row);
          }
          taken += rows.length;
          wanted =
              IntStream.of(wanted)
                  .filter(row -> IntStream.of(rows).noneMatch(had -> had == row))
                  .toArray();
        }
      }
    }
    return taken;
  }
}
