package io.winnow.cascade;

import io.winnow.cascade.Chunks.SlotSource;
import io.winnow.flash.store.PageStore;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.LongConsumer;

/**
 * One merge under way: adjacent levels, newest first, into a new one of some rank.
 *
 * <p>Its work is cut into chunks ({@link Chunks}), which threads claim in order, decode, merge and
 * code on their own, and whose pages are then appended in order by whichever thread has the next
 * ones. Few chunks are ahead of the file at any time, which bounds the memory.
 */
final class Merge {
  /** Newest first. */
  final List<SlotSource> sources;

  /** About how many bytes of each source go into a chunk. */
  final int chunkBytes;

  private final int remainderBits;
  private final CascadeDirectory directory;
  private final long number;
  private final long id;
  private final MergeLimit limiter;
  private final Chunks chunks;

  /** Where it goes to. */
  volatile int rank;

  /** At how many operations, counted from the filter's opening, it should be done. */
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

  /** The first failure, or null. */
  Throwable failure;

  /** The ranges of keys that it left out, because their pages could not be read. */
  Doubt doubt;

  /** Why it left something out, or null. */
  IOException damage;

  /** Whether the manifest names its file: that is not deleted, whatever comes. */
  boolean kept;

  // written by one thread at a time, the one that is writing
  private PageStore store;
  private int[] fences = new int[0];
  private volatile int pages;

  /** A merge that is to be done: of sources as {@link Chunks} want them, into a file's number. */
  Merge(
      CascadeDirectory directory,
      List<? extends SlotSource> sources,
      boolean nothingOlder,
      int rank,
      int chunkBytes,
      long deadline,
      long number,
      MergeLimit limiter) {
    this.directory = directory;
    this.sources = List.copyOf(sources);
    this.rank = rank;
    this.chunkBytes = chunkBytes;
    this.deadline = deadline;
    this.number = number;
    this.id = directory.newId();
    this.limiter = limiter;
    this.chunks = new Chunks(directory.shape, sources, nothingOlder, chunkBytes);
    this.doubt = Doubt.none(directory.shape);
    this.remainderBits =
        SlotCoding.bestRemainderBits(
            directory.shape.bits(), totalEntries(), directory.shape.minRemainderBits());
  }

  /** One for {@link #runAlone}: its maker waits for it. */
  Merge(
      CascadeDirectory directory,
      List<? extends SlotSource> sources,
      boolean nothingOlder,
      int rank,
      int chunkBytes,
      long number) {
    this(directory, sources, nothingOlder, rank, chunkBytes, 0, number, new MergeLimit(0));
  }

  /** Bytes on the drive that it wrote. */
  long bytesWritten() {
    return (long) pages * directory.pageBytes;
  }

  final long totalEntries() {
    return sources.stream().mapToLong(SlotSource::entries).sum();
  }

  /** What it came to. */
  synchronized CascadeListener.Merged ended(Throwable reason) {
    long bytesWritten = store == null ? 0 : store.pages() * directory.pageBytes; // with the fences
    long nanos = System.nanoTime() - began;
    return new CascadeListener.Merged(
        rank, entriesIn, entriesOut, bytesRead, bytesWritten, nanos, reason);
  }

  synchronized long remainingEntries() {
    return Math.max(0, totalEntries() - entriesIn);
  }

  /** The next chunk to work on, or null if there is none now. */
  synchronized Chunks.Chunk claim(int ahead) {
    if (chunks.isDone() || failure != null || claimed - written >= ahead) {
      return null;
    }
    Chunks.Chunk chunk = chunks.next();
    claimed++;
    atWork++;
    return chunk;
  }

  /** Works on a chunk; returns how many slots went in. */
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
   * Goes on without a page that cannot be read: whatever it may have had is in doubt from now on.
   *
   * @throws IOException if that would be too much of the filter
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
    if (next.pages > fences.length - pages) {
      int room = LevelFile.room(fences.length, (long) pages + next.pages, directory.pageBytes);
      fences = Arrays.copyOf(fences, room);
    }
    System.arraycopy(next.fences, 0, fences, pages, next.pages);
    next.appendTo(store);
    pages += next.pages;
  }

  /** A thread is done with a chunk. True for the one thread that is to finish the merge. */
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

  /** Its first failure counts. */
  synchronized void fail(Throwable reason) {
    failure = failure == null ? reason : failure;
  }

  /** Gives it up if nobody works on it; true for the one thread that is to clean up. */
  synchronized boolean abandon() {
    fail(new CancellationException("the filter was closed"));
    return handOver();
  }

  // What follows is for the thread that finishes it.

  /** Completes the file, and makes it safe: a level, or null if no slot was left. */
  CascadeLevel seal() throws IOException {
    if (store == null) {
      return null;
    }
    int[] exact = Arrays.copyOf(fences, pages);
    LevelFile.append(store, number, entriesOut, exact);
    store.force();
    return directory.level(
        new Manifest.LevelEntry(number, rank, entriesOut, pages, id), exact, store);
  }

  /** Deletes what it wrote; what stays is a leftover, for the next opening. */
  void delete(Throwable reason) {
    try {
      if (store != null) {
        store.close();
      }
      directory.delete(directory.levelPath(number));
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  /** Lets go of what was coded and not written. */
  synchronized void discard() {
    coded.values().forEach(CodedPages::close);
    coded.clear();
  }

  /**
   * All of it, by the caller's thread: the level, or null if no slot was left. If it throws,
   * nothing stays.
   *
   * @param merged is told how many slots went in, a few at a time
   */
  CascadeLevel runAlone(Chunks.Work work, LongConsumer merged) throws IOException {
    try {
      for (Chunks.Chunk chunk = claim(1); chunk != null; chunk = claim(1)) {
        merged.accept(run(chunk, work));
      }
      return seal();
    } catch (IOException | RuntimeException | Error e) {
      discard();
      delete(e);
      throw e;
    }
  }
}
