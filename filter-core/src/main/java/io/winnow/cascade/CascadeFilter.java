package io.winnow.cascade;

import io.winnow.FilterFormatException;
import io.winnow.flash.DamagedPageException;
import io.winnow.flash.FileAccess;
import io.winnow.flash.FilePageStore;
import io.winnow.flash.IoCounters;
import io.winnow.flash.IoMode;
import io.winnow.flash.PageStore;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A set of 64-bit key hashes that is larger than memory: it lives in a directory on flash, takes
 * inserts at the speed of memory, and answers a lookup with at most one page read per level.
 *
 * <p>The guarantee: a hash that was inserted, and not deleted since as often as it was inserted, is
 * found, always. For another one the answer is {@code true} with a probability of at most the rate,
 * up to the expected maximum of keys, and in proportion to their number beyond it. Whatever cannot
 * be read is answered {@code true}.
 *
 * <p>Deletes, if they were asked for, take back one insert each. As in every filter of
 * fingerprints, the delete of a key that is not in it may take away another key that has the same
 * fingerprint: delete only what was inserted. A key that is inserted {@value Copies#MANY} times and
 * more cannot be deleted any more.
 *
 * <p>Thread-safe. Inserts and deletes take turns; lookups wait for neither them nor merges. One
 * filter at a time has a directory, in this process and in any other.
 *
 * <p>Cost: an insert is an append to a partition in memory, some 50 to 100 ns with its share of
 * sorting, and its share of merges in other threads; it waits a little now and then where merges
 * would not keep up, and never for a whole one. A lookup of an absent key reads a page per level
 * whose fences include it.
 *
 * <p>Bender et al., "Don't Thrash: How to Cache Your Hash on Flash" (HotStorage 2011), section 2;
 * {@code docs/design/cascade.md} says where this differs.
 */
public final class CascadeFilter implements Closeable {
  private static final String LEVEL_PREFIX = "level-";

  /** Operations between two looks at how merges keep up: waits are rarer than one in a thousand. */
  private static final int PACED_OPERATIONS = 4096;

  private static final long LONGEST_PACE_NANOS = 20_000_000;

  /** How much sooner than needed merges are paced to be done. */
  private static final double PACE_MARGIN = 1.15;

  private static final int LOCKED_OPERATIONS = 256;

  private final Path directory;
  private final CascadeOptions options;
  private final FileAccess access;
  private final SlotShape shape;
  private final int pageBytes;
  private final Memory memory;
  private final DirectoryLock lock;
  private final RateLimiter limiter;
  private final MergeScheduler scheduler;
  private final BatchReads batchReads;
  private final IoCounters io = new IoCounters();
  private final ReadCounters reads = new ReadCounters();
  private final AtomicReference<MemoryLevel> spare = new AtomicReference<>();
  private volatile IoMode ioMode;
  private volatile int fanOut;

  /** What can be read; null when closed. Changed under {@link #state}. */
  private volatile View view;

  // For who inserts, guarded by this lock.
  private final ReentrantLock inserts = new ReentrantLock();
  private OperationLog log;
  private long nextLog = 1;
  private long untilPaced = PACED_OPERATIONS;
  private long untilSynced;
  private long pacedAt = System.nanoTime();
  private volatile long operations;

  // What levels there are, guarded by this object; taken after the lock above.
  private final Object state = new Object();
  private Manifest manifest;
  private long nextFile;
  private OperationLog frozenLog;
  private long activeFirstLog;
  private Throwable mergeFailure;
  private Throwable lastMergeFailure;
  private boolean closing;
  private final List<Path> deletions = new ArrayList<>();
  private long entriesFlushed;
  private long entriesMerged;
  private volatile long stalls;
  private volatile long stalledNanos;
  private volatile long pacedNanos;
  private volatile long longestWaitNanos;

  private CascadeFilter(
      Path directory, CascadeOptions options, DirectoryLock lock, Manifest manifest) {
    this.directory = directory;
    this.options = options;
    this.access = options.fileAccess();
    this.lock = lock;
    this.manifest = manifest;
    this.nextFile = manifest.nextFile();
    this.shape = manifest.shape();
    this.pageBytes = manifest.pageBytes();
    this.memory = Memory.of(options, shape);
    this.fanOut = options.fanOut();
    this.ioMode = options.directIo() ? IoMode.DIRECT : IoMode.BUFFERED;
    this.limiter = new RateLimiter(options.mergeBytesPerSecond());
    this.untilSynced = options.durability().operations();
    String name = "winnow-" + directory.getFileName();
    this.batchReads = new BatchReads(name + "-read", options.readThreads());
    this.scheduler = new MergeScheduler(name + "-merge", options.mergeThreads(), new Listener());
  }

  /**
   * Opens a directory, which is made if it is not there or empty.
   *
   * @throws IOException if it cannot be read or written, or is open already; {@link
   *     DamagedPageException} if a level's fences are damaged
   * @throws FilterFormatException if its manifest or a log is damaged or of another version
   * @throws IllegalArgumentException if the options are not those that it was made with
   */
  public static CascadeFilter open(Path directory, CascadeOptions options) throws IOException {
    Files.createDirectories(directory);
    DirectoryLock lock = DirectoryLock.of(directory);
    CascadeFilter filter = null;
    try {
      Manifest manifest = readOrBegin(directory, options);
      filter = new CascadeFilter(directory, options, lock, manifest);
      filter.recover();
      return filter;
    } catch (IOException | RuntimeException | Error e) {
      if (filter != null) {
        filter.stop();
      }
      lock.close();
      throw e;
    }
  }

  private static Manifest readOrBegin(Path directory, CascadeOptions options) throws IOException {
    FileAccess access = options.fileAccess();
    SlotShape shape = options.shape();
    if (!Manifest.isThere(directory)) {
      for (String name : access.list(directory)) {
        if (numberOf(name, LEVEL_PREFIX) > 0 || numberOf(name, OperationLog.PREFIX) > 0) {
          throw new FilterFormatException(
              directory
                  + " has levels or logs and no "
                  + Manifest.NAME
                  + ": put that back from a copy of the whole directory, or insert the keys into a"
                  + " new directory");
        }
      }
      Manifest first = Manifest.first(shape, options.pageBytes());
      first.write(access, directory);
      return first;
    }
    Manifest manifest = Manifest.read(directory);
    if (!manifest.shape().equals(shape) || manifest.pageBytes() != options.pageBytes()) {
      throw new IllegalArgumentException(
          directory
              + " was made with "
              + describe(manifest.shape(), manifest.pageBytes())
              + ", and the options come to "
              + describe(shape, options.pageBytes())
              + ": open it with the rate, expected maximum, deletes and page size it was made with");
    }
    return manifest;
  }

  private static String describe(SlotShape shape, int pageBytes) {
    return "fingerprints of "
        + shape.fingerprintBits()
        + " bits, "
        + (shape.deletes() ? "deletes" : "no deletes")
        + " and pages of "
        + pageBytes
        + " bytes";
  }

  /** The number in a file's name, or -1 if it is not one of ours. */
  private static long numberOf(String name, String prefix) {
    String digits = name.startsWith(prefix) ? name.substring(prefix.length()) : "";
    return digits.matches("[1-9][0-9]{0,17}") ? Long.parseLong(digits) : -1;
  }

  private Path levelPath(long number) {
    return directory.resolve(LEVEL_PREFIX + number);
  }

  // ---- Opening ----

  private void recover() throws IOException {
    long newestLog = cleanAndFindNewestLog(false);
    LogRecovery recovery =
        LogRecovery.survey(access, directory, manifest.firstLog(), newestLog, shape);
    List<CascadeLevel> levels = new ArrayList<>();
    MemoryLevel active = newMemoryLevel();
    try {
      for (Manifest.LevelEntry entry : manifest.levels()) {
        levels.add(openLevel(entry));
      }
      view = new View(active, null, levels);
    } finally {
      active.release(); // the view has them now, or nobody
      levels.forEach(Shared::release);
    }
    cleanAndFindNewestLog(true);
    recovery.repair();
    inserts.lock();
    try {
      activeFirstLog = manifest.firstLog();
      long firstLog = activeFirstLog;
      for (int i = 0; i < recovery.logs(); i++) {
        if (!view.active.isEmpty()
            && view.active.entries() + recovery.operations(i) > memory.levelEntries()) {
          freeze(null, firstLog + i);
        }
        MemoryLevel replayed = view.active;
        recovery.replay(i, replayed::add);
      }
      nextLog = recovery.nextLog();
      log = newLog();
    } finally {
      inserts.unlock();
    }
    synchronized (state) {
      plan();
    }
  }

  /**
   * Looks for files that a crash left: of merges that were not done, of levels and logs that were
   * merged, of a manifest that was not switched. Others' files are left alone.
   */
  private long cleanAndFindNewestLog(boolean delete) throws IOException {
    long newestLog = 0;
    for (String name : access.list(directory)) {
      long level = numberOf(name, LEVEL_PREFIX);
      long log = numberOf(name, OperationLog.PREFIX);
      boolean superfluous =
          name.equals(Manifest.TEMPORARY_NAME)
              || level > 0 && manifest.levels().stream().noneMatch(e -> e.number() == level)
              || log > 0 && log < manifest.firstLog();
      if (superfluous && delete) {
        access.delete(directory.resolve(name));
      }
      newestLog = Math.max(newestLog, log);
    }
    return newestLog;
  }

  private CascadeLevel openLevel(Manifest.LevelEntry entry) throws IOException {
    PageStore store;
    try {
      store =
          FilePageStore.open(access, levelPath(entry.number()), pageBytes, options.directIo(), io);
    } catch (NoSuchFileException e) {
      throw new FilterFormatException(
          levelPath(entry.number())
              + " is missing, and the manifest has it: keys would be lost. Put it back from a copy"
              + " of the whole directory, or insert the keys into a new directory",
          e);
    }
    try {
      int[] fences =
          CascadeLevel.Fences.read(store, entry.number(), entry.entries(), entry.pages());
      ioMode = store.mode();
      return level(entry.number(), rankOf(entry.entries()), entry.entries(), fences, store);
    } catch (IOException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  private CascadeLevel level(long number, int rank, long entries, int[] fences, PageStore store) {
    return new CascadeLevel(shape, number, rank, entries, fences, store, CascadeFilter::closeFile);
  }

  private static void closeFile(CascadeLevel level) {
    try {
      level.store().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // of a file that was only read
    }
  }

  private MemoryLevel newMemoryLevel() {
    MemoryLevel level = spare.getAndSet(null);
    if (level == null) {
      return new MemoryLevel(shape, memory.levelEntries(), this::recycle);
    }
    level.clear();
    level.revive();
    return level;
  }

  private void recycle(MemoryLevel level) {
    if (view != null) {
      spare.set(level);
    }
  }

  /** A new log, or null where there are none. */
  private OperationLog newLog() throws IOException {
    if (!options.durability().isLogged()) {
      return null;
    }
    OperationLog created = OperationLog.create(access, directory, nextLog);
    nextLog++;
    return created;
  }

  // ---- Inserts and deletes ----

  /**
   * Inserts a key by its hash.
   *
   * @throws IOException if it cannot be logged, or there is no place for it since merges failed;
   *     then it is not in, what was inserted before is, and later inserts may succeed
   */
  public void insert(long keyHash) throws IOException {
    inserts.lock();
    try {
      apply(shape.slot(shape.fingerprint(keyHash)));
    } finally {
      inserts.unlock();
    }
  }

  /** Inserts {@code count} keys by their hashes, a little faster than one by one. */
  public void insert(long[] keyHashes, int from, int count) throws IOException {
    Objects.checkFromIndexSize(from, count, keyHashes.length);
    for (int done = 0; done < count; ) {
      int some = Math.min(LOCKED_OPERATIONS, count - done);
      inserts.lock();
      try {
        for (int i = 0; i < some; i++) {
          apply(shape.slot(shape.fingerprint(keyHashes[from + done + i])));
        }
      } finally {
        inserts.unlock();
      }
      done += some;
    }
  }

  /**
   * Takes back one insert of a key.
   *
   * @throws IllegalStateException if the filter was not made with deletes
   * @throws IOException as {@link #insert(long)}
   */
  public void delete(long keyHash) throws IOException {
    if (!shape.deletes()) {
      throw new IllegalStateException(directory + " was not made with deletes");
    }
    inserts.lock();
    try {
      apply(shape.tombstone(shape.fingerprint(keyHash)));
    } finally {
      inserts.unlock();
    }
  }

  private void apply(long slot) throws IOException {
    View now = openView();
    if (now.active.entries() >= memory.levelEntries()) {
      freeze();
      now = view;
    }
    if (log != null) {
      log.append(slot);
      if (--untilSynced == 0) {
        untilSynced = 1; // again with the next one, if this one fails
        forceLogs();
        untilSynced = options.durability().operations();
      }
    }
    now.active.add(slot);
    operations++;
    if (--untilPaced == 0) {
      untilPaced = PACED_OPERATIONS;
      pace();
    }
  }

  private View openView() {
    View now = view;
    if (now == null) {
      throw new IllegalStateException(directory + " is closed");
    }
    return now;
  }

  private void freeze() throws IOException {
    awaitFlushed();
    if (log != null) {
      log.write();
    }
    OperationLog fresh = newLog();
    OperationLog full = log;
    log = fresh;
    freeze(full, log != null ? log.number() : nextLog);
  }

  /** Gives the active level to the merges, and begins another; only when none is frozen. */
  private void freeze(OperationLog itsLog, long firstLogOfNext) throws IOException {
    awaitFlushed();
    MemoryLevel fresh = newMemoryLevel();
    synchronized (state) {
      View was = view;
      view = new View(fresh, was.active, was.levels);
      was.release();
      frozenLog = itsLog;
      activeFirstLog = firstLogOfNext;
      mergeFailure = null; // what has failed is tried again, with every full level
      plan();
    }
    fresh.release();
  }

  /** Waits until no level is frozen. With failed merges it tries them again, and throws. */
  private void awaitFlushed() throws IOException {
    synchronized (state) {
      if (view.frozen == null) {
        return;
      }
      long began = System.nanoTime();
      boolean interrupted = false;
      while (view.frozen != null && (mergeFailure == null || isMerging(view.frozen))) {
        try {
          state.wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      long waited = System.nanoTime() - began;
      stalls++;
      stalledNanos += waited;
      longestWaitNanos = Math.max(longestWaitNanos, waited);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      if (view.frozen != null) {
        Throwable failure = mergeFailure;
        mergeFailure = null;
        plan();
        throw new IOException(
            "the level in memory is full, and cannot be written to "
                + directory
                + ": "
                + failure.getMessage()
                + ". What is in the filter can be read; inserts succeed again when this is mended",
            failure);
      }
    }
  }

  /**
   * Waits as long as it takes that merges are done in time: each of them has until so many
   * operations from its begin, and those before it, and those that come meanwhile, go first.
   */
  private void pace() {
    List<Merge> running = scheduler.running();
    long now = System.nanoTime();
    if (!running.isEmpty()) {
      double slotsPerOperation = 0;
      double ahead = 0;
      for (Merge merge : running) {
        ahead += merge.remainingEntries();
        long left = Math.max(merge.deadline() - operations, PACED_OPERATIONS);
        double meanwhile = (merge.rank() - 1) * (fanOut + 1) / 2.0;
        slotsPerOperation = Math.max(slotsPerOperation, ahead / left + meanwhile);
      }
      double share = slotsPerOperation * PACED_OPERATIONS * scheduler.nanosPerSlot() * PACE_MARGIN;
      long until = pacedAt + (long) Math.min(share, Long.MAX_VALUE / 4);
      long wait = Math.min(until - now, LONGEST_PACE_NANOS);
      if (wait > 0) {
        LockSupport.parkNanos(wait);
        long after = System.nanoTime();
        pacedNanos += after - now;
        longestWaitNanos = Math.max(longestWaitNanos, after - now);
        now = after;
      }
    }
    pacedAt = now;
  }

  /**
   * Returns when everything that was inserted and deleted before is safe from a crash of the
   * process and of the machine: by an fsync of the log, or, with {@link Durability#NONE}, by
   * writing the level in memory to flash.
   *
   * @throws IOException if that is not so
   */
  public void sync() throws IOException {
    inserts.lock();
    try {
      openView();
      if (log != null) {
        forceLogs();
        return;
      }
      if (!view.active.isEmpty()) {
        freeze();
      }
      awaitFlushed();
    } finally {
      inserts.unlock();
    }
  }

  private void forceLogs() throws IOException {
    OperationLog older;
    synchronized (state) {
      older = frozenLog;
    }
    if (older != null) {
      older.force();
    }
    log.force();
  }

  // ---- Lookups ----

  /**
   * Whether a key may be in the filter. {@code true} if a page that would tell cannot be read or is
   * damaged: {@link #statistics} says how often, and why last.
   */
  public boolean mightContain(long keyHash) {
    long slot = shape.slot(shape.fingerprint(keyHash));
    View now = holdView();
    try {
      reads.countLookups(1);
      long newer = inMemory(now, slot);
      for (int i = 0; i < now.levels.size() && Copies.keys(newer) == 0; i++) {
        newer = Copies.then(now.levels.get(i).find(slot, reads), newer);
      }
      return Copies.keys(newer) > 0;
    } catch (IOException | RuntimeException e) {
      reads.countFailure(e);
      return true;
    } finally {
      now.release();
    }
  }

  /**
   * Whether {@code count} keys may be in the filter: bit i of the answer speaks of {@code
   * keyHashes[from + i]}. The reads of all keys and levels are issued together, which a drive
   * answers several times faster than one by one.
   */
  public BitSet mightContain(long[] keyHashes, int from, int count) {
    Objects.checkFromIndexSize(from, count, keyHashes.length);
    long[] slots = new long[count];
    for (int i = 0; i < count; i++) {
      slots[i] = shape.slot(shape.fingerprint(keyHashes[from + i]));
    }
    BitSet answers = new BitSet(count);
    View now = holdView();
    try {
      reads.countLookups(count);
      BatchLookup batch = new BatchLookup(now, slots, answers, reads);
      if (batch.tasks() > 0) {
        batchReads.run(batch.tasks(), batch::run);
        batch.answer(answers);
      }
      return answers;
    } finally {
      now.release();
    }
  }

  /** What the levels in memory know of a slot. */
  static long inMemory(View view, long slot) {
    long copies = view.active.find(slot);
    return Copies.keys(copies) > 0 || view.frozen == null
        ? copies
        : Copies.then(view.frozen.find(slot), copies);
  }

  private View holdView() {
    while (true) {
      View now = openView();
      if (now.tryHold()) {
        return now;
      }
    }
  }

  /**
   * The fingerprints that are in the filter now. Inserts wait while the level in memory is copied
   * (some milliseconds); what comes later is not seen.
   */
  public Fingerprints fingerprints() {
    inserts.lock();
    try {
      View now = holdView();
      List<SlotSource> sources = new ArrayList<>();
      sources.add(now.active.copy());
      if (now.frozen != null) {
        sources.add(now.frozen);
      }
      sources.addAll(now.levels);
      return new Fingerprints(shape, sources, List.of(now), memory.chunkBytes());
    } finally {
      inserts.unlock();
    }
  }

  /** The fingerprint of a key, as {@link #fingerprints} has it. */
  public long fingerprint(long keyHash) {
    return shape.fingerprint(keyHash);
  }

  public int fingerprintBits() {
    return shape.fingerprintBits();
  }

  // ---- Merges ----

  /** Entries of a level of a rank at most. */
  private long capacity(int rank) {
    double capacity = memory.levelEntries() * Math.pow(fanOut, rank);
    return capacity < Long.MAX_VALUE / 4 ? (long) capacity : Long.MAX_VALUE / 4;
  }

  private int rankOf(long entries) {
    int rank = 1;
    while (capacity(rank) < entries) {
      rank++;
    }
    return rank;
  }

  /**
   * Begins the merges that can begin now. A frozen level goes into the first level, if that has
   * room for it and is in no merge, and else becomes a new first level. When the first level is
   * full, it is merged, with all others up to there, into the first one that holds them. All that
   * is newer than a running merge's levels is of a lower rank than its result.
   */
  private void plan() {
    while (!closing && mergeFailure == null && beginOne()) {}
  }

  private boolean beginOne() {
    View now = view;
    int below = Integer.MAX_VALUE;
    for (Merge merge : scheduler.running()) {
      below = Math.min(below, merge.rank());
    }
    if (below == 1) {
      return false; // it changes the newest level; what follows from that is for later
    }
    List<CascadeLevel> idle = new ArrayList<>();
    for (CascadeLevel level : now.levels) {
      if (isMerging(level)) {
        break;
      }
      idle.add(level);
    }
    if (now.frozen != null) {
      boolean isThereAFirst = !idle.isEmpty() && idle.get(0).rank() == 1;
      List<SlotSource> sources = new ArrayList<>();
      sources.add(now.frozen);
      if (isThereAFirst && idle.get(0).entries() + now.frozen.entries() <= capacity(1)) {
        sources.add(idle.get(0));
      }
      if (sources.size() > 1 || !isThereAFirst) {
        begin(sources, now, 1, operations + memory.levelEntries() - now.active.entries());
        return true;
      }
    }
    return beginFull(now, idle, below);
  }

  private boolean isMerging(SlotSource source) {
    return scheduler.running().stream().anyMatch(merge -> merge.sources().contains(source));
  }

  /** Merges the first level if it is full, or if there are two of a rank. */
  private boolean beginFull(View now, List<CascadeLevel> idle, int below) {
    if (idle.isEmpty()) {
      return false;
    }
    CascadeLevel first = idle.get(0);
    boolean full = first.rank() == 1 && first.entries() + memory.levelEntries() > capacity(1);
    boolean twoOfARank = false;
    for (int i = 1; i < idle.size(); i++) {
      twoOfARank |= idle.get(i).rank() <= idle.get(i - 1).rank();
    }
    for (int rank = 2; (full || twoOfARank) && rank < below; rank++) {
      int count = 0;
      long entries = 0;
      for (int i = 0; i < idle.size(); i++) {
        if (idle.get(i).rank() <= rank) {
          count = i + 1;
        }
      }
      for (CascadeLevel level : idle.subList(0, count)) {
        entries += level.entries();
      }
      if (entries > capacity(rank)) {
        continue;
      }
      if (count == 1) {
        first.setRank(rank); // there is nothing to merge it with
        return true;
      }
      if (count > 1) {
        List<SlotSource> sources = new ArrayList<>(idle.subList(0, count));
        begin(sources, now, rank, operations + capacity(rank - 1));
        return true;
      }
    }
    return false;
  }

  private void begin(List<SlotSource> sources, View now, int rank, long deadline) {
    SlotSource oldest = sources.get(sources.size() - 1);
    boolean last = now.levels.isEmpty() || oldest == now.levels.get(now.levels.size() - 1);
    sources.forEach(source -> ((Shared) source).hold());
    Output output = new Output(nextFile++);
    Merge merge =
        new Merge(
            shape, sources, last, rank, pageBytes, memory.chunkBytes(), deadline, output, limiter);
    scheduler.submit(merge);
  }

  /** The file that a merge writes. */
  private final class Output implements Merge.Output {
    private final long number;
    private boolean adopted;

    Output(long number) {
      this.number = number;
    }

    @Override
    public long number() {
      return number;
    }

    @Override
    public PageStore create() throws IOException {
      PageStore store =
          FilePageStore.create(access, levelPath(number), pageBytes, options.directIo(), io);
      ioMode = store.mode();
      return store;
    }
  }

  private final class Listener implements MergeScheduler.Listener {
    @Override
    public void complete(Merge merge) throws IOException {
      CascadeLevel level = null;
      if (merge.store() != null) {
        int[] fences = merge.seal();
        level =
            level(merge.output().number(), merge.rank(), merge.entriesOut(), fences, merge.store());
      }
      synchronized (state) {
        adopt(merge, level);
        end(merge);
        plan();
        state.notifyAll();
      }
    }

    @Override
    public void failed(Merge merge, Throwable reason) {
      try {
        if (merge.store() != null && !((Output) merge.output()).adopted) {
          merge.store().close();
          access.delete(levelPath(merge.output().number()));
        }
      } catch (IOException e) {
        reason.addSuppressed(e); // the file is a leftover, for the next opening
      }
      synchronized (state) {
        end(merge);
        if (!closing) {
          mergeFailure = reason;
          lastMergeFailure = reason;
        }
        state.notifyAll();
      }
    }
  }

  private void end(Merge merge) {
    scheduler.remove(merge);
    merge.sources().forEach(source -> ((Shared) source).release());
  }

  /** Makes a merge's result, if anything is left, take the place of its sources. */
  private void adopt(Merge merge, CascadeLevel level) throws IOException {
    View was = view;
    boolean flushed = was.frozen != null && merge.sources().contains(was.frozen);
    List<CascadeLevel> levels = new ArrayList<>();
    boolean placed = level == null;
    for (CascadeLevel old : was.levels) {
      boolean replaced = merge.sources().contains(old);
      if (!placed && (replaced || flushed)) {
        levels.add(level);
        placed = true;
      }
      if (!replaced) {
        levels.add(old);
      }
    }
    if (!placed) {
      levels.add(level);
    }
    Manifest next =
        new Manifest(
            shape,
            pageBytes,
            nextFile,
            flushed ? activeFirstLog : manifest.firstLog(),
            levels.stream().map(CascadeFilter::entry).toList());
    boolean safe = next.write(access, directory);
    ((Output) merge.output()).adopted = true;
    for (SlotSource source : merge.sources()) {
      if (source instanceof CascadeLevel old) {
        deletions.add(levelPath(old.number()));
      }
    }
    for (long log = manifest.firstLog(); log < next.firstLog(); log++) {
      deletions.add(OperationLog.path(directory, log));
    }
    manifest = next;
    entriesMerged += merge.entriesOut();
    if (flushed) {
      entriesFlushed += was.frozen.entries();
    }
    view = new View(was.active, flushed ? null : was.frozen, levels);
    was.release();
    if (level != null) {
      level.release(); // the view has it
    }
    if (flushed && frozenLog != null) {
      frozenLog.retire();
      frozenLog = null;
    }
    if (safe) {
      deleteWhatIsMerged();
    } else {
      lastMergeFailure = new IOException("fsync of " + directory + " failed: old files are kept");
    }
  }

  /** What cannot be deleted now is a leftover, for the next opening. */
  private void deleteWhatIsMerged() {
    for (Path path : deletions) {
      try {
        access.delete(path);
      } catch (IOException e) {
        lastMergeFailure = e;
      }
    }
    deletions.clear();
  }

  private static Manifest.LevelEntry entry(CascadeLevel level) {
    return new Manifest.LevelEntry(level.number(), level.rank(), level.entries(), level.sections());
  }

  /** Waits until no merge is running and none is due. */
  public void awaitMerges() throws IOException {
    inserts.lock();
    try {
      synchronized (state) {
        openView();
        boolean interrupted = false;
        while (!scheduler.running().isEmpty() && mergeFailure == null) {
          try {
            state.wait();
          } catch (InterruptedException e) {
            interrupted = true;
          }
        }
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        if (mergeFailure != null) {
          throw new IOException("a merge failed: " + mergeFailure.getMessage(), mergeFailure);
        }
      }
    } finally {
      inserts.unlock();
    }
  }

  // ---- While it runs ----

  /** Changes the fan-out from the next merges on: more is fewer reads, less is fewer writes. */
  public void setFanOut(int times) {
    CascadeOptions.checkFanOut(times);
    synchronized (state) {
      fanOut = times;
      openView().levels.forEach(level -> level.setRank(rankOf(level.entries())));
    }
  }

  /** Changes the number of merge threads. */
  public void setMergeThreads(int threads) {
    CascadeOptions.checkMergeThreads(threads);
    scheduler.setThreads(threads);
  }

  /** Changes what merges may read and write in a second; 0 is no limit. */
  public void setMergeBytesPerSecond(long bytes) {
    CascadeOptions.checkMergeBytesPerSecond(bytes);
    limiter.set(bytes);
  }

  public CascadeStatistics statistics() {
    View now = holdView();
    try {
      synchronized (state) {
        List<CascadeStatistics.Level> levels = new ArrayList<>();
        long entries = now.active.entries();
        long fenceBytes = 0;
        entries += now.frozen == null ? 0 : now.frozen.entries();
        for (CascadeLevel level : now.levels) {
          levels.add(
              new CascadeStatistics.Level(
                  level.number(),
                  level.rank(),
                  level.entries(),
                  capacity(level.rank()),
                  level.sections(),
                  level.store().pages() * pageBytes));
          entries += level.entries();
          fenceBytes += (long) level.sections() * Integer.BYTES;
        }
        return new CascadeStatistics(
            List.copyOf(levels),
            now.active.entries(),
            memory.levelEntries(),
            now.frozen == null ? 0 : now.frozen.entries(),
            fenceBytes,
            scheduler.running().size(),
            operations,
            reads.lookups(),
            reads.pages(),
            reads.crossings(),
            reads.failures(),
            reads.lastFailure(),
            stalls,
            stalledNanos,
            pacedNanos,
            longestWaitNanos,
            entriesFlushed,
            entriesMerged,
            lastMergeFailure,
            io.snapshot(),
            ioMode,
            -Math.expm1(-Math.scalb((double) entries, -shape.fingerprintBits())));
      }
    } finally {
      now.release();
    }
  }

  /**
   * Syncs, gives up the merges that run (the next opening begins them again) and lets go of the
   * directory.
   *
   * @throws IOException if the sync failed; the filter is closed all the same
   */
  @Override
  public void close() throws IOException {
    inserts.lock();
    try {
      if (view == null) {
        return;
      }
      try {
        sync();
      } finally {
        try {
          stop();
        } finally {
          lock.close();
        }
      }
    } finally {
      inserts.unlock();
    }
  }

  private void stop() throws IOException {
    synchronized (state) {
      closing = true;
    }
    limiter.set(0); // who waits for it shall not hold up the closing
    scheduler.stop();
    batchReads.close();
    View last;
    synchronized (state) {
      last = view;
      view = null;
    }
    if (last != null) {
      last.release();
    }
    try {
      if (frozenLog != null) {
        frozenLog.close();
      }
    } finally {
      if (log != null) {
        log.close();
      }
    }
  }
}
