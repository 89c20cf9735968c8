package io.winnow.bench.drive;

import io.winnow.flash.buffered.BufferedBloomCount;
import io.winnow.flash.buffered.BufferedBloomFilter;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.flash.drive.ReadThreads;
import io.winnow.flash.store.FlashStatistics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;

/**
 * A Bloom filter whose pages are Bloom filters of their own, so that a lookup reads one page: the
 * strongest of the older designs. Its inserts wait in memory and are written with large requests;
 * its lookups do not wait. A batch is looked up by as many threads as the cascade has for lookups.
 */
final class PageLocalBloom implements Structure {
  private final BufferedBloomFilter filter;
  private final ReadThreads readers;

  PageLocalBloom(Path directory, BufferedBloomOptions options, int readThreads) throws IOException {
    this.filter = BufferedBloomFilter.open(directory, options);
    this.readers = new ReadThreads("page-local", readThreads);
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
    boolean[] found = new boolean[keys.length];
    readers.run(keys.length, (thread, i) -> found[i] = filter.mightContain(keys[i]));
    BitSet answers = new BitSet(found.length);
    for (int i = 0; i < found.length; i++) {
      answers.set(i, found[i]);
    }
    return answers;
  }

  /** Returns the filter's state. Sweeps read the pages of a full block in one request. */
  @Override
  public State state() {
    FlashStatistics<BufferedBloomCount> now = filter.statistics();
    long lookupPages = now.io().reads() - now.get(BufferedBloomCount.SWEEPS);
    return new State(now.io(), filter.sizing().sizeInBytes(), lookupPages, 1, true);
  }

  @Override
  public void close() throws IOException {
    readers.close();
    filter.close();
  }
}
