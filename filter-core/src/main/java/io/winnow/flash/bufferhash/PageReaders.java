package io.winnow.flash.bufferhash;

import io.winnow.flash.store.PageStore;
import java.io.Closeable;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Readers that are not in use: as many as there were lookups at once. One that is given back after
 * the end is closed then, so that nobody reads into memory that is another one's.
 */
final class PageReaders implements Closeable {
  private final Geometry geometry;
  private final PageStore store;
  private final TableCounters counters;
  private final Deque<PageReader> idle = new ArrayDeque<>();
  private boolean closed;

  PageReaders(Geometry geometry, PageStore store, TableCounters counters) {
    this.geometry = geometry;
    this.store = store;
    this.counters = counters;
  }

  PageReader take() {
    synchronized (this) {
      PageReader reader = idle.pollFirst();
      if (reader != null) {
        return reader;
      }
    }
    return new PageReader(geometry, store, counters);
  }

  synchronized void giveBack(PageReader reader) {
    if (closed) {
      reader.close();
    } else {
      idle.addFirst(reader);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    idle.forEach(PageReader::close);
    idle.clear();
  }
}
