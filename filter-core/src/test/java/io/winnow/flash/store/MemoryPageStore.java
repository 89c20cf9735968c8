package io.winnow.flash.store;

import io.winnow.bits.Buffers;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;

/** Pages on the heap: the contract of a {@link FilePageStore}, checksums and all, with no file. */
public final class MemoryPageStore implements PageStore {
  private final String name;
  private final int pageBytes;
  private final IoCounters counters = new IoCounters();
  private final List<byte[]> pages = new ArrayList<>();
  private boolean closed;

  private MemoryPageStore(String name, int pageBytes) {
    this.name = name;
    this.pageBytes = pageBytes;
  }

  /** An empty store; the name is for messages. */
  public static MemoryPageStore create(String name, int pageBytes) {
    FilePageStore.checkPageBytes(pageBytes);
    return new MemoryPageStore(name, pageBytes);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int pageBytes() {
    return pageBytes;
  }

  @Override
  public synchronized long pages() {
    return pages.size();
  }

  @Override
  public IoMode mode() {
    return IoMode.MEMORY;
  }

  @Override
  public IoCounters counters() {
    return counters;
  }

  @Override
  public synchronized void read(long firstPage, int count, PageFrame into) throws IOException {
    checkOpen();
    FilePageStore.checkRead(this, firstPage, count, into);
    for (int i = 0; i < count; i++) {
      Buffers.put(into.bytes(), i * pageBytes, pages.get((int) firstPage + i));
    }
    counters.countRead((long) count * pageBytes);
    new PageChecksum().check(name, into, 0, firstPage, count);
  }

  @Override
  public synchronized void write(long firstPage, int count, PageFrame from) throws IOException {
    checkOpen();
    FilePageStore.checkWrite(this, firstPage, count, from);
    new PageChecksum().stamp(from, 0, firstPage, count);
    for (int i = 0; i < count; i++) {
      if (firstPage + i == pages.size()) {
        pages.add(new byte[pageBytes]);
      }
      Buffers.get(from.bytes(), i * pageBytes, pages.get((int) firstPage + i));
    }
    counters.countWrite((long) count * pageBytes);
  }

  @Override
  public synchronized long append(int count, PageFrame from) throws IOException {
    long firstPage = pages.size();
    write(firstPage, count, from);
    return firstPage;
  }

  @Override
  public synchronized void force() throws IOException {
    checkOpen();
  }

  @Override
  public synchronized void close() {
    closed = true;
  }

  private void checkOpen() throws ClosedChannelException {
    if (closed) {
      throw new ClosedChannelException();
    }
  }

  /** The bytes of a page as they are kept, for tests that damage them. */
  public byte[] stored(int page) {
    return pages.get(page);
  }
}
