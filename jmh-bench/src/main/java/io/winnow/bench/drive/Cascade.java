package io.winnow.bench.drive;

import io.winnow.cascade.CascadeCount;
import io.winnow.cascade.CascadeFilter;
import io.winnow.cascade.CascadeOptions;
import io.winnow.cascade.CascadeStatistics;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;

/** A cascade filter that is compared with Bloom filters, without a log because these have none. */
final class Cascade implements Structure {
  final CascadeFilter filter;

  Cascade(Path directory, CascadeOptions options) throws IOException {
    filter = CascadeFilter.open(directory, options.durability(Durability.NONE));
  }

  @Override
  public void insert(long key) throws IOException {
    filter.insert(key);
  }

  @Override
  public void insert(long[] keys) throws IOException {
    filter.insert(keys, 0, keys.length);
  }

  @Override
  public boolean mightContain(long key) {
    return filter.mightContain(key);
  }

  @Override
  public BitSet mightContain(long[] keys) {
    return filter.mightContain(keys, 0, keys.length);
  }

  @Override
  public void settle() throws IOException {
    filter.awaitMerges();
  }

  /** Waits until all keys of the cascade filter are on flash, and no merge is under way. */
  void flush() throws IOException {
    filter.sync();
    filter.awaitMerges();
  }

  @Override
  public State state() {
    CascadeStatistics now = filter.statistics();
    return new State(
        now.io(),
        now.get(CascadeCount.FLASH_BYTES),
        now.get(CascadeCount.LOOKUP_READS),
        now.levels().size(),
        now.get(CascadeCount.RUNNING_MERGES) == 0 && now.get(CascadeCount.FROZEN_ENTRIES) == 0);
  }

  @Override
  public void close() throws IOException {
    filter.close();
  }
}
