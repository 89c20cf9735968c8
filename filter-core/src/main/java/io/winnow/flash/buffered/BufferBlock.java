package io.winnow.flash.buffered;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What waits in memory for one group of pages: the entries of keys to add, upwards from the
 * beginning of the block, and those of probes to answer, each with the tag of who asks, downwards
 * from its end.
 *
 * <pre>
 *   | add 0 | add 1 | add 2 |  free ...            | probe 1, tag | probe 0, tag |
 * </pre>
 *
 * <p>Guarded by its own monitor, but for {@link #probesSince}.
 */
final class BufferBlock {
  /** There is no probe that waits. */
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

  /** Null until something waits. */
  private byte[] bytes;

  /** Keys to add. */
  int adds;

  /** Probes with a tag, and those that are answered through a future. */
  int tagged;

  List<Asked> asked = new ArrayList<>(0);

  /** How many keys were added since the filter was opened. */
  long inserted;

  /** Since when the oldest probe waits, or {@link #NO_PROBE}. */
  volatile long probesSince = NO_PROBE;

  /** A probe that is answered through a future. It counts as one with a tag. */
  static final class Asked {
    final long entry;
    final CompletableFuture<Boolean> future;

    Asked(long entry, CompletableFuture<Boolean> future) {
      this.entry = entry;
      this.future = future;
    }
  }

  BufferBlock(int entryBytes, int capacityBytes) {
    this.entryBytes = entryBytes;
    this.probeBytes = entryBytes + TAG_BYTES;
    this.mask = -1L >>> (64 - 8 * entryBytes);
    this.capacityBytes = capacityBytes;
  }

  /** The smallest block: one key and one probe fit. */
  static int minBytes(int entryBytes) {
    return Long.BYTES + entryBytes + TAG_BYTES;
  }

  private int addsEnd() {
    return adds * entryBytes;
  }

  private int probesBegin() {
    return capacityBytes - probes() * probeBytes;
  }

  boolean isEmpty() {
    return adds == 0 && probes() == 0;
  }

  // ---- Keys to add ----

  /** An entry is written as 8 bytes, of which the next one overwrites those that are not its. */
  boolean hasRoomForAdd() {
    return addsEnd() + Long.BYTES <= probesBegin();
  }

  /** Adds a key, for which there must be room. */
  void add(long entry) {
    LONG.set(bytes(), addsEnd(), entry);
    adds++;
    inserted++;
  }

  long addAt(int i) {
    return (long) LONG.get(bytes, i * entryBytes) & mask;
  }

  /** Whether a key with this entry waits to be added. */
  boolean hasAdd(long entry) {
    for (int i = 0; i < adds; i++) {
      if (addAt(i) == entry) {
        return true;
      }
    }
    return false;
  }

  /** Whether keys to add take more than half of the block: what else there is are probes. */
  boolean isHalfAdds() {
    return addsEnd() > capacityBytes / 2;
  }

  // ---- Probes to answer ----

  boolean hasRoomForProbe() {
    return addsEnd() + probeBytes <= probesBegin();
  }

  /** Keeps a probe, for which there must be room; the tag counts if the future is null. */
  void probe(long entry, int tag, CompletableFuture<Boolean> future, long now) {
    int at = capacityBytes - (tagged + 1) * probeBytes;
    byte[] into = future == null ? bytes() : null;
    if (probes() == 0) {
      probesSince = now;
    }
    if (future != null) {
      asked.add(new Asked(entry, future));
    } else {
      LONG.set(into, at, entry);
      INT.set(into, at + entryBytes, tag);
      tagged++;
    }
  }

  int probes() {
    return tagged + asked.size();
  }

  long taggedAt(int i) {
    return (long) LONG.get(bytes, capacityBytes - (i + 1) * probeBytes) & mask;
  }

  int tagAt(int i) {
    return (int) INT.get(bytes, capacityBytes - (i + 1) * probeBytes + entryBytes);
  }

  void clearProbes() {
    tagged = 0;
    if (!asked.isEmpty()) {
      asked = new ArrayList<>(0);
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
