package io.winnow.flash.drive;

import io.netty.buffer.ByteBuf;
import io.winnow.base.Buffers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Buffer of aligned memory for a few pages, for direct I/O. Its last owner closes it, once. Not
 * thread-safe.
 */
public final class PageFrame implements AutoCloseable {
  private final ByteBuf memory;

  /**
   * All bytes of the frame, little-endian: those of page {@code i} begin at {@code i * pageBytes},
   * and its payload {@value PageStore#HEADER_BYTES} bytes later. It is the same buffer each time:
   * use absolute reads and writes, or restore its position and limit.
   */
  public final ByteBuffer bytes;

  /** Size in bytes of each page of the frame. */
  public final int pageBytes;

  PageFrame(ByteBuf memory, int pageBytes) {
    this.memory = memory;
    this.pageBytes = pageBytes;
    this.bytes =
        memory.internalNioBuffer(0, memory.capacity()).slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  private PageFrame(ByteBuffer bytes, int pageBytes) {
    this.memory = null;
    this.bytes = bytes.order(ByteOrder.LITTLE_ENDIAN);
    this.pageBytes = pageBytes;
  }

  /**
   * Returns a frame (page buffer) that covers some adjacent pages of this one, in this one's
   * memory. It must not be closed, and is invalid after this frame is closed.
   */
  public PageFrame view(int firstPage, int pages) {
    return firstPage == 0 && pages == pages()
        ? this
        : new PageFrame(Buffers.slice(bytes, firstPage * pageBytes, pages * pageBytes), pageBytes);
  }

  /** Returns the number of pages in the frame (page buffer). */
  public int pages() {
    return bytes.capacity() / pageBytes;
  }

  /** Returns the version number of a page in the frame; 0 if pages have no versions. */
  public int version(int i) {
    return bytes.getInt(i * pageBytes + Integer.BYTES);
  }

  /** Sets the version number of a page in the frame, before it is written. */
  public void setVersion(int i, int version) {
    bytes.putInt(i * pageBytes + Integer.BYTES, version);
  }

  /** Returns the offset in the frame (page buffer) of the payload of page {@code i}. */
  public int payloadOffset(int i) {
    return i * pageBytes + PageStore.HEADER_BYTES;
  }

  /**
   * Fills a page of the frame (page buffer) with one byte value, from a given byte of the page on.
   */
  public void fill(int i, int from, int value) {
    long word = (value & 0xFF) * 0x0101010101010101L;
    int end = (i + 1) * pageBytes;
    int at = i * pageBytes + from;
    for (; at < end && (at & 7) != 0; at++) {
      bytes.put(at, (byte) value);
    }
    for (; at < end; at += Long.BYTES) {
      bytes.putLong(at, word);
    }
  }

  @Override
  public void close() {
    if (memory == null) {
      throw new IllegalStateException("a view must not be closed");
    }
    memory.release();
  }
}
