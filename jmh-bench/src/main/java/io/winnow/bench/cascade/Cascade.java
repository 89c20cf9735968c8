package io.winnow.bench.cascade;

import io.winnow.cascade.CascadeFilter;
import io.winnow.cascade.CascadeOptions;
import io.winnow.cascade.CascadeStatistics;
import io.winnow.flash.Durability;
import io.winnow.flash.IoCounters;
import java.io.IOException;
import java.nio.file.Path;

/** The cascade filter, without a log, as the Bloom filters have none. */
final class Cascade implements Contender {
  private final CascadeFilter filter;

  private Cascade(CascadeFilter filter) {
    this.filter = filter;
  }

  static Cascade open(Path directory, CascadeBenchOptions options, boolean deletes)
      throws IOException {
    return new Cascade(
        CascadeFilter.open(
            directory,
            CascadeOptions.defaults()
                .memoryBudget(options.memoryBytes())
                .rate(options.rate())
                .expectedMaximum(options.keys())
                .fanOut(options.fanOut())
                .mergeThreads(options.mergeThreads())
                .readThreads(options.readThreads())
                .deletes(deletes)
                .durability(Durability.NONE)));
  }

  @Override
  public void insert(long keyHash) throws IOException {
    filter.insert(keyHash);
  }

  void delete(long keyHash) throws IOException {
    filter.delete(keyHash);
  }

  @Override
  public boolean mightContain(long keyHash) throws IOException {
    return filter.mightContain(keyHash);
  }

  /** How many of a batch may be there. */
  int positives(long[] keyHashes) throws IOException {
    return filter.mightContain(keyHashes, 0, keyHashes.length).cardinality();
  }

  @Override
  public void sync() throws IOException {
    filter.sync();
  }

  /** Returns when no merge is under way. */
  void settle() throws IOException {
    filter.sync();
    filter.awaitMerges();
  }

  CascadeStatistics statistics() {
    return filter.statistics();
  }

  @Override
  public IoCounters.Snapshot traffic() {
    return statistics().io();
  }

  @Override
  public long flashBytes() {
    return statistics().bytesOnFlash();
  }

  @Override
  public void close() throws IOException {
    filter.close();
  }
}
