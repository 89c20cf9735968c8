package io.winnow.flash.store;

import io.netty.buffer.ByteBuf;
import io.winnow.bits.Buffers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A few pages' worth of aligned memory, to read into and to write from. Close it once, by the one
 * who holds it last. Not thread-safe.
 */
public final class PageFrame implements AutoCloseable {
  private final ByteBuf memory;
  private final ByteBuffer bytes;
  private final int pageBytes;

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
   * Some adjacent pages of this frame as a frame of their own, over the same memory. Not to be
   * closed, and of no use once this one is.
   */
  public PageFrame view(int firstPage, int pages) {
    return firstPage == 0 && pages == pages()
        ? this
        : new PageFrame(Buffers.slice(bytes, firstPage * pageBytes, pages * pageBytes), pageBytes);
  }

  public int pages() {
    return bytes.capacity() / pageBytes;
  }

  public int pageBytes() {
    return pageBytes;
  }

  /**
   * All bytes of the frame, little-endian: those of page {@code i} begin at {@code i * pageBytes},
   * and its payload {@value PageStore#HEADER_BYTES} bytes after that. The same buffer each time:
   * use absolute reads and writes, or leave its position and limit as they were.
   */
  public ByteBuffer bytes() {
    return bytes;
  }

  /** Which version of the page this is: 0, unless who writes it counts. */
  public int version(int i) {
    return bytes.getInt(i * pageBytes + Integer.BYTES);
  }

  /** Says which version of the page this is; who writes a page says it. */
  public void setVersion(int i, int version) {
    bytes.putInt(i * pageBytes + Integer.BYTES, version);
  }

  /** Where the payload of the frame's page {@code i} begins. */
  public int payloadOffset(int i) {
    return i * pageBytes + PageStore.HEADER_BYTES;
  }

  /** Fills the frame's page {@code i} from a byte of it on, with one value. */
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
      throw new IllegalStateException("a view is not closed");
    }
    memory.release();
  }
}
