package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What throws has not happened: a failed fsync is failed for ever, and no operation is in by half.
 */
class CascadeUndoneTest extends FaultyCascade {
  @Test
  void afterAFailedFsyncOfTheLogNothingIsPromisedAnyMore() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      insert(filter, 0, 5000);
      filter.sync();
      insert(filter, 5000, 6000);
      faults.failingFsyncs = path -> path.getFileName().toString().startsWith("log-");
      assertThrows(IOException.class, filter::sync);
      faults.failingFsyncs = path -> false;
      IOException refused = assertThrows(IOException.class, () -> filter.insert(key(6000)));
      assertTrue(refused.getMessage().contains("fsync"), refused.getMessage());
      assertPresent(filter, 0, 6000);
      assertThrows(IOException.class, filter::close);
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      assertPresent(filter, 0, 5000);
      insert(filter, 5000, 6000);
    }
  }

  /** The operating system tells of a lost write once, and an interrupt shall not hide that. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFailedFsyncIsFailedForEverWhateverInterruptsCome(boolean interrupted) throws IOException {
    AtomicInteger failures = new AtomicInteger();
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      insert(filter, 0, 5000);
      filter.sync();
      insert(filter, 5000, 6000);
      faults.failingFsyncs =
          path ->
              path.getFileName().toString().startsWith("log-") && failures.getAndIncrement() == 0;
      for (int i = 0; i < 3; i++) {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        assertThrows(IOException.class, filter::sync);
        assertEquals(interrupted, Thread.interrupted());
      }
      assertThrows(IOException.class, () -> filter.insert(key(6000)));
      assertEquals(1, failures.get(), "nobody asked again");
      assertThrows(IOException.class, filter::close);
    }
  }

  @Test
  void anInterruptIsNoFailureOfAnFsync() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      for (int i = 0; i < 100; i++) {
        insert(filter, i, i + 1);
        Thread.currentThread().interrupt();
        filter.sync();
        assertTrue(Thread.interrupted());
      }
      assertPresent(filter, 0, 100);
    }
  }

  /** Whatever fails, and whenever: what a sync acknowledged is there at the next opening. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void failingFsyncsLoseNothingThatWasAcknowledged(long seed) throws IOException {
    Random random = new Random(seed);
    Durability[] durabilities = {Durability.NONE, Durability.ON_SYNC, Durability.everyN(20_000)};
    long safe = 0;
    long next = 0;
    int failures = 0;
    for (int opening = 0; opening < 6 || failures == 0; opening++) {
      faults.failingFsyncs = path -> false;
      CascadeOptions options = options().durability(durabilities[random.nextInt(3)]);
      CascadeFilter filter = CascadeFilter.open(directory, options);
      try {
        assertPresent(filter, 0, safe);
        next = safe; // what was not acknowledged may be there or not: insert it again
        faults.failingFsyncs =
            path -> {
              synchronized (random) {
                return random.nextInt(25) == 0;
              }
            };
        for (int step = 0; step < 8; step++) {
          long until = next + random.nextInt(30_000);
          while (next < until) {
            filter.insert(key(next));
            next++;
          }
          filter.sync();
          safe = next;
        }
      } catch (IOException e) {
        failures++;
      } finally {
        try {
          filter.close();
          safe = next;
        } catch (IOException e) {
          failures++;
        }
      }
    }
    faults.failingFsyncs = path -> false;
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      assertPresent(filter, 0, safe);
    }
  }

  /** The manifest is the new one by then, and names the file that the merge wrote. */
  @Test
  void anErrorAfterTheManifestWasRenamedLosesNoLevel() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      faults.failingFsyncs =
          path -> {
            if (path.equals(directory) && faults.replaced) {
              throw new OutOfMemoryError("injected");
            }
            return false;
          };
      faults.replaced = false;
      long capacity = filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
      insert(filter, 0, capacity + capacity / 2);
      while (filter.statistics().lastMergeFailure() == null) {
        Thread.onSpinWait();
      }
      faults.failingFsyncs = path -> false;
      filter.sync();
      assertPresent(filter, 0, capacity + capacity / 2);
    }
    faults.failingFsyncs = path -> false;
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      long capacity = filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
      assertPresent(filter, 0, capacity + capacity / 2);
    }
  }

  /** The caller was told that it is not in, and deletes again: both would be one too many. */
  @Test
  void anOperationThatCouldNotBeLoggedIsNotInTheLogEither() throws IOException {
    Path path = directory.resolve("cascade");
    CascadeOptions options = options().deletes(true).durability(Durability.everyN(1));
    try (CascadeFilter filter = CascadeFilter.open(path, options)) {
      filter.insert(key(1));
      filter.insert(key(1));
      faults.freeBytes.set(0);
      assertThrows(IOException.class, () -> filter.delete(key(1)));
      faults.freeBytes.set(Long.MAX_VALUE);
      filter.delete(key(1));
      assertTrue(filter.mightContain(key(1)));
      try (CascadeFilter afterACrash = CascadeFilter.open(copy(path), options)) {
        assertTrue(afterACrash.mightContain(key(1)));
      }
    }
  }

  /** A part of a level in memory, taken away and put back. */
  private static final class Hole {
    private final Object[] partitions;
    private final int number;
    private final Object taken;

    /** Where the next operation on a key has to make room first. */
    Hole(CascadeFilter filter, long key) throws Exception {
      SlotShape shape = field(filter, "shape", SlotShape.class);
      MemoryLevel active = field(filter, "levels", Levels.class).openView().active;
      int spanBits = field(active, "spanBits", Integer.class);
      Arrivals arrivals = field(active, "arrivals", Arrivals.class);
      partitions = field(active, "partitions", Object[].class);
      number = (int) (shape.slot(shape.fingerprint(key)) >>> spanBits);
      long[] others =
          LongStream.range(1000, 1_000_000)
              .map(FaultyCascade::key)
              .filter(k -> shape.slot(shape.fingerprint(k)) >>> spanBits == number)
              .limit(arrivals.room(number))
              .toArray();
      filter.insert(others, 0, others.length);
      assertEquals(0, arrivals.room(number));
      taken = partitions[number];
      partitions[number] = null;
    }

    void close() {
      partitions[number] = taken;
    }

    private static <T> T field(Object of, String name, Class<T> type) throws Exception {
      Field field = of.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return type.cast(field.get(of));
    }
  }

  /** It needs room in memory, and making that fails: it is neither in the log nor in memory. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anOperationThatMemoryCannotTakeIsNotInTheLogEither(boolean together) throws Exception {
    Path path = directory.resolve("cascade");
    CascadeOptions options =
        options()
            .deletes(true)
            .durability(together ? Durability.everyN(1) : Durability.everyN(1000));
    try (CascadeFilter filter = CascadeFilter.open(path, options)) {
      filter.insert(key(1));
      filter.insert(key(1));
      Hole hole = new Hole(filter, key(1));
      assertThrows(NullPointerException.class, () -> filter.delete(key(1)));
      hole.close();
      filter.delete(key(1));
      assertTrue(filter.mightContain(key(1)));
      filter.sync();
      try (CascadeFilter afterACrash = CascadeFilter.open(copy(path), options)) {
        assertTrue(afterACrash.mightContain(key(1)));
      }
    }
  }

  /** A delete whose fsync failed did not happen: who tries again takes one copy, not two. */
  @Test
  void anOperationWhoseFsyncFailedIsNotThereAtTheNextOpening() throws IOException {
    CascadeOptions options = options().deletes(true).durability(Durability.everyN(1));
    CascadeFilter filter = CascadeFilter.open(directory, options);
    filter.insert(key(1));
    filter.insert(key(1));
    faults.failingFsyncs = path -> path.getFileName().toString().startsWith("log-");
    assertThrows(IOException.class, () -> filter.delete(key(1)));
    faults.failingFsyncs = path -> false;
    assertThrows(IOException.class, () -> filter.delete(key(1)), "no more are accepted");
    assertThrows(IOException.class, filter::close);
    try (CascadeFilter again = CascadeFilter.open(directory, options)) {
      again.delete(key(1));
      assertTrue(again.mightContain(key(1)));
      again.delete(key(1));
      assertFalse(again.mightContain(key(1)));
    }
  }

  /** The mark is for noticing damage; that it cannot be written is no reason to refuse a key. */
  @Test
  void anOperationThatIsSafeIsInThoughTheMarkIsNot() throws IOException {
    Path path = directory.resolve("cascade");
    CascadeOptions options = options().durability(Durability.everyN(1));
    try (CascadeFilter filter = CascadeFilter.open(path, options)) {
      faults.freeBytes.set(48); // a block of one operation, and no more
      filter.insert(key(1));
      assertEquals(0, faults.freeBytes.get());
      faults.freeBytes.set(Long.MAX_VALUE);
      filter.insert(key(2));
      try (CascadeFilter afterACrash = CascadeFilter.open(copy(path), options)) {
        assertPresent(afterACrash, 1, 3);
      }
    }
  }

  /** An earlier fsync of the directory may have failed, and a later one says nothing of that. */
  @Test
  void leftoversAreDeletedAfterTheManifestIsSwitchedOnceMoreAndNotBefore() throws IOException {
    CascadeFilter.open(directory, options()).close();
    Path leftover = Files.write(directory.resolve("level-999"), new byte[4096]);
    faults.failingWrites = path -> path.getFileName().toString().startsWith("MANIFEST");
    CascadeFilter.open(directory, options()).close();
    assertTrue(Files.exists(leftover), "a drive that takes no manifest");
    faults.failingWrites = path -> false;
    faults.replaced = false;
    faults.failingFsyncs = path -> faults.replaced && path.equals(directory);
    assertThrows(IOException.class, () -> CascadeFilter.open(directory, options()));
    assertTrue(faults.replaced);
    assertTrue(Files.exists(leftover), "a switch that is not safe");
    faults.failingFsyncs = path -> false;
    AtomicInteger deletes = new AtomicInteger();
    faults.failingDeletes =
        path -> {
          if (path.equals(leftover)) {
            assertTrue(faults.replaced);
            deletes.incrementAndGet();
          }
          return false;
        };
    faults.replaced = false;
    CascadeFilter.open(directory, options()).close();
    assertEquals(1, deletes.get());
    assertFalse(Files.exists(leftover));
  }
}
