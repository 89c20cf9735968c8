package io.winnow.flash.store;

import io.netty.buffer.PooledByteBufAllocator;

/**
 * Memory for pages, as direct I/O wants it: off the heap, its address a multiple of {@value
 * #ALIGNMENT}.
 *
 * <p>It comes from an arena of Netty's pooled allocator that is ours alone, so that a frame costs
 * no system call, and Netty's leak detection ({@code -Dio.netty.leakDetection.level=paranoid}) sees
 * a frame that was not closed.
 */
public final class PageFrames {
  /** The largest block size that direct I/O is used with. */
  static final int ALIGNMENT = 4096;

  private static final int ARENAS = 2;
  private static final int SMALLEST_RUN_BYTES = 8192;
  private static final int MAX_ORDER = 8; // chunks of 8192 << 8 = 2 MiB

  private static final PooledByteBufAllocator ALLOCATOR =
      new PooledByteBufAllocator(
          true, 0, ARENAS, SMALLEST_RUN_BYTES, MAX_ORDER, 0, 0, false, ALIGNMENT);

  private PageFrames() {}

  /** A frame of {@code pages} pages. Its content is whatever was there. */
  public static PageFrame allocate(int pages, int pageBytes) {
    if (pages < 1 || pages > Integer.MAX_VALUE / pageBytes) {
      throw new IllegalArgumentException(pages + " pages of " + pageBytes + " bytes in one frame");
    }
    return new PageFrame(ALLOCATOR.directBuffer(pages * pageBytes, pages * pageBytes), pageBytes);
  }

  /** How many frames are not closed yet. */
  public static long liveFrames() {
    return ALLOCATOR.metric().directArenas().stream()
        .mapToLong(arena -> arena.numActiveAllocations())
        .sum();
  }
}
