package io.winnow.bench.drive;

import io.winnow.flash.buffered.BufferedBloomCount;
import io.winnow.flash.buffered.BufferedBloomFilter;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A Bloom filter whose pages are Bloom filters of their own, so that a lookup reads one page: the
 * strongest of the older designs. Its inserts wait in memory and are written with large requests;
 * its lookups do not wait. A batch is looked up by as many threads as the cascade has for lookups.
 */
final class PageLocalBloom implements Structure {
  private final BufferedBloomFilter filter;
  private final ExecutorService readers;
  private final int readThreads;

  PageLocalBloom(Path directory, BufferedBloomOptions options, int readThreads) throws IOException {
    this.filter = BufferedBloomFilter.create(directory, options);
    this.readThreads = readThreads;
    this.readers = Executors.newFixedThreadPool(readThreads);
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
  public BitSet mightContain(long[] keys) throws IOException {
    boolean[] found = new boolean[keys.length];
    AtomicInteger next = new AtomicInteger();
    Callable<Void> reader =
        () -> {
          for (int i = next.getAndIncrement(); i < found.length; i = next.getAndIncrement()) {
            found[i] = filter.mightContain(keys[i]);
          }
          return null;
        };
    int count = Math.min(readThreads, keys.length);
    for (Future<Void> done :
        IoCalls.io(() -> readers.invokeAll(Collections.nCopies(count, reader)))) {
      IoCalls.io(done::get);
    }
    BitSet answers = new BitSet(found.length);
    for (int i = 0; i < found.length; i++) {
      answers.set(i, found[i]);
    }
    return answers;
  }

  /**
   * Returns the number of the drive's reads except those of sweeps, which read the pages of a full
   * block in one request.
   */
  @Override
  public long lookupPages() {
    FlashStatistics<BufferedBloomCount> now = filter.statistics();
    return now.io().reads() - now.get(BufferedBloomCount.SWEEPS);
  }

  @Override
  public IoSnapshot traffic() {
    return filter.statistics().io();
  }

  @Override
  public long flashBytes() {
    return filter.sizing().sizeInBytes();
  }

  @Override
  public void close() throws IOException {
    readers.shutdown();
    filter.close();
  }
}
