package io.winnow.bench;

import io.winnow.hbase.read.WinnowFilterReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.BloomFilter;

/**
 * The program that queries the filter of several store files, for one contender of {@link
 * QueryBench} in a JVM of its own. It has several store files open, which are copies of one, with
 * all chunks of their filters in a block cache ({@link QueryCache}), and queries them in turn.
 * Between queries other blocks come into the cache, which is not timed.
 */
final class QueryWorker implements WorkerJvm.Worker {
  static final int KEY_LENGTH = 25;

  /**
   * Number of random rows whose queries are enough to hit each chunk of a file of a million rows.
   */
  private static final int ROWS_TO_LOAD = 3000;

  /**
   * Share of the timed groups of queries that count: in the slowest groups the system ran something
   * else.
   */
  private static final double COUNTED = 0.99;

  private final List<HStoreFile> files = new ArrayList<>();
  private final List<Path> links = new ArrayList<>();
  private final List<BloomFilter> filters = new ArrayList<>();
  private final ExecutorService pool = Executors.newCachedThreadPool();
  private final QueryCache cache;
  private final byte[] queries;
  private final double clockNanos = clockNanos();

  /**
   * Opens the store files.
   *
   * @param arguments filter, file, its keys, number of files to query, number of other blocks in
   *     the cache
   */
  QueryWorker(String... arguments) throws IOException {
    HBaseFilter filter = HBaseFilter.valueOf(arguments[0]);
    Path file = Path.of(arguments[1]);
    int keys = Integer.parseInt(arguments[2]);
    int copies = Integer.parseInt(arguments[3]);
    int others = Integer.parseInt(arguments[4]);
    Configuration conf = filter.configuration(0.01);
    queries = Keys.slab(Keys.queries(keys, Math.min(keys, 1_000_000), 0.5), KEY_LENGTH);
    cache = new QueryCache(conf, others, (long) copies * keys);
    CacheConfig config = new CacheConfig(conf, null, cache.blocks(), ByteBuffAllocator.HEAP);
    for (int copy = 0; copy < copies; copy++) {
      Path link =
          file.resolveSibling("%08x%s".formatted(copy, file.getFileName().toString().substring(8)));
      // Each contender's JVM has names of its own, and closing deletes only those.
      if (!Files.exists(link)) {
        Files.createLink(link, file);
      }
      links.add(link);
      var path = new org.apache.hadoop.fs.Path(link.toUri());
      files.add(LocalStoreFile.open(conf, path, filter.type(), config));
      filters.add(files.get(copy).getReader().getGeneralBloomFilter());
      if (filter.isStock() == filters.get(copy) instanceof WinnowFilterReader) {
        throw new IllegalStateException(filter + " is a " + filters.get(copy));
      }
    }
    loadAll();
    if (filter == HBaseFilter.BLOOM_XXH3_SHORT_CUT) {
      for (BloomFilter one : filters) {
        BloomInPlace.replace((WinnowFilterReader) one, Keys.presentInOrder(0, keys), KEY_LENGTH);
      }
    }
    cache.fill();
  }

  /**
   * Queries enough rows of each store file that each chunk of its filter is in the cache and was
   * used twice.
   */
  private void loadAll() {
    for (BloomFilter filter : filters) {
      int rows = Math.min(queries.length / KEY_LENGTH, ROWS_TO_LOAD);
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < rows; i++) {
          filter.contains(queries, i * KEY_LENGTH, KEY_LENGTH, null);
        }
      }
    }
  }

  /**
   * Returns the time of a call of {@link System#nanoTime}, in nanoseconds. A stretch makes two such
   * calls, of which one is part of its time.
   */
  private static double clockNanos() {
    long[] steps = new long[20_001];
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < steps.length; i++) {
        long start = System.nanoTime();
        steps[i] = System.nanoTime() - start;
      }
    }
    return Arrays.stream(steps)
        .sorted()
        .skip(steps.length / 4)
        .limit(steps.length / 2)
        .average()
        .orElseThrow();
  }

  /**
   * Returns the nanoseconds of wall time of a query: the mean over all threads and over all
   * stretches but the slowest hundredth.
   *
   * @param request number of threads; queries of each thread; how many of these are timed together
   *     as one stretch; blocks that come in for each query
   */
  @Override
  public double[] turn(double... request) throws Exception {
    int threads = (int) request[0];
    int count = (int) request[1];
    int stretch = (int) request[2];
    long misses = cache.chunkMisses();
    CyclicBarrier start = new CyclicBarrier(threads);
    List<Callable<Double>> tasks = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int number = t;
      tasks.add(
          () -> {
            start.await();
            return query(number, count, stretch, request[3]);
          });
    }
    double nanos = 0;
    for (Future<Double> thread : pool.invokeAll(tasks)) {
      nanos += thread.get();
    }
    if (cache.chunkMisses() != misses) {
      throw new IllegalStateException(
          (cache.chunkMisses() - misses)
              + " chunks were missing in the cache, which must have all");
    }
    return new double[] {nanos / threads / stretch};
  }

  /**
   * Index of the row with which each thread begins its next turn of queries, which is where its
   * last turn ended. Each thread begins elsewhere.
   */
  private final int[] next = new int[256];

  private double query(int thread, int count, int stretch, double blocksPerQuery) {
    int rows = queries.length / KEY_LENGTH;
    int row = (int) ((next[thread] + 7919L * 31 * thread) % rows);
    int file = (int) (7919L * thread % filters.size());
    long[] stretches = new long[count / stretch];
    int positives = 0;
    double due = 0;
    for (int s = 0; s < stretches.length; s++) {
      long start = System.nanoTime();
      for (int i = 0; i < stretch; i++) {
        positives +=
            filters.get(file).contains(queries, row * KEY_LENGTH, KEY_LENGTH, null) ? 1 : 0;
        row = row + 1 == rows ? 0 : row + 1;
        file = file + 1 == filters.size() ? 0 : file + 1;
      }
      stretches[s] = System.nanoTime() - start;
      for (due += stretch * blocksPerQuery; due >= 1; due--) {
        cache.insertOther();
      }
    }
    next[thread] = (next[thread] + count) % rows;
    if (positives < count / 3) {
      throw new IllegalStateException("only " + positives + " of " + count + " pass");
    }
    Arrays.sort(stretches);
    int counted = (int) Math.ceil(stretches.length * COUNTED);
    return Arrays.stream(stretches).limit(counted).average().orElseThrow() - clockNanos;
  }

  @Override
  public void close() throws IOException {
    pool.shutdown();
    for (HStoreFile file : files) {
      file.closeStoreFile(false);
    }
    for (Path link : links) {
      Files.delete(link);
    }
  }
}
