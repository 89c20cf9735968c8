package io.winnow.cascade;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.Uninterrupted;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

/**
 * A set of keys that forgets: a row of generations, each of them a filter in a directory of its
 * own. Inserts go to the newest one, lookups ask all of them. A {@linkplain #rotate rotation}
 * begins a new generation and drops the oldest one whole, which costs no merge. For example, with
 * 24 generations and a rotation each hour a key is kept for 23 to 24 hours after its last insert.
 *
 * <p>The guarantee: a hash that was inserted into one of the generations that there are is found,
 * always. What is there after a crash is as in {@link CascadeFilter}; a rotation is done or not
 * done.
 *
 * <p>The options are those of the window: all generations together keep the rate up to the expected
 * maximum of keys. There are no deletes: nobody knows in which generation a key is.
 *
 * <p>Cost: the newest generation has the memory budget, each other one 4 bytes for each page, and
 * for a while after a rotation the last one has its budget too. A lookup of an absent key reads a
 * page of each level of each generation, newest first: few generations are better than many.
 *
 * <p>Thread-safe. Lookups and inserts go on during a rotation, which waits for those of before it.
 */
public final class CascadeWindow implements CascadeSet {
  /** With one alone, keys that are inserted during a rotation could be dropped by it. */
  public static final int LEAST_GENERATIONS = 2;

  private final CascadeOptions options;
  private final Generations generations;

  /** The newest one is a filter; the others are readers, once all of them is on flash. */
  static final class Generation {
    private final long number;
    private final CascadeSet keys;

    Generation(long number, CascadeSet keys) {
      this.number = number;
      this.keys = keys;
    }

    long number() {
      return number;
    }

    CascadeSet keys() {
      return keys;
    }

    /** Null if it takes no inserts any more, and has none in memory. */
    CascadeFilter filter() {
      return keys instanceof CascadeFilter ? (CascadeFilter) keys : null;
    }

    CascadeStatistics statistics() {
      return keys instanceof CascadeReader
          ? ((CascadeReader) keys).statistics()
          : filter().statistics();
    }
  }

  /** Generations, newest first, that are as they are until nobody holds them any more. */
  static final class Row extends Shared {
    private final List<Generation> generations;
    private final CountDownLatch end = new CountDownLatch(1);

    Row(List<Generation> generations) {
      this.generations = List.copyOf(generations);
    }

    List<Generation> generations() {
      return generations;
    }

    CascadeFilter newest() {
      return generations.get(0).filter();
    }

    @Override
    void ended() {
      end.countDown();
    }

    /** Returns when nobody holds them. An interrupt is kept for later. */
    void awaitEnd() {
      Uninterrupted.await(end);
    }
  }

  private CascadeWindow(CascadeOptions options, Generations generations) {
    this.options = options;
    this.generations = generations;
  }

  /**
   * Opens a window, whose directory is made if it is not there or empty.
   *
   * @param generations how many there are at most, {@value #LEAST_GENERATIONS} at least; if there
   *     are more, the next rotation drops them
   * @throws IOException as {@link CascadeFilter#open}, for the window and each generation
   * @throws FilterFormatException if the window's file is damaged, or a generation is missing or
   *     damaged
   */
  public static CascadeWindow open(Path directory, int generations, CascadeOptions options)
      throws IOException {
    if (generations < LEAST_GENERATIONS) {
      throw new IllegalArgumentException(
          generations + " generations, must be " + LEAST_GENERATIONS + " at least");
    }
    if (options.shape().deletes()) {
      throw new IllegalArgumentException("a window has no deletes");
    }
    return new CascadeWindow(options, Generations.open(directory, generations, options));
  }

  /**
   * Begins a new generation, for all inserts from now on, and drops the oldest one if there are too
   * many. It returns after the merges of the generation that was the newest, which nobody else
   * waits for.
   *
   * @throws IOException if that could not be done or made safe; then nothing is dropped now, and
   *     inserts go where they went. A crash may find the rotation done
   */
  public void rotate() throws IOException {
    generations.rotate();
  }

  // ---- Inserts and lookups ----

  /** As {@link CascadeFilter#insert(long)}, into the newest generation. */
  public void insert(long keyHash) throws IOException {
    Row now = generations.hold();
    try {
      now.newest().insert(keyHash);
    } finally {
      now.release();
    }
  }

  /** As {@link CascadeFilter#insert(long[], int, int)}, into the newest generation. */
  public void insert(long[] keyHashes, int from, int count) throws IOException {
    Row now = generations.hold();
    try {
      now.newest().insert(keyHashes, from, count);
    } finally {
      now.release();
    }
  }

  /** As {@link CascadeFilter#insert(byte[])}, into the newest generation. */
  public void insert(byte[] key) throws IOException {
    insert(hash(key));
  }

  /** As {@link CascadeFilter#insert(List)}, into the newest generation. */
  public void insert(List<byte[]> keys) throws IOException {
    insert(hashes(keys), 0, keys.size());
  }

  /** As {@link CascadeFilter#sync}, for all generations. */
  public void sync() throws IOException {
    Row now = generations.hold();
    try {
      for (Generation generation : now.generations()) {
        if (generation.filter() != null) { // or all of it is on flash
          generation.filter().sync();
        }
      }
    } finally {
      now.release();
    }
  }

  @Override
  public boolean mightContain(long keyHash) {
    Row now = generations.hold();
    try {
      return now.generations().stream()
          .anyMatch(generation -> generation.keys().mightContain(keyHash));
    } finally {
      now.release();
    }
  }

  /** Each generation is asked about those keys that no newer one has. */
  @Override
  public BitSet mightContain(long[] keyHashes, int from, int count) {
    Objects.checkFromIndexSize(from, count, keyHashes.length);
    BitSet answers = new BitSet(count);
    Row now = generations.hold();
    try {
      for (Generation generation : now.generations()) {
        int[] asked = new int[count - answers.cardinality()];
        long[] hashes = new long[asked.length];
        for (int n = 0, i = answers.nextClearBit(0); i < count; i = answers.nextClearBit(i + 1)) {
          asked[n] = i;
          hashes[n++] = keyHashes[from + i];
        }
        BitSet there = generation.keys().mightContain(hashes, 0, hashes.length);
        there.stream().forEach(present -> answers.set(asked[present]));
      }
      return answers;
    } finally {
      now.release();
    }
  }

  @Override
  public long hash(byte[] key) {
    return options.keyHash().hash(key);
  }

  // ---- While it runs, and at the end ----

  /** How the generations are, newest first. */
  public List<CascadeStatistics> statistics() {
    Row now = generations.hold();
    try {
      return now.generations().stream().map(Generation::statistics).collect(Collectors.toList());
    } finally {
      now.release();
    }
  }

  @Override
  public void snapshot(Path target) throws IOException {
    generations.snapshot(target);
  }

  /** Closes all generations, as {@link CascadeFilter#close}. */
  @Override
  public void close() throws IOException {
    generations.close();
  }
}
