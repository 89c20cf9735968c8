package io.winnow.flash.buffered;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.Pool;
import io.winnow.flash.store.ReadThreads;
import io.winnow.hash.KeyHash;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * A Bloom filter on flash that answers later: keys and probes wait in memory until there are many
 * for the same pages, and then share one read and one write.
 *
 * <pre>
 *   memory   | block 0 | block 1 | block 2 | ...    keys and probes that wait, by group
 *                 |
 *                 | full, or a probe in it has waited for long enough: a sweep
 *                 v
 *   flash    | page page page | page page page | ...    a group of pages per block
 * </pre>
 *
 * <p>Each page is a Bloom filter of its own, and all bits of a key are in one page. So the number
 * of hash functions costs no I/O, and who cannot wait is answered by one read of one page.
 *
 * <p>The guarantee: a key that was inserted is never denied, whether it waits in memory or is on
 * flash; for another one the answer is {@code true} at {@link BufferedBloomSizing#expectedRate}.
 * Whatever cannot be read is answered {@code true}. A deferred probe is answered when its block is
 * full, and else after the {@linkplain BufferedBloomOptions#maxWait longest wait} and one sweep, in
 * any order.
 *
 * <p>After a crash, keys that were only in memory are gone. Then the filter knows that it is not
 * {@linkplain #isWhole whole}, and answers {@code true} to everything until the caller has inserted
 * again what came after the last {@linkplain #sync(long) sync}, and {@linkplain #declareWhole says
 * so}.
 *
 * <p>Cost: a key waits in 4 bytes of memory at usual rates, a probe in 8. With F bytes of pages and
 * M bytes of memory a key reads and writes {@code 4 F / M} bytes each, and a deferred probe reads
 * {@code 8 F / M}, in requests of up to 1 MiB; beside that it is an append to an array. An
 * immediate probe reads one page. The first insert after an opening or a sync writes and fsyncs 4
 * KiB.
 *
 * <p>Thread-safe. Who finds a block full sweeps it, and tells the answers; others that need the
 * same block wait meanwhile. A daemon thread sweeps what has waited for long enough. One filter at
 * a time has a directory, in this process and in any other.
 *
 * <p>Canim, Mihaila, Bhattacharjee, Lang, Ross, "Buffered Bloom Filters on Solid State Storage",
 * ADMS 2010: section 3.1 the build phase, 3.2 the probe phase, 4.2 the time-out. Deviations: the
 * paper keeps the offsets of all bits of a key in memory, here it is one entry for all of them, so
 * that more hash functions take no more buffer; many small pages share a block of buffer and a
 * request, where the paper has one page of 2 MB, so that immediate probes are cheap; both phases
 * may be mixed; and it survives a restart.
 */
public final class BufferedBloomFilter implements Closeable {
  private final BufferedBloomFile file;
  private final BufferedBloomSizing sizing;
  private final Wholeness wholeness;
  private final BlockSweeps sweeps;
  private final boolean listens;
  private final ProbeTimer timer;
  private final Pool<PageFrame> frames;

  private BufferedBloomFilter(BufferedBloomFile file, BufferedBloomOptions options) {
    this.file = file;
    this.sizing = file.sizing;
    this.wholeness = new Wholeness(file);
    this.sweeps = new BlockSweeps(file, wholeness, options);
    this.listens = options.listener != null;
    this.timer =
        new ProbeTimer(
            sweeps,
            options.maxWait.toNanos(),
            "winnow-" + file.directory.getFileName() + "-probes");
    this.frames = file.framePool();
  }

  /**
   * Makes an empty filter in a directory, which is made if it is not there. All pages are written
   * now.
   *
   * @throws FileAlreadyExistsException if there is a filter in it
   * @throws IllegalArgumentException if the memory is too small for the shape
   */
  public static BufferedBloomFilter create(Path directory, BufferedBloomOptions options)
      throws IOException {
    BlockSweeps.blockBytes(options.sizing(), options.memoryBytes); // else nothing is made
    return of(BufferedBloomFile.create(directory, options), options);
  }

  /**
   * Opens the filter in a directory.
   *
   * @throws NoSuchFileException if there is none: a filter that was lost must not be taken for an
   *     empty one
   * @throws FilterFormatException if its head is damaged or of another version, or pages are
   *     missing
   * @throws IllegalArgumentException if the memory is too small for the shape that it has
   */
  public static BufferedBloomFilter open(Path directory, BufferedBloomOptions options)
      throws IOException {
    return of(BufferedBloomFile.open(directory, options), options);
  }

  private static BufferedBloomFilter of(BufferedBloomFile file, BufferedBloomOptions options) {
    try {
      BufferedBloomFilter filter = new BufferedBloomFilter(file, options);
      filter.timer.start();
      return filter;
    } catch (RuntimeException | Error e) {
      BufferedBloomFile.close(file, e);
      throw e;
    }
  }

  // ---- Keys ----

  /**
   * Inserts a key.
   *
   * @throws IllegalStateException if the filter was made without {@link
   *     BufferedBloomOptions#hashedBy}, or is closed
   * @throws IOException as {@link #insert(long)}
   */
  public void insert(byte[] key) throws IOException {
    insert(file.hash(key));
  }

  /**
   * Inserts a key by its hash. If there is no room for it, this sweeps its block first.
   *
   * @throws IOException if there is no room, since pages could not be read or written, or if it
   *     could not be written down that the filter changes. The key is then not in; all others that
   *     were inserted are, and the next insert tries again. After a failed fsync it fails again:
   *     see {@link #isWhole}
   * @throws IllegalStateException if the filter is closed
   */
  public void insert(long keyHash) throws IOException {
    long mixed = BufferedBloomSizing.mix(keyHash);
    int group = sizing.group(mixed);
    long entry = sizing.entry(mixed);
    while (!tryInsert(group, entry)) {
      wholeness.beginChange();
    }
  }

  /**
   * Inserts many keys by their hashes. The monitor of a block is taken once for many of them.
   *
   * @throws IOException as {@link #insert(long)}. Some of the keys are in then, and others are not:
   *     insert all of them again
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  public void insert(long[] keyHashes, int from, int count) throws IOException {
    Objects.checkFromIndexSize(from, count, keyHashes.length);
    file.checkOpen();
    GroupedKeys keys = GroupedKeys.forBatch(sizing, count);
    for (int i = from; keys == null && i < from + count; i++) {
      insert(keyHashes[i]);
    }
    for (int at = from; keys != null && at < from + count; ) {
      at = keys.fill(keyHashes, at, from + count);
      for (int group = 0; group < sweeps.blocks.length; group++) {
        int next = tryInsert(group, keys, keys.begin(group));
        while (next < keys.end(group)) {
          wholeness.beginChange();
          next = tryInsert(group, keys, next);
        }
      }
    }
  }

  /** False if the head has to be changed before: not under a block's monitor. */
  private boolean tryInsert(int group, long entry) throws IOException {
    BufferBlock block = sweeps.blocks[group];
    boolean swept = false;
    try {
      synchronized (block) {
        file.checkOpen();
        if (!wholeness.mayChange()) {
          return false;
        }
        swept = !block.hasRoomForAdd();
        add(block, group, entry);
        return true;
      }
    } finally {
      if (swept) {
        sweeps.answers.deliverOrThrow();
      }
    }
  }

  /** As for one key; returns the first key that is not in. */
  private int tryInsert(int group, GroupedKeys keys, int from) throws IOException {
    int end = keys.end(group);
    if (from == end) {
      return end;
    }
    BufferBlock block = sweeps.blocks[group];
    boolean swept = false;
    try {
      synchronized (block) {
        file.checkOpen();
        for (int i = from; i < end; i++) {
          if (!wholeness.mayChange()) {
            return i;
          }
          swept |= !block.hasRoomForAdd();
          add(block, group, keys.entries[i]);
        }
        return end;
      }
    } finally {
      if (swept) {
        sweeps.answers.deliverOrThrow();
      }
    }
  }

  /** Called under the block's monitor. Makes room first, if there is none. */
  private void add(BufferBlock block, int group, long entry) throws IOException {
    if (!block.hasRoomForAdd()) {
      IOException failure = sweeps.makeRoom(group);
      if (!block.hasRoomForAdd()) {
        throw new IOException(failure.getMessage(), failure);
      }
    }
    block.add(entry);
  }

  // ---- Probes ----

  /**
   * Whether this key may have been inserted, asked at once.
   *
   * @throws IllegalStateException as {@link #insert(byte[])}
   */
  public boolean mightContain(byte[] key) {
    return mightContain(file.hash(key));
  }

  /**
   * Whether the key with this hash may have been inserted, asked at once: looks through the keys
   * that wait in its block, and reads a page.
   *
   * @throws IllegalStateException if the filter is closed
   */
  public boolean mightContain(long keyHash) {
    long mixed = BufferedBloomSizing.mix(keyHash);
    int group = sizing.group(mixed);
    long entry = sizing.entry(mixed);
    BufferBlock block = sweeps.blocks[group];
    PageFrame frame = frames.take();
    try {
      synchronized (block) { // a page is not read while it is written
        file.checkOpen();
        if (!wholeness.whole) {
          file.counters.count(BufferedBloomCount.DOUBTS);
          return true;
        }
        if (block.hasAdd(entry)) {
          return true;
        }
        file.read(group, entry, frame);
      }
      return file.hasKey(entry, frame);
    } catch (IOException e) {
      file.counters.recordFailure(e);
      file.counters.count(BufferedBloomCount.DOUBTS);
      return true;
    } finally {
      frames.putBack(frame);
    }
  }

  /**
   * Asks for a key later: the listener is told, with this tag.
   *
   * @throws IllegalStateException as {@link #probe(long, int)} and {@link #insert(byte[])}
   */
  public void probe(byte[] key, int tag) {
    probe(file.hash(key), tag);
  }

  /**
   * Asks for the key with this hash later: the listener is told, with this tag. Keys that are
   * inserted before the answer comes may be in it already.
   *
   * @param tag of the caller's choice, such as the number of a row or of a request
   * @throws IllegalStateException if the options have no listener, or the filter is closed
   */
  public void probe(long keyHash, int tag) {
    checkListener();
    defer(keyHash, tag, null);
  }

  /**
   * Asks for a key later.
   *
   * @throws IllegalStateException as {@link #insert(byte[])}
   */
  public CompletableFuture<Boolean> probe(byte[] key) {
    return probe(file.hash(key));
  }

  /**
   * Asks for the key with this hash later. What depends on the future is run as a listener is told.
   * A future takes some 60 bytes beside the memory of the filter.
   *
   * @throws IllegalStateException if the filter is closed
   */
  public CompletableFuture<Boolean> probe(long keyHash) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    defer(keyHash, 0, answer);
    return answer;
  }

  /**
   * Asks for many keys by their hashes later: the listener is told, with the tag {@code firstTag +
   * i} for {@code keyHashes[from + i]}. The monitor of a block is taken once for many of them.
   *
   * @throws IllegalStateException as {@link #probe(long, int)}
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  public void probe(long[] keyHashes, int from, int count, int firstTag) {
    Objects.checkFromIndexSize(from, count, keyHashes.length);
    checkListener();
    GroupedKeys keys = GroupedKeys.forBatch(sizing, count);
    for (int i = 0; keys == null && i < count; i++) {
      defer(keyHashes[from + i], firstTag + i, null);
    }
    for (int at = from; keys != null && at < from + count; ) {
      at = keys.fill(keyHashes, at, from + count);
      for (int group = 0; group < sweeps.blocks.length; group++) {
        defer(group, keys, firstTag - from);
      }
    }
  }

  private void checkListener() {
    file.checkOpen();
    if (!listens) {
      throw new IllegalStateException("no listener was given with the options");
    }
  }

  private void defer(int group, GroupedKeys keys, int tagOfFirst) {
    int from = keys.begin(group);
    int end = keys.end(group);
    if (from == end) {
      return;
    }
    long now = sweeps.now();
    boolean answered = false;
    synchronized (sweeps.blocks[group]) {
      file.checkOpen();
      for (int i = from; i < end; i++) {
        answered |= put(group, keys.entries[i], tagOfFirst + keys.indexes[i], null, now);
      }
    }
    afterPut(answered);
  }

  private void defer(long keyHash, int tag, CompletableFuture<Boolean> future) {
    long mixed = BufferedBloomSizing.mix(keyHash);
    int group = sizing.group(mixed);
    boolean answered;
    synchronized (sweeps.blocks[group]) {
      file.checkOpen();
      answered = put(group, sizing.entry(mixed), tag, future, sweeps.now());
    }
    afterPut(answered);
  }

  /**
   * Called under the block's monitor.
   *
   * @return whether there are answers to be told now: of those that made way, or of this one
   */
  private boolean put(int group, long entry, int tag, CompletableFuture<Boolean> future, long now) {
    BufferBlock block = sweeps.blocks[group];
    boolean whole = wholeness.whole;
    boolean answered = false;
    if (whole && !block.hasRoomForProbe()) {
      answered = true;
      sweeps.makeRoom(group); // if it fails, the next insert will
    }
    if (!whole || !block.hasRoomForProbe()) {
      sweeps.answers.put(positive(tag, future));
      return true;
    }
    block.probe(entry, tag, future, now);
    return answered;
  }

  /** After a block's monitor was left. */
  private void afterPut(boolean answered) {
    timer.probeWaits();
    if (answered) {
      sweeps.answers.deliverOrThrow();
    }
  }

  private AnswerQueue.Batch positive(int tag, CompletableFuture<Boolean> future) {
    file.counters.count(BufferedBloomCount.DOUBTS);
    AnswerQueue.Batch batch = new AnswerQueue.Batch(future == null ? 1 : 0, 1);
    batch.add(tag, future, true);
    return batch;
  }

  // ---- What is safe ----

  /**
   * Answers all probes that wait, and brings all keys that wait to their pages; returns when all
   * that came before is done. For the end of a phase.
   *
   * @throws IOException if pages could not be read or written. All probes are answered all the
   *     same, and no key is forgotten
   */
  public void drain() throws IOException {
    file.checkOpen();
    ReadThreads.rethrow(sweeps.sweepAll(true));
  }

  /**
   * Drains, and returns when all that was inserted before is safe from a crash and from a power
   * failure.
   */
  public void sync() throws IOException {
    file.checkOpen();
    settle(null, false);
  }

  /**
   * As {@link #sync()}, and keeps the caller's mark with it: how far its source of keys had come,
   * such as an offset. After a crash {@link #mark} says from where on to insert again.
   */
  public void sync(long mark) throws IOException {
    file.checkOpen();
    settle(mark, false);
  }

  /** The mark of the last {@link #sync(long)} that returned; 0 if there was none. */
  public long mark() {
    file.checkOpen();
    return wholeness.mark();
  }

  /**
   * Whether no key can be missing. If not, every answer is {@code true}. It is not whole if it was
   * not closed the last time, and keys had come in since the last sync; or if an fsync has failed.
   * That is for ever, since nobody knows what the drive has: close the filter, see to the drive,
   * and open it again.
   */
  public boolean isWhole() {
    file.checkOpen();
    return wholeness.whole;
  }

  /**
   * Says that no key is missing: that all keys since {@link #mark} were inserted again, or that
   * nobody asks for those that were not. Syncs, and from then on absent keys are denied again.
   *
   * @throws IOException if the sync fails; after a failed fsync always, until it is opened again
   */
  public void declareWhole() throws IOException {
    file.checkOpen();
    settle(null, true);
  }

  private void settle(Long mark, boolean declare) throws IOException {
    Throwable thrownByListener = sweeps.sweepAll(true);
    try {
      wholeness.settle(sweeps, mark, declare);
    } finally {
      Throwable thrown = sweeps.answers.deliver();
      thrownByListener = thrownByListener == null ? thrown : thrownByListener;
    }
    ReadThreads.rethrow(thrownByListener);
  }

  // ---- What there is ----

  public BufferedBloomSizing sizing() {
    return file.checkOpen().sizing;
  }

  /** The function that hashes keys of bytes, or null if the filter was made for hashes. */
  public KeyHash keyHash() {
    return file.checkOpen().keyHash;
  }

  /** The filter as it is now. Takes the monitor of each block in turn. */
  public FlashStatistics<BufferedBloomCount> statistics() {
    file.checkOpen();
    Map<BufferedBloomCount, Long> now = new EnumMap<>(BufferedBloomCount.class);
    now.put(BufferedBloomCount.KEYS, wholeness.keysBefore + sweeps.sum(block -> block.inserted));
    now.put(BufferedBloomCount.WAITING_KEYS, sweeps.sum(block -> block.adds));
    now.put(BufferedBloomCount.WAITING_PROBES, sweeps.sum(BufferBlock::probes));
    now.put(BufferedBloomCount.LONGEST_WAIT_NANOS, sweeps.longestWait.get());
    return file.counters.statistics(now, file.store.counters().snapshot(), file.store.mode());
  }

  /**
   * Answers all probes that wait, syncs, and closes. If the sync fails, the filter is not whole
   * when it is opened again. A listener that inserts or probes now is refused with an {@link
   * IllegalStateException}, which comes out of here: drain before, until nothing waits.
   */
  @Override
  public void close() throws IOException {
    if (!file.beginClose()) {
      return;
    }
    try (file;
        frames;
        sweeps) {
      timer.stop();
      settle(null, false); // each block is swept once more after nothing can come in
    }
  }
}
