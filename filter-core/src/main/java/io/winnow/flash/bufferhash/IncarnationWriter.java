package io.winnow.flash.bufferhash;

import io.winnow.flash.FileAccess;
import io.winnow.flash.PageFrame;
import io.winnow.hash.HashMix;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes full buffers to flash, behind the backs of those who fill them: one thread, with a few
 * spare buffers that are filled meanwhile.
 *
 * <p>It takes what is waiting, writes one after the other, each in one request, and makes all of
 * them safe with one fsync. Until then lookups find the entries in the buffers. A buffer that could
 * not be written stays where it is, and is tried again when somebody needs it.
 *
 * <p>Its monitor comes after that of a super table.
 */
final class IncarnationWriter implements Closeable {
  /** How many incarnations share an fsync at most. */
  private static final int MOST_TOGETHER = 16;

  /** With more logs, buffers are written that keep the oldest from being deleted. */
  static final int MOST_LOGS = 8;

  private final Geometry geometry;
  private final FileAccess access;
  private final Path directory;
  private final TableFile table;
  private final SuperTable[] superTables;
  private final Eviction eviction;
  private final Counters counters;
  private final IncarnationPacker packer;
  private final PageReader evicted;
  private final PageReader newer;
  private final Thread thread;

  /** Null if nothing is logged; set before there is anything to write. */
  private OperationLog log;

  // ---- Guarded by the monitor ----

  private final Deque<WriteBuffer> spares = new ArrayDeque<>();
  private final Deque<SuperTable> queue = new ArrayDeque<>();

  /** Those whose buffers could not be written. */
  private final Set<SuperTable> stuck = new LinkedHashSet<>();

  private int writing;
  private boolean trimDue;
  private boolean closing;
  private Throwable failure;

  // ---- The thread's own ----

  private long lastSequence;

  /** Sequences whose pages may be on flash in part, until their slots are written whole. */
  private final Map<SuperTable, Long> begun = new HashMap<>();

  /** Whether nothing may be retained in a buffer that is not being written. */
  private volatile boolean draining;

  private long firstKeptLog;
  private volatile long firstLog;

  /** While nothing is logged: no super table knows yet what is in this log, and later ones. */
  private volatile long unknownLog;

  /** What is written, and not yet safe. */
  private record Written(SuperTable superTable, int slot, Incarnation incarnation) {}

  IncarnationWriter(
      Geometry geometry,
      BufferHashLayout layout,
      BufferHashOptions options,
      Path directory,
      TableFile table,
      SuperTable[] superTables,
      Counters counters,
      long lastSequence) {
    this.geometry = geometry;
    this.access = options.fileAccess();
    this.directory = directory;
    this.table = table;
    this.superTables = superTables;
    this.eviction = options.eviction();
    this.counters = counters;
    this.lastSequence = lastSequence;
    for (int i = 0; i < layout.spareBuffers(); i++) {
      spares.add(new WriteBuffer(geometry, layout.bufferEntries()));
    }
    Counters nobodys = new Counters();
    this.packer = new IncarnationPacker(geometry);
    this.evicted = new PageReader(geometry, table.store(), nobodys);
    this.newer = new PageReader(geometry, table.store(), nobodys);
    this.thread = new Thread(this::run, "winnow-" + directory.getFileName() + "-write");
    this.thread.setDaemon(true);
  }

  /** Begins to write; the first log in the directory is this one. */
  void start(long firstThere) {
    firstKeptLog = firstThere;
    firstLog = firstThere;
    unknownLog = firstThere;
    thread.start();
  }

  /** What logs before this one have is in buffers, or in incarnations. */
  void replayed(long before) {
    unknownLog = before;
  }

  void logTo(OperationLog newLog) {
    synchronized (this) {
      log = newLog;
    }
  }

  private OperationLog log() {
    synchronized (this) {
      return log;
    }
  }

  // ---- For those who fill buffers ----

  /**
   * Hands a super table's buffer over, if there is a spare one and the last one is written. With
   * the super table's monitor.
   */
  boolean freeze(SuperTable superTable) {
    if (superTable.isFrozen()) {
      return false;
    }
    synchronized (this) {
      WriteBuffer spare = spares.poll();
      if (spare == null) {
        return false;
      }
      superTable.freeze(spare);
      queue.add(superTable);
      notifyAll();
      return true;
    }
  }

  /**
   * Waits until {@link #freeze} is likely to succeed.
   *
   * @throws IOException if buffers cannot be written, and could not when it was tried again
   */
  void awaitRoom(SuperTable superTable) throws IOException {
    long begin = System.nanoTime();
    synchronized (this) {
      boolean retried = false;
      while (superTable.isFrozen() || spares.isEmpty()) {
        retried = retryIfStuck(superTable, retried);
        pause();
      }
    }
    counters.waits.increment();
    counters.waitedNanos.add(System.nanoTime() - begin);
  }

  /**
   * Waits until the buffer of a super table is written, if one was handed over.
   *
   * @throws IOException if it cannot be written, and could not when it was tried again
   */
  void awaitWritten(SuperTable superTable) throws IOException {
    synchronized (this) {
      boolean retried = false;
      while (superTable.isFrozen()) {
        retried = retryIfStuck(superTable, retried);
        pause();
      }
    }
  }

  /** Waits until nothing is being written, but for what cannot be. */
  synchronized void awaitIdle() {
    while (!queue.isEmpty() || writing > 0) {
      pause();
    }
  }

  /** Whether this one's write failed, or only failed ones are left; then they are tried once. */
  private boolean retryIfStuck(SuperTable superTable, boolean retried) throws IOException {
    if (closing) {
      throw new IOException(directory + " was closed");
    }
    boolean onlyStuck = queue.isEmpty() && writing == 0 && !stuck.isEmpty();
    if (!stuck.contains(superTable) && !onlyStuck) {
      return retried;
    }
    if (retried) {
      throw new IOException(
          "buffers cannot be written to "
              + table.store().name()
              + ": "
              + failure
              + "; what is in them stays there, and is tried again unless that was an fsync",
          failure);
    }
    queue.addAll(stuck);
    stuck.clear();
    notifyAll();
    return true;
  }

  /** An interrupt makes no difference but to the thread, which finds itself interrupted later. */
  private void pause() {
    try {
      wait();
    } catch (InterruptedException e) {
      boolean woken = false;
      while (!woken) {
        try {
          wait(1);
          woken = true;
        } catch (InterruptedException again) {
          // once is enough to know
        }
      }
      Thread.currentThread().interrupt();
    }
  }

  /** While buffers are written so that nothing is left in them, nothing is retained there. */
  void drain(boolean on) {
    draining = on;
  }

  /** Tells that the log with this number takes operations now. */
  void noteLog(long number) {
    if (number - firstLog >= MOST_LOGS) {
      synchronized (this) {
        if (!trimDue) {
          trimDue = true;
          notifyAll();
        }
      }
    }
  }

  // ---- The thread ----

  private void run() {
    List<SuperTable> batch = new ArrayList<>();
    while (true) {
      synchronized (this) {
        writing = 0;
        notifyAll();
        while (queue.isEmpty() && !trimDue && !closing) {
          pause();
        }
        if (closing) {
          return;
        }
        batch.clear();
        while (!queue.isEmpty() && batch.size() < MOST_TOGETHER) {
          batch.add(queue.poll());
        }
        writing = batch.size();
        trimDue = false;
      }
      if (!batch.isEmpty()) {
        write(batch);
      }
      trimLogs();
    }
  }

  private void write(List<SuperTable> batch) {
    List<Written> written = new ArrayList<>();
    for (SuperTable superTable : batch) {
      try {
        written.add(write(superTable));
      } catch (IOException | RuntimeException | Error e) {
        fail(superTable, e);
      }
    }
    if (written.isEmpty()) {
      return;
    }
    try {
      table.store().force();
    } catch (IOException | RuntimeException | Error e) {
      written.forEach(one -> fail(one.superTable(), e));
      return;
    }
    long deletable = table.mark().firstLog(); // by a mark that is safe now
    for (Written one : written) {
      begun.remove(one.superTable());
      WriteBuffer free = one.superTable().install(one.slot(), one.incarnation());
      counters.incarnationsWritten.increment();
      free.clear();
      synchronized (this) {
        spares.add(free);
        notifyAll();
      }
    }
    mark();
    deleteLogs(deletable);
  }

  private Written write(SuperTable superTable) throws IOException {
    int slot = superTable.nextSlot();
    Incarnation oldest = superTable.incarnation(slot);
    if (oldest != null) {
      if (eviction.priority() != null && !oldest.isLost()) {
        retain(superTable, slot, oldest);
      }
      superTable.evict(slot);
      counters.incarnationsEvicted.increment();
    }
    long sequence = ++lastSequence;
    Index index =
        packer.pack(
            superTable.frozen(),
            sequence,
            superTable.number(),
            slot,
            superTable.frozenOperation(),
            superTable.filters());
    begun.putIfAbsent(superTable, sequence);
    table
        .store()
        .write(geometry.firstPage(superTable.number(), slot), packer.pages(), packer.frame());
    return new Written(superTable, slot, Incarnation.of(geometry, sequence, index));
  }

  private void fail(SuperTable superTable, Throwable e) {
    counters.lastFailure.set(e);
    synchronized (this) {
      failure = e;
      stuck.add(superTable);
      notifyAll();
    }
  }

  /** Says what is safe. If it cannot be written, the next opening looks at more. */
  private void mark() {
    long safe = lastSequence;
    for (long sequence : begun.values()) {
      safe = Math.min(safe, sequence - 1);
    }
    firstLog = firstNeededLog();
    try {
      table.mark(safe, firstLog);
    } catch (IOException | RuntimeException e) {
      counters.lastFailure.set(e);
    }
  }

  private long firstNeededLog() {
    OperationLog now = log();
    long first = now == null ? unknownLog : now.number(); // before the super tables are asked
    for (SuperTable superTable : superTables) {
      first = Math.min(first, superTable.firstLog());
    }
    return first;
  }

  private void deleteLogs(long below) {
    try {
      for (; firstKeptLog < below; firstKeptLog++) {
        access.delete(OperationLog.path(directory, firstKeptLog));
      }
    } catch (IOException e) {
      counters.lastFailure.set(e); // the next opening deletes it
    }
  }

  /** Lets buffers be written that hold on to the oldest logs, if there are many. */
  private void trimLogs() {
    OperationLog now = log();
    if (now == null || now.number() - firstLog < MOST_LOGS) {
      return;
    }
    firstLog = firstNeededLog();
    if (now.number() - firstLog < MOST_LOGS) {
      return;
    }
    long old = firstLog + MOST_LOGS / 4;
    for (SuperTable superTable : superTables) {
      synchronized (superTable) {
        if (superTable.firstActiveLog() < old && !freeze(superTable) && !superTable.isFrozen()) {
          return; // no spare buffer: when some are written it goes on
        }
      }
    }
  }

  // ---- Partial discard ----

  private void retain(SuperTable superTable, int slot, Incarnation oldest) throws IOException {
    boolean any = false;
    PageFrame frame = evicted.frame();
    ByteBuffer bytes = frame.bytes();
    for (int page = 0; page < oldest.pages(); page++) {
      try {
        evicted.read(oldest, page);
      } catch (IOException e) {
        counters.lastFailure.set(e);
        counters.notRetained.increment(); // one at least
        continue;
      }
      int at = TablePage.payload(frame, 0);
      for (int left = TablePage.number(frame, 0); left > 0; left--) {
        if (!Records.isDelete(bytes, at)) {
          any |=
              retain(
                  superTable,
                  slot,
                  Records.hash(bytes, at),
                  Records.key(bytes, at, geometry),
                  Records.value(bytes, at));
        }
        at += Records.bytes(bytes, at);
      }
    }
    OperationLog now = log();
    if (any && now != null) {
      now.force(); // the copy that was safe is about to be overwritten
    }
  }

  private boolean retain(SuperTable superTable, int slot, long hash, byte[] key, byte[] value)
      throws IOException {
    if (!eviction.priority().isHigh(hash, key, value)) {
      return false;
    }
    synchronized (superTable) {
      switch (superTable.newer(hash, key, slot, newer)) {
        case YES:
          return false;
        case NO:
          return putBack(superTable, hash, key, value);
        case ASK:
          break;
      }
    }
    try {
      int fence = geometry.fence(HashMix.mix(hash));
      if (newer.find(hash, key, fence) != Records.NOT_HERE) {
        return false;
      }
    } catch (IOException e) {
      counters.lastFailure.set(e);
      counters.notRetained.increment(); // what is newer cannot be read: this one may be too old
      return false;
    }
    synchronized (superTable) {
      return !superTable.hasInBuffers(hash, key) && putBack(superTable, hash, key, value);
    }
  }

  private boolean putBack(SuperTable superTable, long hash, byte[] key, byte[] value)
      throws IOException {
    int bytes = Records.bytes(key, value);
    boolean withTheRest = superTable.hasRoomInFrozen(bytes);
    if (!withTheRest && (draining || !superTable.hasRoomToRetain(bytes))) {
      counters.notRetained.increment();
      return false;
    }
    OperationLog now = log();
    long number = now == null ? 0 : now.number();
    long operation = now == null ? 0 : now.append(hash, key, value);
    if (withTheRest) {
      superTable.putIntoFrozen(hash, key, value, number);
    } else {
      superTable.putRetained(hash, key, value, operation, number);
    }
    counters.retained.increment();
    return true;
  }

  /** Waits for what is being written now, and leaves the rest in the buffers. */
  @Override
  public void close() {
    synchronized (this) {
      closing = true;
      notifyAll();
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    packer.close();
    evicted.close();
    newer.close();
  }
}
