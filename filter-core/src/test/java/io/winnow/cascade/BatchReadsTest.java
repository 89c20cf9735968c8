package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class BatchReadsTest {
  private static int run(BatchReads reads, int count) {
    BitSet done = new BitSet();
    reads.run(
        count,
        task -> {
          synchronized (done) {
            done.set(task);
          }
        });
    return done.cardinality();
  }

  @Test
  void everyTaskIsRun() {
    try (BatchReads reads = new BatchReads("test", 4)) {
      assertEquals(1000, run(reads, 1000));
      assertEquals(3, run(reads, 3));
    }
  }

  /** A lookup may be under way when the filter is closed. */
  @Test
  void aBatchThatMeetsTheCloseIsReadAllTheSame() {
    BatchReads reads = new BatchReads("test", 4);
    reads.close();
    assertEquals(1000, run(reads, 1000));
  }

  /** Else a task that was not run would look like a key that is not there. */
  @Test
  void anErrorIsTheCallers() {
    OutOfMemoryError error = new OutOfMemoryError("injected");
    try (BatchReads reads = new BatchReads("test", 4)) {
      assertSame(
          error,
          assertThrows(
              OutOfMemoryError.class,
              () ->
                  reads.run(
                      100,
                      task -> {
                        if (task == 50) {
                          throw error;
                        }
                      })));
      assertEquals(100, run(reads, 100));
    }
  }
}
