package io.winnow.flash.buffered;

import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.PageFrames;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** Frames of one page, for as many readers as there are: a few are kept. Thread-safe. */
final class FramePool implements AutoCloseable {
  private static final int KEPT = 16;

  private final int pageBytes;
  private final BlockingQueue<PageFrame> kept = new ArrayBlockingQueue<>(KEPT);
  private volatile boolean closed;

  FramePool(int pageBytes) {
    this.pageBytes = pageBytes;
  }

  PageFrame take() {
    PageFrame frame = kept.poll();
    return frame == null ? PageFrames.allocate(1, pageBytes) : frame;
  }

  void give(PageFrame frame) {
    if (!kept.offer(frame)) {
      frame.close();
    } else if (closed) {
      close();
    }
  }

  @Override
  public void close() {
    closed = true;
    for (PageFrame frame = kept.poll(); frame != null; frame = kept.poll()) {
      frame.close();
    }
  }
}
