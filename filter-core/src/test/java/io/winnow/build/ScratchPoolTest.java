package io.winnow.build;

import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Scratch is never that of two builds at once, is used again, and is not hoarded. */
class ScratchPoolTest {
  private int made;

  private final ScratchPool<Object> pool =
      new ScratchPool<>(
          () -> {
            made++;
            return new Object();
          });

  private Object kept() {
    return pool.with(true, Function.identity());
  }

  /** So many builds at once, each inside the one before it. */
  private void nested(int builds) {
    if (builds > 0) {
      pool.with(
          true,
          scratch -> {
            nested(builds - 1);
            return null;
          });
    }
  }

  @Test
  void scratchIsUsedAgainIfItIsKept() {
    Object first = kept();
    assertSame(first, kept());
    assertSame(first, pool.with(false, Function.identity()));
    assertNotSame(first, kept());
    assertEquals(2, made);
  }

  @Test
  void buildsAtTheSameTimeShareNothing() {
    pool.with(
        true,
        outer -> {
          assertNotSame(outer, kept());
          return null;
        });
    assertEquals(2, made);
  }

  @Test
  void asManyAreKeptAsThereAreProcessors() {
    int processors = Runtime.getRuntime().availableProcessors();
    nested(processors + 3);
    assertEquals(processors + 3, made);
    nested(processors + 3);
    assertEquals(processors + 6, made);
  }

  @Test
  void aBuildThatThrowsDropsItsScratch() {
    assertThrows(
        IllegalStateException.class,
        () ->
            pool.with(
                true,
                scratch -> {
                  throw new IllegalStateException("half way");
                }));
    kept();
    assertEquals(2, made);
  }

  @Test
  void thatOfManyKeysIsNotOrdinary() {
    KeyBuffer keys = new KeyBuffer();
    keys.add(distinct(1, 1 << 18), 0, 1 << 18);
    assertTrue(ScratchPool.isOrdinary(keys));
    keys.add(1);
    assertFalse(ScratchPool.isOrdinary(keys));
  }
}
