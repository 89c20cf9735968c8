package io.winnow.flash.store;

class MemoryPageStoreTest extends PageStoreContractTest {

  @Override
  PageStore create(int pageBytes) {
    return MemoryPageStore.create("pages in memory", pageBytes);
  }

  @Override
  void flipBit(PageStore store, int page, int bit) {
    ((MemoryPageStore) store).stored(page)[bit / 8] ^= (byte) (1 << bit % 8);
  }
}
