package io.winnow.flash.buffered;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * How a {@link BufferedBloomFilter} answers who can wait: the probe waits in its group's block
 * until that is full, or until it has waited for long enough. Thread-safe.
 */
final class DeferredProbes {
  /** What the timer waits before it tries again what it had no memory for. */
  private static final long PAUSE_NANOS = 10_000_000;

  private final BufferedBloomFile file;
  private final BufferedBloomSizing sizing;
  private final Wholeness wholeness;
  private final BlockSweeps sweeps;
  private final BufferedBloomCounters counters;
  private final boolean listens;
  private final ProbeTimer timer;

  DeferredProbes(
      BufferedBloomFile file,
      Wholeness wholeness,
      BlockSweeps sweeps,
      BufferedBloomCounters counters,
      BufferedBloomOptions options) {
    this.file = file;
    this.sizing = file.sizing();
    this.wholeness = wholeness;
    this.sweeps = sweeps;
    this.counters = counters;
    this.listens = options.listener() != null;
    this.timer =
        new ProbeTimer(
            new Waiting(),
            sweeps.groups(),
            options.maxWait().toNanos(),
            "winnow-" + file.directory().getFileName() + "-probes");
  }

  void start() {
    timer.start();
  }

  void stop() {
    timer.stop();
  }

  void probe(long keyHash, int tag) {
    checkListener();
    defer(keyHash, tag, null);
  }

  CompletableFuture<Boolean> probe(long keyHash) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    defer(keyHash, 0, answer);
    return answer;
  }

  void probe(long[] keyHashes, int from, int count, int firstTag) {
    Objects.checkFromIndexSize(from, count, keyHashes.length);
    checkListener();
    GroupedKeys keys = GroupedKeys.forBatch(sizing, count);
    for (int i = 0; keys == null && i < count; i++) {
      defer(keyHashes[from + i], firstTag + i, null);
    }
    for (int at = from; keys != null && at < from + count; ) {
      at = keys.fill(keyHashes, at, from + count);
      for (int group = 0; group < sweeps.groups(); group++) {
        defer(group, keys, firstTag - from);
      }
    }
  }

  private void checkListener() {
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
    synchronized (sweeps.block(group)) {
      file.checkOpen();
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
    synchronized (sweeps.block(group)) {
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
    BufferBlock block = sweeps.block(group);
    boolean whole = wholeness.isWhole();
    boolean answered = false;
    if (whole && !block.hasRoomForProbe()) {
      answered = true;
      sweeps.makeRoom(group); // if it fails, the next insert will
    }
    if (!whole || !block.hasRoomForProbe()) {
      sweeps.answers().put(positive(tag, future));
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
      sweeps.answers().deliverOrThrow();
    }
  }

  private AnswerQueue.Batch positive(int tag, CompletableFuture<Boolean> future) {
    counters.doubts.increment();
    AnswerQueue.Batch batch = new AnswerQueue.Batch(future == null ? 1 : 0, 1);
    if (future == null) {
      batch.add(tag, true);
    } else {
      batch.add(future, true);
    }
    return batch;
  }

  /** What the timer sees of the filter. */
  private final class Waiting implements ProbeTimer.Blocks {
    @Override
    public long now() {
      return sweeps.now();
    }

    @Override
    public long probesSince(int group) {
      return sweeps.block(group).probesSince();
    }

    @Override
    public void answer(int group) {
      try {
        sweeps.answer(group);
      } catch (RuntimeException | Error e) { // out of memory; the timer is for all others, too
        counters.failed(e);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      Throwable thrown = sweeps.answers().deliver();
      if (thrown != null) {
        counters.failed(thrown);
      }
    }
  }
}
