package io.winnow.flash.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PoolTest {
  private final List<Object> closed = new ArrayList<>();
  private final Pool<Object> pool = new Pool<>(2, Object::new, closed::add);

  @Test
  void aThingIsUsedByOneAtATimeAndThenAgain() {
    Object first = pool.take();
    Object second = pool.take();
    assertNotSame(first, second);
    pool.putBack(second);
    assertSame(second, pool.take());
    assertEquals(List.of(), closed);
  }

  @Test
  void noMoreAreKeptThanAskedFor() {
    List<Object> taken = List.of(pool.take(), pool.take(), pool.take());
    taken.forEach(pool::putBack);
    assertEquals(taken.subList(2, 3), closed);
  }

  @Test
  void theEndClosesWhatIsKeptAndWhatIsGivenBackLater() {
    Object used = pool.take();
    Object kept = pool.take();
    pool.putBack(kept);
    pool.close();
    assertEquals(List.of(kept), closed);
    pool.putBack(used);
    assertEquals(List.of(kept, used), closed);
  }
}
