package io.winnow.flash.buffered;

import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import io.winnow.flash.drive.Opening;
import io.winnow.flash.drive.ReadThreads;
import io.winnow.flash.store.FlashStatistics;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * A Bloom filter on flash with deferred answers: keys and probes wait in memory until there are
 * many for the same pages, and then share one read and one write.
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
 * of hash functions costs no I/O, and an immediate probe reads one page.
 *
 * <p>The guarantee: a key that was inserted is never denied, whether it waits in memory or is on
 * flash; for another key the answer is {@code true} with the probability {@link
 * BufferedBloomSizing#expectedRate}. Where a page cannot be read, the answer is {@code true}. A
 * deferred probe is answered when its block is full, at the latest after the {@linkplain
 * BufferedBloomOptions#maxWait longest wait} and one sweep, in any order.
 *
 * <p>After a crash, keys that were only in memory are lost. The filter is not {@linkplain #isWhole
 * whole} then, and each answer is {@code true} until the caller has inserted all keys since the
 * last {@linkplain #sync(long) sync} again, and {@linkplain #declareWhole has declared it whole}.
 *
 * <p>Cost: a key waits in 4 bytes of memory at usual rates, a probe in 8. With F bytes of pages and
 * M bytes of memory a key reads and writes {@code 4 F / M} bytes each, and a deferred probe reads
 * {@code 8 F / M}, in requests of up to 1 MiB; apart from that it is appended to an array. An
 * immediate probe reads one page. The first insert after an opening or a sync writes and fsyncs 4
 * KiB.
 *
 * <p>Thread-safe. A thread that finds a block full sweeps it and delivers the answers; others that
 * need the same block wait. A daemon thread sweeps blocks whose probes have waited long enough.
 * Only one filter at a time can own a directory, in all processes.
 *
 * <p>Canim, Mihaila, Bhattacharjee, Lang, Ross, "Buffered Bloom Filters on Solid State Storage",
 * ADMS 2010: section 3.1 the build phase, 3.2 the probe phase, 4.2 the time-out. Deviations: the
 * paper keeps the offsets of all bits of a key in memory, here one entry stands for all of them, so
 * that more hash functions take no more buffer; many small pages share a block of buffer and a
 * request, where the paper has one page of 2 MB, so that immediate probes are cheap; both phases
 * may be mixed; and it survives a restart.
 */
public final class BufferedBloomFilter implements Closeable {
  private final BufferedBloomFile file;
  private final BufferedBloomSizing sizing;
  private final Wholeness wholeness;
  private final BlockSweeps sweeps;
  private final ProbeTimer timer;

  private BufferedBloomFilter(BufferedBloomFile file, BufferedBloomOptions options) {
    this.file = file;
    this.sizing = file.sizing;
    this.wholeness = new Wholeness(file);
    this.sweeps = new BlockSweeps(file, wholeness, options);
    this.timer =
        new ProbeTimer(sweeps, options.maxWait.toNanos(), file.directory.threadName("probes"));
  }

  /**
   * Opens the buffered Bloom filter in a directory, and creates one, with all its pages, if the
   * directory is missing or empty. Options without a number of keys or of pages create none.
   *
   * @throws IOException if the directory cannot be read or written, or is open already
   * @throws FilterFormatException if its head is damaged or of another version, or pages are
   *     missing
   * @throws IllegalArgumentException if the memory is too small for the filter's shape, or the
   *     options do not say how large a new filter should be
   */
  public static BufferedBloomFilter open(Path directory, BufferedBloomOptions options)
      throws IOException {
    BufferedBloomFile file = BufferedBloomFile.open(directory, options);
    return Opening.orClose(
        file,
        () -> {
          BufferedBloomFilter filter = new BufferedBloomFilter(file, options);
          filter.timer.start();
          return filter;
        });
  }

  /**
   * Opens the buffered Bloom filter in an existing directory with the sizes that it was created
   * with, and defaults for memory and waits.
   *
   * @throws FilterFormatException as {@link #open(Path, BufferedBloomOptions)}, or if there is no
   *     filter: one that was lost is not taken for an empty one
   */
  public static BufferedBloomFilter open(Path directory) throws IOException {
    BufferedBloomFile.KIND.checkHas(directory);
    return open(directory, BufferedBloomOptions.defaults());
  }

  // ---- Keys ----

  /**
   * Inserts a key into the filter.
   *
   * @throws IllegalStateException if version 0.1.0 created the filter for hashes, or it is closed
   * @throws IOException as {@link #insert(long)}
   */
  public void insert(byte[] key) throws IOException {
    insert(file.hash(key));
  }

  /**
   * Inserts a key, given by its hash, into the filter. If its block is full, this sweeps it first.
   *
   * @throws IOException if there is no room because pages could not be read or written, or if the
   *     head could not be written before the first change. The key is not in the filter then; all
   *     earlier ones are, and the next insert tries again. After a failed fsync it fails again: see
   *     {@link #isWhole}
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
   * Inserts many keys, given by their hashes, into the filter. The monitor of a block is taken once
   * for many of them.
   *
   * @throws IOException as {@link #insert(long)}. Some of the keys are in the filter then, and
   *     others are not: insert all of them again
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

  /**
   * Inserts a key into its block of waiting keys, unless the head page on flash must be written
   * first.
   *
   * @return false if the head must be written first, without a block's monitor
   */
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

  /**
   * Inserts the keys of a group of pages, from a given one on, into their block, unless the head
   * page on flash must be written first.
   *
   * @return the first key that is not inserted because the head must be written first, or the end
   */
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

  /**
   * Adds a key to a block of waiting keys, whose monitor the caller holds; makes room before it if
   * necessary.
   */
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
   * Probes a key at once: returns whether it may have been inserted.
   *
   * @throws IllegalStateException as {@link #insert(byte[])}
   */
  public boolean mightContain(byte[] key) {
    return mightContain(file.hash(key));
  }

  /**
   * Probes the key with this hash at once, by a scan of the waiting keys of its block and a read of
   * its page.
   *
   * @throws IllegalStateException if the filter is closed
   */
  public boolean mightContain(long keyHash) {
    long mixed = BufferedBloomSizing.mix(keyHash);
    int group = sizing.group(mixed);
    long entry = sizing.entry(mixed);
    BufferBlock block = sweeps.blocks[group];
    try {
      synchronized (block) { // a page is not read while it is written
        file.checkOpen();
        if (!wholeness.whole) {
          file.counters.count(BufferedBloomCount.DOUBTS);
          return true;
        }
        return block.hasAdd(entry) || file.hasKey(group, entry);
      }
    } catch (IOException e) {
      file.counters.recordFailure(e);
      file.counters.count(BufferedBloomCount.DOUBTS);
      return true;
    }
  }

  /**
   * Defers a probe of a key; the listener receives the answer with this tag.
   *
   * @throws IllegalStateException as {@link #probe(long, int)} and {@link #insert(byte[])}
   */
  public void probe(byte[] key, int tag) {
    probe(file.hash(key), tag);
  }

  /**
   * Defers a probe of the key with this hash; the listener receives the answer with this tag. The
   * answer may include keys that are inserted after this call.
   *
   * @param tag the caller's choice, such as the number of a row or of a request
   * @throws IllegalStateException if the options have no listener, or the filter is closed
   */
  public void probe(long keyHash, int tag) {
    checkListener();
    defer(keyHash, tag, null);
  }

  /**
   * Defers a probe of a key, and returns a future of the answer.
   *
   * @return a future that receives the answer
   * @throws IllegalStateException as {@link #insert(byte[])}
   */
  public CompletableFuture<Boolean> probe(byte[] key) {
    return probe(file.hash(key));
  }

  /**
   * Defers a probe of the key with this hash, and returns a future of the answer. Stages that
   * depend on the future run like a listener. A future takes some 60 bytes beyond the memory of the
   * filter.
   *
   * @return a future that receives the answer
   * @throws IllegalStateException if the filter is closed
   */
  public CompletableFuture<Boolean> probe(long keyHash) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    defer(keyHash, 0, answer);
    return answer;
  }

  /**
   * Defers probes of many keys, given by their hashes; the listener receives the answer for {@code
   * keyHashes[from + i]} with the tag {@code firstTag + i}. The monitor of a block is taken once
   * for many of them.
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

  /** Checks that the filter is open and has a listener for answers. */
  private void checkListener() {
    file.checkOpen();
    if (sweeps.answers.listener == null) {
      throw new IllegalStateException("the options have no listener");
    }
  }

  /** Puts the deferred probes of one group of pages into the group's block. */
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

  /** Puts a deferred probe into the block of its group of pages. */
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
   * Puts a deferred probe into a block, whose monitor the caller holds.
   *
   * @return whether there are answers to deliver now: to this probe, or to others that made room
   */
  private boolean put(int group, long entry, int tag, CompletableFuture<Boolean> future, long now) {
    BufferBlock block = sweeps.blocks[group];
    boolean whole = wholeness.whole;
    boolean full = !block.hasRoomForProbe();
    if (whole && full) {
      sweeps.makeRoom(group); // a failure is reported by the next insert
    }
    if (!whole || !block.hasRoomForProbe()) {
      sweeps.answers.put(positive(tag, future));
      return true;
    }
    block.probe(entry, tag, future, now);
    return full;
  }

  /**
   * Wakes the timer and delivers answers, after probes were put into a block and its monitor was
   * released.
   */
  private void afterPut(boolean answered) {
    timer.probeWaits();
    if (answered) {
      sweeps.answers.deliverOrThrow();
    }
  }

  /**
   * Returns the answer {@code true} to one deferred probe, because an answer "absent" might be
   * wrong.
   */
  private AnswerQueue.Batch positive(int tag, CompletableFuture<Boolean> future) {
    file.counters.count(BufferedBloomCount.DOUBTS);
    AnswerQueue.Batch batch = new AnswerQueue.Batch(future == null ? 1 : 0, 1);
    batch.add(tag, future, true);
    return batch;
  }

  // ---- Sync ----

  /**
   * Answers all waiting probes and writes all waiting keys to their pages, for example at the end
   * of a phase. It returns when all that came before is done.
   *
   * @throws IOException if pages could not be read or written. All probes are answered
   *     nevertheless, and no key is lost
   */
  public void drain() throws IOException {
    file.checkOpen();
    ReadThreads.rethrow(sweeps.sweepAll(true));
  }

  /**
   * Answers all waiting probes, writes all waiting keys and syncs: returns when all earlier inserts
   * are safe from a crash and from a power failure.
   */
  public void sync() throws IOException {
    file.checkOpen();
    settle(null, false);
  }

  /**
   * Syncs as {@link #sync()}, and records the caller's mark: a position in its source of keys, such
   * as an offset. After a crash {@link #mark} says from where on to insert again.
   */
  public void sync(long mark) throws IOException {
    file.checkOpen();
    settle(mark, false);
  }

  /**
   * Returns the caller's mark of the last {@link #sync(long)} that returned, or 0 if there was
   * none.
   */
  public long mark() {
    file.checkOpen();
    return wholeness.mark();
  }

  /**
   * Returns whether no inserted key can be missing from the filter. If not, each answer is {@code
   * true}. A filter is not whole if it was not closed the last time and keys had come since the
   * last sync, or if an fsync has failed. The latter cannot be undone here, because the content of
   * the drive is unknown: close the filter, check the drive, and open it again.
   */
  public boolean isWhole() {
    file.checkOpen();
    return wholeness.whole;
  }

  /**
   * Declares that no key is missing from the filter: that all keys since the caller's {@link #mark}
   * were inserted again, or that the missing ones will not be queried. It syncs; after that absent
   * keys are ruled out again.
   *
   * @throws IOException if the sync fails; after a failed fsync always, until the filter is opened
   *     again
   */
  public void declareWhole() throws IOException {
    file.checkOpen();
    settle(null, true);
  }

  /**
   * Sweeps all blocks of waiting keys and probes, syncs the filter's file, and delivers the
   * answers.
   */
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

  // ---- Properties ----

  /** Returns the shape of the buffered Bloom filter: its pages and the bits of a key. */
  public BufferedBloomSizing sizing() {
    return file.checkOpen().sizing;
  }

  /** Returns the hash function for keys, or null if the filter was created for hashes. */
  public KeyHash keyHash() {
    return file.checkOpen().keyHash;
  }

  /**
   * Returns the state of the buffered Bloom filter and its counters. It takes the monitor of each
   * block in turn.
   */
  public FlashStatistics<BufferedBloomCount> statistics() {
    file.checkOpen();
    Map<BufferedBloomCount, Long> now = new EnumMap<>(BufferedBloomCount.class);
    now.put(BufferedBloomCount.KEYS, wholeness.keysBefore + sweeps.sum(block -> block.inserted));
    now.put(BufferedBloomCount.WAITING_KEYS, sweeps.sum(block -> block.adds));
    now.put(BufferedBloomCount.WAITING_PROBES, sweeps.sum(BufferBlock::probes));
    now.put(BufferedBloomCount.LONGEST_WAIT_NANOS, sweeps.longestWait.get());
    return file.counters.statistics(now, file.store.counters.snapshot(), file.store.isDirect());
  }

  /**
   * Answers all waiting probes, syncs the filter, and closes it. If the sync fails, the filter is
   * not whole when it is opened again. A listener that inserts or probes during the close gets an
   * {@link IllegalStateException}, which this method then throws: drain before, until nothing
   * waits.
   */
  @Override
  public void close() throws IOException {
    if (!file.directory.beginClose()) {
      return;
    }
    try (file;
        sweeps) {
      timer.stop();
      settle(null, false); // sweeps each block again, since nothing can be added any more
    }
  }

  @Override
  public String toString() {
    return file.directory.toString();
  }
}
