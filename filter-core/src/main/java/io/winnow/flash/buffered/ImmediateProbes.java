package io.winnow.flash.buffered;

import io.winnow.flash.store.PageFrame;
import java.io.Closeable;
import java.io.IOException;

/**
 * How a {@link BufferedBloomFilter} answers who cannot wait: from the keys that wait in the block,
 * else by one read of one page. Thread-safe.
 */
final class ImmediateProbes implements Closeable {
  private final BufferedBloomFile file;
  private final BufferedBloomSizing sizing;
  private final Wholeness wholeness;
  private final BlockSweeps sweeps;
  private final BufferedBloomCounters counters;
  private final FramePool frames;

  ImmediateProbes(
      BufferedBloomFile file,
      Wholeness wholeness,
      BlockSweeps sweeps,
      BufferedBloomCounters counters) {
    this.file = file;
    this.sizing = file.sizing();
    this.wholeness = wholeness;
    this.sweeps = sweeps;
    this.counters = counters;
    this.frames = new FramePool(sizing.pageBytes());
  }

  boolean mightContain(long keyHash) {
    long mixed = BufferedBloomSizing.mix(keyHash);
    int group = sizing.group(mixed);
    long entry = sizing.entry(mixed);
    BufferBlock block = sweeps.block(group);
    PageFrame frame = frames.take();
    try {
      synchronized (block) { // a page is not read while it is written
        file.checkOpen();
        if (!wholeness.isWhole()) {
          counters.doubts.increment();
          return true;
        }
        if (block.hasAdd(entry)) {
          return true;
        }
        file.read(group, entry, frame);
      }
      return file.hasKey(entry, frame);
    } catch (IOException e) {
      counters.failed(e);
      counters.doubts.increment();
      return true;
    } finally {
      frames.give(frame);
    }
  }

  @Override
  public void close() {
    frames.close();
  }
}
