package io.winnow.flash.buffered;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The waiting keys and probes of one group of pages of a buffered Bloom filter. The entries of keys
 * are stored upwards from the start of the block, those of probes, each with its tag, downwards
 * from the end.
 *
 * <pre>
 *   | add 0 | add 1 | add 2 |  free ...            | probe 1, tag | probe 0, tag |
 * </pre>
 *
 * <p>Guarded by its own monitor, except {@link #probesSince}.
 */
final class BufferBlock {
  /** Value that stands for the time of the oldest waiting probe when no probe waits. */
  static final long NO_PROBE = Long.MAX_VALUE;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int TAG_BYTES = Integer.BYTES;

  private final int entryBytes;
  private final int probeBytes;
  private final long mask;
  private final int capacityBytes;

  /** Array with the block's waiting keys and probes; null until there are any. */
  private byte[] bytes;

  /** Number of keys that wait in the block to be added to their pages. */
  int adds;

  /** Number of waiting probes whose answer goes to the listener with a tag. */
  int tagged;

  /** Waiting probes whose answer goes to a future. */
  List<FutureProbe> futureProbes = new ArrayList<>(0);

  /**
   * Number of keys that were added to this block of a buffered Bloom filter since the filter was
   * opened.
   */
  long inserted;

  /** Time in nanoseconds at which the oldest waiting probe came, or {@link #NO_PROBE}. */
  volatile long probesSince = NO_PROBE;

  /** A waiting probe whose answer goes to a future. It takes the same room as one with a tag. */
  static final class FutureProbe {
    final long entry;
    final CompletableFuture<Boolean> future;

    FutureProbe(long entry, CompletableFuture<Boolean> future) {
      this.entry = entry;
      this.future = future;
    }
  }

  /** Creates an empty block for waiting keys and probes. */
  BufferBlock(int entryBytes, int capacityBytes) {
    this.entryBytes = entryBytes;
    this.probeBytes = entryBytes + TAG_BYTES;
    this.mask = -1L >>> (64 - 8 * entryBytes);
    this.capacityBytes = capacityBytes;
  }

  /**
   * Returns the size in bytes of the smallest block of waiting keys and probes, which has room for
   * one of each.
   */
  static int minBytes(int entryBytes) {
    return Long.BYTES + entryBytes + TAG_BYTES;
  }

  /** Returns the offset in the block at which the waiting keys end. */
  private int addsEnd() {
    return adds * entryBytes;
  }

  /** Returns the offset in the block at which the waiting probes begin. */
  private int probesBegin() {
    return capacityBytes - probes() * probeBytes;
  }

  boolean isEmpty() {
    return adds == 0 && probes() == 0;
  }

  // ---- Keys to add ----

  /**
   * Returns whether the block has room for another waiting key. An entry is written as 8 bytes; the
   * next entry overwrites those that do not belong to it.
   */
  boolean hasRoomForAdd() {
    return addsEnd() + Long.BYTES <= probesBegin();
  }

  /** Adds a waiting key to the block, which must have room for it. */
  void add(long entry) {
    LONG.set(bytes(), addsEnd(), entry);
    adds++;
    inserted++;
  }

  /** Returns the entry (the stored bits) of the i-th waiting key. */
  long addAt(int i) {
    return (long) LONG.get(bytes, i * entryBytes) & mask;
  }

  /** Returns whether a waiting key has this entry (the stored bits of a key). */
  boolean hasAdd(long entry) {
    for (int i = 0; i < adds; i++) {
      if (addAt(i) == entry) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether waiting keys take more than half of the block. */
  boolean isHalfAdds() {
    return addsEnd() > capacityBytes / 2;
  }

  // ---- Probes to answer ----

  /** Returns whether the block has room for another waiting probe. */
  boolean hasRoomForProbe() {
    return addsEnd() + probeBytes <= probesBegin();
  }

  /**
   * Adds a waiting probe to the block, which must have room for it.
   *
   * @param tag used if the future is null
   * @param future receives the answer, or null
   * @param now the present time
   */
  void probe(long entry, int tag, CompletableFuture<Boolean> future, long now) {
    int at = capacityBytes - (tagged + 1) * probeBytes;
    byte[] into = future == null ? bytes() : null;
    if (probes() == 0) {
      probesSince = now;
    }
    if (future != null) {
      futureProbes.add(new FutureProbe(entry, future));
    } else {
      LONG.set(into, at, entry);
      INT.set(into, at + entryBytes, tag);
      tagged++;
    }
  }

  /** Returns the number of probes that wait in the block. */
  int probes() {
    return tagged + futureProbes.size();
  }

  /**
   * Returns the entry (the stored bits) of the i-th of those waiting probes whose answers go to the
   * listener.
   */
  long taggedAt(int i) {
    return (long) LONG.get(bytes, capacityBytes - (i + 1) * probeBytes) & mask;
  }

  /** Returns the tag of the i-th waiting probe with a tag. */
  int tagAt(int i) {
    return (int) INT.get(bytes, capacityBytes - (i + 1) * probeBytes + entryBytes);
  }

  /** Removes all waiting probes from the block. */
  void clearProbes() {
    tagged = 0;
    if (!futureProbes.isEmpty()) {
      futureProbes = new ArrayList<>(0);
    }
    probesSince = NO_PROBE;
  }

  private byte[] bytes() {
    if (bytes == null) {
      bytes = new byte[capacityBytes];
    }
    return bytes;
  }
}
