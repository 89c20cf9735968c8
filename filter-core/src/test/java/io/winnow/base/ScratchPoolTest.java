package io.winnow.base;

import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Scratch is never that of two builds at once, is used again, and is not hoarded. */
class ScratchPoolTest {
  private static final int MAX_KEYS = 1000;

  private final KeyBuffer few = new KeyBuffer();
  private int made;
  private Object used;

  private final ScratchPool<Object> pool =
      new ScratchPool<>(
          () -> {
            made++;
            return new Object();
          },
          MAX_KEYS);

  /** The scratch of a build. */
  private Object built(KeyBuffer keys) {
    pool.build(
        keys,
        scratch -> {
          used = scratch;
          return null;
        });
    return used;
  }

  /** This number of builds at once, each inside the one before it. */
  private void nested(int builds) {
    if (builds > 0) {
      pool.build(
          few,
          scratch -> {
            nested(builds - 1);
            return null;
          });
    }
  }

  @Test
  void scratchIsUsedAgainUnlessItIsLarge() {
    KeyBuffer keys = new KeyBuffer();
    keys.add(distinct(1, MAX_KEYS), 0, MAX_KEYS);
    Object first = built(few);
    assertSame(first, built(few));
    assertSame(first, built(keys));
    assertSame(first, built(few));
    keys.add(1);
    assertSame(first, built(keys));
    assertNotSame(first, built(few));
    assertEquals(2, made);
  }

  @Test
  void buildsAtTheSameTimeShareNothing() {
    pool.build(
        few,
        outer -> {
          assertNotSame(outer, built(few));
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
  void idleScratchIsCountedByItsKeysUntilItIsDropped() {
    ScratchPool.dropIdle(); // of other tests
    assertEquals(0, ScratchPool.idleKeys());
    KeyBuffer keys = new KeyBuffer();
    keys.add(distinct(1, MAX_KEYS), 0, MAX_KEYS);
    Object first = built(keys);
    pool.build(
        few,
        outer -> {
          assertEquals(0, ScratchPool.idleKeys(), "in use");
          return built(few);
        });
    built(few);
    assertEquals(MAX_KEYS, ScratchPool.idleKeys());
    ScratchPool.dropIdle();
    assertEquals(0, ScratchPool.idleKeys());
    assertNotSame(first, built(few));
  }

  @Test
  void aBuildThatThrowsDropsItsScratch() {
    assertThrows(
        IllegalStateException.class,
        () ->
            pool.build(
                few,
                scratch -> {
                  throw new IllegalStateException("half way");
                }));
    built(few);
    assertEquals(2, made);
  }
}
