package io.winnow.bench.drive;

import io.winnow.flash.buffered.BufferedBloomCount;
import io.winnow.flash.buffered.BufferedBloomFilter;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * A Bloom filter whose pages are Bloom filters of their own, so that a lookup reads one page: the
 * strongest of the older designs. Its inserts wait in memory and are written with large requests;
 * its lookups do not wait. A batch is looked up by as many threads as the cascade has for lookups.
 */
final class PageLocalBloom implements BatchContender {
  private final BufferedBloomFilter filter;
  private final ExecutorService readers;
  private final int readThreads;

  private PageLocalBloom(BufferedBloomFilter filter, int readThreads) {
    this.filter = filter;
    this.readThreads = readThreads;
    this.readers =
        Executors.newFixedThreadPool(
            readThreads,
            task -> {
              Thread thread = new Thread(task, "page-local-reads");
              thread.setDaemon(true);
              return thread;
            });
  }

  static BufferedBloomOptions options(long keys, double rate, long memoryBytes) {
    return BufferedBloomOptions.defaults().keys(keys).rate(rate).memoryBudget(memoryBytes);
  }

  static PageLocalBloom create(Path directory, BufferedBloomOptions options, int readThreads)
      throws IOException {
    return new PageLocalBloom(BufferedBloomFilter.create(directory, options), readThreads);
  }

  @Override
  public void insert(long keyHash) throws IOException {
    filter.insert(keyHash);
  }

  @Override
  public void insert(long[] keyHashes) throws IOException {
    filter.insert(keyHashes, 0, keyHashes.length);
  }

  @Override
  public boolean mightContain(long keyHash) {
    return filter.mightContain(keyHash);
  }

  @Override
  public BitSet mightContain(long[] keyHashes) throws IOException {
    boolean[] found = new boolean[keyHashes.length];
    AtomicInteger next = new AtomicInteger();
    Callable<Void> reader =
        () -> {
          for (int i = next.getAndIncrement(); i < found.length; i = next.getAndIncrement()) {
            found[i] = filter.mightContain(keyHashes[i]);
          }
          return null;
        };
    try {
      int count = Math.min(readThreads, found.length);
      for (Future<Void> done :
          readers.invokeAll(IntStream.range(0, count).mapToObj(i -> reader).toList())) {
        done.get();
      }
    } catch (InterruptedException e) {
      throw new InterruptedIOException();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a lookup failed", e.getCause());
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
  public void sync() throws IOException {
    filter.sync();
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
