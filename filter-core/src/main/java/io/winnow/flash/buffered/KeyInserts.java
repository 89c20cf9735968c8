package io.winnow.flash.buffered;

import java.io.IOException;
import java.util.Objects;

/** How keys come into the blocks of a {@link BufferedBloomFilter}. Thread-safe. */
final class KeyInserts {
  private final BufferedBloomFile file;
  private final BufferedBloomSizing sizing;
  private final Wholeness wholeness;
  private final BlockSweeps sweeps;

  KeyInserts(BufferedBloomFile file, Wholeness wholeness, BlockSweeps sweeps) {
    this.file = file;
    this.sizing = file.sizing();
    this.wholeness = wholeness;
    this.sweeps = sweeps;
  }

  void insert(long keyHash) throws IOException {
    long mixed = BufferedBloomSizing.mix(keyHash);
    int group = sizing.group(mixed);
    long entry = sizing.entry(mixed);
    while (!tryInsert(group, entry)) {
      wholeness.beginChange();
    }
  }

  void insert(long[] keyHashes, int from, int count) throws IOException {
    Objects.checkFromIndexSize(from, count, keyHashes.length);
    GroupedKeys keys = GroupedKeys.forBatch(sizing, count);
    for (int i = from; keys == null && i < from + count; i++) {
      insert(keyHashes[i]);
    }
    for (int at = from; keys != null && at < from + count; ) {
      at = keys.fill(keyHashes, at, from + count);
      for (int group = 0; group < sweeps.groups(); group++) {
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
    BufferBlock block = sweeps.block(group);
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
        sweeps.answers().deliverOrThrow();
      }
    }
  }

  /** As for one key; returns the first key that is not in. */
  private int tryInsert(int group, GroupedKeys keys, int from) throws IOException {
    int end = keys.end(group);
    if (from == end) {
      return end;
    }
    BufferBlock block = sweeps.block(group);
    boolean swept = false;
    try {
      synchronized (block) {
        file.checkOpen();
        for (int i = from; i < end; i++) {
          if (!wholeness.mayChange()) {
            return i;
          }
          swept |= !block.hasRoomForAdd();
          add(block, group, keys.entry(i));
        }
        return end;
      }
    } finally {
      if (swept) {
        sweeps.answers().deliverOrThrow();
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
}
