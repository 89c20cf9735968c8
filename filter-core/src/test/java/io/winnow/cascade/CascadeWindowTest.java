package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.TestHashes;
import io.winnow.flash.store.FileAccess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Generations of filters: the oldest is dropped whole, and nothing else is lost. */
class CascadeWindowTest {
  private static final long SEED = 33;

  @TempDir private Path temporary;

  private static CascadeOptions options() {
    return CascadeOptions.defaults()
        .memoryBudget(1 << 19)
        .fanOut(2)
        .expectedMaximum(1_000_000)
        .rate(1e-6);
  }

  private static long[] keys(long from, long to) {
    return LongStream.range(from, to).map(i -> TestHashes.splitMix(SEED, i)).toArray();
  }

  private static Collection<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** Keys from the first, inclusive, to the second, exclusive. */
  private record Range(long from, long to) {}

  private static void assertHas(CascadeSet window, Collection<Range> there, String message) {
    for (Range range : there) {
      long[] keys = keys(range.from, range.to);
      BitSet answers = window.mightContain(keys, 0, keys.length);
      assertEquals(keys.length, answers.cardinality(), message + ", " + range);
      if (keys.length > 0) {
        assertTrue(window.mightContain(keys[keys.length / 2]), message);
      }
    }
  }

  private static void assertForgot(CascadeSet window, Range range, String message) {
    long[] keys = keys(range.from, range.to);
    int there = window.mightContain(keys, 0, keys.length).cardinality();
    assertTrue(there <= 2, message + ", still there: " + there);
  }

  @Test
  void randomOperationsAreThoseOfTheModel() throws IOException {
    Random random = new Random(SEED);
    Path directory = temporary.resolve("window");
    Deque<Range> there = new ArrayDeque<>(List.of(new Range(0, 0)));
    Range forgotten = new Range(0, 0);
    int most = 3;
    long next = 0;
    CascadeWindow window = CascadeWindow.open(directory, most, options());
    for (int step = 0; step < 30; step++) {
      String message = "seed " + SEED + ", step " + step;
      int what = random.nextInt(10);
      if (what < 5) {
        long count = random.nextInt(3000);
        window.insert(keys(next, next + count), 0, (int) count);
        there.addFirst(new Range(there.removeFirst().from, next + count));
        next += count;
      } else if (what < 8) {
        window.rotate();
        there.addFirst(new Range(next, next));
        while (there.size() > most) {
          forgotten = there.removeLast();
        }
      } else {
        window.close();
        most = 2 + random.nextInt(3); // fewer: the next rotation drops the rest
        window = CascadeWindow.open(directory, most, options());
      }
      assertEquals(there.size(), window.statistics().size(), message);
      assertHas(window, there, message);
      assertForgot(window, forgotten, message);
      assertForgot(window, new Range(next, next + 1000), message);
      assertEquals(there.size() + 2, names(directory).size(), message + names(directory));
    }
    window.close();
  }

  @Test
  void bytesAreAskedInAllGenerations() throws IOException {
    try (CascadeWindow window = CascadeWindow.open(temporary.resolve("window"), 2, options())) {
      byte[] first = "first".getBytes(StandardCharsets.UTF_8);
      byte[] second = "second".getBytes(StandardCharsets.UTF_8);
      byte[] third = "third".getBytes(StandardCharsets.UTF_8);
      window.insert(first);
      window.rotate();
      window.insert(List.of(second));
      assertTrue(window.mightContain(first) && window.mightContain(second));
      assertFalse(window.mightContain(third));
      assertEquals(
          BitSet.valueOf(new long[] {5}), window.mightContain(List.of(first, third, second)));
    }
  }

  /** From each request on all fail: nothing but the oldest generation may be gone. */
  @Test
  void aCrashLeavesTheRotationDoneOrNotDone() throws IOException {
    boolean done = false;
    int dropped = 0;
    int kept = 0;
    List<Range> generations =
        List.of(new Range(0, 700), new Range(700, 9000), new Range(9000, 9600));
    for (int requests = 0; !done; requests += requests < 8 ? 1 : 6) {
      Path directory = temporary.resolve("window-" + requests);
      DyingAccess dying = new DyingAccess(Integer.MAX_VALUE);
      CascadeWindow window = CascadeWindow.open(directory, 3, options().fileAccess(dying));
      for (Range range : generations) {
        if (range.from > 0) {
          window.rotate();
        }
        window.insert(keys(range.from, range.to), 0, (int) (range.to - range.from));
      }
      window.sync();
      dying.dieAfter(requests);
      try {
        window.rotate();
        done = !dying.isDead();
      } catch (IOException e) {
        assertHas(window, generations, "not rotated, after " + requests);
      }
      try {
        window.close();
      } catch (IOException e) {
        // it is dead
      }
      try (CascadeWindow again = CascadeWindow.open(directory, 3, options())) {
        assertHas(again, generations.subList(1, 3), "after " + requests);
        long[] oldest = keys(0, 700);
        int left = again.mightContain(oldest, 0, 700).cardinality();
        assertTrue(left <= 1 || left == 700, left + " left after " + requests);
        dropped += left <= 1 ? 1 : 0;
        kept += left == 700 ? 1 : 0;
        again.insert(keys(20_000, 20_100), 0, 100);
        again.rotate();
        assertHas(again, List.of(new Range(9000, 9600), new Range(20_000, 20_100)), "rotated");
        assertEquals(3 + 2, names(directory).size(), names(directory).toString());
      }
    }
    assertTrue(dropped > 1 && kept > 3, dropped + " dropped, " + kept + " kept");
  }

  /** The switch may be taken back by a power failure: then the oldest must be there. */
  @Test
  void nothingIsDeletedBeforeTheSwitchIsSafe() throws IOException {
    Path directory = temporary.resolve("window");
    AtomicBoolean fails = new AtomicBoolean();
    AtomicBoolean switched = new AtomicBoolean();
    FileAccess access =
        new FileAccess() {
          @Override
          public void replace(Path from, Path to) throws IOException {
            FileAccess.SYSTEM.replace(from, to);
            switched.set(fails.get() && to.endsWith("WINDOW"));
          }

          @Override
          public void forceDirectory(Path path) throws IOException {
            if (switched.get() && path.equals(directory)) {
              throw new IOException("Input/output error (injected)");
            }
            FileAccess.SYSTEM.forceDirectory(path);
          }
        };
    try (CascadeWindow window = CascadeWindow.open(directory, 2, options().fileAccess(access))) {
      window.insert(keys(0, 100), 0, 100);
      window.rotate();
      window.insert(keys(100, 200), 0, 100);
      fails.set(true);
      assertThrows(IOException.class, window::rotate);
      assertThrows(IOException.class, window::rotate);
      window.insert(keys(200, 300), 0, 100);
      assertHas(window, List.of(new Range(0, 300)), "not rotated");
      assertTrue(names(directory).contains("generation-1"));
      assertTrue(Files.readString(directory.resolve("WINDOW")).contains("newest 3"), "it is there");
      fails.set(false);
      switched.set(false);
      window.rotate();
      assertHas(window, List.of(new Range(100, 300)), "rotated");
      assertForgot(window, new Range(0, 100), "rotated");
      assertFalse(names(directory).contains("generation-1"));
    }
  }

  @Test
  void insertsAndLookupsGoOnDuringRotations() throws Exception {
    AtomicBoolean end = new AtomicBoolean();
    AtomicLong inserted = new AtomicLong();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (CascadeWindow window = CascadeWindow.open(temporary.resolve("window"), 3, options())) {
      Thread writer =
          new Thread(
              () -> {
                try {
                  for (long i = 0; !end.get(); i += 500) {
                    window.insert(keys(i, i + 500), 0, 500);
                    window.sync();
                    inserted.set(i + 500);
                  }
                } catch (IOException | RuntimeException | Error e) {
                  failure.set(e);
                }
              });
      writer.start();
      long before = 0;
      for (int rotation = 0; rotation < 6; rotation++) {
        long now = inserted.get();
        window.rotate(); // what came since the last rotation is kept
        assertHas(window, List.of(new Range(Math.max(before, now - 5000), now)), "" + rotation);
        before = now;
      }
      end.set(true);
      writer.join();
      assertEquals(null, failure.get());
      assertEquals(3, window.statistics().size());
      for (CascadeStatistics generation : window.statistics().subList(1, 3)) {
        assertEquals(0, generation.memoryEntries(), "on flash");
        assertEquals(0, generation.failedLookups());
      }
    }
  }

  @Test
  void aSnapshotIsAWindowOfItsOwn() throws IOException {
    Path snapshot = temporary.resolve("snapshot");
    List<Range> all = List.of(new Range(0, 9000), new Range(9000, 9100));
    try (CascadeWindow window = CascadeWindow.open(temporary.resolve("window"), 2, options())) {
      window.insert(keys(0, 9000), 0, 9000);
      window.rotate();
      window.insert(keys(9000, 9100), 0, 100);
      window.snapshot(snapshot);
      assertThrows(IOException.class, () -> window.snapshot(snapshot), "it is not empty");
      window.rotate();
      assertForgot(window, new Range(0, 9000), "rotated");
      try (CascadeWindow copy = CascadeWindow.open(snapshot, 2, options())) {
        assertHas(copy, all, "snapshot");
        copy.rotate();
        assertForgot(copy, new Range(0, 9000), "rotated, too");
      }
    }
  }

  @Test
  void whatIsNoWindowIsRefused() throws IOException {
    Path directory = temporary.resolve("window");
    assertThrows(IllegalArgumentException.class, () -> CascadeWindow.open(directory, 1, options()));
    assertThrows(
        IllegalArgumentException.class,
        () -> CascadeWindow.open(directory, 2, options().deletes(true)));
    try (CascadeWindow window = CascadeWindow.open(directory, 2, options())) {
      window.rotate();
      assertThrows(IOException.class, () -> CascadeWindow.open(directory, 2, options()));
    }
    byte[] bytes = Files.readAllBytes(directory.resolve("WINDOW"));
    for (int bit = 0; bit < 8 * bytes.length; bit++) {
      byte[] damaged = bytes.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(directory.resolve("WINDOW"), damaged);
      assertThrows(
          FilterFormatException.class, () -> CascadeWindow.open(directory, 2, options()).close());
    }
    Files.write(directory.resolve("WINDOW"), bytes);
    for (String name : List.of("WINDOW", "generation-1", "generation-2")) {
      Path moved = temporary.resolve(name);
      Files.move(directory.resolve(name), moved);
      assertThrows(
          FilterFormatException.class, () -> CascadeWindow.open(directory, 2, options()).close());
      Files.move(moved, directory.resolve(name));
    }
    CascadeWindow.open(directory, 2, options()).close();
    CascadeWindow closed = CascadeWindow.open(directory, 2, options());
    closed.close();
    closed.close();
    assertThrows(IllegalStateException.class, () -> closed.mightContain(1));
    assertThrows(IllegalStateException.class, closed::rotate);
  }
}
