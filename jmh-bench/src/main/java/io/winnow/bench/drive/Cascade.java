package io.winnow.bench.drive;

import io.winnow.cascade.CascadeCount;
import io.winnow.cascade.CascadeFilter;
import io.winnow.cascade.CascadeOptions;
import io.winnow.cascade.CascadeStatistics;
import io.winnow.flash.store.Durability;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;

/** A cascade filter that is compared with Bloom filters, without a log because these have none. */
final class Cascade implements BatchContender {
  private final CascadeFilter filter;

  private Cascade(CascadeFilter filter) {
    this.filter = filter;
  }

  static Cascade of(CascadeFilter filter) {
    return new Cascade(filter);
  }

  static Cascade open(Path directory, CascadeBench options, boolean deletes) throws IOException {
    return open(
        directory,
        CascadeOptions.defaults()
            .memoryBudget(options.memoryBytes)
            .rate(options.rate)
            .expectedMaximum(options.keys)
            .fanOut(options.fanOut)
            .mergeThreads(options.mergeThreads)
            .readThreads(options.readThreads)
            .deletes(deletes));
  }

  static Cascade open(Path directory, CascadeOptions options) throws IOException {
    return of(CascadeFilter.open(directory, options.durability(Durability.NONE)));
  }

  @Override
  public void insert(long keyHash) throws IOException {
    filter.insert(keyHash);
  }

  @Override
  public void insert(long[] keyHashes) throws IOException {
    filter.insert(keyHashes, 0, keyHashes.length);
  }

  void delete(long keyHash) throws IOException {
    filter.delete(keyHash);
  }

  @Override
  public boolean mightContain(long keyHash) {
    return filter.mightContain(keyHash);
  }

  @Override
  public BitSet mightContain(long[] keyHashes) {
    return filter.mightContain(keyHashes, 0, keyHashes.length);
  }

  @Override
  public void sync() throws IOException {
    filter.sync();
  }

  /** Waits until all keys of the cascade filter are on flash and no merge is under way. */
  void settle() throws IOException {
    filter.sync();
    filter.awaitMerges();
  }

  @Override
  public void rest() throws IOException {
    filter.awaitMerges();
  }

  @Override
  public boolean isAtRest() {
    CascadeStatistics now = statistics();
    return now.get(CascadeCount.RUNNING_MERGES) == 0 && now.get(CascadeCount.FROZEN_ENTRIES) == 0;
  }

  @Override
  public long lookupPages() {
    return statistics().get(CascadeCount.LOOKUP_READS);
  }

  @Override
  public int levels() {
    return statistics().levels().size();
  }

  CascadeStatistics statistics() {
    return filter.statistics();
  }

  @Override
  public IoSnapshot traffic() {
    return statistics().io();
  }

  @Override
  public long flashBytes() {
    return statistics().get(CascadeCount.FLASH_BYTES);
  }

  @Override
  public void close() throws IOException {
    filter.close();
  }
}
