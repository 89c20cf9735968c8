package io.winnow.bench.drive;

import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;

/** A set of keys on flash that is a map with empty values. */
final class StoreSet implements FlashContender {
  private static final byte[] NO_VALUE = new byte[0];

  private final Store store;

  StoreSet(Store store) {
    this.store = store;
  }

  @Override
  public void insert(long keyHash) throws IOException {
    store.put(keyHash, NO_VALUE);
  }

  @Override
  public boolean mightContain(long keyHash) throws IOException {
    return store.get(keyHash) != null;
  }

  @Override
  public void sync() throws IOException {
    store.settle();
  }

  @Override
  public IoSnapshot traffic() {
    return store.traffic();
  }

  @Override
  public long flashBytes() throws IOException {
    return store.flashBytes();
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
