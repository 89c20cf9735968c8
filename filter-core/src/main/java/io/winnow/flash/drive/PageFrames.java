package io.winnow.flash.drive;

import io.netty.buffer.PooledByteBufAllocator;

/**
 * Allocator of page buffers for direct I/O: off the heap, at addresses that are multiples of
 * {@value #ALIGNMENT}.
 *
 * <p>The memory comes from an arena of Netty's pooled allocator that only Winnow uses. So a frame
 * costs no system call, and Netty's leak detection ({@code
 * -Dio.netty.leakDetection.level=paranoid}) finds frames that were not closed.
 */
public final class PageFrames {
  /**
   * Bytes to which page buffers are aligned, and the largest block size for which direct I/O is
   * used.
   */
  static final int ALIGNMENT = 4096;

  private static final int ARENAS = 2;
  private static final int MIN_RUN_BYTES = 8192;
  private static final int MAX_ORDER = 8; // chunks of 8192 << 8 = 2 MiB

  private static final PooledByteBufAllocator ALLOCATOR =
      new PooledByteBufAllocator(true, 0, ARENAS, MIN_RUN_BYTES, MAX_ORDER, 0, 0, false, ALIGNMENT);

  private PageFrames() {}

  /** Allocates a buffer for a number of pages, for direct I/O. Its content is undefined. */
  public static PageFrame allocate(int pages, int pageBytes) {
    if (pages < 1 || pages > Integer.MAX_VALUE / pageBytes) {
      throw new IllegalArgumentException(
          pages + " pages of " + pageBytes + " bytes do not fit into one frame");
    }
    return new PageFrame(ALLOCATOR.directBuffer(pages * pageBytes, pages * pageBytes), pageBytes);
  }

  /** Returns the number of page buffers that are not closed yet. */
  public static long liveFrames() {
    return ALLOCATOR.metric().directArenas().stream()
        .mapToLong(arena -> arena.numActiveAllocations())
        .sum();
  }
}
