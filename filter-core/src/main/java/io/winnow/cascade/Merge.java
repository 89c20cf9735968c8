package io.winnow.cascade;

import io.winnow.cascade.Chunks.SlotSource;
import io.winnow.flash.drive.PageStore;
import java.io.IOException;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.LongConsumer;

/**
 * A running merge of adjacent levels, newest first, into a new level.
 *
 * <p>The work is divided into chunks ({@link Chunks}). Threads claim them in order, and decode,
 * merge and code them in parallel; the thread that has the next pages appends them to the file, in
 * order. Only few chunks may be ahead of the file, which bounds the memory.
 */
final class Merge {
  /** Levels that this merge reads, newest first. */
  final List<SlotSource> sources;

  /** Approximate bytes of each source in a chunk of this merge. */
  final int chunkBytes;

  private final int remainderBits;
  private final CascadeDirectory directory;
  private final long number;
  private final long id;
  private final MergeLimit limiter;
  private final Chunks chunks;

  /** Rank of the level that this merge writes. */
  volatile int rank;

  /** Number of operations since the filter's opening at which this merge should be done. */
  volatile long deadline;

  // guarded by this
  private final Map<Integer, CodedPages> coded = new HashMap<>();
  private boolean writing;
  private int claimed;
  private int written;
  private boolean handedOver;
  private int atWork;
  private final long began = System.nanoTime();
  private long bytesRead;
  private long entriesIn;

  // guarded by this as long as threads are at work, and then for who finishes it
  long entriesOut;

  /** First failure of this merge, or null. */
  Throwable failure;

  /**
   * Ranges of fences (top bits of fingerprints) that the merge left out because their pages could
   * not be read.
   */
  Doubt doubt;

  /** Reason why the merge left pages of a source out, or null. */
  IOException damage;

  /**
   * Is true once the manifest names the file that the merge wrote, which must not be deleted then.
   */
  boolean kept;

  // written by one thread at a time, the one that is writing
  private final List<int[]> fences = new ArrayList<>();
  private volatile PageStore store;

  /**
   * Creates a merge without a deadline, whose chunks several threads may work on.
   *
   * @param sources newest first, as in {@link Chunks}
   * @param oldest sources than which their filter has nothing older, as in {@link Chunks}
   * @param number number of the new file
   */
  Merge(
      CascadeDirectory directory,
      List<SlotSource> sources,
      Set<SlotSource> oldest,
      int rank,
      int chunkBytes,
      long number,
      MergeLimit limiter) {
    this.directory = directory;
    this.sources = List.copyOf(sources);
    this.rank = rank;
    this.chunkBytes = chunkBytes;
    this.number = number;
    this.id = directory.newId();
    this.limiter = limiter;
    this.chunks = new Chunks(directory.shape, sources, oldest, chunkBytes);
    this.doubt = Doubt.none(directory.shape);
    this.remainderBits =
        SlotShape.bestRemainderBits(
            directory.shape.bits(), totalEntries(), directory.shape.minRemainderBits());
  }

  /** Returns the bytes that this merge wrote to the drive. */
  long bytesWritten() {
    PageStore now = store;
    return now == null ? 0 : now.pages() * directory.pageBytes;
  }

  /** Returns the number of entries of all levels that this merge reads. */
  final long totalEntries() {
    return sources.stream().mapToLong(SlotSource::entries).sum();
  }

  /**
   * Returns the description of the ended merge that listeners receive.
   *
   * @param reason the failure, or null
   */
  synchronized CascadeListener.Merged ended(Throwable reason) {
    long nanos = System.nanoTime() - began;
    return new CascadeListener.Merged(
        rank, entriesIn, entriesOut, bytesRead, bytesWritten(), nanos, reason);
  }

  /** Returns the number of entries that this merge has not merged yet. */
  synchronized long remainingEntries() {
    return Math.max(0, totalEntries() - entriesIn);
  }

  /**
   * Returns the merge's next chunk to work on, or null if there is none now.
   *
   * @param ahead maximum of claimed chunks that are not written
   */
  synchronized Chunks.Chunk claim(int ahead) {
    if (chunks.isDone() || failure != null || claimed - written >= ahead) {
      return null;
    }
    Chunks.Chunk chunk = chunks.next();
    claimed++;
    atWork++;
    return chunk;
  }

  /**
   * Merges and codes a chunk of the sources, and writes the pages that are next in the file.
   *
   * @return the number of slots that went into it
   */
  int run(Chunks.Chunk chunk, Chunks.Work work) throws IOException {
    long bytes = 0;
    for (int i = 0; i < sources.size(); i++) {
      if (sources.get(i) instanceof CascadeLevel) {
        bytes += (long) (chunk.to[i] - chunk.from[i]) * directory.pageBytes;
      }
    }
    limiter.acquire(bytes);
    chunks.merge(chunk, work, this::leaveOut);
    CodedPages done =
        CodedPages.of(directory.shape, work.result, remainderBits, directory.pageBytes);
    synchronized (this) {
      if (failure != null) {
        done.close();
        return 0;
      }
      coded.put(chunk.index, done);
      bytesRead += bytes;
      entriesIn += work.decodedSlots;
      entriesOut += work.result.size;
    }
    writeWhatIsNext();
    return work.decodedSlots;
  }

  /**
   * Leaves a page of a source out of the merge that cannot be read, and records that the
   * fingerprints of its range are in doubt.
   *
   * @throws IOException if too much of the filter would be in doubt
   */
  private synchronized void leaveOut(SlotSource source, int section, IOException reason)
      throws IOException {
    long from = source.fence(section);
    boolean isLast = section + 1 == source.sections();
    long to = isLast ? 1L << directory.shape.fenceBits() : source.fence(section + 1);
    Doubt more = doubt.with(from, Math.max(to, from + 1));
    if (more.isTooMuch()) {
      throw reason;
    }
    doubt = more;
    damage = reason;
  }

  /** Writes coded chunks to the file as long as the next one in order is coded. */
  private void writeWhatIsNext() throws IOException {
    while (true) {
      CodedPages next;
      synchronized (this) {
        if (writing || failure != null || !coded.containsKey(written)) {
          return;
        }
        next = coded.remove(written);
        writing = true;
      }
      try (next) {
        write(next);
      } finally {
        synchronized (this) {
          writing = false;
          written++;
        }
      }
    }
  }

  private void write(CodedPages next) throws IOException {
    if (next.pages == 0) {
      return;
    }
    limiter.acquire((long) next.pages * directory.pageBytes);
    if (store == null) {
      store = directory.createLevelFile(number, id);
    }
    LevelFile.checkPages(store.pages() + next.pages, directory.pageBytes);
    fences.add(Arrays.copyOf(next.fences, next.pages));
    next.appendTo(store);
  }

  /**
   * Ends a thread's work on a chunk of this merge.
   *
   * @return true for the one thread that must finish the merge
   */
  synchronized boolean leave() {
    atWork--;
    return handOver();
  }

  private boolean handOver() {
    boolean complete = failure != null || chunks.isDone() && written == claimed;
    if (atWork > 0 || !complete || handedOver) {
      return false;
    }
    handedOver = true;
    return true;
  }

  /** Records a failure of this merge; only the first one counts. */
  synchronized void fail(Throwable reason) {
    failure = failure == null ? reason : failure;
  }

  /**
   * Abandons this merge before its end.
   *
   * @return true if no thread works on it, so that the caller must clean up
   */
  synchronized boolean abandon() {
    fail(new CancellationException("the filter was closed"));
    return handOver();
  }

  // The following methods are for the thread that finishes the merge.

  /**
   * Completes and syncs the file of the level that this merge wrote.
   *
   * @return the new level, or null if no slot was left
   */
  CascadeLevel seal() throws IOException {
    if (store == null) {
      return null;
    }
    IntBuffer joined = IntBuffer.allocate((int) store.pages());
    fences.forEach(joined::put);
    int[] all = joined.array();
    LevelFile.append(store, number, entriesOut, all);
    store.force();
    return directory.level(
        new Manifest.LevelEntry(number, rank, entriesOut, all.length, id), all, store);
  }

  /**
   * Deletes the file that this failed merge wrote, and releases the chunks that were coded and not
   * written. If the file cannot be deleted, it is a leftover for the next opening.
   */
  void delete(Throwable reason) {
    coded.values().forEach(CodedPages::close);
    coded.clear();
    try {
      if (store != null) {
        store.close();
      }
      directory.delete(directory.levelPath(number));
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  /**
   * Runs the whole merge in the calling thread. If it throws, no file is left.
   *
   * @param merged receives the number of slots merged since the last call
   * @return the new level, or null if no slot was left
   */
  CascadeLevel runAlone(LongConsumer merged) throws IOException {
    Chunks.Work work = new Chunks.Work();
    try {
      for (Chunks.Chunk chunk = claim(1); chunk != null; chunk = claim(1)) {
        merged.accept(run(chunk, work));
      }
      return seal();
    } catch (IOException | RuntimeException | Error e) {
      delete(e);
      throw e;
    }
  }
}
