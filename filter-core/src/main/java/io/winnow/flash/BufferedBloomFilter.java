package io.winnow.flash;

import io.winnow.FilterFormatException;
import io.winnow.hash.KeyHash;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

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
  static final String NAME = "filter";
  static final String TEMPORARY_NAME = "filter.new";

  /** How many sweeps there are at a time, each with memory for a group. */
  private static final int SWEEPS = 2;

  /** What a block takes beside its bytes. */
  private static final int BLOCK_OVERHEAD = 96;

  private static final int MAX_BLOCK_BYTES = 1 << 30;

  /** What the timer waits before it tries again what it had no memory for. */
  private static final long PAUSE_NANOS = 10_000_000;

  /** What the head on flash says, and may go on to say. */
  private enum State {
    /** The head says so. Before a key comes in, it has to say that keys do. */
    WHOLE,
    /** The head says that keys come in. */
    CHANGING,
    /** As changing, and no key has come in since a sync began. */
    SYNCING
  }

  private final Path directory;
  private final DirectoryLock lock;
  private final BufferedBloomSizing sizing;
  private final KeyHash keyHash;
  private final ProbeListener listener;
  private final PageStore store;
  private final BufferBlock[] blocks;
  private final SweepPool sweepPool;
  private final FramePool frames;
  private final AnswerQueue answers;
  private final ProbeTimer timer;
  private final long origin = System.nanoTime();

  /** Guarded by itself, as are the turns of the state from and to {@link State#WHOLE}. */
  private final BufferedBloomHead head;

  /** Guarded by the head. */
  private IOException fsyncFailure;

  private final long keysBefore;
  private final AtomicReference<State> state;
  private volatile boolean whole;
  private volatile boolean closed;

  private final LongAdder sweeps = new LongAdder();
  private final LongAdder timeouts = new LongAdder();
  private final LongAdder replacedPages = new LongAdder();
  private final LongAdder doubts = new LongAdder();
  private final LongAccumulator longestWait = new LongAccumulator(Math::max, 0);
  private volatile Throwable lastFailure;

  private BufferedBloomFilter(
      Path directory,
      DirectoryLock lock,
      BufferedBloomHead head,
      PageStore store,
      BufferedBloomOptions options) {
    this.directory = directory;
    this.lock = lock;
    this.head = head;
    this.store = store;
    this.sizing = head.sizing();
    this.keyHash = head.keyHash();
    this.listener = options.listener();
    this.keysBefore = head.content().keys();
    this.whole = head.content().whole() && !head.otherWasDamaged();
    this.state = new AtomicReference<>(head.content().whole() ? State.WHOLE : State.CHANGING);
    this.blocks = new BufferBlock[sizing.groups()];
    int blockBytes = blockBytes(sizing, options.memoryBytes());
    for (int group = 0; group < blocks.length; group++) {
      blocks[group] = new BufferBlock(sizing.entryBytes(), blockBytes);
    }
    long firstPage = BufferedBloomHead.pagesBefore(sizing.pageBytes());
    this.sweepPool =
        new SweepPool(SWEEPS, () -> new GroupPages(sizing, store, firstPage, this::failed));
    this.frames = new FramePool(sizing.pageBytes());
    this.answers = new AnswerQueue(listener);
    this.timer =
        new ProbeTimer(
            new Waiting(),
            blocks.length,
            options.maxWait().toNanos(),
            "winnow-" + directory.getFileName() + "-probes");
  }

  private static int blockBytes(BufferedBloomSizing sizing, long memoryBytes) {
    long perBlock =
        (memoryBytes - (long) SWEEPS * sizing.groupBytes()) / sizing.groups() - BLOCK_OVERHEAD;
    int least = BufferBlock.minBytes(sizing.entryBytes());
    if (perBlock < least) {
      throw new IllegalArgumentException(
          memoryBytes
              + " bytes of memory, must be "
              + ((long) SWEEPS * sizing.groupBytes()
                  + (long) sizing.groups() * (BLOCK_OVERHEAD + least))
              + " at least for "
              + sizing.groups()
              + " blocks, and two sweeps of "
              + sizing.groupBytes()
              + " bytes");
    }
    return (int) Math.min(MAX_BLOCK_BYTES, perBlock);
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
    BufferedBloomSizing sizing = options.sizing();
    blockBytes(sizing, options.memoryBytes());
    makeDirectory(options.fileAccess(), directory.toAbsolutePath());
    DirectoryLock lock = DirectoryLock.of(directory);
    try {
      Path file = directory.resolve(NAME);
      if (Files.exists(file)) {
        throw new FileAlreadyExistsException(file.toString());
      }
      writeEmpty(directory, sizing, options);
      return open(directory, lock, options);
    } catch (IOException | RuntimeException | Error e) {
      close(lock, e);
      throw e;
    }
  }

  /** Makes a directory, and those above it, safe from a power failure. */
  private static void makeDirectory(FileAccess access, Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      makeDirectory(access, directory.getParent());
      Files.createDirectories(directory); // another process may be faster
      access.forceDirectory(directory.getParent());
    }
  }

  /** It gets its name when it is whole and safe: a crash leaves all of it, or nothing. */
  private static void writeEmpty(
      Path directory, BufferedBloomSizing sizing, BufferedBloomOptions options) throws IOException {
    FileAccess access = options.fileAccess();
    Path temporary = directory.resolve(TEMPORARY_NAME);
    access.delete(temporary);
    try (PageStore heads =
        FilePageStore.create(
            access, temporary, PageStore.MIN_PAGE_BYTES, options.directIo(), new IoCounters())) {
      BufferedBloomHead.create(heads, sizing, options.keyHash());
    }
    try (PageStore pages =
        FilePageStore.open(
            access, temporary, sizing.pageBytes(), options.directIo(), new IoCounters())) {
      BitPages.appendZeros(
          pages, BufferedBloomHead.pagesBefore(sizing.pageBytes()) + sizing.pages());
      pages.force();
    }
    access.replace(temporary, directory.resolve(NAME));
    access.forceDirectory(directory);
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
    if (!Files.exists(directory.resolve(NAME))) {
      throw new NoSuchFileException(directory.resolve(NAME).toString());
    }
    DirectoryLock lock = DirectoryLock.of(directory);
    try {
      return open(directory, lock, options);
    } catch (IOException | RuntimeException | Error e) {
      close(lock, e);
      throw e;
    }
  }

  private static BufferedBloomFilter open(
      Path directory, DirectoryLock lock, BufferedBloomOptions options) throws IOException {
    Path file = directory.resolve(NAME);
    PageStore heads = openPages(file, PageStore.MIN_PAGE_BYTES, options);
    Closeable opened = heads;
    try {
      BufferedBloomHead head = BufferedBloomHead.open(heads);
      opened = head;
      BufferedBloomSizing sizing = head.sizing();
      PageStore pages = openPages(file, sizing.pageBytes(), options);
      try {
        long expected = BufferedBloomHead.pagesBefore(sizing.pageBytes()) + sizing.pages();
        if (pages.pages() != expected) {
          throw BufferedBloomHead.refused(
              pages, "it has " + pages.pages() + " pages, and should have " + expected, null);
        }
        BufferedBloomFilter filter = new BufferedBloomFilter(directory, lock, head, pages, options);
        filter.timer.start();
        return filter;
      } catch (RuntimeException | Error e) {
        close(pages, e);
        throw e;
      }
    } catch (IOException | RuntimeException | Error e) {
      close(opened, e);
      throw e;
    }
  }

  private static PageStore openPages(Path file, int pageBytes, BufferedBloomOptions options)
      throws IOException {
    try {
      return FilePageStore.open(
          options.fileAccess(), file, pageBytes, options.directIo(), new IoCounters());
    } catch (DamagedPageException e) {
      throw new FilterFormatException(
          file + " was cut: put it back from a copy, or insert the keys into a new filter", e);
    }
  }

  /** Closes what a failure leaves open. */
  private static void close(Closeable opened, Throwable failure) {
    try {
      opened.close();
    } catch (IOException e) {
      failure.addSuppressed(e);
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
    insert(hash(key));
  }

  /**
   * Inserts a key by its hash. If there is no room for it, this sweeps its block first.
   *
   * @throws IOException if there is no room, since pages could not be read or written, or if it
   *     could not be written down that the filter changes. The key is then not in; all others that
   *     were inserted are, and the next insert tries again. After a failed fsync it tries in vain:
   *     see {@link #isWhole}
   * @throws IllegalStateException if the filter is closed
   */
  public void insert(long keyHash) throws IOException {
    long mixed = BufferedBloomSizing.mix(keyHash);
    int group = sizing.group(mixed);
    long entry = sizing.entry(mixed);
    while (!tryInsert(group, entry)) {
      beginChange();
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
    GroupedKeys keys = GroupedKeys.forBatch(sizing, count);
    for (int i = from; keys == null && i < from + count; i++) {
      insert(keyHashes[i]);
    }
    for (int at = from; keys != null && at < from + count; ) {
      at = keys.fill(keyHashes, at, from + count);
      for (int group = 0; group < blocks.length; group++) {
        int next = tryInsert(group, keys, keys.begin(group));
        while (next < keys.end(group)) {
          beginChange();
          next = tryInsert(group, keys, next);
        }
      }
    }
  }

  /** False if the head has to be changed before: not under a block's monitor. */
  private boolean tryInsert(int group, long entry) throws IOException {
    boolean swept = false;
    try {
      synchronized (blocks[group]) {
        checkOpen();
        if (!mayChange()) {
          return false;
        }
        swept = !blocks[group].hasRoomForAdd();
        add(group, entry);
        return true;
      }
    } finally {
      if (swept) {
        answers.deliverOrThrow();
      }
    }
  }

  /** As for one key; returns the first key that is not in. */
  private int tryInsert(int group, GroupedKeys keys, int from) throws IOException {
    int end = keys.end(group);
    if (from == end) {
      return end;
    }
    boolean swept = false;
    try {
      synchronized (blocks[group]) {
        checkOpen();
        for (int i = from; i < end; i++) {
          if (!mayChange()) {
            return i;
          }
          swept |= !blocks[group].hasRoomForAdd();
          add(group, keys.entry(i));
        }
        return end;
      }
    } finally {
      if (swept) {
        answers.deliverOrThrow();
      }
    }
  }

  /** Called under the block's monitor. Makes room first, if there is none. */
  private void add(int group, long entry) throws IOException {
    BufferBlock block = blocks[group];
    if (!block.hasRoomForAdd()) {
      IOException failure = sweep(group, block.isHalfAdds(), sweeps);
      if (!block.hasRoomForAdd()) {
        throw new IOException(failure.getMessage(), failure);
      }
    }
    block.add(entry);
  }

  /**
   * Called under a block's monitor: a sync goes through all blocks after it has begun, so it finds
   * the key, or the key finds that it has begun.
   */
  private boolean mayChange() {
    State now = state.get();
    return now == State.CHANGING
        || now == State.SYNCING
            && (state.compareAndSet(State.SYNCING, State.CHANGING)
                || state.get() == State.CHANGING);
  }

  private void beginChange() throws IOException {
    synchronized (head) {
      if (state.get() == State.WHOLE) {
        checkOpen();
        BufferedBloomHead.Content was = head.content();
        head.write(false, was.mark(), was.keys());
        state.set(State.CHANGING);
      }
    }
  }

  // ---- Probes ----

  /**
   * Whether this key may have been inserted, asked at once.
   *
   * @throws IllegalStateException as {@link #insert(byte[])}
   */
  public boolean mightContain(byte[] key) {
    return mightContain(hash(key));
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
    BufferBlock block = blocks[group];
    PageFrame frame = frames.take();
    try {
      synchronized (block) { // a page is not read while it is written
        checkOpen();
        if (!whole) {
          doubts.increment();
          return true;
        }
        if (block.hasAdd(entry)) {
          return true;
        }
        store.read(page(group, entry), frame);
      }
      return GroupPages.hasBits(
          frame.bytes(),
          frame.payloadOffset(0),
          BitPages.bitsPerPage(sizing.pageBytes()),
          sizing.hashFunctions(),
          entry);
    } catch (IOException e) {
      failed(e);
      doubts.increment();
      return true;
    } finally {
      frames.give(frame);
    }
  }

  private long page(int group, long entry) {
    return BufferedBloomHead.pagesBefore(sizing.pageBytes())
        + (long) group * sizing.groupPages()
        + sizing.page(entry);
  }

  /**
   * Asks for a key later: the listener is told, with this tag.
   *
   * @throws IllegalStateException as {@link #probe(long, int)} and {@link #insert(byte[])}
   */
  public void probe(byte[] key, int tag) {
    probe(hash(key), tag);
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

  private void checkListener() {
    if (listener == null) {
      throw new IllegalStateException("no listener was given with the options");
    }
  }

  /**
   * Asks for a key later.
   *
   * @throws IllegalStateException as {@link #insert(byte[])}
   */
  public CompletableFuture<Boolean> probe(byte[] key) {
    return probe(hash(key));
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
      for (int group = 0; group < blocks.length; group++) {
        defer(group, keys, firstTag - from);
      }
    }
  }

  private void defer(int group, GroupedKeys keys, int tagOfFirst) {
    int from = keys.begin(group);
    int end = keys.end(group);
    if (from == end) {
      return;
    }
    long now = now();
    boolean answered = false;
    synchronized (blocks[group]) {
      checkOpen();
      for (int i = from; i < end; i++) {
        answered |= put(group, keys.entry(i), tagOfFirst + keys.index(i), null, now);
      }
    }
    afterPut(answered);
  }

  private void defer(long keyHash, int tag, CompletableFuture<Boolean> future) {
    long mixed = BufferedBloomSizing.mix(keyHash);
    int group = sizing.group(mixed);
    boolean answered;
    synchronized (blocks[group]) {
      checkOpen();
      answered = put(group, sizing.entry(mixed), tag, future, now());
    }
    afterPut(answered);
  }

  /**
   * Called under the block's monitor.
   *
   * @return whether there are answers to be told now: of those that made way, or of this one
   */
  private boolean put(int group, long entry, int tag, CompletableFuture<Boolean> future, long now) {
    BufferBlock block = blocks[group];
    boolean answered = false;
    if (whole && !block.hasRoomForProbe()) {
      answered = true;
      sweep(group, block.isHalfAdds(), sweeps); // if it fails, the next insert will
    }
    if (!whole || !block.hasRoomForProbe()) {
      answers.put(positive(tag, future));
      return true;
    }
    if (future == null) {
      block.probe(entry, tag, now);
    } else {
      block.probe(entry, future, now);
    }
    return answered;
  }

  /** After a block's monitor was left. */
  private void afterPut(boolean answered) {
    timer.probeWaits();
    if (answered) {
      answers.deliverOrThrow();
    }
  }

  private AnswerQueue.Batch positive(int tag, CompletableFuture<Boolean> future) {
    doubts.increment();
    AnswerQueue.Batch batch = new AnswerQueue.Batch(future == null ? 1 : 0, 1);
    if (future == null) {
      batch.add(tag, true);
    } else {
      batch.add(future, true);
    }
    return batch;
  }

  private long hash(byte[] key) {
    if (keyHash == null) {
      throw new IllegalStateException(
          directory + " was made without hashedBy: insert and ask by hash");
    }
    return keyHash.hash(key);
  }

  // ---- Sweeps ----

  /** Called under the block's monitor. Why keys had to stay in the block, or null. */
  private IOException sweep(int group, boolean write, LongAdder counter) {
    BufferBlock block = blocks[group];
    long since = block.probesSince();
    GroupPages pages = sweepPool.take();
    try {
      return pages.sweep(block, group, write, whole, answers);
    } finally {
      counter.increment();
      replacedPages.add(pages.replaced());
      doubts.add(pages.doubts());
      sweepPool.give(pages);
      if (since != BufferBlock.NO_PROBE) {
        longestWait.accumulate(now() - since);
      }
    }
  }

  private void failed(Throwable e) {
    lastFailure = e;
  }

  private long now() {
    return System.nanoTime() - origin;
  }

  /** What the timer sees of the filter. */
  private final class Waiting implements ProbeTimer.Blocks {
    @Override
    public long now() {
      return BufferedBloomFilter.this.now();
    }

    @Override
    public long probesSince(int group) {
      return blocks[group].probesSince();
    }

    /** Keys wait on: they are in no hurry, and the longer they wait, the more share a write. */
    @Override
    public void answer(int group) {
      try {
        synchronized (blocks[group]) {
          if (blocks[group].probes() > 0) {
            sweep(group, false, timeouts);
          }
        }
      } catch (RuntimeException | Error e) { // out of memory; the timer is for all others, too
        failed(e);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      Throwable thrown = answers.deliver();
      if (thrown != null) {
        failed(thrown);
      }
    }
  }

  /**
   * Answers all probes that wait, and brings all keys that wait to their pages; returns when all
   * that came before is done. For the end of a phase.
   *
   * @throws IOException if pages could not be read or written. All probes are answered all the
   *     same, and no key is forgotten
   */
  public void drain() throws IOException {
    checkOpen();
    AnswerQueue.rethrow(sweepAll(true));
  }

  /**
   * @param deliver whether answers are told at once
   * @return what a listener threw, or null
   */
  private Throwable sweepAll(boolean deliver) throws IOException {
    IOException failure = null;
    Throwable thrownByListener = null;
    for (int group = 0; group < blocks.length; group++) {
      BufferBlock block = blocks[group];
      synchronized (block) {
        if (!block.isEmpty()) {
          IOException thrown = sweep(group, true, sweeps);
          failure = failure == null ? thrown : failure;
        }
      }
      Throwable thrown = deliver ? answers.deliver() : null;
      thrownByListener = thrownByListener == null ? thrown : thrownByListener;
    }
    if (failure != null) {
      throw new IOException(failure.getMessage(), failure);
    }
    return thrownByListener;
  }

  // ---- What is safe ----

  /**
   * Drains, and returns when all that was inserted before is safe from a crash and from a power
   * failure.
   */
  public void sync() throws IOException {
    checkOpen();
    settle(null, false);
  }

  /**
   * As {@link #sync()}, and keeps the caller's mark with it: how far its source of keys had come,
   * such as an offset. After a crash {@link #mark} says from where on to insert again.
   */
  public void sync(long mark) throws IOException {
    checkOpen();
    settle(mark, false);
  }

  /** The mark of the last {@link #sync(long)} that returned; 0 if there was none. */
  public long mark() {
    synchronized (head) {
      return head.content().mark();
    }
  }

  /**
   * Whether no key can be missing. If not, every answer is {@code true}. It is not whole if it was
   * not closed the last time, and keys had come in since the last sync; or if an fsync has failed.
   * That is for ever, since nobody knows what the drive has: close the filter, see to the drive,
   * and open it again.
   */
  public boolean isWhole() {
    return whole;
  }

  /**
   * Says that no key is missing: that all keys since {@link #mark} were inserted again, or that
   * nobody asks for those that were not. Syncs, and from then on absent keys are denied again.
   *
   * @throws IOException if the sync fails; after a failed fsync always, until it is opened again
   */
  public void declareWhole() throws IOException {
    checkOpen();
    settle(null, true);
  }

  private void settle(Long mark, boolean declare) throws IOException {
    Throwable thrownByListener = sweepAll(true);
    try {
      synchronized (head) {
        state.compareAndSet(State.CHANGING, State.SYNCING);
        try {
          sweepAll(false); // what came since; who tells answers may have to wait for the head
          lock.check(); // else the head is another one's
          settleHead(mark, declare);
          lock.check();
        } finally {
          state.compareAndSet(State.SYNCING, State.CHANGING);
        }
      }
    } finally {
      Throwable thrown = answers.deliver();
      thrownByListener = thrownByListener == null ? thrown : thrownByListener;
    }
    AnswerQueue.rethrow(thrownByListener);
  }

  private void settleHead(Long mark, boolean declare) throws IOException {
    if (fsyncFailure != null) {
      throw new IOException(
          "an fsync of "
              + store.name()
              + " has failed: close the filter, see to the drive, open it again, insert again what"
              + " came after mark(), then declareWhole()",
          fsyncFailure);
    }
    try {
      store.force();
    } catch (IOException e) {
      fsyncFailure = e; // a second one might return, and what was written may be gone
      whole = false;
      failed(e);
      throw e;
    }
    if (declare) {
      whole = true;
    }
    BufferedBloomHead.Content was = head.content();
    long marked = mark == null ? was.mark() : mark;
    boolean unchanged = state.get() == State.WHOLE;
    if (unchanged && marked == was.mark() && was.whole() && !declare) {
      return;
    }
    long keys = keys();
    boolean settled = whole && (unchanged || state.compareAndSet(State.SYNCING, State.WHOLE));
    head.write(settled, marked, keys); // if it fails, the next insert says anew that keys come in
  }

  // ---- What there is ----

  public BufferedBloomSizing sizing() {
    return sizing;
  }

  /** The function that hashes keys of bytes, or null if the filter was made for hashes. */
  public KeyHash keyHash() {
    return keyHash;
  }

  private long keys() {
    long keys = keysBefore;
    for (BufferBlock block : blocks) {
      synchronized (block) {
        keys += block.inserted();
      }
    }
    return keys;
  }

  /** The filter as it is now. Takes the monitor of each block in turn. */
  public BufferedBloomStatistics statistics() {
    long waitingKeys = 0;
    long waitingProbes = 0;
    for (BufferBlock block : blocks) {
      synchronized (block) {
        waitingKeys += block.adds();
        waitingProbes += block.probes();
      }
    }
    long keys = keys();
    return new BufferedBloomStatistics(
        keys,
        waitingKeys,
        waitingProbes,
        sweeps.sum(),
        timeouts.sum(),
        longestWait.get(),
        replacedPages.sum(),
        doubts.sum(),
        lastFailure,
        store.counters().snapshot(),
        store.mode(),
        sizing.expectedRate(keys));
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException(directory + " is closed");
    }
  }

  /**
   * Answers all probes that wait, syncs, and closes. If the sync fails, the filter is not whole
   * when it is opened again. A listener that inserts or probes now is refused with an {@link
   * IllegalStateException}, which comes out of here: drain before, until nothing waits.
   */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true; // each block is swept once more after that
    }
    try (lock;
        store;
        head;
        frames;
        sweepPool) {
      timer.stop();
      settle(null, false);
    }
  }
}
